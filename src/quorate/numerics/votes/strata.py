"""Tests that no type of prompt prefers either system: opposite preferences add up here, and cancel in a pooled test."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.waiting import each

_MOST_CELLS = 2_000_000  # draws times types held in memory at once


def sum_of_squares(wins: ArrayLike, n: ArrayLike) -> Floats:
    """Sum over types of ``(2 wins - n)^2 / n``; types without votes add nothing.

    Parameters
    ----------
    wins, n : array, broadcast, shape (..., types)
        Wins and votes of every type.
    """
    k, n = (np.asarray(x, dtype=float) for x in (wins, n))
    return np.asarray(np.sum((2 * k - n) ** 2 / np.maximum(n, 1.0), axis=-1))


def likelihood_ratio(wins: ArrayLike, n: ArrayLike) -> Floats:
    """Twice the log-likelihood of a share for every type, less that of one half for all.

    Parameters
    ----------
    wins, n : array, broadcast, shape (..., types)
        Wins and votes of every type.
    """
    from scipy.special import xlogy

    k, n = (np.asarray(x, dtype=float) for x in (wins, n))
    return np.asarray(2 * np.sum(xlogy(k, k) + xlogy(n - k, n - k) - xlogy(n, n / 2), axis=-1))


def squares_p_value(wins: ArrayLike, n: ArrayLike) -> Floats:
    """P-value of `sum_of_squares` by a gamma law with its exact mean and variance under fair votes.

    Each type has mean 1 and variance ``2 - 2 / n``; without the second term, as by chi-square, types of few votes would
    count as more variable than they are.

    Parameters
    ----------
    wins, n : array, broadcast, shape (..., types)
        Wins and votes of every type.
    """
    from scipy.special import gammaincc

    k, n = np.broadcast_arrays(np.asarray(wins, dtype=float), np.asarray(n, dtype=float))
    mean = np.sum(n > 0, axis=-1).astype(float)
    variance = np.sum(np.where(n > 0, 2 - 2 / np.maximum(n, 1.0), 0.0), axis=-1)
    scale = np.where(variance > 0, variance, 1.0) / np.maximum(mean, 1.0)
    p = gammaincc(np.maximum(mean, 1.0) / scale, sum_of_squares(k, n) / scale)
    return np.where(variance > 0, p, 1.0)


def monte_carlo_p_value(
    wins: Floats, n: Floats, rng: np.random.Generator, *, statistic: str = "likelihood", draws: int = 9999
) -> float:
    """P-value of a test over types by fair redraws: at most ``alpha`` with a chance of at most ``alpha``, exactly.

    Parameters
    ----------
    wins, n : array, shape (types,)
        Wins and votes of every type.
    rng : numpy.random.Generator
        For the draws.
    statistic : {"likelihood", "squares"}
        `likelihood_ratio` or `sum_of_squares`.
    draws : int
        Fair studies to compare with.

    References
    ----------
    Phipson and Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9, article 39.
    """
    measure = {"likelihood": likelihood_ratio, "squares": sum_of_squares}[statistic]
    seen = float(measure(wins, n)) * (1 - 1e-12)
    batch = max(1, _MOST_CELLS // max(len(n), 1))
    sizes = [min(batch, draws - start) for start in range(0, draws, batch)]
    votes = n.astype(int)
    above = sum(
        int(np.sum(measure(rng.binomial(votes, 0.5, (size, len(n))), n) >= seen))
        for size in each("redrawn votes", sizes)
    )
    return (1 + above) / (1 + draws)
