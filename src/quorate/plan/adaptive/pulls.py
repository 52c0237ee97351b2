"""The next pulls of many arms at once: those that would be made one by one if no answer came in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.sequential.bandit import in_turn

Priority = Callable[[Ints, Ints], Floats]
"""Priority of arms, shape (k,), after so many pulls each, shape (k, depth); -inf where an arm is not to be pulled."""


class Pulls(NamedTuple):
    """Pulls in their order.

    Parameters
    ----------
    arm : array of int64, shape (pulls,)
        Which arm.
    level : array of int64, shape (pulls,)
        Pulls of that arm before this one.
    """

    arm: Ints
    level: Ints


def best(priority: Priority, level: Ints, failed: Ints, rank: Ints, count: int) -> Pulls:
    """The next pulls: always of the greatest priority, of equals the arm of the lowest rank.

    Where priorities are infinite, or 0, it goes by the calls made, so that arms take turns. Only arms whose next pull
    is among the first ``count`` can be pulled at all, since the priority of an arm falls with its pulls.

    Parameters
    ----------
    priority : callable
        Of arms after some pulls; it never rises with the pulls.
    level : array of int64, shape (arms,)
        Pulls so far, those under way included.
    failed : array of int64, shape (arms,)
        Calls that failed.
    rank : array of int64, shape (arms,)
        Order among equals.
    count : int
        How many pulls; fewer come back where no more arms are to be pulled.
    """
    first = priority(np.arange(len(level)), level[:, None])[:, 0]
    arms = _foremost(in_turn(first, level + failed), rank, count)
    levels = level[arms, None] + np.arange(count)
    keys = in_turn(priority(arms, levels), levels + failed[arms, None])
    arm = np.broadcast_to(arms[:, None], levels.shape)
    some = np.flatnonzero(keys > -np.inf)
    order = some[np.lexsort((levels.flat[some], rank[arm.flat[some]], -keys.flat[some]))][:count]
    return Pulls(arm.flat[order], levels.flat[order])


def _foremost(first: Floats, rank: Ints, count: int) -> Ints:
    """The ``count`` arms that come first, in any order."""
    some = np.flatnonzero(first > -np.inf)
    if len(some) <= count:
        return some
    least = np.partition(first[some], len(some) - count)[len(some) - count]
    some = some[first[some] >= least]
    return np.asarray(some[np.lexsort((rank[some], -first[some]))][:count])
