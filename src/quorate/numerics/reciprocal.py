"""The mean of one over a binomial count: what equal weights cost where it is chance who is asked how often."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial.laguerre import laggauss

from quorate.arrays import Floats

_SUMMED = 400
_NODES = 64


def mean_reciprocal(trials: Floats, chance: float) -> Floats:
    """``E[1 / n | n > 0]`` for ``n`` binomial.

    Parameters
    ----------
    trials : array
        Whole numbers of at least 1.
    chance : float
        Of a success, in (0, 1].

    Notes
    -----
    Up to 400 trials the sum; beyond, ``E[1/n; n > 0] = integral of ((1 - p + p exp(-y))^N - (1 - p)^N) dy`` by
    Gauss-Laguerre quadrature in ``x = N p y``, right to nine digits where ``N p`` is 2 or more.

    Examples
    --------
    >>> mean_reciprocal(np.array([1.0, 2.0]), 0.5).round(4)
    array([1.    , 0.8333])
    """
    counts, place = np.unique(np.asarray(trials, dtype=float), return_inverse=True)
    if chance == 1:
        return np.asarray((1 / counts)[place].reshape(np.shape(trials)))
    small = np.array([_summed(int(count), chance) for count in counts[counts <= _SUMMED]])
    large = _integrated(counts[counts > _SUMMED], chance)
    return np.asarray(np.concatenate([small, large])[place].reshape(np.shape(trials)))


def _summed(trials: int, chance: float) -> float:
    n = np.arange(1, trials + 1)
    log = np.cumsum(np.log((trials + 1 - n) / n))
    probability = np.exp(log + n * np.log(chance) + (trials - n) * np.log1p(-chance))
    return float(np.sum(probability / n) / np.sum(probability))


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Laguerre, found once; by NumPy, as SciPy loads much more for them."""
    x, weight = laggauss(_NODES)
    return np.asarray(x), np.asarray(weight)


def _integrated(trials: Floats, chance: float) -> Floats:
    x, weight = _quadrature()
    never = np.exp(trials * np.log1p(-chance))
    y = x / (trials[:, None] * chance)
    inside = np.exp(trials[:, None] * np.log1p(chance * np.expm1(-y)) + x) - never[:, None] * np.exp(x)
    kept = np.maximum(inside, 0.0)
    return np.asarray((kept @ weight) / (trials * chance) / (1 - never))
