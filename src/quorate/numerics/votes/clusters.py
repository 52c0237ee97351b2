"""Votes of many pairs by clusters: how alike they are, their signal without noise, and the power of studies of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Bools, Floats, Ints, dense, one_of_each
from quorate.frozen import dataclass
from quorate.numerics.votes import binomial
from quorate.numerics.votes.power import cluster_draws, cluster_kinds, effective_clusters, robust, t_reach
from quorate.wording import Brief

# Intra-cluster correlation of votes of a prompt, a judge or a ranking, for many pairs of models at once.
#
# Clusters of all pairs stand in one list: ``pair``, shape (clusters,), says whose each is; ``wins`` and ``votes`` are
# its sums. Results have shape (pairs,).


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
        """Sums over the clusters of each pair, shape (pairs, 7), as `block_sums` has them."""
        out: Floats = block_sums(self, np.zeros(len(self.pair), dtype=np.int64), 1)[0]
        return out

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
    code = dense(key)
    wins, votes = (np.bincount(code, each).astype(np.float64, copy=False) for each in (won * weight, weight))
    return Clusters(one_of_each(code, pair), wins, votes, pairs)


def design_effect(sums: Floats) -> Floats:
    """Variance of the share over that of as many independent votes; nan where all votes are unanimous or one cluster.

    The sum of squares between clusters, over what it would be on average if the same votes were dealt to the same
    clusters at random: 1 on average without dependence, however few clusters there are.

    Parameters
    ----------
    sums : array, shape (..., 7)
        As `block_sums` gives them.

    Notes
    -----
    Dealt at random, the wins of a cluster are hypergeometric, with variance ``n_j p (1-p) (n - n_j) / (n - 1)``.
    """
    wins, n, ww, wn, nn = np.moveaxis(sums[..., :5], -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = wins / n
        seen = ww - 2 * p * wn + p**2 * nn
        dealt = p * (1 - p) * (n**2 - nn) / (n - 1)
        return np.where(dealt > 0, np.maximum(seen, 0.0) / dealt, np.nan)


def effect(sums: Floats) -> Floats:
    """Votes that are worth one independent vote, for votes spread over clusters as these are, at least 1."""
    return np.fmax(design_effect(sums), 1.0)


def icc(sums: Floats) -> Floats:
    """Correlation of two votes of one cluster, by analysis of variance; nan where no cluster has two votes.

    Parameters
    ----------
    sums : array, shape (..., 7)
        As `block_sums` gives them.

    References
    ----------
    Ridout, Demetrio and Firth (1999), Biometrics 55, 137-148: the estimator of analysis of variance.
    """
    among, within, size = mean_squares(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((among - within) / (among + (size - 1) * within))


def between(sums: Floats) -> Floats:
    """Variance of the win rate between clusters, without the noise within; nan where no cluster has two votes."""
    among, within, size = mean_squares(sums)
    return (among - within) / size


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


def mean_squares(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean squares between and within clusters, and the size of cluster that stands for all; nan without repeats."""
    wins, n, _, _, nn, shares, count = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        among = (shares - wins**2 / n) / (count - 1)
        within = (wins - shares) / (n - count)
        size = (n - nn / n) / (count - 1)
    among, within, size = (np.where((n > count) & (count > 1), x, np.nan) for x in (among, within, size))
    return among, within, size


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
    from scipy.sparse import csc_array

    critical = float(t_reach(np.inf, alpha))
    claims = np.zeros((2, clusters.pairs))
    looks = np.zeros(clusters.pairs)
    size, whole, each = len(clusters.pair), clusters.sums, _terms(clusters).T
    of_pair = csc_array((np.ones(size), clusters.pair, np.arange(size + 1)), shape=(clusters.pairs, size)).tocsr()
    for _ in range(splits):
        first = np.asarray(of_pair @ (each * rng.integers(2, size=size)[:, None]), dtype=np.float64)
        second = whole - first
        (a, error_a), (b, error_b) = robust(first, first[:, -1]), robust(second, second[:, -1])
        with np.errstate(divide="ignore", invalid="ignore"):
            p = (first[:, 0] + second[:, 0]) / (first[:, 1] + second[:, 1])
            plain = np.abs(a - b) / np.sqrt(p * (1 - p) * (1 / first[:, 1] + 1 / second[:, 1]))
            sandwich = np.abs(a - b) / np.hypot(error_a, error_b)
            parts = error_a**4 / (effective_clusters(first) - 1) + error_b**4 / (effective_clusters(second) - 1)
            df = (error_a**2 + error_b**2) ** 2 / parts  # Welch (1947)
        usable = (first[:, -1] > 1) & (second[:, -1] > 1) & np.isfinite(sandwich) & np.isfinite(df)
        claims += usable * np.stack([plain > critical, sandwich > t_reach(np.where(usable, df, 1.0), alpha)])
        looks += usable
    with np.errstate(divide="ignore", invalid="ignore"):
        plain_rate, robust_rate = claims / looks
    return plain_rate, robust_rate


# Signal of the votes of pairs of systems: squared margins and variances between clusters, without noise; a jackknife.
#
# Everything is a function of sums over clusters, so that leaving out a block of clusters is a subtraction.


class Jackknifed(NamedTuple):
    """A number, what it is without each block, the standard error from that, and the degrees of freedom."""

    value: float
    se: float
    df: float
    left: Floats


def block_sums(clusters: Clusters, block: NDArray[np.int64], blocks: int) -> Floats:
    """Sums over the clusters of each block, shape (blocks, pairs, 7).

    The seven are wins, votes, wins squared, wins times votes, votes squared, wins squared over votes, and clusters.

    Parameters
    ----------
    clusters : Clusters
        Clusters of all pairs.
    block : array, shape (clusters,)
        Block of each cluster, from 0.
    blocks : int
        Number of blocks.
    """
    place = block * clusters.pairs + clusters.pair
    flat = [np.bincount(place, term, blocks * clusters.pairs) for term in _terms(clusters)]
    return np.stack(flat, axis=-1).astype(np.float64).reshape(blocks, clusters.pairs, len(flat))


def _terms(clusters: Clusters) -> Floats:
    """What every cluster adds to the sums of `block_sums`, shape (7, clusters)."""
    w, n = clusters.wins, clusters.votes
    return np.array([w, n, w**2, w * n, n**2, w**2 / n, np.ones(len(w))], dtype=np.float64)


def square(sums: Floats) -> Floats:
    """Squared margin ``(p - 1/2)^2``, unbiased: the mean product of what two votes of different clusters say.

    Parameters
    ----------
    sums : array, shape (..., 7)
        As `block_sums` gives them, added up.
    """
    w, n, ww, wn, nn = np.moveaxis(sums[..., :5], -1, 0)
    own = ww - wn + nn / 4
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(((w - n / 2) ** 2 - own) / (n**2 - nn))


def jackknife(blocks: Floats, statistic: Callable[[Floats], Floats]) -> Jackknifed:
    """A number of all blocks, with its standard error.

    Parameters
    ----------
    blocks : array, shape (blocks, ...)
        Sums of each block.
    statistic : callable
        From sums, of shape (..., as of one block), to numbers of shape (...).
    """
    whole = blocks.sum(axis=0)
    left = statistic(whole - blocks)
    return Jackknifed(float(statistic(whole)), spread(left), len(left) - 1.0, left)


def spread(left: Floats) -> float:
    """Standard error of a number from what it is without each block."""
    g = len(left)
    return float(np.sqrt((g - 1) / g * np.sum((left - left.mean()) ** 2)))


def ratio_interval(
    first: tuple[float, float], second: tuple[float, float], covariance: float, reach: float
) -> tuple[float, float]:
    """Interval for the second over the first, both positive, by Fieller's theorem; infinite where nothing bounds it.

    Parameters
    ----------
    first, second : tuple of float
        Value and standard error.
    covariance : float
        Of the two.
    reach : float
        Quantile of the law of a standardised difference.
    """
    lead = first[0] ** 2 - (reach * first[1]) ** 2
    tail = second[0] ** 2 - (reach * second[1]) ** 2
    middle = first[0] * second[0] - reach**2 * covariance
    root = float(np.sqrt(max(middle**2 - lead * tail, 0.0)))
    if lead > 0 and first[0] > 0:
        return max((middle - root) / lead, 0.0), max((middle + root) / lead, 0.0)
    sure = tail > 0 and second[0] > 0 and lead < 0
    return ((middle - root) / lead if sure else 0.0), float("inf")


# The law of margins behind margins that were estimated from few votes.
#
# An estimated margin is the true one plus binomial noise, so estimates are spread more widely than what they estimate,
# and ``|estimate|`` is above ``|truth|`` on average where the truth is near 0.


STEPS = 20


def mean_square(k: ArrayLike, n: ArrayLike) -> float:
    """Mean of the squared margins over pairs, without the noise of the votes: unbiased, and below 0 at times.

    ``(k/n - 1/2)^2 - k (n - k) / (n^2 (n - 1))`` has the mean ``(p - 1/2)^2``.

    Parameters
    ----------
    k, n : array, shape (pairs,)
        Wins and votes, at least 2 each.
    """
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    share = k / n
    return float(np.mean((share - 0.5) ** 2 - share * (1 - share) / (n - 1)))


def margin_likelihood(k: ArrayLike, n: ArrayLike, grid: Floats) -> Floats:
    """Likelihood of every margin of a grid for every pair, whichever model is ahead; the largest of a pair is 1.

    Parameters
    ----------
    k, n : array, shape (pairs,)
        Wins and votes.
    grid : array, shape (margins,)
        Margins from 0 to 1/2.

    Returns
    -------
    array, shape (pairs, margins)
    """
    k, n = np.asarray(k, dtype=float)[:, None], np.asarray(n, dtype=float)[:, None]
    both = np.logaddexp(binomial.log_likelihood(k, n, 0.5 + grid), binomial.log_likelihood(k, n, 0.5 - grid))
    return np.asarray(np.exp(both - both.max(axis=1, keepdims=True)))


def margin_law(likelihood: Floats, weights: ArrayLike | None = None, steps: int = STEPS) -> Floats:
    """Chances of the margins of a grid, by a few steps of EM towards those under which the votes are most likely.

    Stopping early smooths: the nonparametric maximum itself is a few spikes, whose place is mostly chance.

    Parameters
    ----------
    likelihood : array, shape (pairs, margins)
        From `margin_likelihood`.
    weights : array, shape (..., pairs), optional
        How often each pair counts, such as in bootstrap samples of pairs; 1 without it.
    steps : int
        Steps from equal chances.

    Returns
    -------
    array, shape (..., margins)
        They sum to 1.

    References
    ----------
    Laird (1978), Journal of the American Statistical Association 73, 805-811. Silverman, Jones, Wilson and Nychka
    (1990), Journal of the Royal Statistical Society B 52, 271-324, on EM with smoothing.
    """
    pairs, margins = likelihood.shape
    times = np.ones(pairs) if weights is None else np.asarray(weights, dtype=float)
    times = times / times.sum(axis=-1, keepdims=True)
    law = np.full((*times.shape[:-1], margins), 1 / margins)
    for _ in range(steps):
        mixed = law @ likelihood.T
        # a pair without weight may have nowhere left to be likely: it counts for nothing, not for 0/0
        law = law * (np.divide(times, mixed, out=np.zeros_like(mixed), where=times > 0) @ likelihood)
    return law


# Power, and the misses of intervals, in studies that draw whole clusters of votes with replacement.


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
