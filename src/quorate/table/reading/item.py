"""What is judged in a table of which somebody said the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeVar

from quorate.errors import QuorateError
from quorate.roles import ITEM, JUDGE, REPLICATE
from quorate.table.columns.roles import FIXED, NoObject, recognise
from quorate.table.exchange.rows import Rows
from quorate.table.exchange.wide import among
from quorate.table.facts.profile import looked_at
from quorate.table.reading.key import facets_of
from quorate.table.reading.reading import Meant, Unsure
from quorate.table.reading.recognised import id_of_asked
from quorate.wording import listed

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
