"""Power, and the misses of intervals, in studies that draw whole clusters of votes with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Bools, Floats
from quorate.numerics.votes import binomial
from quorate.numerics.votes.clusters import Clusters
from quorate.numerics.votes.power import cluster_draws, cluster_kinds, effective_clusters, robust, t_reach
from quorate.wording import Brief


@dataclass(frozen=True, eq=False)
class ClusterPower(Brief):
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
    from scipy.special import ndtri

    n = np.asarray(budgets, dtype=np.int64)
    out = np.empty((4, clusters.pairs, len(n)))
    critical = binomial.critical_value(np.arange(4 * n[-1]), alpha)
    order = np.argsort(clusters.pair, kind="stable")
    ends = np.cumsum(clusters.count)
    for i, rows in enumerate(np.split(order, ends[:-1])):
        if len(rows) < 2:  # its draws would all be alike
            out[:, i] = np.nan
            continue
        wins, votes = clusters.wins[rows], clusters.votes[rows]
        drawn = np.maximum(2, np.rint(n / votes.mean())).astype(np.int64)
        sums = cluster_draws(*cluster_kinds(wins, votes), drawn.tolist(), resamples, rng)
        most = int(sums[..., 1].max())
        if most >= len(critical):
            critical = binomial.critical_value(np.arange(2 * most), alpha)
        pool, places = float(wins.sum() / votes.sum()), drawn[:, None]
        share, error = robust(sums, places)
        reach = t_reach(effective_clusters(sums) - 1, alpha) * error
        wilson = ndtri(1 - alpha / 2) * np.sqrt(pool * (1 - pool) / sums[..., 1]) + 1e-12
        few = 2.0 ** (1.0 - places) > alpha  # unanimous clusters could be chance
        events = (
            rejects_votes(sums, critical),
            ~few & (np.abs(share - 0.5) > reach),
            np.abs(share - pool) > wilson,
            np.abs(share - pool) > reach,
        )
        out[:, i] = [event.mean(axis=-1) for event in events]
    return ClusterPower(*out)


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
