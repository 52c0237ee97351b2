"""Records with lists of annotations by several kinds of people, each with numbers by criteria, as SummEval has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData
from quorate.roles import CATEGORY, ITEM, SYSTEM
from quorate.table.columns.languages import plain
from quorate.table.exchange.foreign.records import (
    Records,
    chosen,
    columns_of,
    labelled,
    name_at,
    number_at,
    objects,
)
from quorate.table.exchange.format import Format, Opened
from quorate.table.exchange.glance import Glance
from quorate.table.notes import Note
from quorate.wording import listed

if TYPE_CHECKING:
    import duckdb


_ID = "id"


def claims(glance: Glance) -> bool:
    """Whether the first of several lines has two lists of people's annotations, by the same criteria, and an id."""
    return not glance.array and len(_lists(glance.record)) > 1 and _item(glance.record) is not None


def _item(record: Mapping[str, Any]) -> str | None:
    """The key of what was annotated."""
    named = [key for key, column in columns_of(record, "scores").items() if column == ITEM]
    return next(iter(named), _ID if _ID in record else None)


def _lists(record: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Lists of annotations by their names: two or more objects of numbers alone, which all have the same keys."""
    held = {
        name: value
        for name, value in record.items()
        if plain(name).rsplit("_", 1)[-1] in SIGHT
        and isinstance(value, list)
        and len(value) > 1
        and all(map(_is_annotation, value))
    }
    keys = {frozenset(one) for value in held.values() for one in value}
    return held if len(keys) == 1 else {}


def _is_annotation(value: Any) -> bool:
    numbers = value.values() if isinstance(value, dict) else ()
    return len(numbers) > 1 and all(isinstance(one, int | float | None) for one in numbers)


def _read_lists(connection: duckdb.DuckDBPyConnection, path: Path, part: str | None) -> Opened:
    """One row for each annotation by one criterion.

    Parameters
    ----------
    part : str, optional
        The list and the criterion, with a space between them; several are levels of ``measure``.

    Raises
    ------
    InvalidData
        If a line is not as the first one.
    InvalidInput
        If none is named.
    """
    lines = [*objects(path)]
    lists = [*_lists(lines[0][1])] if lines else []
    item = _item(lines[0][1]) if lines else None
    if len(lists) < len("ab") or item is None:
        raise InvalidData(f"{path}: no two lists hold annotations with the same numbers")
    found: dict[str, list[float | None]] = {}
    for where, line in ((f"{path}: line {number}", line) for number, line in lines):
        for measure, value, _ in _numbers(line, lists, where):
            found.setdefault(measure, []).append(value)
    measures = chosen(part, found, "measure")
    fields = [key for key in lines[0][1] if key not in lists and key != item]
    columns = {key: name for key, name in columns_of(fields, "scores").items() if name in (SYSTEM, CATEGORY)}
    records = Records(ITEM, *columns.values(), "replicate", "measure", "score")
    for number, line in lines:
        where = f"{path}: line {number}"
        held = {ITEM: name_at(line.get(item), f"{where}: {item}"), **labelled(line, columns)}
        for measure, value, place in _numbers(line, lists, where):
            if measure in measures:
                which = measure if len(measures) > 1 else None
                records.add(**held, replicate=place, measure=which, score=value)
    notes = [
        Note(f"score = {listed(measures, most=6)}; item = {item}"),
        Note("nothing says who gave which annotation: those of one list are replicates"),
    ]
    return records.opened(connection, "scores", facets=("measure",), notes=notes)


def _numbers(line: Mapping[str, Any], lists: list[str], where: str) -> Iterator[tuple[str, float | None, int]]:
    """Every number of a line, by its list and criterion, with its place in the list."""
    for name in lists:
        if not isinstance(line.get(name, []), list):
            raise InvalidData(f"{where}: {name} is no list of annotations")
        for place, one in enumerate(line.get(name) or []):
            if not isinstance(one, dict):
                raise InvalidData(f"{where}: {name} is no list of annotations")
            for criterion, value in one.items():
                yield f"{name} {criterion}", number_at(value, f"{where}: {name}: {criterion}"), place


SIGHT = ("annotations", "ratings", "judgments", "judgements", "scores", "labels")
FORMAT = Format("annotated", _read_lists, claims=claims, tool=True, holds=lambda _: "scores")
