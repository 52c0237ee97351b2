"""Ranked systems, by scores or by votes: who is first, in which group, with which ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.table.results import Row, rows_of
from quorate.wording import listed, percent

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
    return tuple(
        tuple(systems[i] for i in np.flatnonzero(group == place).tolist()) for place in range(1, int(group.max()) + 1)
    )


def first_places(board: Leaderboard | Ratings) -> str:
    """Who is first, or who may be."""
    first = board.groups[0]
    if len(first) == 1:
        return f"{first[0]} is first of {len(board.systems)} systems"
    more = [f"{len(first) - _MOST_NAMED} more"] if len(first) > _MOST_NAMED else []
    named = listed([*first[:_MOST_NAMED], *more])
    return f"{named} share the first places ({first[0]} is best with chance {percent(board.best[first[0]])})"


def rank_rows(board: Leaderboard | Ratings) -> list[Row]:
    """A row for every system, best first: system, rating, se, low, high, rank_low, rank_high, group."""
    low, high = board.intervals.T
    ratings = {"rating": board.rating, "se": board.se, "low": low, "high": high}
    ranks = {"rank_low": board.ranks.low, "rank_high": board.ranks.high, "group": board.group}
    return rows_of({"system": board.systems, **ratings, **ranks})
