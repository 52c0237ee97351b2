"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.format import Format, Opened, head, literal, quoted, refuse_matrix
from quorate.table.exchange.glance import begun
from quorate.table.exchange.parquet import names_of, scan

if TYPE_CHECKING:
    import duckdb


SUFFIXES = (".jsonl", ".ndjson")
MOST_KEYS = 100
"""Keys of a record inside a record that become columns; one with more is text."""

_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")


def open_json(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file of JSON objects, one per line, or a folder of such files."""
    if path.is_file():
        text = head(path)
        if not text.strip():
            raise InvalidData(f"{path}: is empty")
        refuse_matrix(path, _keys(text))
    return _table(connection, path, "newline_delimited")


def open_array(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file that is one JSON array of objects, or has one on each line in spite of its name."""
    text = head(path).lstrip()
    lines = text.split("\n", 2)[:2]
    if text[:1] != "[" and not (len(lines) == 2 and all(_keys(line) for line in lines)):
        raise InvalidInput(
            f"source: {path.name} cannot be read as .json; it is no log that is known, and no list of records; write "
            "JSON lines (.jsonl), one record per line"
        )
    refuse_matrix(path, _keys(text))
    return _table(connection, path, "array" if text[:1] == "[" else "newline_delimited")


def _table(connection: duckdb.DuckDBPyConnection, path: Path, form: str) -> Opened:
    """Records with a column for each key, and for each that one holds which is a record itself: ``a.b``."""
    # else objects with many keys of one type are taken for maps
    lines = f", format='{form}', records='true'"
    seen = scan(connection, "read_json", path, SUFFIXES, f"{lines}, sample_size=-1, map_inference_threshold=-1")
    refuse_matrix(path, len(seen.columns))
    outside = names_of(path, SUFFIXES)
    wide = _wide(seen)
    # dates, times and ids that DuckDB would recognise stay text, as written
    kinds = zip(seen.columns, map(str, seen.types), strict=True)
    inner = {name: kind for name, kind in zip(seen.columns, seen.types, strict=True) if _is_record(kind)}
    types = (
        _written(inner[name]) if name in inner else kind if kind in _TYPES and name not in wide else "VARCHAR"
        for name, kind in kinds
    )
    columns = ", ".join(
        f"{literal(name)}: '{kind}'" for name, kind in zip(seen.columns, types, strict=True) if name not in outside
    )
    relation = scan(connection, "read_json", path, SUFFIXES, f"{lines}, columns={{{columns}}}")
    if not inner:
        return Opened(relation, tuple(relation.columns), typed=True)
    parts = [part for name in relation.columns for part in _leaves([name], inner.get(name))]
    names = tuple(".".join(path) for path in parts)
    if len(set(names)) < len(names):
        return Opened(relation, tuple(relation.columns), typed=True)
    shown = (f"{'.'.join(map(quoted, path))} AS {quoted(name)}" for path, name in zip(parts, names, strict=True))
    return Opened(relation.project(", ".join(shown)), names, typed=True)


def _is_record(kind: Any) -> bool:
    """Whether a column holds records whose keys are few, as those of a schema are."""
    return str(kind).startswith("STRUCT") and not str(kind).endswith("]") and len(kind.children) <= MOST_KEYS


def _written(kind: Any) -> str:
    """The type of a record in SQL, in which what is no number, truth or record of its own is text."""
    if not _is_record(kind):
        return str(kind) if str(kind) in _TYPES else "VARCHAR"
    return f"STRUCT({', '.join(f'{quoted(name)} {_written(inner)}' for name, inner in kind.children)})"


def _leaves(path: list[str], kind: Any) -> Iterator[list[str]]:
    """Where the values of a column stand, which may be inside records."""
    if kind is None or not _is_record(kind):
        yield path
        return
    for name, inner in kind.children:
        yield from _leaves([*path, name], inner)


def _keys(text: str) -> int:
    """Different keys at the beginning of a file; before the engine looks at them, which takes minutes for many."""
    values = [begun(text)] if text.startswith("[") else map(_value, text.splitlines())
    records = (one for value in values for one in (value if isinstance(value, list) else [value]))
    return len({key for record in records if isinstance(record, dict) for key in record})


def _value(line: str) -> Any:
    """The record on a line, or what is there of one that is cut off."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return begun(line)


def _wide(seen: duckdb.DuckDBPyRelation) -> set[str]:
    """Columns of whole numbers too long for any kind of number but DOUBLE, which takes some for one another."""
    names = [name for name, kind in zip(seen.columns, seen.types, strict=True) if str(kind) == "DOUBLE"]
    if not names:
        return set()
    tests = (f"coalesce(bool_or(abs({quoted(name)}) >= 1e19), false)" for name in names)
    (found,) = seen.aggregate(", ".join(tests)).fetchall()
    return {name for name, is_wide in zip(names, found, strict=True) if is_wide}


ARRAY = Format("json-array", open_array, suffixes=(".json",))
FORMAT = Format("json", open_json, suffixes=SUFFIXES, folders=True)
