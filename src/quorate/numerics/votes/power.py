"""Power of studies drawn from votes, in one pool, by types of prompt, and in two stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats, Ints
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.votes import binomial

# Power and z values of studies drawn from votes, for many pairs of models and numbers of votes at once.
#
# ``p``, shape (pairs,), is the share of one side in the votes of each pair. A study draws votes with replacement, so
# its wins are binomial, and those of drawn clusters are sums over a multinomial; ``docs/methods/detectability.md`` has
# the details.


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
    sums : array, shape (..., 5 or more)
        Sums over clusters of wins, votes, wins squared, wins times votes, and votes squared.
    clusters : array, broadcast
        Clusters C.

    References
    ----------
    Liang and Zeger (1986), Biometrika 73, 13-22. In R: ``sandwich::vcovCL(lm(y ~ 1), cluster)`` with ``type = "HC0"``.
    """
    wins, votes, ww, wn, nn = np.moveaxis(np.asarray(sums, dtype=float)[..., :5], -1, 0)
    c = np.asarray(clusters, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = wins / votes
        spread = np.maximum(ww - 2 * share * wn + share**2 * nn, 0.0)
        return share, np.sqrt(np.where(c > 1, c / (c - 1), np.nan) * spread) / votes


def effective_clusters(sums: Floats) -> Floats:
    """Clusters of one size that would be worth these, ``(sum n_j)^2 / sum n_j^2``: few where some are much larger.

    Parameters
    ----------
    sums : array, shape (..., 5 or more)
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


# Tests that no type of prompt prefers either system: opposite preferences add up here, and cancel in a pooled test.


def sum_of_squares(wins: ArrayLike, n: ArrayLike) -> Floats:
    """Sum over types of ``(2 wins - n)^2 / n``; types without votes add nothing.

    Parameters
    ----------
    wins, n : array, broadcast, shape (..., types)
        Wins and votes of every type.
    """
    k, n = (np.asarray(x, dtype=float) for x in (wins, n))
    return np.asarray(np.sum((2 * k - n) ** 2 / np.maximum(n, 1.0), axis=-1))


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


# Studies in two stages: types that the first keeps, whole judgments in proportion, one p-value from both.
#
# The second stage is planned with the first in hand. Its p-value may be combined with that of the first if, given the
# first, it is at most ``x`` with a chance of at most ``x``.


def screened(margin: Floats, kept: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which types have the largest squared margins, in every study; margins of one size are put in random order.

    Parameters
    ----------
    margin : array, shape (studies, types)
        Estimated margins.
    kept : int
        Types to keep.
    rng : numpy.random.Generator
        For the order of equals.
    """
    order = np.lexsort((rng.random(margin.shape), -np.round(margin**2, 12)), axis=-1)
    out = np.zeros(margin.shape, dtype=np.bool_)
    np.put_along_axis(out, order[:, :kept], True, axis=1)
    return out


def allotted(budget: int | Ints, weights: Floats) -> Ints:
    """Whole judgments in proportion to weights, by largest remainders, in every study.

    Parameters
    ----------
    budget : int or array, shape (studies,)
        Judgments in all.
    weights : array, shape (types,) or (studies, types)
        Of every type; 0 for none.
    """
    share = np.asarray(budget)[..., None] * weights / weights.sum(axis=-1, keepdims=True)
    base = np.floor(share * (1 + 1e-12))
    left = np.asarray(budget)[..., None] - base.sum(axis=-1, keepdims=True)
    place = np.argsort(np.argsort(-(share - base), axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray(base + (place < left), dtype=np.int64)


def supplied(n: Ints, room: Ints, weights: Floats) -> Ints:
    """Judgments of every type that can be had: what one lacks goes to the others by weight; the rest is not spent.

    Parameters
    ----------
    n : array, shape (..., types)
        Judgments wanted.
    room : array, shape (..., types)
        Judgments there are.
    weights : array, shape (..., types)
        Of every type; 0 for those that get none.
    """
    for _ in range(room.shape[-1]):
        over = np.maximum(n - room, 0).sum(axis=-1)
        n = np.minimum(n, room)
        has_room = np.where(n < room, weights, 0.0)
        can = has_room.sum(axis=-1) > 0
        if not (over * can).any():
            break
        n = n + allotted(np.where(can, over, 0), np.where(can[..., None], has_room, 1.0))
    return np.asarray(np.minimum(n, room))


def fisher(first: ArrayLike, second: ArrayLike) -> Floats:
    """P-value of the product of two p-values: ``x (1 - log x)``.

    Parameters
    ----------
    first, second : array, broadcast
        P-values of the two stages, above 0.

    References
    ----------
    Fisher (1932), Statistical methods for research workers. Bauer and Köhne (1994), Biometrics 50, 1029-1041.
    """
    product = np.asarray(first, dtype=float) * np.asarray(second, dtype=float)
    return np.asarray(product * (1 - np.log(np.maximum(product, np.finfo(float).tiny))))


def inverse_normal(first: ArrayLike, second: ArrayLike, weight: float) -> Floats:
    """P-value of the weighted sum of the normal scores of two one-sided p-values.

    Parameters
    ----------
    first, second : array, broadcast
        One-sided p-values of the two stages, in the same direction.
    weight : float
        Part of the variance that the first stage has, from 0 to 1, fixed beforehand.

    References
    ----------
    Lehmacher and Wassmer (1999), Biometrics 55, 1286-1290.
    """
    from scipy.special import ndtr, ndtri

    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    with np.errstate(invalid="ignore"):
        score = np.sqrt(weight) * ndtri(first) + np.sqrt(1 - weight) * ndtri(second)
    contradiction = np.isnan(score)  # a p-value of 0 against one of 1
    return np.asarray(np.where(contradiction, 1.0, ndtr(score)))


def two_sided(lower: ArrayLike, upper: ArrayLike) -> Floats:
    """P-value of either direction from those of both: twice the smaller, at most 1.

    Parameters
    ----------
    lower, upper : array, broadcast
        One-sided p-values.
    """
    return np.asarray(np.minimum(1.0, 2 * np.minimum(np.asarray(lower, dtype=float), np.asarray(upper, dtype=float))))
