"""Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.table.exchange.format import Format, Opened, pattern

if TYPE_CHECKING:
    import duckdb


def open_parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A Parquet file."""
    relation = connection.sql(f"SELECT * FROM read_parquet({pattern(path)})")
    return Opened(relation, tuple(relation.columns), typed=True)


FORMAT = Format("parquet", open_parquet, suffixes=(".parquet", ".pq"), packed=False)
