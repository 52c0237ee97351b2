"""Well-sampled pairs: the votes of pairs of models (or of models against all others) that have enough of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.table.pairs import TIE
from quorate.table.votes import Encoding, Votes, checked_votes
from quorate.wording import Brief, counted

Unit = Literal["pair", "model"]
Random = np.random.Generator | int | None

MINIMUM = 200
"""Decisive votes from which a pair counts as well sampled (Lee 2026, section 5)."""


@dataclass(frozen=True, eq=False)
class Sampled(Brief):
    """Votes of the units that have enough decisive ones, row by row.

    Parameters
    ----------
    labels : tuple of str
        Units: ``"x vs y"`` for a pair, the model otherwise.
    unit : array, shape (rows,)
        Unit of each row, as an index into ``labels``.
    row : array, shape (rows,)
        Where the row stands in the table of votes.
    won : array, shape (rows,)
        1 for a vote for the second model of the pair (or for the model), 0 against, 1/2 for half a vote.
    weight : array, shape (rows,)
        Votes that the row stands for.
    n, wins : array, shape (units,)
        Votes that count, and the sum of ``won``.
    tie_share : array, shape (units,)
        Ties and both bad, of all votes with an outcome.
    left_out : int
        Units with too few decisive votes.
    """

    labels: tuple[str, ...]
    unit: Ints
    row: Ints
    won: Floats
    weight: Floats
    n: Floats
    wins: Floats
    tie_share: Floats
    left_out: int

    def __len__(self) -> int:
        return len(self.labels)


def well_sampled(votes: Votes, *, minimum: int = MINIMUM, ties: Encoding = "drop", unit: Unit = "pair") -> Sampled:
    """The votes of the pairs that have enough decisive ones.

    Parameters
    ----------
    votes : Votes
        Votes.
    minimum : int
        Decisive votes that a unit must have.
    ties : {"drop", "half", "pessimistic"}
        As for `Votes.encoded`. The units are the same for every encoding.
    unit : {"pair", "model"}
        Pairs of models, or every model against all others together; each vote then counts for both of its models.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If no unit has enough votes.
    """
    rules.whole("minimum", minimum, 2)
    names, code, row, value = _by_unit(checked_votes(votes), ties, unit)
    outcome, weight = votes.outcome[row], votes.weights[row].astype(float)
    decisive, tied, wins, n = (
        np.bincount(code, weight * part, len(names)).astype(np.float64, copy=False)
        for part in (outcome < TIE, (outcome >= TIE) & (outcome < TIE + 2), np.nan_to_num(value), ~np.isnan(value))
    )
    enough = decisive >= minimum
    if not enough.any():
        most = int(decisive.max(initial=0))
        rule = f"votes: no {unit} has {minimum:,} decisive votes (most: {most:,}); lower "
        raise NotEstimable(rule + argument("minimum"))
    kept = enough[code] & ~np.isnan(value)
    place = np.cumsum(enough) - 1
    with np.errstate(invalid="ignore"):
        share = (tied / (tied + decisive))[enough]
    labels = tuple(name for name, some in zip(names, enough.tolist(), strict=True) if some)
    return Sampled(
        labels=labels,
        unit=place[code[kept]],
        row=row[kept],
        won=value[kept],
        weight=weight[kept],
        n=n[enough],
        wins=wins[enough],
        tie_share=share,
        left_out=int((~enough).sum()),
    )


def labelled(sampled: Sampled, votes: Votes, role: str) -> Ints:
    """Level of a facet for every row that is used.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If a row has no label.
    """
    code = votes.column(role)[sampled.row].astype(np.int64)
    gone = int((code < 0).sum())
    if gone:
        raise NotEstimable(
            f"{role}: {gone:,} votes have no label; leave them out with votes.keep(...), or name another"
        )
    return code


def _by_unit(votes: Votes, ties: Encoding, unit: str) -> tuple[Sequence[str], Ints, Ints, Floats]:
    """Units; then the unit of every vote, its row, and what it says for the unit's second model, or for the model."""
    rules.one_of("unit", unit, Unit)
    if unit == "pair":
        pairs = votes.pairs()
        names = [f"{a} vs {b}" for a, b in pairs.names]
        return names, pairs.code.astype(np.int64), np.arange(votes.rows), votes.encoded(ties)
    if ties == "pessimistic":
        raise InvalidInput('ties: "pessimistic" is about the first model of a pair; use "drop" or "half" with models')
    value = votes.encoded(ties)
    code = np.concatenate([votes.model_a, votes.model_b]).astype(np.int64)
    return votes.models, code, np.tile(np.arange(votes.rows), 2), np.concatenate([1 - value, value])


# Aligned pairs: the pairs of systems that two tables of votes share, whichever way round each has them.


def _keys(votes: Votes) -> list[frozenset[str]]:
    """The two systems of every pair, in whatever order."""
    return [frozenset(pair) for pair in votes.pairs().names]


def shared(tables: tuple[Votes, Votes], names: Sequence[str], minimum: int) -> tuple[set[frozenset[str]], list[int]]:
    """Pairs with enough votes by both protocols, and how many have them by one alone.

    Raises
    ------
    NotEstimable
        If there is none.
    """
    enough = [
        {key for key, votes in zip(_keys(table), table.pairs().decisive.tolist(), strict=True) if votes >= minimum}
        for table in tables
    ]
    both = enough[0] & enough[1]
    if not both:
        have = " and ".join(f"{name} {counted(len(own), 'pair')}" for name, own in zip(names, enough, strict=True))
        raise NotEstimable(
            f"protocols: no pair of systems has {minimum:,} decisive votes under both ({have}); name systems alike in "
            "both tables, or lower " + argument("minimum")
        )
    return both, [len(own - both) for own in enough]


def rows_on(votes: Votes, pairs: set[frozenset[str]]) -> Bools:
    """Which votes are on these pairs, shape (rows,)."""
    wanted = np.array([key in pairs for key in _keys(votes)])
    return np.asarray(wanted[votes.pairs().code], dtype=np.bool_)


def matched(first: Votes, second: Votes) -> tuple[Ints, Floats]:
    """Place of each pair of the first table in the second, and -1 where its systems are the other way round."""
    place = {key: at for at, key in enumerate(_keys(second))}
    order = np.array([place[key] for key in _keys(first)])
    names = second.pairs().names
    sign = [1.0 if names[at] == own else -1.0 for at, own in zip(order, first.pairs().names, strict=True)]
    return order, np.array(sign)


def same_levels(tables: Sequence[Votes], facets: Sequence[str]) -> tuple[str, ...] | None:
    """Levels of either table, where each shares half of its own with the other; None where prompts are others."""
    if not all(facets):
        return None
    first, second = (set(table.facet(name).levels) for table, name in zip(tables, facets, strict=True))
    common = len(first & second)
    return tuple(sorted(first | second)) if 2 * common >= max(len(first), len(second)) else None
