"""Chosen levels: one of each facet that is named, of judgments or of votes, with a caveat that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from quorate import caveats
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

Table = TypeVar("Table", Judgments, Votes)


def at_levels(table: Table, only: Mapping[str, str] | None) -> Table:
    """The table at one level of each facet named, by its role or its column.

    Raises
    ------
    InvalidInput
        If nothing is at all of these levels.
    UnknownTerm
        If there is no such facet or level.
    """
    for name, level in (only or {}).items():
        role = next((facet.name for facet in table.facets if facet.column == name), name)
        if role not in table.names:
            raise UnknownTerm(name, table.names, "facet (rows by another column are chosen with where)")
        before = _size(table)
        table = table.only(role, str(level))
        said = caveats.chosen_level(role, str(level), _size(table), before)
        table = replace(table, source=replace(table.source, caveats=(*table.source.caveats, said)))
    if not _size(table):
        raise InvalidInput("only: nothing is at all of these levels together")
    return table


def _size(table: Judgments | Votes) -> int:
    """Rows of judgments, or votes, whatever their status."""
    return int((table.rows if isinstance(table, Judgments) else table.weights).sum())
