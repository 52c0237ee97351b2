"""Thresholds: the last integer at which a condition holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats

Condition = Callable[[Floats], NDArray[np.bool_]]


def last(holds: Condition, guess: ArrayLike) -> Floats:
    """The largest integer at which a condition holds that, once it fails, fails for good; one for every guess.

    Parameters
    ----------
    holds : callable
        Takes integers as floats, in the shape of ``guess``, and says where the condition holds. It must hold far
        enough below, and fail far enough above.
    guess : array of float
        Where to start: the closer, the fewer calls, two if it is right.
    """
    start = np.floor(np.asarray(guess, dtype=float))
    low = _gallop(holds, start, -1.0)
    high = _gallop(lambda x: ~holds(x), start + 1, 1.0)
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        good = holds(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return low


def _gallop(reached: Condition, start: Floats, step: float) -> Floats:
    """From where the search starts in growing steps to where the condition is met."""
    at = start
    while np.any(missed := ~reached(at)):
        at = np.where(missed, at + step, at)
        step *= 2
    return at
