"""JSON lines; tests/table/test_files.py has what is refused, and how."""

from __future__ import annotations

import json

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange import json_lines
from quorate.table.files import opened


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


@pytest.mark.parametrize(("name", "indent"), [("wide.jsonl", None), ("wide.json", None), ("wide.json", 1)])
def test_a_matrix_whose_first_row_has_no_end_nearby_is_one_too(tmp_path, name, indent):
    row = {f"c{at}": 1 for at in range(100_000)}
    text = json.dumps(row if name == "wide.jsonl" else [row, row], indent=indent)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InvalidData, match=r"columns, at most 10,000 are read"):
        opened(tmp_path / name).__enter__()


def test_many_columns_of_one_type_are_no_map(tmp_path):
    path = tmp_path / "many.jsonl"
    path.write_text((json.dumps(dict.fromkeys((f"c{at}" for at in range(300)), 1.5)) + "\n") * 3, encoding="utf-8")
    with opened(path) as file:
        assert len(file.columns) == 300
