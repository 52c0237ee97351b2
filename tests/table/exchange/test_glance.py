"""What the beginning of a file shows, whatever is behind it."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest

from quorate.table.exchange.glance import FIRST, Glance, begun


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [1, 2', {"a": 1, "b": [1]}),
        ('{"a": {"b": {"c": "x", "d', {"a": {"b": {"c": "x"}}}),
        ('{"a": "half', {"a": None}),
        ('[{"a": 1}, {"b"', [{"a": 1}, {"b": None}]),
        (
            '{"a": NaN, "b": -Infinity, "c": 0} {"d": 1}',
            {"a": pytest.approx(float("nan"), nan_ok=True), "b": -float("inf"), "c": 0},
        ),
        ("[]", []),
        ("{", {}),
        ('{"a" 1', {"a": None}),
    ],
)
def test_json_that_is_cut_off(text, value):
    assert begun(text) == value


def test_nothing_deep_or_odd_takes_long_or_fails():
    for text in ("[" * 60_000, '{"a":' * 10_000, "[1 " * 20_000, '{"a" "b" "c"', "[,,,,", "{]}"):
        begun(text)


def test_of_lines_an_array_or_one_object_the_first_record(tmp_path):
    records = [{"a": 1, "long": "x" * 2 * FIRST}, {"a": 2}]
    lines = "\n".join(map(json.dumps, records))
    for name, text in {
        "l.jsonl": lines,
        "a.json": json.dumps(records),
        "o.txt": json.dumps(records[0], indent=1),
    }.items():
        path = tmp_path / name
        path.write_text(text)
        assert Glance(path).record == {"a": 1, "long": None}
    assert Glance(tmp_path / "a.json").array
    packed = tmp_path / "l.jsonl.gz"
    packed.write_bytes(gzip.compress(lines.encode()))
    assert Glance(packed).record.keys() == {"a", "long"}


def test_names_of_columns(tmp_path):
    pl.DataFrame({"a": [1], "b c": [2]}).write_parquet(tmp_path / "whatever")
    (tmp_path / "t.tsv").write_text("a\tb c\n1\t2\n")
    assert Glance(tmp_path / "whatever").header == Glance(tmp_path / "t.tsv").header == ("a", "b c")


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"\xff\xfe{", b"\x1f\x8bbroken", b"PAR1broken", b"plain text"])
def test_what_shows_nothing(tmp_path, content):
    path = tmp_path / "x"
    path.write_bytes(content)
    glance = Glance(path)
    assert (glance.record, glance.header, glance.array, glance.names) == ({}, (), False, frozenset())


def test_what_is_not_there_and_folders(tmp_path):
    (tmp_path / "in.json").touch()
    assert Glance(tmp_path).names == {"in.json"}
    assert Glance(tmp_path / "absent").block == Glance(tmp_path).block == b""


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
def test_a_header_by_what_stands_between_its_columns(tmp_path, delimiter):
    path = tmp_path / "votes.csv"
    path.write_text(delimiter.join(["model_a", "model_b", '"the winner, if any"']) + "\n", encoding="utf-8")
    assert Glance(path).header == ("model_a", "model_b", "the winner, if any")
