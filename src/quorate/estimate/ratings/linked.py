"""Linked systems: the most that have finite ratings together, and where the others stand to them.

Systems have finite ratings together where each is reached from every other along wins
(`quorate.numerics.ratings.existence`). A system that never lost to them is above all, one that never won below all, and
one without such a chain in either direction is not linked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate.arrays import Bools, Ints
from quorate.numerics.ratings.bradley_terry import Design
from quorate.numerics.ratings.existence import components
from quorate.numerics.ratings.ties.wins import HALF
from quorate.table.results import Result
from quorate.table.votes import Votes
from quorate.wording import listed

Place = Literal["above all", "below all", "not linked"]
_SHOWN = 5
_MEANT: dict[Place, str] = {
    "above all": "above all of these, to whom {} never lost",
    "below all": "below all of these, against whom {} never won",
    "not linked": "not linked to these by wins both ways",
}


@dataclass(frozen=True)
class Unrated(Result):
    """A system that no finite rating fits beside those that have one.

    Parameters
    ----------
    system : str
        Label.
    place : {"above all", "below all", "not linked"}
        Where it stands to those that are rated, directly or through others.
    votes : int
        Votes on it.
    won : int
        Of one above all: the fewest votes that it won against any of those that are rated; 0 where it did not meet one.
    """

    system: str
    place: Place
    votes: int
    won: int = 0


def linked(votes: Votes, ties: bool) -> tuple[Bools, tuple[Unrated, ...]]:
    """Rows of votes between the systems that are rated, and the other systems.

    Parameters
    ----------
    votes : Votes
        Votes.
    ties : bool
        Whether ties count, as wins of both.

    Returns
    -------
    array of bool, shape (rows,), and tuple of Unrated
        All rows and no system where all have finite ratings, or where no two have.
    """
    pairs, size = votes.pairs(), len(votes.models)
    even = (pairs.ties + pairs.both_bad) * ties
    counts = np.column_stack([pairs.a_wins, pairs.b_wins, even])[None].astype(np.float64)
    a, b = pairs.a.astype(np.int64), pairs.b.astype(np.int64)
    label = components(Design(size, a, b, np.zeros(1), HALF), counts, "strong")
    systems = np.bincount(label)
    if len(systems) == 1 or systems.max() == 1:
        return np.ones(votes.rows, dtype=np.bool_), ()
    seen = pairs.decisive + even
    own = np.bincount(label[a], seen * (label[a] == label[b]), len(systems))
    rated = label == max(range(len(systems)), key=lambda g: (systems[g], own[g]))
    ahead, behind = (side + even > 0 for side in (pairs.a_wins, pairs.b_wins))
    winner, loser = np.append(a[ahead], b[behind]), np.append(b[ahead], a[behind])
    below, above = _reached(rated, winner, loser), _reached(rated, loser, winner)
    total = np.bincount(a, seen, size) + np.bincount(b, seen, size)
    wins = np.zeros((size, size), dtype=np.int64)
    np.add.at(wins, (a, b), pairs.a_wins)
    np.add.at(wins, (b, a), pairs.b_wins)
    won = np.where(above, wins[:, rated].min(axis=1), 0)
    others = tuple(
        Unrated(
            votes.models[i],
            "above all" if above[i] else "below all" if below[i] else "not linked",
            int(total[i]),
            int(won[i]),
        )
        for i in np.flatnonzero(~rated).tolist()
    )
    return rated[votes.model_a] & rated[votes.model_b], others


def _reached(start: Bools, source: Ints, target: Ints) -> Bools:
    """What is reached from here along arrows."""
    reached = start.copy()
    while True:
        grown = reached.copy()
        grown[target[reached[source]]] = True
        if (grown == reached).all():
            return reached
        reached = grown


def unrated_words(unrated: Iterable[Unrated]) -> str:
    """Where systems stand that have no rating, in a sentence; empty without any."""
    parts = []
    for place, meant in _MEANT.items():
        names = [one.system for one in unrated if one.place == place]
        if names:
            said = meant.format("it" if len(names) == 1 else "they")
            parts.append(f"{listed(names, most=_SHOWN)}, {said}")
    return f"Without a finite rating: {'; '.join(parts)}." if parts else ""
