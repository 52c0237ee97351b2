"""Intra-cluster correlation of votes of a prompt, a judge or a ranking, for many pairs of models at once.

Clusters of all pairs stand in one list: ``pair``, shape (clusters,), says whose each is; ``wins`` and ``votes`` are its
sums. Results have shape (pairs,).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.numerics.votes.power import effective_clusters, robust, t_reach
from quorate.wording import Brief


@dataclass(frozen=True, eq=False)
class Clusters(Brief):
    """Clusters of votes of several pairs.

    Parameters
    ----------
    pair : array, shape (clusters,)
        Pair of each cluster, from 0.
    wins, votes : array, shape (clusters,)
        Sums of each cluster.
    pairs : int
        Number of pairs.
    """

    pair: NDArray[Any]
    wins: Floats
    votes: Floats
    pairs: int

    @property
    def count(self) -> Ints:
        """Clusters of each pair."""
        return np.bincount(self.pair, minlength=self.pairs).astype(np.int64, copy=False)

    @property
    def sums(self) -> Floats:
        """Per pair: wins, votes, and over clusters the sums of wins squared, wins times votes, votes squared."""
        terms = (self.wins, self.votes, self.wins**2, self.wins * self.votes, self.votes**2)
        return np.column_stack([np.bincount(self.pair, term, self.pairs) for term in terms])

    def part(self, mask: NDArray[np.bool_]) -> Clusters:
        """Some of the clusters; pairs keep their numbers."""
        return Clusters(self.pair[mask], self.wins[mask], self.votes[mask], self.pairs)


def gather(pair: NDArray[Any], cluster: NDArray[Any], won: Floats, weight: Floats, pairs: int) -> Clusters:
    """Sums of every cluster of every pair.

    Parameters
    ----------
    pair, cluster : array, shape (rows,)
        Pair and cluster of each row, from 0.
    won, weight : array, shape (rows,)
        Outcome, 0 to 1, and the votes that the row stands for.
    pairs : int
        Number of pairs.
    """
    key = pair.astype(np.int64) * (int(cluster.max(initial=0)) + 1) + cluster
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    wins, votes = (np.bincount(code, each).astype(np.float64, copy=False) for each in (won * weight, weight))
    return Clusters(pair[first], wins, votes, pairs)


def design_effect(clusters: Clusters) -> Floats:
    """Variance of the share over that of as many independent votes; nan where all votes are unanimous or one cluster.

    The sum of squares between clusters, over what it would be on average if the same votes were dealt to the same
    clusters at random: 1 on average without dependence, however few clusters there are.

    Parameters
    ----------
    clusters : Clusters
        Sums.

    Notes
    -----
    Dealt at random, the wins of a cluster are hypergeometric, with variance ``n_j p (1-p) (n - n_j) / (n - 1)``.
    """
    wins, n, ww, wn, nn = clusters.sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        p = wins / n
        seen = ww - 2 * p * wn + p**2 * nn
        dealt = p * (1 - p) * (n**2 - nn) / (n - 1)
        return np.where(dealt > 0, np.maximum(seen, 0.0) / dealt, np.nan)


def icc(clusters: Clusters) -> Floats:
    """Correlation of two votes of one cluster, by analysis of variance; nan where no cluster has two votes.

    Parameters
    ----------
    clusters : Clusters
        Sums.

    References
    ----------
    Ridout, Demetrio and Firth (1999), Biometrics 55, 137-148: the estimator of analysis of variance.
    """
    between, within, size = mean_squares(clusters)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((between - within) / (between + (size - 1) * within))


def between_variance(clusters: Clusters) -> tuple[Floats, Floats]:
    """Variance of the win rate between clusters, and mean variance of a vote within them, without each other's noise.

    Parameters
    ----------
    clusters : Clusters
        Sums.
    """
    between, within, size = mean_squares(clusters)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (between - within) / size, within


def plain_variances(clusters: Clusters) -> tuple[Floats, Floats]:
    """Variance of the win rates of clusters as they are, and mean of ``p_j (1 - p_j) / n_j``; noise is left in.

    With one vote per cluster the first is ``p (1 - p)``, and the second 0, whatever clusters do.

    Parameters
    ----------
    clusters : Clusters
        Sums.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Table 4.
    """
    rate, count = clusters.wins / clusters.votes, clusters.count
    inside = rate * (1 - rate) / clusters.votes
    first, square, noise = (np.bincount(clusters.pair, x, clusters.pairs) for x in (rate, rate**2, inside))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(square - first**2 / count, 0.0) / (count - 1)
        return np.where(count > 1, spread, np.nan), noise / count


def mean_squares(clusters: Clusters) -> tuple[Floats, Floats, Floats]:
    """Mean squares between and within clusters, and the size of cluster that stands for all; nan without repeats."""
    wins, n, _, _, nn = clusters.sums.T
    count = clusters.count
    shares = np.bincount(clusters.pair, clusters.wins**2 / clusters.votes, clusters.pairs)
    repeats = (n > count) & (count > 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (shares - wins**2 / n) / (count - 1)
        within = (wins - shares) / (n - count)
        size = (n - nn / n) / (count - 1)
    between, within, size = (np.where(repeats, x, np.nan) for x in (between, within, size))
    return between, within, size


def half_misses(clusters: Clusters, alpha: float, splits: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """How often two random halves of a pair's clusters seem to differ, which they never do.

    Parameters
    ----------
    clusters : Clusters
        Sums.
    alpha : float
        Level of the two tests.
    splits : int
        Random halves.
    rng : numpy.random.Generator
        Source of the halves.

    Returns
    -------
    tuple of array, shape (pairs,)
        Share of splits with a claim: with votes counted as independent, and with cluster-robust errors; nan for pairs
        that never had two clusters in both halves.
    """
    critical = float(t_reach(np.inf, alpha))
    claims = np.zeros((2, clusters.pairs))
    looks = np.zeros(clusters.pairs)
    for _ in range(splits):
        heads = rng.integers(2, size=len(clusters.pair)).astype(np.bool_)
        half, other = clusters.part(heads), clusters.part(~heads)
        first, second = half.sums, other.sums
        (a, error_a), (b, error_b) = robust(first, half.count), robust(second, other.count)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = (first[:, 0] + second[:, 0]) / (first[:, 1] + second[:, 1])
            plain = np.abs(a - b) / np.sqrt(p * (1 - p) * (1 / first[:, 1] + 1 / second[:, 1]))
            sandwich = np.abs(a - b) / np.hypot(error_a, error_b)
            parts = error_a**4 / (effective_clusters(first) - 1) + error_b**4 / (effective_clusters(second) - 1)
            df = (error_a**2 + error_b**2) ** 2 / parts  # Welch (1947)
        usable = (half.count > 1) & (other.count > 1) & np.isfinite(sandwich) & np.isfinite(df)
        claims += usable * np.stack([plain > critical, sandwich > t_reach(np.where(usable, df, 1.0), alpha)])
        looks += usable
    with np.errstate(divide="ignore", invalid="ignore"):
        plain_rate, robust_rate = claims / looks
    return plain_rate, robust_rate
