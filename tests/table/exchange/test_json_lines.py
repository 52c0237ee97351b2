"""JSON lines; tests/table/test_files.py has what is refused, and how."""

from __future__ import annotations

from quorate.table.exchange import json_lines
from quorate.table.files import opened


def test_numbers_stay_numbers_and_what_looks_like_a_date_stays_text(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"at": "2026-01-02", "score": 1.5}\n', encoding="utf-8")
    with opened(path) as file:
        assert (file.columns, file.typed) == (("at", "score"), True)
        assert file.relation.fetchall() == [("2026-01-02", 1.5)]
    assert ".ndjson" in json_lines.FORMAT.suffixes
