"""Votes between two models, integer codes inside, labels outside: the waist of the package in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.table.ballots import Ballots
from quorate.table.facts.vote_facts import VoteFacts, describe_votes

Encoding = Literal["drop", "half", "pessimistic"]
"""How ties count."""

_TIES: Mapping[str, float] = {"drop": np.nan, "half": 0.5, "pessimistic": 1.0}


@dataclass(frozen=True, eq=False, repr=False)
class Votes(Ballots):
    """Votes between pairs of models, one entry per row of the source.

    Rows are oriented alike: ``model_a`` comes before ``model_b`` in ``models``, in alphabetical order as read, so that
    a table is the same however its source wrote each pair. Rows given the other way round are turned, and ``swapped``
    says so. ``pair`` gives the other orientation.

    Parameters
    ----------
    models : tuple of str
        Labels.
    model_a, model_b : array of int32, shape (rows,)
        The two models, as indices into ``models``.
    outcome : array of int8, shape (rows,)
        0: ``model_a`` is preferred; 1: ``model_b``; 2: tie; 3: both bad; 4: missing.
    swapped : array of bool, shape (rows,)
        Whether the source wrote the two models the other way round.
    facets : tuple of Facet
        What else is known of a vote: ``prompt``, ``prompt_type``, ``judge``, ``cluster`` and others, with labels.
    codes : mapping of str to array of int32, shape (rows,)
        Level of each facet, -1 where there is no label.
    order : array of int8, shape (rows,), optional
        0: ``model_a`` was shown first; 1: ``model_b`` was; -1: not known. None if nothing is known.
    time : array of float64, shape (rows,), optional
        Seconds since 1970 in UTC if ``dated``, else the numbers of the source; nan where there is none.
    dated : bool
        Whether ``time`` was given as dates.
    count : array of int64, shape (rows,), optional
        Votes that a row stands for; None if every row is one vote.
    status : array of int8, shape (rows,), optional
        Why an outcome is missing, as an index into ``quorate.table.facets.STATUSES``; 0 where it is not. None if
        every outcome is there.
    row : array of int64, shape (rows,), optional
        Row of the source that each entry is, from 1; None if entry k is row k. 0 where it is several.
    itself : int
        Rows left out because they compare a model with itself.
    source : Source
        Where the rows came from.
    notes : tuple of Note
        What reading decided for the user.
    """

    def __repr__(self) -> str:
        size = f"models {len(self.models)}, pairs {len(self.pairs())}"
        return f"Votes({self.n} votes, {self.n_decisive} decisive; {size})"

    def encoded(self, ties: Encoding = "drop") -> Floats:
        """Outcomes as numbers: 1 for a vote for ``model_b``, 0 for ``model_a``, nan where a vote does not count.

        Parameters
        ----------
        ties : {"drop", "half", "pessimistic"}
            ``drop``: ties do not count, the best case for telling two models apart. ``half``: half a vote for each.
            ``pessimistic``: a vote against ``model_a``, the first of the pair, so that what is left of its lead does
            not rest on ties; where it trails, it trails by more. Use ``pair(a, b)`` to say which model is first. Both
            bad is treated as a tie; a missing vote never counts.

        Returns
        -------
        array of float64, shape (rows,)
            Rows stand for ``weights`` votes each.

        Raises
        ------
        InvalidInput
            If the encoding is not known.

        References
        ----------
        Lee (2026), How many human judgments are enough?, appendix D.6.
        """
        rules.one_of("ties", ties, _TIES)
        value = _TIES[ties]
        return np.array([0.0, 1.0, value, value, np.nan])[self.outcome]

    def battles(self, key: str) -> tuple[Ints, Ints]:
        """Battle of every row, which is a level of ``key`` and two systems, from 0 on; and the first row of each."""
        n = np.int64(len(self.models))
        code = (self.column(key).astype(np.int64) * n + self.model_a) * n + self.model_b
        _, first, battle = np.unique(code, return_index=True, return_inverse=True)
        return battle, first

    def describe(self) -> VoteFacts:
        """Facts about these votes: who compared what how often, what repeats, what hangs together."""
        return describe_votes(self)


def checked_votes(votes: object) -> Votes:
    """The argument, if it is a table of votes.

    Raises
    ------
    InvalidInput
        If it is anything else, such as the path of a file.
    """
    if not isinstance(votes, Votes):
        kind = type(votes).__name__
        raise InvalidInput(f"votes: expects what quorate.read_votes returns, got {kind}; read it first")
    return votes
