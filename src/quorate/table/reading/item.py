"""What is judged in a table of which somebody said the rest, or whose rows hold several judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeVar

from quorate.errors import QuorateError
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.columns.names import (
    ARRANGED,
    CONTESTANTS,
    DESCRIBED,
    OCCASIONS,
    groups_items,
    is_aspect,
    is_id,
    is_judged,
    measures,
    words_of,
)
from quorate.table.columns.roles import FIXED, NoObject, recognise
from quorate.table.exchange.rows import Rows
from quorate.table.exchange.wide import among
from quorate.table.facts.profile import Column, Table, looked_at
from quorate.table.reading.key import facets_of, names_rows
from quorate.table.reading.reading import Meant, Unsure
from quorate.table.reading.recognised import NEARLY, id_of_asked
from quorate.wording import listed

_ROWS = frozenset(("no", "nr", "number", "row", "index", "idx"))
"""Words in the name of a column that counts rows."""
Read = TypeVar("Read")


def completing(
    read: Callable[[Mapping[str, Any]], Read],
    source: Any,
    rows: Rows,
    options: Mapping[str, Any],
    facets: Mapping[str, str] | None,
) -> Read:
    """A table as somebody said that it is read, and where that leaves open what is judged, as its other columns say.

    Parameters
    ----------
    read : callable
        From further arguments of `quorate.read` to the table.
    source, rows, options, facets
        As of `with_item`; options that have their defaults say nothing.
    """
    try:
        return read({})
    except NoObject:
        plain = {"object": ITEM, "score": "score", "fixed": FIXED}
        given = {name: value for name, value in options.items() if value and value != plain.get(name)}
        whole = None if "object" in given or ITEM in (facets or {}) else with_item(source, rows, given, facets or {})
        if whole is None:
            raise
    return read({"facets": whole})


def with_item(source: Any, rows: Rows, options: Mapping[str, Any], facets: Mapping[str, str]) -> dict[str, str] | None:
    """Facets with what is judged, as the columns that are left say it; None where nothing can be said.

    Parameters
    ----------
    source : path or frame
        As of `quorate.read`.
    rows : Rows
        Which of its rows are read.
    options : mapping of str to object
        Arguments of `quorate.read` that somebody gave.
    facets : mapping of str to str
        Roles that somebody named.

    Raises
    ------
    Unsure
        If the columns that are left may tell apart what is judged, and no name says so.
    """
    wide = [column for columns in (options.get("wide") or {}).values() for column in columns]
    try:
        with looked_at(source, rows) as table:
            given = [*among(wide, table.names), *([options["score"]] if isinstance(options.get("score"), str) else [])]
            names = [name for name in table.names if name not in given]
            known = {**recognise(names), **facets}
            asked = None if ITEM in known else id_of_asked(table, known)
            known |= {} if asked is None else {ITEM: asked}
            found = facets_of(table, {role: name for role, name in known.items() if name}, {*given, *known.values()})
    except QuorateError:  # said by who reads it
        return None
    if found is None or ITEM not in found.facets:
        return None
    whole = {**facets, **found.facets}
    unnamed = not {JUDGE, REPLICATE} & {*known}  # who gave each of several is not said, and need not be
    if found.named and (found.whole or unnamed) and not (found.tied or found.added):
        return whole
    said = f"no name says that {found.facets[ITEM]} is what is judged"
    told = "is a facet" if len(found.added) == 1 else "are facets"
    said += f"; rows repeat unless {listed(found.added)} {told}" if found.added else ""
    raise Unsure(
        said, str(source) if isinstance(source, str | PathLike) else None, (Meant({**options, "facets": whole}),)
    )


def row_by(table: Table, known: Mapping[str, str], aside: set[str]) -> str | None:
    """The column that says what every row is, and is not put aside; None if no column tells all rows apart."""
    if table.rows < 2:
        return None
    if ITEM not in known and JUDGE in known and table.keys([known[JUDGE]]) == table.rows:
        return known[JUDGE]
    key = [known[role] for role in (ITEM, SYSTEM, PROMPT, REPLICATE) if role in known]
    if ITEM not in known:
        ids = [one for one in table.columns if one.name not in {*known.values(), *aside} and names_rows(table, one)]
        judged = {one.name for one in ids if is_judged(one.name)}
        ids.sort(key=lambda one: (measures(one.name), one.name not in judged, not is_id(one.name), one.name))
        if JUDGE in known and ids and {*words_of(ids[0].name)} <= _ROWS:  # a number of rows beside what each judge met
            met = [one.name for one in table.columns if is_judged(one.name) and one.distinct < table.rows]
            met = [name for name in met if table.keys([name, known[JUDGE]]) == table.rows]
            ids = [table.column(met[0])] if len(met) == 1 else ids
        again = [one.name for one in table.columns if one.name not in known.values() and _comes_back(table, one)]
        key = [*([one.name for one in ids] or again)[:1], *key]
    if not key or (ITEM not in known and key[0] in known.values()):
        return None
    told = (key, [*key, known[JUDGE]]) if JUDGE in known else (key,)
    return key[0] if any(table.keys(one) >= table.rows * NEARLY for one in told) else None


def told_within(table: Table, known: Mapping[str, str], taken: set[str]) -> tuple[str, str] | None:
    """What is judged, by its name, and the one column of words that tells its rows apart; None if there is none."""
    named = [known[ITEM]] if ITEM in known else [one.name for one in table.columns if _comes_back(table, one)][:1]
    rivals = [one.name for one in table.columns if {*words_of(one.name)} <= CONTESTANTS and one.name not in taken]
    found = (_told_apart(table, item, taken) for item in (*named, *rivals, None))
    return next((pair for pair in found if pair is not None), None)


def _told_apart(table: Table, item: str | None, taken: set[str]) -> tuple[str, str] | None:
    """What is judged, or what comes back where no name says it, and the one column that tells its rows apart."""
    free = [one for one in table.columns if one.name not in {*taken, item} and one.filled == table.rows]
    inner = [one for one in free if {*words_of(one.name)} & (ARRANGED | OCCASIONS)]
    if item is not None:
        inner = [one for one in inner if one.numeric] or [one for one in free if not one.numeric]
    elif inner:  # as a diver is, beside the number of the dive
        names = [one.name for one in free if not one.numeric and 2 * one.distinct <= table.rows]
        item = names[0] if names and not (groups_items(names[0]) or DESCRIBED & {*words_of(names[0])}) else None
    inner = [one for one in inner if item not in (None, one.name) and table.rows > one.distinct]
    found = [one.name for one in inner if table.keys([str(item), one.name]) == table.rows]
    return (str(item), found[0]) if len(found) == 1 and not is_aspect(found[0]) else None


def _comes_back(table: Table, one: Column) -> bool:
    """Whether a column names what is judged more than once, by its name."""
    return (is_id(one.name) or is_judged(one.name)) and 2 <= one.distinct < table.rows and not measures(one.name)
