"""Arrived: the answers of a ledger in the order in which they came, cut at the sizes at which they are looked at."""

from __future__ import annotations

import math

import numpy as np

from quorate.caveats import Caveat
from quorate.frozen import dataclass
from quorate.table.collapse.grouped import pooled
from quorate.table.exchange import ledger
from quorate.table.exchange.engine import connection
from quorate.table.exchange.postgres.address import Place
from quorate.table.judgments import Judgments
from quorate.table.read_scores import read_scores
from quorate.table.read_votes import read_votes
from quorate.table.votes import Votes

SMALLEST = 8
"""Answers at the first look; each later one has 1.41 times as many, so that they stay where they are."""

MOST_LOOKS = 16
"""The latest ones that are taken: beyond, answers are 256 times as many as at the first."""

_LOOK = "look of the interim analysis"  # no name of a facet


@dataclass(frozen=True, eq=False)
class ArrivedScores:
    """Scores, with the look by which each had come as a facet.

    Parameters
    ----------
    table : Judgments
        With that facet.
    sizes : tuple of int
        Answers at each look; the last one has all.
    caveats : tuple of Caveat
        Of the source.
    """

    table: Judgments
    sizes: tuple[int, ...]
    caveats: tuple[Caveat, ...]

    def first(self, size: int) -> Judgments:
        """The scores that had come by a look."""
        look = np.array([float(level) for level in self.table.facet(_LOOK).levels])[self.table.column(_LOOK)]
        return pooled(self.table.keep(look <= _index(size)), _LOOK)


@dataclass(frozen=True, eq=False)
class ArrivedVotes:
    """Votes in the order in which they came.

    Parameters
    ----------
    votes : Votes
    sizes : tuple of int
        Answers at each look; the last one has all.
    caveats : tuple of Caveat
        Of the source.
    """

    votes: Votes
    sizes: tuple[int, ...]
    caveats: tuple[Caveat, ...]

    def first(self, size: int) -> Votes:
        """The votes that had come by a look."""
        return self.votes.keep(np.arange(self.votes.rows) < size)


def arrived(place: Place) -> ArrivedScores | ArrivedVotes:
    """The finished cells of a ledger, which a runner may be writing to.

    Raises
    ------
    InvalidData
        If there is none, or the file is damaged.
    InvalidInput
        If it cannot be opened.
    """
    if ledger.holds(place) == "votes":
        votes = read_votes(place, announce=False)
        order = np.arange(votes.rows) if votes.time is None else np.argsort(votes.time, kind="stable")
        return ArrivedVotes(votes.reordered(order), sizes(votes.rows), votes.source.caveats)
    rank = 'row_number() OVER (ORDER BY "at")'
    look = f"greatest(0, ceil(2 * log2({rank} / {SMALLEST}) - 1e-9))"
    with connection() as own:
        opened = ledger.open_ledger(own, place)
        relation = opened.relation.project(f'*, {look}::VARCHAR AS "{_LOOK}"')
        named = {name: name for name in (*ledger.facets(opened.columns), _LOOK)}
        table = read_scores(relation, facets=named, recognise=True, announce=False)
    return ArrivedScores(table, sizes(int(table.rows.sum())), ledger.caveats(place))


def sizes(n: int) -> tuple[int, ...]:
    """Answers at every look at so many, the last one at all of them.

    Examples
    --------
    >>> sizes(30), sizes(3)
    ((8, 11, 16, 22, 30), (3,))
    """
    before = [math.floor(SMALLEST * 2 ** (look / 2) + 1e-9) for look in range(_index(n))]
    return (*before[-MOST_LOOKS:], n)


def _index(n: int) -> int:
    """The first look that has so many answers."""
    return max(0, math.ceil(2 * math.log2(n / SMALLEST) - 1e-9))
