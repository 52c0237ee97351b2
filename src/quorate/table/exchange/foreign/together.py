"""Several files of one tool as one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.arguments import argument
from quorate.errors import InvalidData
from quorate.table.exchange.format import Opened, literal, quoted
from quorate.table.notes import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

TASK = "task"
"""Column that says of which task an item is, where each task counts its items anew."""
KEY = (TASK, "category", "item", "system", "judge", "prompt", "replicate")
"""Columns that say which judgment a row is."""
HASH = "item_hash"
"""Column that says what an item is, which must be the same in all files; no table has it."""
_FILE = "file among several"


def together(files: Mapping[Path, Opened]) -> Opened:
    """The rows of all files under one set of columns.

    Raises
    ------
    InvalidData
        If some hold scores and others votes, two hold the same judgment, or an item is not the same in two.
    """
    first = next(iter(files.values()))
    if len(files) == 1:
        return _without_hash(first)
    kinds = {file.kind: path for path, file in files.items()}
    if len(kinds) > 1:
        one, other = kinds.values()
        ways = [file.instead for file in files.values() if file.instead is not None]
        raise InvalidData(
            f"source: {one.name} and {other.name} do not hold the same: one has scores, one votes"
            + ("; read all as one of the two: " + argument("part", ways[0]) if ways else "")
        )
    columns = tuple(dict.fromkeys(name for file in files.values() for name in file.columns))
    parts = []
    for path, file in files.items():
        shown = (quoted(name) if name in file.columns else f"NULL AS {quoted(name)}" for name in columns)
        parts.append(file.relation.project(f"{', '.join(shown)}, {literal(str(path))} AS {quoted(_FILE)}"))
    whole = reduce(lambda one, other: one.union(other), parts)
    if first.kind == "scores":
        _refuse_twice(whole, columns)
    if HASH in columns:
        _refuse_other_items(whole)
    nested = dict.fromkeys(pair for file in files.values() for pair in file.nested)
    if TASK in columns and whole.aggregate(f"count(DISTINCT {quoted(TASK)}) > 1").fetchall() == [(True,)]:
        nested["item", TASK] = None
    table = Opened(
        whole.project(", ".join(map(quoted, columns))),
        columns,
        typed=all(file.typed for file in files.values()),
        facets=tuple(dict.fromkeys(name for file in files.values() for name in file.facets)),
        caveats=tuple(dict.fromkeys(said for file in files.values() for said in file.caveats)),
        kind=first.kind,
        nested=tuple(nested),
        notes=(
            Note(f"{len(files):,} files are one table"),
            *dict.fromkeys(note for file in files.values() for note in file.notes),
        ),
    )
    return _without_hash(table)


def _without_hash(file: Opened) -> Opened:
    if HASH not in file.columns:
        return file
    columns = tuple(name for name in file.columns if name != HASH)
    return replace(file, relation=file.relation.project(", ".join(map(quoted, columns))), columns=columns)


def _refuse_twice(whole: DuckDBPyRelation, columns: tuple[str, ...]) -> None:
    """Refuse a judgment that two files hold: of the same run, or of two that nothing tells apart."""
    key = [name for name in KEY if name in columns]
    listed = ", ".join(map(quoted, key))
    twice = (
        whole.aggregate(f"{listed}, min({quoted(_FILE)}) AS a, max({quoted(_FILE)}) AS b", listed)
        .filter("a <> b")
        .order(listed)
        .limit(1)
        .fetchall()
    )
    for row in twice:
        which = ", ".join(f"{name} {value}" for name, value in zip(key, row, strict=False) if value is not None)
        raise InvalidData(
            f"source: {Path(row[-2]).name} and {Path(row[-1]).name} both have {which}; name one of the two files, "
            "or tell the runs apart in one table"
        )


def _refuse_other_items(whole: DuckDBPyRelation) -> None:
    """Refuse an item that is another one in another file: of two versions of the data."""
    twice = (
        whole.aggregate(
            f"item, arg_min({quoted(_FILE)}, {HASH}) AS a, arg_max({quoted(_FILE)}, {HASH}) AS b, "
            f"count(DISTINCT {HASH}) AS hashes",
            "item",
        )
        .filter("hashes > 1")
        .order("item")
        .limit(1)
        .fetchall()
    )
    for item, one, other, _ in twice:
        raise InvalidData(
            f"source: item {item} is not the same in {Path(one).name} and {Path(other).name}: they are of two versions "
            "of the data; read them apart"
        )
