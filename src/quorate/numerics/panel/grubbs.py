"""Grubbs' estimators: how lenient and how noisy each judge of a crossed table is.

The model is ``x_il = mu + a_i + g_l + e_il`` with ``Var(e_il) = v_l``, a variance for every judge. Leading axes of any
table are tables of their own, so that a thousand resampled pilots are one call. ``docs/methods/screening.md`` has the
derivations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable

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
