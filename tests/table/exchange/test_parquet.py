"""Parquet."""

from __future__ import annotations

import polars as pl

from quorate.table.exchange import parquet
from quorate.table.files import opened


def test_columns_keep_their_types(tmp_path):
    path = tmp_path / "a.pq"
    pl.DataFrame({"item": ["x"], "score": [2]}).write_parquet(path)
    with opened(path) as file:
        assert (file.columns, file.typed, file.relation.fetchall()) == (("item", "score"), True, [("x", 2)])
    assert not parquet.FORMAT.packed
