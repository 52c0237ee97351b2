"""Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.table.exchange.folder import scan
from quorate.table.exchange.format import Format, Opened

if TYPE_CHECKING:
    import duckdb


SUFFIXES = (".parquet", ".pq")


def open_parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A Parquet file, or a folder of them."""
    relation = scan(connection, "read_parquet", path, SUFFIXES)
    return Opened(relation, tuple(relation.columns), typed=True)


FORMAT = Format("parquet", open_parquet, suffixes=SUFFIXES, packed=False, folders=True)
