"""JSON lines: one object per line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.folder import names_of, scan
from quorate.table.exchange.format import Format, Opened, head, literal

if TYPE_CHECKING:
    import duckdb


SUFFIXES = (".jsonl", ".ndjson")

_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")


def open_json(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file of JSON objects, one per line, or a folder of such files."""
    if path.is_file() and not head(path).strip():
        raise InvalidData(f"{path}: is empty")
    lines = ", format='newline_delimited', records='true'"
    seen = scan(connection, "read_json", path, SUFFIXES, f"{lines}, sample_size=-1")
    outside = names_of(path, SUFFIXES)
    # dates, times and ids that DuckDB would recognise stay text, as written
    types = (str(kind) if str(kind) in _TYPES else "VARCHAR" for kind in seen.types)
    columns = ", ".join(
        f"{literal(name)}: '{kind}'" for name, kind in zip(seen.columns, types, strict=True) if name not in outside
    )
    relation = scan(connection, "read_json", path, SUFFIXES, f"{lines}, columns={{{columns}}}")
    return Opened(relation, tuple(relation.columns), typed=True)


FORMAT = Format("json", open_json, suffixes=SUFFIXES, folders=True)
