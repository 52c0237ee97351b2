"""Quantiles of many degrees of freedom at once: of Student's t and of mean squares, as polynomials through a few."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.numerics.distributions import chi_square_quantile, t_quantile

_DEGREE_T, _DEGREE_SQUARE = 16, 14
"""Errors are below 1e-8 of a t, and of a mean square below 1e-6."""
_MOST_T = 0.9995
"""Probability up to which quantiles of t are so smooth."""


def t_quantiles(df: ArrayLike, probability: float) -> Floats:
    """Quantiles of Student's t, at 1 degree of freedom or more and a probability above one half.

    Examples
    --------
    >>> t_quantiles([1.0, 10.0], 0.975).round(4).tolist()
    [12.7062, 2.2281]
    """
    free = np.asarray(df, dtype=float)
    if probability > _MOST_T:
        from scipy.special import stdtrit

        return np.asarray(stdtrit(free, probability))
    return np.asarray(np.exp(chebyshev.chebval(2 / np.maximum(free, 1.0) - 1, _t_terms(probability))))


def mean_squares(chance: tuple[float, ...], df: ArrayLike) -> Floats:
    """Quantiles of mean squares whose mean is 1, shape (chances, ...); 1 where there are no degrees of freedom to tell.

    Parameters
    ----------
    chance : tuple of float
        Places in the law.
    df : array, shape (...)
        Degrees of freedom.

    Examples
    --------
    >>> mean_squares((0.5,), [2.0, 1e6]).round(4).tolist()
    [[0.6931, 1.0]]
    """
    free = np.asarray(df, dtype=float)
    some, at = np.unique(np.maximum(free, 1.0), return_inverse=True)
    found = chebyshev.chebval(2 / np.sqrt(some) - 1, _square_terms(chance)) ** 3
    return np.where(free < 1, 1.0, found[:, at.reshape(free.shape)])


@lru_cache(maxsize=64)
def _t_terms(probability: float) -> Floats:
    """Terms of the logarithm of the quantile in the inverse of the degrees of freedom."""
    knots, inverse = _knots(_DEGREE_T)
    return np.asarray(chebyshev.chebfit(knots, [np.log(t_quantile(1 / u, probability)) for u in inverse], _DEGREE_T))


@lru_cache(maxsize=16)
def _square_terms(chance: tuple[float, ...]) -> Floats:
    """Terms of the cube root of a mean square, nearly normal, in the inverse root of its degrees of freedom."""
    knots, inverse = _knots(_DEGREE_SQUARE)
    roots = [[(chi_square_quantile(1 / u**2, 1 - p) * u**2) ** (1 / 3) for p in chance] for u in inverse]
    return np.asarray(chebyshev.chebfit(knots, np.array(roots), _DEGREE_SQUARE))


def _knots(degree: int) -> tuple[Floats, list[float]]:
    """Chebyshev's knots, and the same between 0 and 1."""
    knots = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    return knots, ((1 + knots) / 2).tolist()
