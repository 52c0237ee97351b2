"""Power, and the misses of intervals, in studies that draw whole clusters of votes with replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Bools, Floats
from quorate.numerics.votes import binomial
from quorate.numerics.votes.clusters import Clusters
from quorate.numerics.votes.power import cluster_draws, cluster_kinds, effective_clusters, robust, t_reach


@dataclass(frozen=True, eq=False)
class ClusterPower:
    """Shares of drawn studies, each of shape (pairs, budgets); nan for a pair with one cluster.

    Parameters
    ----------
    votes, clusters : array
        In which a test of ``p = 1/2`` rejects: the exact test that takes votes as independent, the cluster-robust t
        test.
    missed_votes, missed_clusters : array
        Whose interval misses the share of the pool: Wilson's with votes as independent, the cluster-robust t
        interval.
    """

    votes: Floats
    clusters: Floats
    missed_votes: Floats
    missed_clusters: Floats


def cluster_power(
    clusters: Clusters, budgets: ArrayLike, alpha: float, resamples: int, rng: np.random.Generator
) -> ClusterPower:
    """Power by clusters drawn with replacement, as many as hold the budget of votes on average, at least 2.

    Parameters
    ----------
    clusters : Clusters
        Wins and votes of every cluster of every pair.
    budgets : array, shape (budgets,)
        Votes, increasing.
    alpha : float
        Level of the tests; 1 less the coverage of the intervals.
    resamples : int
        Studies for every pair and budget; larger ones go on from smaller ones.
    rng : numpy.random.Generator
        Source of the draws.
    """
    n = np.asarray(budgets, dtype=np.int64)
    out = np.empty((4, clusters.pairs, len(n)))
    critical = binomial.critical_value(np.arange(4 * n[-1]), alpha)
    order = np.argsort(clusters.pair, kind="stable")
    ends = np.cumsum(clusters.count)
    for i, own in enumerate(np.split(order, ends[:-1])):
        if len(own) < 2:  # its draws would all be alike
            out[:, i] = np.nan
            continue
        wins, votes = clusters.wins[own], clusters.votes[own]
        drawn = np.maximum(2, np.rint(n / votes.mean())).astype(np.int64)
        sums = cluster_draws(*cluster_kinds(wins, votes), drawn.tolist(), resamples, rng)
        critical = _reaching(critical, sums, alpha)
        out[:, i] = _shares(sums, drawn[:, None], critical, float(wins.sum() / votes.sum()), alpha)
    return ClusterPower(*out)


def _shares(sums: Floats, drawn: NDArray[Any], critical: Floats, pool: float, alpha: float) -> Floats:
    """The four shares for one pair, shape (4, budgets)."""
    share, error = robust(sums, drawn)
    reach = t_reach(effective_clusters(sums) - 1, alpha) * error
    few = 2.0 ** (1.0 - drawn) > alpha  # unanimous clusters could be chance
    events = (
        rejects_votes(sums, critical),
        ~few & (np.abs(share - 0.5) > reach),
        _wilson_misses(share, sums[..., 1], pool, alpha),
        np.abs(share - pool) > reach,
    )
    return np.stack([event.mean(axis=-1) for event in events])


def rejects_votes(sums: Floats, critical: Floats) -> Bools:
    """Whether the exact test of a fair coin rejects if votes are counted as independent.

    Parameters
    ----------
    sums : array, shape (..., 5)
        From `quorate.numerics.votes.power.cluster_draws`; half wins count for neither side.
    critical : array
        Critical value for 0, 1, ... votes, up to the most that occur.
    """
    wins, votes = sums[..., 0], sums[..., 1]
    return np.asarray(np.minimum(wins, votes - wins) <= critical[votes.astype(np.int64)])


def _wilson_misses(share: Floats, votes: Floats, pool: float, alpha: float) -> Bools:
    from scipy.special import ndtri

    return np.asarray(np.abs(share - pool) > ndtri(1 - alpha / 2) * np.sqrt(pool * (1 - pool) / votes) + 1e-12)


def _reaching(critical: Floats, sums: Floats, alpha: float) -> Floats:
    """Critical values up to the most votes that were drawn."""
    most = int(sums[..., 1].max())
    return critical if most < len(critical) else binomial.critical_value(np.arange(2 * most), alpha)
