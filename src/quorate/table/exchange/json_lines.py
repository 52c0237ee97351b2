"""JSON lines: one object per line."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.errors import InvalidData
from quorate.table.exchange.folder import names_of, scan
from quorate.table.exchange.format import Format, Opened, head, literal, quoted, refuse_matrix

if TYPE_CHECKING:
    import duckdb


SUFFIXES = (".jsonl", ".ndjson")

_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")


def open_json(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file of JSON objects, one per line, or a folder of such files."""
    if path.is_file():
        text = head(path)
        if not text.strip():
            raise InvalidData(f"{path}: is empty")
        refuse_matrix(path, _keys(text))
    # else objects with many keys of one type are taken for maps
    lines = ", format='newline_delimited', records='true'"
    seen = scan(connection, "read_json", path, SUFFIXES, f"{lines}, sample_size=-1, map_inference_threshold=-1")
    refuse_matrix(path, len(seen.columns))
    outside = names_of(path, SUFFIXES)
    wide = _wide(seen)
    # dates, times and ids that DuckDB would recognise stay text, as written
    kinds = zip(seen.columns, map(str, seen.types), strict=True)
    types = (kind if kind in _TYPES and name not in wide else "VARCHAR" for name, kind in kinds)
    columns = ", ".join(
        f"{literal(name)}: '{kind}'" for name, kind in zip(seen.columns, types, strict=True) if name not in outside
    )
    relation = scan(connection, "read_json", path, SUFFIXES, f"{lines}, columns={{{columns}}}")
    return Opened(relation, tuple(relation.columns), typed=True)


def _keys(text: str) -> int:
    """Different keys in the first lines of a file; before the engine looks at them, which takes minutes for many."""
    found: set[str] = set()
    for line in text.splitlines():
        with contextlib.suppress(ValueError, RecursionError):  # cut off, or for the engine to refuse
            record = json.loads(line)
            found.update(record if isinstance(record, dict) else ())
    return len(found)


def _wide(seen: duckdb.DuckDBPyRelation) -> set[str]:
    """Columns of whole numbers too long for any kind of number but DOUBLE, which takes some for one another."""
    names = [name for name, kind in zip(seen.columns, seen.types, strict=True) if str(kind) == "DOUBLE"]
    if not names:
        return set()
    tests = (f"coalesce(bool_or(abs({quoted(name)}) >= 1e19), false)" for name in names)
    (found,) = seen.aggregate(", ".join(tests)).fetchall()
    return {name for name, is_wide in zip(names, found, strict=True) if is_wide}


FORMAT = Format("json", open_json, suffixes=SUFFIXES, folders=True)
