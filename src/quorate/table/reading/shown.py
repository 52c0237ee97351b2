"""Verdicts by place, such as first and second, where another column says which of two systems had it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from quorate.roles import AMONG, PICK, SAME
from quorate.table.columns.languages import plain
from quorate.table.columns.names import words_of
from quorate.table.columns.outcomes import sides_in
from quorate.table.facts.profile import Column, Table
from quorate.table.reading.reading import Reading

_PLACES = (("first", "second"), ("left", "right"))
"""Words for the places of two responses."""
_MOST = 12
"""Columns of text of which every two are tried."""


def by_place(table: Table) -> Reading | None:
    """Votes for the place of a response; None where no one column says who had it, or no other who won by place."""
    texts = [one for one in table.columns if not one.numeric and one.words and one.filled == table.rows]
    texts = [one for one in texts if not {AMONG, PICK} & {*one.name}][:_MOST]
    for first, second in _PLACES:
        told = [one for one in texts if first in words_of(one.name) and not _verdicts(one, first, second)]
        pairs = [(pair, one) for one in told for pair in _named_by(table, one, texts)]
        won = [(one, said) for one in table.columns if (said := _verdicts(one, first, second))]
        if len(pairs) == len(won) == 1:
            return _read(*pairs[0], *won[0], first)
    return None


def _read(pair: tuple[str, str], told: Column, won: Column, outcomes: Mapping[str, Any], place: str) -> Reading:
    x, y = (name.removeprefix(SAME) for name in pair)
    said = f"{won.name} says who won by place, and {told.name} which of {x} and {y} was {place}"
    options = {
        "model_a": f"{AMONG.join(pair)}{PICK}{told.name}",
        "model_b": f"{AMONG.join(pair)}{PICK}!{told.name}",
        "winner": won.name,
        "outcomes": outcomes,
        "facets": {"order": "model_a"},
    }
    return Reading(options, (said,), "likely", "votes", said)


def _verdicts(one: Column, first: str, second: str) -> Mapping[str, Any] | None:
    """What the words of a column mean, if they are for one of two places, or for neither."""
    few = not one.numeric and 2 <= one.distinct <= len(one.words) <= 8
    meant = sides_in(one.words) if few else None
    if meant is None:
        return None
    of_places = [
        place in plain(word).split("_") for side, place in (("a", first), ("b", second)) for word in _each(meant[side])
    ]
    return meant if all(of_places) else None


def _each(words: str | tuple[str, ...]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else words


def _named_by(table: Table, told: Column, texts: Sequence[Column]) -> list[tuple[str, str]]:
    """Every two of which a column names one in every row: columns of systems, or of what these said, and then words."""
    named = [one for one in table.columns if one.name in told.words]
    if len(named) == len(told.words) == 2:
        systems = all(one in texts and 2 * one.distinct <= table.rows for one in named)
        x, y = (one.name if systems else SAME + one.name for one in named)
        return [(x, y)]
    found = []
    free = [one for one in texts if one is not told and {*one.words} & {*told.words} and 2 * one.distinct <= table.rows]
    for a, b in combinations(free, 2):
        held, one, other = (f"trim({table.sql(column.name)}::VARCHAR)" for column in (told, a, b))
        either = f"bool_or({held} = {one}), bool_or({held} = {other})"
        test = f"bool_and({one} <> {other} AND {held} IN ({one}, {other})), {either}"
        if table.opened.relation.aggregate(test).fetchall() == [(True, True, True)]:
            found.append((a.name, b.name))
    return found
