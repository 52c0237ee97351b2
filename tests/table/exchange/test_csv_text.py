"""CSV and TSV; tests/table/test_files.py has what is refused, and how."""

from __future__ import annotations

import json

import polars as pl
import pytest

from quorate.errors import InvalidData
from quorate.table.exchange import csv_text, json_lines, parquet
from quorate.table.exchange.csv_text import _are_values, _titles
from quorate.table.files import opened


def test_every_column_is_text_and_the_header_tells_the_delimiter(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("item\tscore of 10\nx\t007\n", encoding="utf-8")
    with opened(path) as file:
        assert (file.columns, file.typed) == (("item", "score of 10"), False)
        assert file.relation.fetchall() == [("x", "007")]
    assert csv_text.FORMAT.packed


def test_a_matrix_is_no_table_of_judgments(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{at}" for at in range(10_001)) + "\n", encoding="utf-8")
    with pytest.raises(InvalidData, match=r"wide\.csv: has 10,001 columns, at most 10,000 are read") as caught:
        opened(path).__enter__()
    assert "\n" not in str(caught.value)


def test_numbers_stay_numbers_and_what_looks_like_a_date_stays_text(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"at": "2026-01-02", "score": 1.5}\n', encoding="utf-8")
    with opened(path) as file:
        assert (file.columns, file.typed) == (("at", "score"), True)
        assert file.relation.fetchall() == [("2026-01-02", 1.5)]
    assert ".ndjson" in json_lines.FORMAT.suffixes


@pytest.mark.parametrize("ragged", [False, True])
def test_a_matrix_is_refused_before_it_is_looked_at(tmp_path, ragged):
    names = [f"c{at}" for at in range(10_001)]
    lines = [{name: 1} for name in names] if ragged else [dict.fromkeys(names, 1)]
    path = tmp_path / "wide.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(InvalidData, match=r"wide\.jsonl: has 10,001 columns, at most 10,000 are read"):
        opened(path).__enter__()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "indent"), [("wide.jsonl", None), ("wide.json", None), ("wide.json", 1)])
def test_a_matrix_whose_first_row_has_no_end_nearby_is_one_too(tmp_path, name, indent):
    row = {f"c{at}": 1 for at in range(100_000)}
    text = json.dumps(row if name == "wide.jsonl" else [row, row], indent=indent)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InvalidData, match=r"columns, at most 10,000 are read"):
        opened(tmp_path / name).__enter__()


@pytest.mark.slow
def test_many_columns_of_one_type_are_no_map(tmp_path):
    path = tmp_path / "many.jsonl"
    path.write_text((json.dumps(dict.fromkeys((f"c{at}" for at in range(300)), 1.5)) + "\n") * 3, encoding="utf-8")
    with opened(path) as file:
        assert len(file.columns) == 300


def test_columns_keep_their_types(tmp_path):
    path = tmp_path / "a.pq"
    pl.DataFrame({"item": ["x"], "score": [2]}).write_parquet(path)
    with opened(path) as file:
        assert (file.columns, file.typed, file.relation.fetchall()) == (("item", "score"), True, [("x", 2)])
    assert not parquet.FORMAT.packed


@pytest.mark.parametrize("n", [1, 13, 14, 15, 127, 128, 300])
def test_the_footer_says_how_many_columns_there_are(tmp_path, n):
    path = tmp_path / "a.parquet"
    pl.DataFrame({f"c{at}": [1] for at in range(n)}).write_parquet(path)
    assert parquet.entries(path) == n


def test_a_matrix_is_refused_before_the_engine_reads_it(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pl.DataFrame({f"c{at}": [1] for at in range(30)}).write_parquet(path)
    monkeypatch.setattr("quorate.table.exchange.format.MOST_COLUMNS", 20)
    with pytest.raises(InvalidData, match=r"a\.parquet: has 30 columns, at most 20 are read"):
        opened(path).__enter__()


def test_millions_of_rows_in_a_few_bytes_are_no_judgments(tmp_path):
    path = tmp_path / "a.parquet"
    same = pl.Series([1], dtype=pl.Int8).new_from_index(0, 14_000_000)
    pl.DataFrame({"item": same, "score": same}).write_parquet(path)
    with pytest.raises(InvalidData, match=r"a\.parquet: has 14,000,000 rows that hardly differ"):
        opened(path).__enter__()


@pytest.mark.parametrize("end", [b"", b"PAR1", b"\xff\xff\xff\xff" + b"PAR1", b"\x08\0\0\0PAR1"])
def test_what_has_no_footer_is_for_the_engine_to_refuse(tmp_path, end):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + b"x" * 20 + end)
    assert parquet.entries(path) == 0


@pytest.mark.parametrize(
    ("first", "below", "values"),
    [
        (["1", "3", "2"], [], True),
        (["", "0", "1"], [], False),  # numbers of columns
        (["item"], [["a"], ["b"]], False),
        (["a"], [["b"], ["a"]], True),
        (["a", "4"], [["b", "5"], ["a"], ["c", "3"]], True),
        (["item", "4"], [["a", "5"], ["b", "3"]], False),
        (["task/0"], [["task/1"], ["task/2"]], True),
        (["task/0"], [["task/1"], ["other"]], False),
        (["task"], [["task/1"], ["task/2"]], False),
        (["a" * 41], [["b" * 41], ["c" * 50]], True),
        (["a" * 41], [["b" * 41], ["c" * 40]], False),
    ],
)
def test_a_first_line_of_values_is_told_from_names(first, below, values):
    assert _are_values(first, below) == values


def test_a_title_above_a_header_of_one_more_column_is_left_out():
    rows = [["id", "a"], *([str(i), str(i + 1)] for i in range(4))]
    assert (_titles(rows), _titles([["Ratings"], *rows])) == (0, 1)
