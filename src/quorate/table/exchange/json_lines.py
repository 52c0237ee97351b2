"""JSON lines: one object per line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.format import Format, Opened, head, literal, pattern

if TYPE_CHECKING:
    import duckdb


_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")


def open_json(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file of JSON objects, one per line."""
    if not head(path).strip():
        raise InvalidData(f"{path}: is empty")
    lines = f"read_json({pattern(path)}, format='newline_delimited', records='true'"
    seen = connection.sql(f"SELECT * FROM {lines}, sample_size=-1)")
    # dates, times and ids that DuckDB would recognise stay text, as written
    types = (str(kind) if str(kind) in _TYPES else "VARCHAR" for kind in seen.types)
    columns = ", ".join(f"{literal(name)}: '{kind}'" for name, kind in zip(seen.columns, types, strict=True))
    return Opened(connection.sql(f"SELECT * FROM {lines}, columns={{{columns}}})"), tuple(seen.columns), typed=True)


FORMAT = Format("json", open_json, suffixes=(".jsonl", ".ndjson"))
