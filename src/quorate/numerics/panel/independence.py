"""Independence of judges: what their errors share, and how many independent judges a panel is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.distributions import t_quantile

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
    square, total, sums = (errors**2).sum(axis=1), errors.sum(axis=1), errors.sum(axis=0)
    own = square.sum() - (sums**2).sum() / n
    together = (total**2).sum() - sums.sum() ** 2 / n
    if n < 3 or judges < 2 or not own > _ROUNDING or not together > _ROUNDING:
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
    low, high = np.quantile(pivots, [(1 - level) / 2, (1 + level) / 2])
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
    n = len(left_out)
    if not np.isfinite(value) or not np.isfinite(left_out).all():
        return np.nan, np.nan
    se = float(np.sqrt((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2)))
    half = t_quantile(n - 1, (1 + level) / 2) * se
    return value - half, value + half
