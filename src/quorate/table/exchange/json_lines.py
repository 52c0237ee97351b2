"""JSON lines: one object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData, InvalidInput
from quorate.table.columns.aliases import JUDGES_TOO, SCORES
from quorate.table.columns.languages import plain
from quorate.table.exchange.csv_text import of_rows
from quorate.table.exchange.format import Format, Opened, head, literal, quoted, refuse_matrix
from quorate.table.exchange.glance import begun
from quorate.table.exchange.levels import by_named_levels
from quorate.table.exchange.parquet import names_of, scan
from quorate.table.notes import Note
from quorate.wording import words

if TYPE_CHECKING:
    import duckdb


SUFFIXES = (".jsonl", ".ndjson")
MOST_KEYS = 100
"""Keys of a record inside a record that become columns; one with more is text."""

KEY, SCORE, PLACE = "key", "score", "item_number"
"""Columns of the keys under which records stand, ``key 2`` of those below, of numbers that stand under keys, and of
the places of those in lists.
"""
_FEWEST_KEYS = 10
_GIVEN = frozenset(
    words(
        "label verdict grade vote winner preference decision judgment judgement passed correct success solved resolved"
    )
)
"""What a key is called that says what was given, or came of it, beside the names of scores."""
_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")


def open_json(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file of JSON objects, one per line, or a folder of such files."""
    if path.is_file():
        text = head(path)
        if not text.strip():
            raise InvalidData(f"{path}: is empty")
        if text.lstrip()[:1] == "[" and (rows := _arrays(path)):
            return _of_arrays(connection, path, rows)
        refuse_matrix(path, _keys(text))
    return _table(connection, path, "newline_delimited")


def _open_array(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file that is one JSON array of objects, or has one on each line in spite of its name."""
    text = head(path).lstrip()
    lines = text.split("\n", 2)[:2]
    if text[:1] != "[" and not (len(lines) == 2 and all(_keys(line) for line in lines)):
        return _of_object(connection, path)
    if re.match(r"\[\s*\[", text) and (rows := _arrays(path)):
        return _of_arrays(connection, path, rows)
    refuse_matrix(path, _keys(text))
    return _table(connection, path, "array" if text[:1] == "[" else "newline_delimited")


def _arrays(path: Path) -> list[list[Any]]:
    """Rows without names of their columns: the arrays in one, or on each line; none if something else is there."""
    with path.open(encoding="utf-8-sig") as stream:
        text = stream.read()
    try:
        rows = json.loads(text)
        if not all(isinstance(row, list) for row in rows):
            rows = [rows]  # one line alone
    except (ValueError, RecursionError):
        try:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return []
    plainly = rows and all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows)
    return rows if plainly and not any(isinstance(one, (list, dict)) for row in rows for one in row) else []


def _of_arrays(connection: duckdb.DuckDBPyConnection, path: Path, rows: list[list[Any]]) -> Opened:
    """Rows whose first may name the columns, as the first line of CSV does."""
    cells = [["" if one is None else one if isinstance(one, str) else json.dumps(one) for one in row] for row in rows]
    return of_rows(connection, path, cells)


def _of_object(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    """A file that is one JSON object, which holds records somewhere."""
    from quorate.table.exchange.foreign.records import document

    found = _records_in(document(path, "write JSON lines (.jsonl), one record per line"))
    if found is None:
        raise InvalidInput(
            f"source: {path.name} cannot be read as .json; it is no log that is known, and no list of records; write "
            "JSON lines (.jsonl), one record per line"
        )
    records, said = found
    with TemporaryDirectory() as folder:
        lines = Path(folder) / "records.jsonl"
        lines.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        table = _table(connection, lines, "newline_delimited")
        return replace(table, relation=table.relation.materialize(), notes=(Note(said), *table.notes))


def _records_in(content: Any) -> tuple[list[dict[str, Any]], str] | None:
    """The records that a JSON object holds, and how; None if it holds none, or several lists of them.

    Examples
    --------
    >>> _records_in({"judge": ["a", "b"], "score": [1, 2]})
    ([{'judge': 'a', 'score': 1}, {'judge': 'b', 'score': 2}], 'lists side by side are columns')
    >>> _records_in({"q1": {"gpt": 4}, "q2": {"gpt": 5}})[0]
    [{'key': 'q1', 'gpt': 4}, {'key': 'q2', 'gpt': 5}]
    """
    return _held(content) or (_of_one(content) if isinstance(content, dict) else None)


def _held(content: Any) -> tuple[list[dict[str, Any]], str] | None:
    if not isinstance(content, dict) or not content:
        return None
    return _side_by_side(content) or _of_lists(content) or _by_key(content)


def _side_by_side(content: dict[str, Any]) -> tuple[list[dict[str, Any]], str] | None:
    """Rows of a table whose columns, or their names, stand apart from one another."""
    columns, data, values = content.get("columns"), content.get("data"), list(content.values())
    if isinstance(columns, list) and isinstance(data, list) and all(_is_list(row, len(columns)) for row in data):
        return [
            dict(zip(map(str, columns), row, strict=True)) for row in data
        ], "data has the rows, columns their names"
    size = len(values[0]) if isinstance(values[0], list) else 0
    if len(values) > 1 < size and all(_is_list(one, size) for one in values) and not _has_records(values[0]):
        return [dict(zip(content, row, strict=True)) for row in zip(*values, strict=True)], (
            "lists side by side are columns"
        )
    return None


def _of_lists(content: dict[str, Any]) -> tuple[list[dict[str, Any]], str] | None:
    """The records of the one list of them, or of all where nothing else is there."""
    lists = {name: value for name, value in content.items() if _has_records(value)}
    if len(lists) == 1:
        ((name, records),) = lists.items()
        return by_named_levels(content, records) or (records, f"the records of {name}")
    if lists and len(lists) == len(content):
        return [{KEY: name, **one} for name, some in lists.items() for one in some], "keys are in a column key"
    return None


def _by_key(content: dict[str, Any]) -> tuple[list[dict[str, Any]], str] | None:
    """A row for each key; of columns that pandas writes, for each number of a row in all of them."""
    values = list(content.values())
    if len(values) < 2 or not all(isinstance(one, (dict, list)) and one for one in values):
        return None
    if not all(isinstance(one, dict) for one in values):
        return [{KEY: name, "value": value} for name, value in content.items()], "keys are in a column key"
    numbers = list(values[0])
    if all(name.isdigit() for name in numbers) and all(list(one) == numbers for one in values):
        return [{name: one[at] for name, one in content.items()} for at in numbers], "keys are columns"
    if not {*values[0]}.intersection(*values[1:]):  # nothing that all of them have: no rows of one table
        return None
    if all(name == str(at) for at, name in enumerate(content)):
        return values, "keys are numbers of rows"
    rows: list[tuple[list[str], dict[str, Any]]] = [([name], value) for name, value in content.items()]
    while _stand_below([row for _, row in rows]):
        rows = [([*keys, name], value) for keys, row in rows for name, value in row.items()]
    sizes = {len(value) if _are_numbers(value) else 0 for _, row in rows for value in row.values()}
    if len(sizes) == 1 and min(sizes) > 1:  # one for each of what was judged, in one order
        rows = [
            (keys, {PLACE: at + 1, **{name: value[at] for name, value in row.items()}})
            for keys, row in rows
            for at in range(min(sizes))
        ]
    elif _are_scores([row for _, row in rows]):
        rows = [([*keys, name], {SCORE: value}) for keys, row in rows for name, value in row.items()]
    named = [KEY, *(f"{KEY} {place}" for place in range(2, len(rows[0][0]) + 1))]
    said = "keys are in a column key" if len(named) == 1 else f"keys are in columns {', '.join(named)}"
    return [{**dict(zip(named, keys, strict=True)), **row} for keys, row in rows], said


def _stand_below(rows: list[dict[str, Any]]) -> bool:
    """Whether the values of all records are records of one kind, whose keys are another level and no columns."""
    below = [value for row in rows for value in row.values()]
    if not below or not all(isinstance(value, dict) and value for value in below):
        return False
    return len(below) > len(rows) and bool({*below[0]}.intersection(*below[1:]))


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, int | float | None) for one in value)


def _are_scores(rows: list[dict[str, Any]]) -> bool:
    """Whether records hold a number under each of more keys than there are records, as of items and not of columns."""
    fewest = min(map(len, rows))
    numbers = all(isinstance(value, (int, float)) for row in rows for value in row.values())
    return numbers and fewest >= _FEWEST_KEYS and fewest > len(rows)


def _of_one(content: dict[str, Any]) -> tuple[list[dict[str, Any]], str] | None:
    """The records of the one object that holds any, beside what is said of the whole."""
    inner = {name: _held(value) for name, value in content.items()}
    held = [(name, found) for name, found in inner.items() if found is not None]
    if len(held) != 1 or any(isinstance(value, list) for value in content.values()):
        return None
    ((name, (records, said)),) = held
    return records, f"{name} holds the records: {said}"


def _has_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _is_list(value: Any, size: int) -> bool:
    return isinstance(value, list) and len(value) == size


def _table(connection: duckdb.DuckDBPyConnection, path: Path, form: str) -> Opened:
    """Records with a column for each key, and for each that one holds which is a record itself: ``a.b``."""
    # else objects with many keys of one type are taken for maps
    lines = f", format='{form}', records='true'"
    seen = scan(connection, "read_json", path, SUFFIXES, f"{lines}, sample_size=-1, map_inference_threshold=-1")
    refuse_matrix(path, len(seen.columns))
    outside = names_of(path, SUFFIXES)
    wide = _wide(seen)
    # dates, times and ids that DuckDB would recognise stay text, as written
    single = _single(seen)
    types = (
        "VARCHAR" if name in wide else "VARCHAR[]" if name in single else _written(kind) for name, kind in _kinds(seen)
    )
    columns = ", ".join(
        f"{literal(name)}: {literal(kind)}"
        for name, kind in zip(seen.columns, types, strict=True)
        if name not in outside
    )
    read = scan(connection, "read_json", path, SUFFIXES, f"{lines}, columns={{{columns}}}")
    alone = ", ".join(f"{quoted(name)}[1] AS {quoted(name)}" for name in single)
    relation = _flat(read.project(f"* REPLACE ({alone})") if single else read)
    notes = []
    while lists := [name for name, kind in _kinds(relation) if _is_list_of_records(kind)]:
        if len(lists) > 1 or {*map(plain, relation.columns)} & {*SCORES}:  # what they are beside a score, nothing says
            relation = relation.project(
                f"* REPLACE ({', '.join(f'{_text(name)} AS {quoted(name)}' for name in lists)})"
            )
            break
        relation = _entries(relation, lists[0])
        notes.append(Note(f"every entry of {lists[0]} is a row"))
    return Opened(relation, tuple(relation.columns), typed=True, notes=tuple(notes))


def _single(seen: duckdb.DuckDBPyRelation) -> list[str]:
    """Columns of lists of text that never hold more than one, as a label that somebody chose alone."""
    names = [name for name, kind in _kinds(seen) if str(kind) == "VARCHAR[]"]
    if not names:
        return []
    (longest,) = seen.aggregate(", ".join(f"max(len({quoted(name)}))" for name in names)).fetchall()
    return [name for name, length in zip(names, longest, strict=True) if length == 1]


def _kinds(relation: duckdb.DuckDBPyRelation) -> list[tuple[str, Any]]:
    return list(zip(relation.columns, relation.types, strict=True))


def _text(name: str) -> str:
    return f"to_json({quoted(name)})::VARCHAR"


def _flat(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """A column for each value that stands in a record, called ``a.b``, unless two would have one name."""
    parts = [path for name, kind in _kinds(relation) for path in _leaves([name], kind)]
    names = [".".join(path) for path in parts]
    if max(map(len, parts)) == 1 or len({*names}) < len(names):
        return relation
    shown = (f"{'.'.join(map(quoted, path))} AS {quoted(name)}" for path, name in zip(parts, names, strict=True))
    return relation.project(", ".join(shown))


def _entries(relation: duckdb.DuckDBPyRelation, name: str) -> duckdb.DuckDBPyRelation:
    """A row for each record in the lists of a column, whose keys are columns; an empty list is one without values."""
    others = [one for one in relation.columns if one != name]
    every = f"unnest(CASE WHEN len({quoted(name)}) > 0 THEN {quoted(name)} ELSE [NULL] END) AS {quoted(name)}"
    long = _flat(relation.project(", ".join([*map(quoted, others), every])))
    bare = {one: one.removeprefix(f"{name}.") for one in long.columns if one not in others}
    bare = {one: key for one, key in bare.items() if plain(one) not in JUDGES_TOO}  # else nothing says whose name it is
    shown = (f"{quoted(one)} AS {quoted(bare.get(one, one))}" for one in long.columns if bare.get(one) not in others)
    kept = (quoted(one) for one in long.columns if bare.get(one) in others)
    return long.project(", ".join([*shown, *kept]))


def _is_record(kind: Any) -> bool:
    """Whether a column holds records whose keys are few, as those of a schema are."""
    return str(kind).startswith("STRUCT") and not str(kind).endswith("]") and len(kind.children) <= MOST_KEYS


def _is_list_of_records(kind: Any) -> bool:
    """Whether a column holds lists of records that are judgments, by what their keys are called."""
    return str(kind).startswith("STRUCT") and str(kind).endswith(")[]") and _are_judgments(kind.child)


def _are_judgments(record: Any) -> bool:
    if not _is_record(record):
        return False
    named = {word.removesuffix("s") for name, _ in record.children for word in plain(name).split("_")}
    return bool(named & {*SCORES, *_GIVEN}) or any(_is_list_of_records(kind) for _, kind in record.children)


def _written(kind: Any) -> str:
    """The type of a column in SQL, in which what is no number, truth, record or list of judgments is text."""
    if _is_list_of_records(kind):
        return f"{_written(kind.child)}[]"
    if not _is_record(kind):
        return str(kind) if str(kind) in _TYPES else "VARCHAR"
    return f"STRUCT({', '.join(f'{quoted(name)} {_written(inner)}' for name, inner in kind.children)})"


def _leaves(path: list[str], kind: Any) -> Iterator[list[str]]:
    """Where the values of a column stand, which may be inside records."""
    if not _is_record(kind):
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
    names = [name for name, kind in _kinds(seen) if str(kind) == "DOUBLE"]
    if not names:
        return set()
    tests = (f"coalesce(bool_or(abs({quoted(name)}) >= 1e19), false)" for name in names)
    (found,) = seen.aggregate(", ".join(tests)).fetchall()
    return {name for name, is_wide in zip(names, found, strict=True) if is_wide}


ARRAY = Format("json-array", _open_array, suffixes=(".json",))
FORMAT = Format("json", open_json, suffixes=SUFFIXES, folders=True)
