"""Cells: columns, what is written and read back, and what is refused."""

from __future__ import annotations

import csv
import json
import resource

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.table.cells import Cells, completed, labels, writable

HOSTILE = ("a,b", 'say "no"', "=1+1", "NA", " lead", "é;ß\t☃", "#c", "null")


def cells(items=("i1", "i2", "i3"), judges=("x", "y"), nested=None):
    """Every item by the judge whose turn it is."""
    codes = np.column_stack([np.arange(len(items)), np.arange(len(items)) % len(judges)]).astype(np.int32)
    levels = {"item": tuple(items), "judge": tuple(judges)}
    return Cells(levels, codes, np.ones(len(items), dtype=np.int64), nested or {})


def test_columns_calls_and_frame():
    table = cells()
    assert (len(table), table.object, table.columns) == (3, "item", ("item", "judge", "replicate"))
    assert table.column("judge").tolist() == ["x", "y", "x"]
    assert table.column("replicate").tolist() == [1, 1, 1]
    assert table.calls() == {"x": 2, "y": 1}
    assert repr(table) == "Cells(3 calls; labels: item 3, judge 2)"
    frame = table.to_frame("polars")
    assert frame.columns == ["item", "judge", "replicate"]
    assert frame["replicate"].to_list() == [1, 1, 1]
    with pytest.raises(InvalidInput, match='no column "prompt"; there are item, judge, replicate'):
        table.column("prompt")


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_of_every_library(backend):
    frame = cells().to_frame(backend)
    assert type(frame).__module__.partition(".")[0] == backend


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "ndjson", "parquet", "pq"])
def test_labels_come_back_as_they_were(tmp_path, ending):
    path = cells(items=HOSTILE).write(tmp_path / f"calls.{ending}")
    import duckdb

    read = {"jsonl": "read_json", "ndjson": "read_json", "parquet": "read_parquet", "pq": "read_parquet"}
    more = ", all_varchar=true" if ending in ("csv", "tsv") else ""
    found = duckdb.sql(f"SELECT item, judge FROM {read.get(ending, 'read_csv')}('{path}'{more})").fetchall()
    assert found == list(zip(HOSTILE, ["x", "y"] * 4, strict=True))


def test_text_files_are_plain(tmp_path):
    table = cells(items=("=1+1", "ü,"), judges=("x",))
    assert table.write(tmp_path / "a.csv").read_bytes() == 'item,judge,replicate\n=1+1,x,1\n"ü,",x,1\n'.encode()
    assert table.write(tmp_path / "a.tsv").read_text(encoding="utf-8").splitlines()[2] == "ü,\tx\t1"
    line = (tmp_path / "a.jsonl", table.write(tmp_path / "a.jsonl"))[0].read_text(encoding="utf-8").splitlines()[0]
    assert json.loads(line) == {"item": "=1+1", "judge": "x", "replicate": 1}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_with_scores_it_is_read_without_declarations(tmp_path, ending):
    import polars as pl

    base = cells(items=("i1", "i2", "i3", "i4"))
    category = base.codes[:, [0]] // 2
    table = Cells(
        {"item": base.levels["item"], "category": ("u", "v"), "judge": base.levels["judge"], "prompt": ("p",)},
        np.column_stack([base.codes[:, :1], category, base.codes[:, 1:], np.zeros(4)]).astype(np.int32),
        base.replicate,
        {"item": "category"},
    )
    table.write(tmp_path / f"calls.{ending}")
    reader = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[ending]
    scored = reader(tmp_path / f"calls.{ending}").with_columns(score=pl.Series([1.0, 2.0, 3.0, 5.0]))
    {"csv": scored.write_csv, "jsonl": scored.write_ndjson, "parquet": scored.write_parquet}[ending](
        tmp_path / f"scores.{ending}"
    )
    judgments = q.read(tmp_path / f"scores.{ending}", announce=False)
    assert set(judgments.names) == {"item", "prompt", "judge", "category"}
    assert (judgments.facet("item").parent, judgments.replicate) == ("category", "replicate")
    assert judgments.n_answers == 4


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "calls.csv"
    path.write_text("old")
    cells().write(path)
    assert path.read_text().startswith("item,judge,replicate\ni1,x,1\n")
    assert [one.name for one in tmp_path.iterdir()] == ["calls.csv"]

    def broken(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quorate.table.cells.connection", broken)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=r"calls\.csv cannot be written \(No space left on device\)"):
        cells().write(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["calls.csv"]


def test_a_path_with_a_quote_and_many_rows(tmp_path):
    folder = tmp_path / "it's"
    folder.mkdir()
    path = cells(items=tuple(map(str, range(20_000)))).write(folder / "c'alls.csv")
    with path.open(newline="") as file:
        assert sum(1 for _ in csv.reader(file)) == 20_001


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("calls.xlsx", 'must end in .csv, .tsv, .jsonl or .parquet, got "calls.xlsx"'),
        ("calls", "must end in .csv"),
        ("calls.csv.gz", "must end in .csv"),
        ("nowhere/calls.csv", "there is no folder"),
        ("folder.csv", "is a folder; name a file in it"),
    ],
)
def test_places_that_cannot_be_written(tmp_path, name, message):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInput) as caught:
        cells().write(tmp_path / name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(InvalidInput, match=r"^--out: "):
        writable(tmp_path / name, "--out")


def test_labels_are_text_and_given_once():
    assert labels([1, 2.5, 3.0, "a", np.int64(7), True], "items") == ("1", "2.5", "3", "a", "7", "true")
    assert labels(["a", "a"], "categories", repeated=True) == ("a", "a")
    assert labels((), "prompts") == ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("abc", "items: expects a sequence of labels, got 'abc'"),
        (7, "items: expects a sequence of labels, got 7"),
        (["a", "b", "a"], "items: 'a' is given twice"),
        ([1, "1"], "items: '1' is given twice"),
        (["a", ""], "items: label number 2 is empty"),
        (["a", " \t"], "items: label number 2 is empty"),
        (["a", None], "items: a label is missing (None)"),
        ([float("nan")], "items: a label is missing (nan)"),
        ([["a"]], "items: labels are text or numbers, got ['a']"),
        (["\ud800"], "items: '\\ud800' is not valid Unicode"),
        (["a\0b"], "items: a label holds a null character"),
    ],
)
def test_labels_that_are_refused(values, message):
    with pytest.raises(InvalidInput) as caught:
        labels(values, "items")
    assert message in str(caught.value)


def test_the_first_items_in_every_combination():
    levels = {"item": ("a", "b", "c"), "group": ("g", "h"), "prompt": ("p", "q"), "judge": ("x", "y", "z")}
    codes = np.array([[2, 1, 0, 1], [0, 0, 1, 2], [1, 1, 0, 0]], dtype=np.int32)
    table = Cells(levels, codes, np.ones(3, dtype=np.int64), {"item": "group"})
    more, added = completed(table, 2, 2)
    assert len(more) == 2 * 6 * 2 + 1
    assert added.sum() == len(more) - 3
    np.testing.assert_array_equal(more.codes[~added], codes[[0, 1, 2]])
    np.testing.assert_array_equal(more.replicate[~added], 1)
    both = np.column_stack([more.codes, more.replicate])
    assert len(np.unique(both, axis=0)) == len(more)
    assert set(map(tuple, more.codes[:, :2])) == {(2, 1), (0, 0), (1, 1)}


def test_completing_keeps_the_replicates_there_are():
    table = cells(items=("a", "b"))
    twice = Cells(table.levels, np.repeat(table.codes, 3, axis=0), np.tile([1, 2, 3], 2))
    more, added = completed(twice, 1, 3)
    assert (len(more), added.sum()) == (9, 3)
    assert more.column("judge")[added].tolist() == ["y"] * 3


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_what_the_disk_does_not_hold_is_one_line_and_leaves_nothing(tmp_path, name):
    many = cells(items=[f"i{n * 7919 % 99_991}" for n in range(20_000)])
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, most))
    try:
        with pytest.raises(InvalidInput, match=rf"path: .*{name} cannot be written .File too large.; choose another"):
            many.write(tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    assert not list(tmp_path.iterdir())
