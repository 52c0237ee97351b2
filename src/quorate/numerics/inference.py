"""Degrees of freedom and intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.numerics.distributions import chi_square_quantile, t_quantile
from quorate.numerics.roots import root

_LARGEST_RIDGE = 1e12
"""Beyond it the ratings of a million votes differ by less than a millionth, and standard errors leave single precision.
"""

_NEAREST = 1e-12
_ROUNDED = 1e-30
"""Variance of shares below which it is none."""


def checked_level(level: float) -> float:
    """The coverage of an interval, if it is one.

    Parameters
    ----------
    level : float
        Coverage wanted, in (0, 1), at least 1e-12 from 1: nearer ones are no different from it in quantiles.

    Raises
    ------
    InvalidInput
        If it is out of range.
    """
    if not 0 < level <= 1 - _NEAREST:
        raise InvalidInput(f"level: must lie between 0 and 1, got {level}")
    return level


def checked_ridge(ridge: float) -> float:
    """The ridge of ratings, if it leaves them apart in double precision.

    Parameters
    ----------
    ridge : float
        Precision of a normal prior around zero.

    Raises
    ------
    InvalidInput
        If it is out of range.
    """
    rules.number("regularisation", ridge, least=0, most=_LARGEST_RIDGE)
    return ridge


def student_limits(value: float, se: float, df: float, level: float) -> tuple[float, float]:
    """Limits of Student's interval."""
    half = t_quantile(df, (1 + level) / 2) * se
    return value - half, value + half


def wilson_limits(value: ArrayLike, half: ArrayLike, n: ArrayLike, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """Wilson's limits of means of scores within these ends, from half-widths and numbers of items; the same shape."""
    width, wide, size = ends[1] - ends[0], np.asarray(half) / (ends[1] - ends[0]), np.asarray(n, dtype=float)
    share = np.clip((np.asarray(value) - ends[0]) / width, 0, 1)
    # Few answers at the other end would spread scores by n se^2: nearer to an end, the far limit takes that for them.
    least = np.minimum(0.5 / size, size * (wide / 2) ** 2)

    def limit(share: Floats, side: int) -> Floats:
        k = wide**2 / np.maximum(share * (1 - share), _ROUNDED)
        found: Floats = np.clip((share + k / 2 + side * np.sqrt(wide**2 + k**2 / 4)) / (1 + k), 0, 1)
        return ends[0] + width * found

    return limit(np.minimum(share, 1 - least), -1), limit(np.maximum(share, least), 1)


def equal_tails(draws: Floats, level: float) -> tuple[float, float]:
    """Quantiles of draws that leave as much below as above."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def satterthwaite(variance: float, gradient: Floats, covariance: Floats) -> float:
    """Degrees of freedom of an estimated variance, matched on its first two moments, at least 1.

    ``nu = 2 v^2 / (g' C g)`` on the scale of variances, where ``C`` covers every identifiable component, those
    estimated at zero included: dropping them, or moving to a log scale, lets ``nu`` explode near zero.

    Parameters
    ----------
    variance : float
        The estimated variance.
    gradient : array, shape (components,)
        Its derivative in the components.
    covariance : array, shape (components, components)
        Covariance of the components.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    """
    spread = float(gradient @ covariance @ gradient)
    return max(1.0, 2 * variance**2 / spread) if spread > 0 else np.inf


def variance_interval(
    estimate: float, standard_error: float, df: float, level: float, *, tails: float | None = None
) -> tuple[float, float]:
    """Interval for a variance component, from the mean square it is estimated from.

    A component is ``(MS - noise) / k``; its mean square is chi-square on ``df`` degrees of freedom, and the noise ``d``
    in units of the component follows from ``se^2 = 2 (s2 + d)^2 / df``. The interval of the mean square, less the noise
    and cut at zero, is that of the component. It is continuous in the estimate and stays wide where levels are few.

    Parameters
    ----------
    estimate, standard_error : float
        Component and its standard error.
    df : float
        Degrees of freedom of the mean square, `component_df`.
    level : float
        Coverage wanted, in (0, 1).
    tails : float, optional
        Degrees of freedom of the mean square where effects are not normal, `jackknifed_df`.
    """
    tail = (1 - level) / 2
    square = max(standard_error * float(np.sqrt(df / 2)), estimate)
    noise = square - max(estimate, 0.0)
    df = df if tails is None else tails
    low, high = (df * square / chi_square_quantile(df, above) for above in (tail, 1 - tail))
    return max(low - noise, 0.0), max(high - noise, 0.0)


def jackknifed_df(squares: Floats, df: float) -> float:
    """Degrees of freedom of a mean square from how far single levels move its logarithm, whatever the law of effects.

    The delete-one jackknife gives the variance ``V`` of the log; under normal effects it is ``2 / df``. Long tails are
    seen in part only by few levels, so an excess over that, up to as much again, counts fourfold
    (``docs/methods/intervals.md``).

    Parameters
    ----------
    squares : array, shape (levels,)
        Squared effects of the levels over what they are expected to be; the scale is free.
    df : float
        Degrees of freedom under normal effects, above 2.
    """
    n, total = len(squares), float(squares.sum())
    if total <= 0:
        return df
    left = np.maximum(total - squares * n / df, total / n**2) / (df - 1)
    variance = float(np.sum((np.log(left) - np.log(left).mean()) ** 2)) * (n - 1) / n * df / n
    ratio = variance * df / 2
    if ratio <= 0:  # equal effects vary less than any number of degrees of freedom would have it
        return math.inf
    return float(max(1.0, df / (ratio * (1 + 3 * np.clip(ratio - 1, 0.0, 1.0)))))


def pivotal(
    squares: Floats, df: Floats, expected: Floats, gradient: Floats, level: float, rng: np.random.Generator
) -> float:
    """Half-width of a generalised-pivotal interval for a mean from balanced data.

    Mean squares are replaced by ``SS / chi2`` and combined as they are in the variance of the mean, which is cut at
    zero; the half-width is the quantile of the normal mixture over those variances. Cutting each component at zero
    instead covers 1 to 2 points more.

    Parameters
    ----------
    squares, df : array, shape (strata,)
        Sums of squares and degrees of freedom.
    expected : array, shape (strata, components)
        Expected mean squares, ``E[MS] = expected @ components``.
    gradient : array, shape (components,)
        Weight of each component in the variance of the mean.
    level : float
        Coverage wanted, in (0, 1).
    rng : numpy.random.Generator
        For the draws.

    References
    ----------
    Weerahandi (1993), Journal of the American Statistical Association 88, 899-905.
    """
    from scipy.special import ndtr

    draws = squares / rng.chisquare(df, size=(20_000, len(df)))
    sd = np.sqrt(np.maximum(draws @ (np.linalg.pinv(expected).T @ gradient), 1e-300))
    top = 1.001 * float(sd.max()) * t_quantile(np.inf, (1 + level) / 2)
    return root(lambda x: float(np.mean(ndtr(x / sd))) - (1 + level) / 2, 0.0, top)


# Multiplicity: p-values and levels of several tests that are looked at together.


def holm(p: Floats) -> Floats:
    """P-values adjusted for being looked at together, shape as given; nan stays nan but counts.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70. R: ``p.adjust(p, "holm")``.
    """
    order = np.argsort(p)
    steps = np.arange(len(p), 0, -1)
    out = np.empty(len(p))
    out[order] = np.minimum(np.maximum.accumulate(steps * p[order]), 1.0)
    return out


def benjamini_yekutieli(p: Floats) -> Floats:
    """P-values adjusted for a false discovery rate, whatever their dependence.

    References
    ----------
    Benjamini and Yekutieli (2001), Annals of Statistics 29, 1165-1188. R: ``p.adjust(p, "BY")``.
    """
    order, m = np.argsort(p)[::-1], len(p)
    steps = np.arange(m, 0, -1)
    out = np.empty(m)
    out[order] = np.minimum(np.minimum.accumulate((1 / steps).sum() * m / steps * p[order]), 1.0)
    return out
