"""Votes by name: rows of a table that hold the votes for one system against another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from quorate.table.pairs import A, B
from quorate.table.results import Row
from quorate.table.votes import Votes
from quorate.wording import Brief


@dataclass(frozen=True)
class DroppedVotes(Brief):
    """Votes of one row that are left out.

    Parameters
    ----------
    row : int
        Row of what was read, from 1 and without its head; of a file with a condition, among the rows that meet it.
    winner, loser : str
        For whom, and against whom.
    votes : int
        How many: 1 where a row is a vote.
    labels : mapping of str to str
        What else is known of it, by role: prompt, judge and others; empty where there is no label.
    """

    row: int
    winner: str
    loser: str
    votes: int
    labels: Mapping[str, str] = field(default_factory=dict)

    def to_row(self) -> Row:
        """The same as plain values."""
        return {"row": self.row, "winner": self.winner, "loser": self.loser, "votes": self.votes, **self.labels}


def dropped_votes(votes: Votes, drops: Iterable[tuple[int, int, int]]) -> tuple[DroppedVotes, ...]:
    """The first rows that hold so many votes for one system against another, in the order of rows.

    Votes for the same system against the same other are alike to ratings, so that any of them would do. Nothing where
    rows were counted together as they were read.

    Parameters
    ----------
    votes : Votes
        Where they are.
    drops : iterable of (int, int, int)
        Winner, loser and how many.
    """
    row = votes.source_row
    if row is None:
        return ()
    found = []
    for winner, loser, wanted in drops:
        a, b = min(winner, loser), max(winner, loser)
        won = (votes.model_a == a) & (votes.model_b == b) & (votes.outcome == (A if winner == a else B))
        places = np.flatnonzero(won & (votes.weights > 0))
        held = votes.weights[places]
        taken = np.clip(wanted - (np.cumsum(held) - held), 0, held)
        found += [(int(place), winner, loser, int(n)) for place, n in zip(places, taken, strict=True) if n]
    found.sort(key=lambda one: int(row[one[0]]))
    names = {one.name: (*one.levels, "") for one in votes.facets}
    columns = {name: votes.column(name) for name in names}
    return tuple(
        DroppedVotes(
            int(row[place]),
            votes.models[winner],
            votes.models[loser],
            n,
            {name: names[name][int(columns[name][place])] for name in names},
        )
        for place, winner, loser, n in found
    )
