"""Parquet."""

from __future__ import annotations

import polars as pl
import pytest

from quorate.errors import InvalidData
from quorate.table.exchange import parquet
from quorate.table.files import opened


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
