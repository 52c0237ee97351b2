"""Ranks of true values among draws: uniform where posterior and sampler are right (simulation-based calibration)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.distributions import chi_square_tail

DRAWS = 99
"""Draws that a truth is ranked among: ranks are 0 to 99."""
BINS = 10


class Uniformity(NamedTuple):
    """How even ranks are.

    Parameters
    ----------
    counts : tuple of int
        Ranks in every tenth.
    p : float
        By chi-square on 9 degrees of freedom.
    """

    counts: tuple[int, ...]
    p: float


def rank(truth: float, draws: Floats) -> int:
    """How many of `DRAWS` draws, evenly spaced so that they are nearly independent, lie below the truth."""
    at = np.linspace(0, len(draws) - 1, DRAWS).round().astype(np.int64)
    return int(np.sum(draws[at] < truth))


def uniformity(ranks: Ints) -> Uniformity:
    """Counts in tenths, and whether they are even.

    Examples
    --------
    >>> uniformity(np.arange(100)).p
    1.0
    """
    counts = np.bincount(ranks * BINS // (DRAWS + 1), minlength=BINS)
    expected = len(ranks) / BINS
    return Uniformity(tuple(counts.tolist()), chi_square_tail(BINS - 1, np.sum((counts - expected) ** 2) / expected))


def band(studies: int) -> tuple[int, int]:
    """Counts between which all tenths lie with a chance of at least 95%, if ranks are uniform (Bonferroni)."""
    from scipy.special import bdtr

    tail = 0.05 / BINS / 2
    below = bdtr(np.arange(studies + 1), studies, 1 / BINS)
    low, high = np.searchsorted(below, [tail, 1 - tail])
    return int(low), int(high)
