"""Ranked systems, by scores or by votes: who is first, in which group, with which ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.table.results import Row, rows_of
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.estimate.ratings.leaderboard import Leaderboard
    from quorate.estimate.ratings.ratings import Ratings

_MOST_NAMED = 6
_MOST_SHOWN = 3


def top(board: Leaderboard | Ratings) -> str:
    """The first systems with their ratings, for a short form."""
    shown = zip(board.systems[:_MOST_SHOWN], board.rating.tolist(), strict=False)
    more = ", ..." if len(board.systems) > _MOST_SHOWN else ""
    return ", ".join(f"{system} {rating:.4g}" for system, rating in shown) + more


def by_group(systems: tuple[str, ...], group: NDArray[np.int64]) -> tuple[tuple[str, ...], ...]:
    """Systems by their rank group.

    Parameters
    ----------
    systems : tuple of str
        Names.
    group : array of int, shape (systems,)
        Rank group, from 1.
    """
    return tuple(tuple(systems[i] for i in np.flatnonzero(group == place).tolist()) for place in np.unique(group))


def may_be_first(board: Leaderboard | Ratings) -> tuple[str, ...]:
    """Systems that none is surely better than, best first."""
    above = tuple(one.system for one in getattr(board, "unbeaten", ()))
    sure, apart = getattr(board, "surely_above", ()), tuple(one.system for one in getattr(board, "apart", ()))
    rated = tuple(board.systems[i] for i in np.flatnonzero(board.ranks.low == 1).tolist())
    return above + rated + (() if sure else apart)


def standing(board: Leaderboard | Ratings, scope: str = "") -> str:
    """Who is first, or may be, and how many pairs are told apart: one claim, for all ranks at once."""
    return f"{claim(board, 'No')}, at {100 * board.level:.4g}% {at_once(board)}{f', {scope}' * bool(scope)}."


def at_once(board: Leaderboard | Ratings) -> str:
    """Of what the confidence of ranks is: nothing is said to hold of votes that are wrongly taken as independent."""
    if not taken_as_independent(board):
        return "for all ranks at once"
    return "for all ranks at once, were votes independent, which they need not be"


def taken_as_independent(board: Leaderboard | Ratings) -> bool:
    """Whether votes that share what may make them alike are taken as independent."""
    return any(one.code == "taken-as-independent" for one in board.caveats)


def claim(board: Leaderboard | Ratings, no: str = "no") -> str:
    """The same without its certainty, inside a sentence or with ``no`` as it opens one."""
    above, sure = len(getattr(board, "unbeaten", ())), len(getattr(board, "surely_above", ()))
    first, systems = may_be_first(board), len(board.systems) + above + len(getattr(board, "apart", ()))
    told = int(board.ranks.above.sum()) + sure * len(board.systems)
    if not told:
        return f"{no} two of {counted(systems, 'system')} are told apart"
    if len(first) == 1:
        lead = f"{first[0]} is first of {systems:,} systems"
    elif len(first) <= _MOST_NAMED:
        lead = f"{first[0]} leads {systems:,} systems, not surely ahead of {listed(first[1:])}"
    else:
        lead = f"{first[0]} leads {systems:,} systems, not surely ahead of {len(first) - 1:,} of them"
    pairs = systems * (systems - 1) // 2
    return f"{lead}; {told:,} of {counted(pairs, 'pair')} of systems {'is' if told == 1 else 'are'} told apart"


def rank_rows(board: Leaderboard | Ratings) -> list[Row]:
    """A row for every system, best first: system, rating, se, low, high, rank_low, rank_high, group."""
    low, high = board.intervals.T
    ratings = {"rating": board.rating, "se": board.se, "low": low, "high": high}
    ranks = {"rank_low": board.ranks.low, "rank_high": board.ranks.high, "group": board.group}
    return rows_of({"system": board.systems, **ratings, **ranks})
