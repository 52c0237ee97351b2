"""Judges of a crossed table: how lenient and noisy each is, and what their errors share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import equal_tails
from quorate.numerics.votes.clusters import spread

# Grubbs' estimators: how lenient and how noisy each judge of a crossed table is.
#
# The model is ``x_il = mu + a_i + g_l + e_il`` with ``Var(e_il) = v_l``, a variance for every judge. Leading axes of
# any table are tables of their own, so that a thousand resampled pilots are one call. ``docs/methods/screening.md``
# has the derivations.


_NODES = 64


@dataclass(frozen=True)
class Grubbs:
    """Unbiased variances of a two-way table; they can be negative.

    Parameters
    ----------
    judge : array, shape (..., K)
        Variance ``v_l`` that each judge adds to an item's score: interaction and noise.
    item : array, shape (...)
        Variance of the items.
    df : int
        Items less one.
    """

    judge: Floats
    item: Floats
    df: int

    @property
    def se(self) -> Floats:
        """Standard errors of ``judge`` for normal scores, shape (..., K), negative variances taken as zero."""
        judges = self.judge.shape[-1]
        v = np.maximum(self.judge, 0.0)
        others = v.sum(axis=-1, keepdims=True) - v
        pairs = others**2 - ((v**2).sum(axis=-1, keepdims=True) - v**2)
        shared = 2 * v * others / (judges - 1) ** 2 + pairs / ((judges - 1) * (judges - 2)) ** 2
        return np.asarray(np.sqrt(2 * (v**2 + shared) / self.df))

    def shrunk(self, judges: Ints) -> Floats:
        """Variances of some judges, pulled towards their mean as far as chance explains their differences."""
        of, pool = self.judge[..., judges], self.judge.shape[-1]
        shared = 1 + 2 / (pool - 1) + 1 / ((pool - 1) * (pool - 2))
        return moderated(of, self.df, shared * of.mean(axis=-1) ** 2)


@dataclass(frozen=True)
class Effects:
    """How lenient each judge is, against the mean of the panel.

    Parameters
    ----------
    gamma, se : array, shape (..., K)
        Mean of a judge's scores less that of all, and its standard error: right for a judge named beforehand.
    tau2 : array, shape (...)
        Unbiased variance of the effects over judges, divisor K - 1; it can be negative.
    mean : array, shape (..., K)
        Posterior means, which sum to zero: what to expect of a judge that was chosen because of its estimate too.
    covariance : array, shape (..., K, K)
        Posterior covariance of the effects; its rows sum to zero.
    """

    gamma: Floats
    se: Floats
    tau2: Floats
    mean: Floats
    covariance: Floats


def grubbs(x: Floats) -> Grubbs:
    """The variance that each judge adds, and that of the items, from a table that every judge has filled.

    Parameters
    ----------
    x : array, shape (..., n, K)
        Scores of n items by K judges.

    Raises
    ------
    NotEstimable
        If there are fewer than 3 judges, whose variances cannot be told apart, or fewer than 2 items.

    References
    ----------
    Grubbs (1948), On estimating precision of measuring instruments and product variability, JASA 43, 243-264.
    """
    items, judges = x.shape[-2:]
    if judges < 3:
        raise NotEstimable(f"judge: variances of single judges need at least 3 of them, got {judges}", {"judge"})
    if items < 2:
        raise NotEstimable(f"item: variances need at least 2 items that every judge scored, got {items}", {"item"})
    df = items - 1
    rows = x - x.mean(axis=-1, keepdims=True)
    squares = np.sum((rows - rows.mean(axis=-2, keepdims=True)) ** 2, axis=-2) / df
    within = squares.sum(axis=-1, keepdims=True) / (judges - 1)
    judge = (squares - within / judges) * judges / (judges - 2)
    item = x.mean(axis=-1).var(axis=-1, ddof=1) - judge.sum(axis=-1) / judges**2
    return Grubbs(np.asarray(judge), np.asarray(item), df)


def moderated(variances: Floats, df: int, noise: Floats) -> Floats:
    """Variances of several judges, pulled towards their mean: the best linear predictor of the true ones.

    Parameters
    ----------
    variances : array, shape (..., K)
        Unbiased estimates ``V_l``, with sampling variance ``2 (sigma_l^4 + c) / df`` for some ``c`` common to all.
    df : int
        Degrees of freedom of each.
    noise : array, shape (...)
        ``df / 2`` times the sampling variance if all judges were alike.

    Returns
    -------
    array, shape (..., K)
        ``m + w (V_l - m)`` with the mean ``m`` and ``w = between / total``, where ``total`` is the variance of the
        ``V_l`` over judges and ``between = (total - 2 noise / df) / (1 + 2 / df)``, or 0 if that is negative. A
        negative ``V_l`` counts as 0, so that no judge gets a variance of zero unless all have it.

    References
    ----------
    Buehlmann (1967), Experience rating and credibility, ASTIN Bulletin 4: exact for inverse gamma priors. Smyth (2004)
    has the same rule for variances of genes.
    """
    m = np.maximum(variances.mean(axis=-1, keepdims=True), 0.0)
    if variances.shape[-1] == 1:
        return np.asarray(m)
    total = variances.var(axis=-1, ddof=1, keepdims=True)
    between = np.maximum(total - 2 / df * noise[..., None], 0.0) / (1 + 2 / df)
    weight = np.divide(between, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(m + weight * (np.maximum(variances, 0.0) - m))


def disagreement(x: Floats, judge: Floats) -> Floats:
    """How the judges' departures from the panel's view of an item vary together.

    Judges of one kind may depart together, which a variance for each judge does not show. The sample covariance of the
    double-centred scores does, but is mostly noise where items are few: it is pulled towards what judges who depart
    independently would give, as far as chance explains the difference.

    Parameters
    ----------
    x : array, shape (..., n, K)
        Scores of n items by K judges.
    judge : array, shape (..., K)
        Variance of every judge, none negative.

    Returns
    -------
    array, shape (..., K, K)
        ``T + w (S - T)`` with ``S`` the sample covariance, ``T`` that of independent judges, and
        ``w = 1 - (tr(T)^2 + tr(T^2)) / (df |S - T|^2)``, or 0 if that is negative; rows sum to zero.

    References
    ----------
    Ledoit and Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices, Journal of
    Multivariate Analysis 88, 365-411: the weight, for normal scores and this target.
    """
    items, judges = x.shape[-2:]
    left = x - x.mean(axis=-1, keepdims=True)
    left = left - left.mean(axis=-2, keepdims=True)
    sample = np.swapaxes(left, -1, -2) @ left / (items - 1)
    independent = judge[..., None] * np.eye(judges)
    target = independent - independent.mean(axis=-1, keepdims=True)
    target = target - target.mean(axis=-2, keepdims=True)
    chance = (np.einsum("...kk->...", target) ** 2 + (target**2).sum(axis=(-1, -2))) / (items - 1)
    apart = ((sample - target) ** 2).sum(axis=(-1, -2))
    weight = np.maximum(1 - np.divide(chance, apart, out=np.ones_like(apart), where=apart > 0), 0.0)
    return np.asarray(target + weight[..., None, None] * (sample - target))


def effects(means: Floats, noise: Floats) -> Effects:
    """How lenient judges are, by their means over the same items, and what the pool says about each.

    Judges are drawn from a normal pool whose mean and standard deviation are unknown, with flat priors; the standard
    deviation is integrated out on a grid, so that a pool whose spread comes out as zero does not count as one without
    any.

    Parameters
    ----------
    means : array, shape (..., K)
        Mean of each judge over the items.
    noise : array, shape (..., K, K)
        Covariance of the means' departures from their average, given the judges; its rows sum to zero.

    References
    ----------
    Gelman (2006), Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1, 515-533.
    """
    judges = means.shape[-1]
    gamma = means - means.mean(axis=-1, keepdims=True)
    tau2 = gamma.var(axis=-1, ddof=1) - np.einsum("...kk->...", noise) / (judges - 1)
    mean, covariance = _posterior(gamma, noise)
    return Effects(gamma, np.sqrt(np.einsum("...kk->...k", noise)), np.asarray(tau2), mean, covariance)


def _posterior(gamma: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the effects, over the posterior of the pool's standard deviation.

    In the directions that the noise has for its axes, other than that of the average, everything is independent.
    """
    trace = np.einsum("...kk->...", noise)[..., None, None]
    value, axes = np.linalg.eigh(noise + np.where(trace > 0, trace, 1.0))  # the direction of the average comes last
    noise_along = np.maximum(value[..., :-1], 0.0)
    axes = axes[..., :-1]
    along = np.einsum("...kj,...k->...j", axes, gamma)
    scale = np.sqrt(gamma.var(axis=-1, ddof=1) + noise_along.mean(axis=-1))
    x = (np.arange(_NODES) + 0.5) / _NODES
    tau2 = ((np.where(scale > 0, scale, 1.0)[..., None] * x / (1 - x)) ** 2)[..., None]
    total = tau2 + noise_along[..., None, :]
    # Posterior weight of every node: the restricted likelihood times the width that the node stands for.
    deviance = (np.log(total) + along[..., None, :] ** 2 / total).sum(axis=-1)
    weight = np.exp(-(deviance - deviance.min(axis=-1, keepdims=True)) / 2) / (1 - x) ** 2
    weight = weight / weight.sum(axis=-1, keepdims=True)
    expected = tau2 / total * along[..., None, :]
    mean = np.einsum("...g,...gj->...j", weight, expected)
    alone = np.einsum("...g,...gj->...j", weight, tau2 * noise_along[..., None, :] / total)
    spread = expected - mean[..., None, :]
    inside = np.einsum("...g,...gi,...gj->...ij", weight, spread, spread) + alone[..., None] * np.eye(alone.shape[-1])
    return np.einsum("...kj,...j->...k", axes, mean), np.asarray(axes @ inside @ np.swapaxes(axes, -1, -2))


# Independence of judges: what their errors share, and how many independent judges a panel is worth.


_ROUNDING, _AT_ONCE = 1e-12, 500_000


class Worth(NamedTuple):
    """How many independent judges a panel is worth.

    Attributes
    ----------
    value : float
        Mean variance of the judges' errors over the variance of their mean; nan where nothing varies.
    correlation : float
        Mean covariance of the errors of two judges over their mean variance.
    low, high : float
        Interval over items, by the jackknife of the logarithm; nan where it has none.
    """

    value: float
    correlation: float
    low: float
    high: float


def independent_judges(errors: Floats, level: float, cluster: Ints | None = None) -> Worth:
    """How many judges with independent errors a panel is worth.

    ``J / (1 + (J - 1) rho)`` with the mean covariance of two judges over the mean variance for rho.

    Parameters
    ----------
    errors : array, shape (items, judges)
        How wrong each judge was about each item.
    level : float
        Coverage of the interval.
    cluster : array of int, shape (items,), optional
        Items that may resemble each other; the jackknife leaves them out together.

    References
    ----------
    Kish (1965), Survey Sampling, section 5.4: the design effect. ``docs/methods/agreement.md``.

    Examples
    --------
    >>> independent_judges(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]), 0.95).value
    2.0
    """
    n, judges = errors.shape
    if n < 3 or judges < 2:
        return Worth(np.nan, np.nan, np.nan, np.nan)
    square, total, sums = (errors**2).sum(axis=1), errors.sum(axis=1), errors.sum(axis=0)
    own = square.sum() - (sums**2).sum() / n
    together = (total**2).sum() - sums.sum() ** 2 / n
    if not own > _ROUNDING or not together > _ROUNDING:
        return Worth(np.nan, np.nan, np.nan, np.nan)
    value = float(judges * own / together)
    place = np.arange(n) if cluster is None else np.unique(cluster, return_inverse=True)[1]
    away = np.bincount(place)
    squares, totals = np.bincount(place, square), np.bincount(place, total**2)
    left = sums - np.column_stack([np.bincount(place, own) for own in errors.T])  # the sums without each cluster
    if len(away) < 3:
        return Worth(value, float((together - own) / (judges - 1) / own), np.nan, np.nan)
    own_left = square.sum() - squares - (left**2).sum(axis=1) / (n - away)
    together_left = (total**2).sum() - totals - left.sum(axis=1) ** 2 / (n - away)
    rho = float((together - own) / (judges - 1) / own)
    if np.any(own_left <= _ROUNDING) or np.any(together_left <= _ROUNDING):
        return Worth(value, rho, np.nan, np.nan)
    low, high = jackknifed(float(np.log(value)), np.log(judges * own_left / together_left), level)
    return Worth(value, rho, float(np.exp(low)), float(np.exp(high)))


def correlated(
    x: Floats, y: Floats, level: float, resamples: int, rng: np.random.Generator, cluster: Ints | None = None
) -> tuple[float, float, float]:
    """Correlation of two variables and its interval, by the studentised bootstrap of Fisher's z; nan where none is.

    Parameters
    ----------
    x, y : array, shape (n,)
        Values.
    level : float
        Coverage of the interval.
    resamples : int
        Bootstrap samples.
    rng : numpy.random.Generator
        Source of the draws.
    cluster : array of int, shape (n,), optional
        From 0: values that may resemble each other, and are drawn together.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
    """
    n = len(x)
    if n < 4 or not np.ptp(x) > _ROUNDING or not np.ptp(y) > _ROUNDING:
        return np.nan, np.nan, np.nan
    cluster = np.arange(n) if cluster is None else cluster
    order = np.argsort(cluster, kind="stable")
    x, y, starts = x[order], y[order], np.flatnonzero(np.diff(cluster[order], prepend=-1))
    units, size = len(starts), np.diff(starts, append=n)
    (z,), (se,) = _fisher(np.ones((1, units)), size, x, y)
    block, drawn = max(1, _AT_ONCE // n), []
    for first in range(0, resamples, block):
        weight = rng.multinomial(units, np.full(units, 1 / units), min(block, resamples - first)).astype(float)
        other, its = _fisher(weight, size, x, y)
        some = np.isfinite(other) & (its > 0)
        drawn.append((other[some] - z) / its[some])
    pivots = np.concatenate(drawn)
    if not np.isfinite(z) or not se > 0 or len(pivots) < resamples / 2:
        return float(np.tanh(z)), np.nan, np.nan
    low, high = equal_tails(pivots, level)
    return float(np.tanh(z)), float(np.tanh(z - high * se)), float(np.tanh(z - low * se))


def _fisher(often: Floats, size: Ints, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Fisher's z of samples and its standard error, by influences; ``often`` has how often a cluster is in a sample."""
    weight, starts = np.repeat(often, size, axis=1), np.cumsum(size) - size
    n = weight.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = (one[None, :] - (weight @ one)[:, None] / n for one in (x, y))
        a, b = (one / np.sqrt(np.sum(weight * one**2, axis=1, keepdims=True) / n) for one in (a, b))
        r = np.sum(weight * a * b, axis=1, keepdims=True) / n
        influence = a * b - r * (a**2 + b**2) / 2
        of_cluster = np.add.reduceat(influence, starts, axis=1)
        se = np.sqrt(np.sum(often * of_cluster**2, axis=1)) / n[:, 0] / (1 - r[:, 0] ** 2)
        return np.arctanh(np.clip(r[:, 0], -1, 1)), se


def jackknifed(value: float, left_out: Floats, level: float) -> tuple[float, float]:
    """Student's interval of a statistic by its values with each item left out; nan where one of these is not finite."""
    if not np.isfinite(value) or not np.isfinite(left_out).all():
        return np.nan, np.nan
    half = t_quantile(len(left_out) - 1, (1 + level) / 2) * spread(left_out)
    return value - half, value + half
