"""CSV and TSV; tests/table/test_files.py has what is refused, and how."""

from __future__ import annotations

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange import csv_text
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
