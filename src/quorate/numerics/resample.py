"""Means of draws with replacement from pools of scores, and their exact law.

A *pool* is what one draw chooses from: all pools of an array ``pools``, shape (n, columns, size), have the same size.
A study draws for each of n scenarios; its draw number b comes from the pool in column ``b mod columns``, and every
member of a pool is as likely as any other. The mean of the study is over all scenarios and draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from quorate.arrays import Floats

_MOST_DRAWS = 2**20  # at a time, for one scenario: 20 MB
_ROUNDING = 1e-13


def drawn_means(pools: Floats, draws: Sequence[int], repetitions: int, rng: np.random.Generator) -> Floats:
    """Means of studies drawn from the pools, less the mean of all pools.

    Studies of several sizes share their draws: the smaller one is the beginning of the larger one.

    Parameters
    ----------
    pools : array, shape (n, columns, size)
        Scores.
    draws : sequence of int
        Draws per scenario; multiples of ``columns``, increasing.
    repetitions : int
        Studies of each size.
    rng : numpy.random.Generator
        Source of the draws; the same generator gives the same studies.

    Returns
    -------
    array, shape (len(draws), repetitions)
        Mean of every study, measured from the mean over all pools.
    """
    block = max(1, _MOST_DRAWS // draws[-1])
    apart = _deviations(pools)  # a multiple of the columns draws equally often from every pool, so their means cancel
    n, columns, size = apart.shape
    kind = np.uint16 if columns * size <= 2**16 else np.uint32  # numpy draws 16 bits faster than 8 or 32
    shift = (np.arange(draws[-1]) % columns * size).astype(kind)[:, None]
    parts = []
    for first in range(0, repetitions, block):
        drawn = np.empty((draws[-1], min(block, repetitions - first)))
        sums = np.zeros((len(draws), drawn.shape[1]))
        for pool in apart.reshape(n, columns * size):
            member = rng.integers(size, size=drawn.shape, dtype=kind)
            member += shift
            pool.take(member, out=drawn, mode="clip")  # no code is out of range, and only "clip" writes without a copy
            for row, (start, stop) in enumerate(pairwise((0, *draws))):
                sums[row] += drawn[start:stop].sum(axis=0)
        parts.append(np.cumsum(sums, axis=0) / (n * np.array(draws)[:, None]))
    return np.concatenate(parts, axis=1)


def _deviations(pools: Floats) -> Floats:
    """Scores less their pool's mean; what is rounding is zero, so that scores that agree have no variance."""
    out: Floats = pools - pools.mean(axis=-1, keepdims=True)
    out[np.abs(out) <= _ROUNDING * np.abs(pools).max()] = 0.0
    return out


def pool_variance(pools: Floats) -> float:
    """Variance of one draw about its pool's mean (divisor: size), on average over pools.

    The mean of a study with d draws for each of n scenarios has this variance over n d.

    Parameters
    ----------
    pools : array, shape (n, columns, size)
        Scores.
    """
    return float(np.mean(_deviations(pools) ** 2))


def variance_error(pools: Floats, draws: int, repetitions: int) -> float:
    """Standard error of the sample variance of the means of repeated studies, exact for these pools.

    Parameters
    ----------
    pools : array, shape (n, columns, size)
        Scores.
    draws : int
        Draws per scenario.
    repetitions : int
        Studies, at least 2.

    Notes
    -----
    ``Var(s^2) = k4 / R + 2 k2^2 / (R - 1)`` with the cumulants k2, k4 of the mean. Cumulants of sums of independent
    draws add, so ``k4`` is the fourth cumulant of one draw, on average over pools, over ``(n d)^3``.
    """
    deviation = _deviations(pools)
    second = np.mean(deviation**2, axis=-1)
    fourth = float(np.mean(np.mean(deviation**4, axis=-1) - 3 * second**2))
    drawn = pools.shape[0] * draws
    cumulant, variance = fourth / drawn**3, float(np.mean(second)) / drawn
    return float(np.sqrt(max(cumulant / repetitions + 2 * variance**2 / (repetitions - 1), 0.0)))
