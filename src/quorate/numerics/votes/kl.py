"""Information in votes: divergence from a fair coin, the bounds it sets, and the likelihood ratio of known margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats

QUARTER = 0.25  # the largest margin for which 9/4 d^2 is an upper bound


def divergence(margin: ArrayLike) -> Floats:
    """Kullback-Leibler divergence of a vote with this margin from a fair one, in nats.

    Parameters
    ----------
    margin : array
        Signed margins ``d = p - 1/2``, from -1/2 to 1/2.

    Returns
    -------
    array
        ``KL(Bern(1/2 + d) || Bern(1/2)) = [log(1 - x^2) + 2 x atanh(x)] / 2`` with ``x = 2 d``; it is ``2 d^2`` near 0
        and ``log 2`` at the ends. This form keeps its digits where d is small.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Eq. 7.
    """
    x = np.minimum(2 * np.abs(np.asarray(margin, dtype=float)), 1.0)
    inside = np.where(x < 1, x, 0.0)
    series = (np.log1p(-(inside**2)) + 2 * inside * np.arctanh(inside)) / 2
    return np.asarray(np.where(x < 1, series, np.log(2)))


def quadratic_bounds(margin: ArrayLike) -> tuple[Floats, Floats]:
    """Bounds ``2 d^2 <= KL <= 9/4 d^2`` of one vote's divergence; the upper is nan where ``|d| > 1/4``.

    Parameters
    ----------
    margin : array
        Signed margins.

    References
    ----------
    Lee (2026), Lemma 3.1.
    """
    d = np.abs(np.asarray(margin, dtype=float))
    return 2 * d**2, np.where(d <= QUARTER, 2.25 * d**2, np.nan)


def error_floor(information: ArrayLike) -> Floats:
    """The least that both error rates of any test sum to, ``exp(-K) / 2`` (Bretagnolle and Huber).

    Parameters
    ----------
    information : array
        Divergence K of all votes together.

    References
    ----------
    Lee (2026), Theorem 3.2.
    """
    return np.asarray(np.exp(-np.asarray(information, dtype=float)) / 2)


def log_likelihood_ratio(wins: ArrayLike, n: ArrayLike, margin: ArrayLike) -> Floats:
    """Log-likelihood of the votes under known margins, less that under fair votes, summed over the last axis.

    Parameters
    ----------
    wins, n, margin : array, broadcast, shape (..., types)
        Wins, votes and signed margin of every type of prompt; a single vote is a type with ``n = 1``.

    Returns
    -------
    array, shape (...)
        ``-inf`` where votes contradict a margin of one half.
    """
    from scipy.special import xlog1py

    k, n, x = (np.asarray(value, dtype=float) for value in (wins, n, margin))
    return np.asarray(np.sum(xlog1py(k, 2 * x) + xlog1py(n - k, -2 * x), axis=-1))
