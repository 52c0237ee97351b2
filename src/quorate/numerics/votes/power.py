"""Power and z values of studies drawn from votes, for many pairs of models and numbers of votes at once.

``p``, shape (pairs,), is the share of one side in the votes of each pair. A study draws votes with replacement, so its
wins are binomial, and those of drawn clusters are sums over a multinomial; ``docs/methods/detectability.md`` has the
details.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.votes import binomial

_ROUNDING = 1e-12
_MOST_DRAWS = 2**22  # at a time: 32 MB


def exact_power(p: Floats, budgets: ArrayLike, alpha: float) -> Floats:
    """Chance that the exact test of a fair coin rejects, shape (pairs, budgets).

    Parameters
    ----------
    p : array, shape (pairs,)
        Share of one side.
    budgets : array, shape (budgets,) or (pairs, budgets)
        Votes.
    alpha : float
        Level of the test.
    """
    n = np.asarray(budgets, dtype=float)
    return binomial.rejection(_critical(n, alpha), n, np.asarray(p, dtype=float)[:, None])


def drawn_power(p: Floats, budgets: ArrayLike, alpha: float, resamples: int, rng: np.random.Generator) -> Floats:
    """Share of drawn studies in which the exact test of a fair coin rejects, shape (pairs, budgets).

    Parameters
    ----------
    p, budgets, alpha
        As for `exact_power`.
    resamples : int
        Studies for every pair and number of votes.
    rng : numpy.random.Generator
        Source of the draws.
    """
    p, n = np.asarray(p, dtype=float), np.atleast_2d(np.asarray(budgets, dtype=np.int64))
    n = np.broadcast_to(n, (len(p), n.shape[-1]))
    critical = _critical(n.astype(float), alpha)
    block = max(1, _MOST_DRAWS // resamples)
    out = np.empty(n.shape)
    for j in range(n.shape[1]):
        for start in range(0, len(p), block):
            part = slice(start, start + block)
            votes, c = n[part, j, None], critical[part, j, None]
            wins = rng.binomial(votes, p[part, None], (len(p[part]), resamples))
            out[part, j] = ((c >= 0) & ((wins <= c) | (wins >= votes - c))).mean(axis=1)
    return out


def _critical(n: Floats, alpha: float) -> Floats:
    """Critical values of the exact test, found once for every number of votes."""
    sizes, place = np.unique(n, return_inverse=True)
    return binomial.critical_value(sizes, alpha)[place].reshape(n.shape)


def z_quantiles(p: Floats, n: ArrayLike, probabilities: Sequence[float]) -> Floats:
    """Quantiles of ``|share - 1/2| / sqrt(share (1 - share) / n)`` over pairs and studies of n votes each.

    Exact: the law of the wins is the mean of the binomial laws of the pairs. A unanimous study has an infinite z.

    Parameters
    ----------
    p : array, shape (pairs,)
        Share of one side.
    n : int, or array of int, shape (pairs,)
        Votes of every study.
    probabilities : sequence of float
        In (0, 1); a quantile is the smallest value that is reached with at least that chance.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Table 6.
    """
    sizes, size = np.unique(np.broadcast_to(n, np.shape(p)), return_inverse=True)
    z, mass = [], []
    for i, votes in enumerate(sizes.tolist()):
        wins = np.arange(votes + 1)
        upper = binomial.lower_tail(wins, votes, np.asarray(p, dtype=float)[size == i, None]).sum(axis=0) / len(p)
        mass.append(np.diff(upper, prepend=0.0))
        share = wins / votes
        with np.errstate(divide="ignore"):
            z.append(np.abs(share - 0.5) / np.sqrt(share * (1 - share) / votes))
    every = np.concatenate(z)
    order = np.argsort(every)
    reached = np.searchsorted(np.cumsum(np.concatenate(mass)[order]), np.asarray(probabilities) - _ROUNDING)
    return np.asarray(every[order][np.minimum(reached, len(every) - 1)])


def cluster_kinds(wins: ArrayLike, votes: ArrayLike) -> tuple[Floats, NDArray[np.int64]]:
    """Distinct clusters as rows of (wins, votes), and how many there are of each: draws need no more than these.

    Parameters
    ----------
    wins, votes : array, shape (clusters,)
        Sums of each cluster.
    """
    both = np.column_stack([np.asarray(wins, dtype=float), np.asarray(votes, dtype=float)])
    kinds, counts = np.unique(both, axis=0, return_counts=True)
    return kinds, counts.astype(np.int64)


def cluster_draws(
    kinds: Floats, counts: NDArray[Any], draws: Sequence[int], resamples: int, rng: np.random.Generator
) -> Floats:
    """Sums over clusters drawn with replacement, shape (len(draws), resamples, 5).

    The five are wins, votes, and over clusters the sums of wins squared, wins times votes, and votes squared. A study
    of more clusters goes on from the one of fewer.

    Parameters
    ----------
    kinds : array, shape (kinds, 2)
        Distinct clusters as (wins, votes).
    counts : array, shape (kinds,)
        How many clusters are of each kind.
    draws : sequence of int
        Clusters per study, increasing.
    resamples : int
        Studies of each size.
    rng : numpy.random.Generator
        Source of the draws.
    """
    w, n = kinds.T
    terms = np.column_stack([w, n, w**2, w * n, n**2])
    chances = counts / counts.sum()
    steps = np.diff(np.asarray(draws, dtype=np.int64), prepend=0)
    parts = [rng.multinomial(int(step), chances, resamples) @ terms for step in steps]
    return np.cumsum(parts, axis=0)


def robust(sums: Floats, clusters: ArrayLike) -> tuple[Floats, Floats]:
    """Share of wins and its cluster-robust standard error; nan with one cluster.

    ``C / (C - 1) sum_j (w_j - share n_j)^2 / n^2``, the sandwich estimator of a mean, from sums over clusters.

    Parameters
    ----------
    sums : array, shape (..., 5)
        Sums over clusters of wins, votes, wins squared, wins times votes, and votes squared.
    clusters : array, broadcast
        Clusters C.

    References
    ----------
    Liang and Zeger (1986), Biometrika 73, 13-22. In R: ``sandwich::vcovCL(lm(y ~ 1), cluster)`` with ``type = "HC0"``.
    """
    wins, votes, ww, wn, nn = np.moveaxis(np.asarray(sums, dtype=float), -1, 0)
    c = np.asarray(clusters, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = wins / votes
        spread = np.maximum(ww - 2 * share * wn + share**2 * nn, 0.0)
        return share, np.sqrt(np.where(c > 1, c / (c - 1), np.nan) * spread) / votes


def effective_clusters(sums: Floats) -> Floats:
    """Clusters of one size that would be worth these, ``(sum n_j)^2 / sum n_j^2``: few where some are much larger.

    Parameters
    ----------
    sums : array, shape (..., 5)
        As for `robust`.

    References
    ----------
    Carter, Schnepel and Steigerwald (2017), Review of Economics and Statistics 99, 698-709.
    """
    votes, squares = np.asarray(sums, dtype=float)[..., 1], np.asarray(sums, dtype=float)[..., 4]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(votes**2 / squares)


def t_reach(df: ArrayLike, alpha: float) -> Floats:
    """Two-sided quantiles of Student's t for many degrees of freedom at once, to within 1e-4 of each.

    Parameters
    ----------
    df : array
        Degrees of freedom; below 0.2 the value is that of 0.2, some thousands or more.
    alpha : float
        Chance of both tails.
    """
    from scipy.special import ndtri, stdtrit

    inverse = np.linspace(0.0, 5.0, 5001)
    log_t = np.log(np.append(ndtri(1 - alpha / 2), stdtrit(1 / inverse[1:], 1 - alpha / 2)))
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.interp(1 / np.maximum(np.asarray(df, dtype=float), 0.0), inverse, log_t)))


def normal_size(margins: ArrayLike, alpha: float, power: float, effect: ArrayLike = 1.0) -> Floats:
    """Votes that margins need to be detected, ``effect (z_a + z_b)^2 / (4 margin^2)`` rounded up; infinite for 0.

    Parameters
    ----------
    margins : array
        ``|p - 1/2|``; the sign does not matter.
    alpha, power : float
        Level of the two-sided test and chance of detection.
    effect : array, broadcast
        Votes that are worth one independent vote.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Eq. 8.
    """
    constant = (normal_quantile(1 - alpha / 2) + normal_quantile(power)) ** 2 / 4 * np.asarray(effect, dtype=float)
    with np.errstate(divide="ignore"):
        return np.asarray(np.ceil(constant / np.asarray(margins, dtype=float) ** 2 * (1 - _ROUNDING)))
