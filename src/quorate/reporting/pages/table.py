"""Tables: the page of every result that needs nothing special, from its own sentence, rows and caveats."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from quorate.caveats import Caveat, weightiest_first
from quorate.errors import InvalidInput
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Step, Table, source_of, title_of
from quorate.table.results import plain
from quorate.wording import capitalised, counted, plural

MOST_COLUMNS = 6
"""Of the rows of a result on a terminal, where it is not said which."""
SHORTS: Mapping[str, Short] = {
    "AllEqual": Short(Short.titles(value="score", low="mean at least", high="at most", share="share", items="items")),
    "SameDifference": Short(
        Short.titles(value="difference", low="mean at least", high="at most", share="share", items="items")
    ),
}
"""How a terminal shows the rows of a result, by the name of its type, and other tables of it."""
_FEW = 5
"""Plain values that make one cell; more are a table."""


def page(result: Any, table: Table | None = None) -> Page:
    """The page of a result, or of a tuple of results of one kind.

    Parameters
    ----------
    result : dataclass, or tuple of them
        It says what it has: a ``sentence``, ``rows``, ``caveats``; the rest is taken from its fields.
    table : Judgments or Votes, optional
        What it came from.

    Raises
    ------
    InvalidInput
        If a tuple is empty.
    """
    parts: tuple[Any, ...] = tuple(result) if isinstance(result, tuple) else (result,)
    if not parts:
        raise InvalidInput("result: an empty tuple, of which there is nothing to report")
    name = re.sub("(?<=[a-z])(?=[A-Z])", " ", type(parts[0]).__name__).capitalize()
    about = inspect.cleandoc(type(parts[0]).__doc__ or "").partition("\n")[0]
    content = _content(result) if len(parts) == 1 and parts[0] is result else {"results": [_content(p) for p in parts]}
    sentence = getattr(result, "sentence", "")
    caveats = dict.fromkeys(caveat for part in parts for caveat in getattr(part, "caveats", ()))
    known = [caveat for caveat in caveats if isinstance(caveat, Caveat)]
    step = getattr(result, "next_step", None)
    title = plural(name) if isinstance(result, tuple) else name
    figures = tuple(tables(title, result, content))
    return Page(
        title=title_of(table, title),
        sentence=capitalised(sentence) if isinstance(sentence, str) and sentence else about,
        sections=(Section("result", title, figures=figures),) if figures else (),
        facts=numbers(content, said=first_row(result)),
        methods=f"The numbers are those of quorate.types.{type(parts[0]).__name__}. {about}",
        content=lambda: content,
        caveats=(*weightiest_first(known), *(caveat for caveat in caveats if isinstance(caveat, str))),
        next_step=Step(step) if isinstance(step, str) else None,
        source=source_of(table),
    )


def tables(title: str, result: Any, content: Mapping[str, Any]) -> Iterator[Figure]:
    """The rows of the result, and every other table among its values."""
    rows = getattr(result, "rows", None)
    first: list[Row] = [_flat(row) for row in rows()] if callable(rows) else []
    if first:
        heads = {key: key.replace("_", " ") for key in [*first[0]][:MOST_COLUMNS]}
        short = SHORTS.get(type(result).__name__, Short(heads))
        yield Figure("rows", Caption(title if len(first) == 1 else f"{title}: {len(first):,} rows"), first, short=short)
    for name, value in content.items():
        bound = isinstance(value, Mapping) and {key: value.get(key) for key in ("value", "low", "high")}
        told = name == "caveats" or _is_short(value) or (bound and bound.items() <= first_row(result).items())
        inside = [] if told else _rows(value)
        if inside and inside != first:
            caption = Caption(f"{_words(name).capitalize()}: {counted(len(inside), 'row')}")
            own = Short({key: "" if key == "what" else _words(key) for key in [*inside[0]][:MOST_COLUMNS]})
            short = SHORTS.get(f"{type(result).__name__}.{name}", own)
            yield Figure(name, caption, inside, headers={"what": " "}, short=short)


def numbers(content: Mapping[str, Any], said: Mapping[str, Any]) -> Figure:
    """Every number and word that is no table, nor said in the only row of one."""
    cells = dict(content)
    for name, value in content.items():
        if _is_short(value):  # a few values in one cell
            cells[name] = ", ".join(f"{one:.4g}" if isinstance(one, float) else str(one) for one in value)
    said = {**said, **{name: cells.get(name) for name in ("sentence", "next_step")}}  # they stand above
    new = {name: value for name, value in cells.items() if _is_cell(value) and (name, value) not in said.items()}
    rows = [{"what": _words(name), "value": value} for name, value in new.items() if value not in (None, "")]
    rows = rows or [{"what": "results", "value": len(content)}]
    caption = Caption(f"What else it says: {counted(len(rows), 'value')}")
    return Figure("values", caption, rows, headers={"what": " "})


def first_row(result: Any) -> Row:
    """The only row of a result; empty where it has several or none."""
    rows = getattr(result, "rows", None)
    found = rows() if callable(rows) else []
    return found[0] if len(found) == 1 else {}


def _content(result: Any) -> dict[str, Any]:
    """Everything as plain values for JSON, by name."""
    if callable(getattr(result, "to_dict", None)):
        values: Mapping[str, Any] = result.to_dict()
    elif is_dataclass(result):
        values = {one.name: getattr(result, one.name) for one in fields(result) if one.repr}
    else:
        values = {"value": result}
    return {name: _simple(plain(value)) for name, value in values.items()}


def _simple(value: Any) -> Any:
    """The value with words for what JSON does not know, such as places."""
    if isinstance(value, Mapping):
        return {str(name): _simple(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_simple(entry) for entry in value]
    return value if _is_cell(value) else str(value)


def _rows(value: Any) -> list[Row]:
    """A table in a value: a list of anything, or a dictionary; none in what is a single cell."""
    if isinstance(value, list):
        return [{"place": i, **_flat(entry)} if _is_cell(entry) else _flat(entry) for i, entry in enumerate(value, 1)]
    if not isinstance(value, Mapping):
        return []
    if all(isinstance(entry, Mapping) for entry in value.values()):
        return [{"what": name, **_flat(entry)} for name, entry in value.items()]
    return [{"what": name, "value": entry} for name, entry in _flat(value).items()]


def _flat(value: Any, name: str = "") -> Row:
    """A dictionary as one row, with what is inside it named after both."""
    if isinstance(value, Mapping):
        inside = ((f"{name} {_words(str(key))}".strip(), entry) for key, entry in value.items())
        return {key: cell for outer, entry in inside for key, cell in _flat(entry, outer).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        if all(map(_is_cell, value)) and not all(isinstance(entry, (int, float)) for entry in value):
            return {name or "value": ", ".join(map(str, value))}
        return {key: c for i, entry in enumerate(value, 1) for key, c in _flat(entry, f"{name} {i}".strip()).items()}
    return {name or "value": plain(value)}


def _is_short(value: Any) -> bool:
    """Whether a list is as plain as a single cell: an interval, or a few names."""
    return isinstance(value, list) and 0 < len(value) <= _FEW and all(map(_is_cell, value))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool, int, float))
