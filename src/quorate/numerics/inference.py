"""Degrees of freedom and intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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


def t_quantile(df: float, probability: float) -> float:
    """Quantile of Student's t; the normal where ``df`` is infinite."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability) if np.isinf(df) else stdtrit(df, probability))


def variance_interval(estimate: float, standard_error: float, level: float) -> tuple[float, float]:
    """Interval for a variance component: scaled chi-square on Satterthwaite degrees of freedom.

    At zero there is no scale to match: the interval is then (0, z se).

    Parameters
    ----------
    estimate, standard_error : float
        Component and its standard error.
    level : float
        Coverage wanted, in (0, 1).
    """
    from scipy.special import chdtri, ndtri

    tail = (1 - level) / 2
    if estimate <= 0 or standard_error <= 0:
        return 0.0, max(estimate, 0.0) + float(ndtri(1 - tail)) * standard_error
    df = 2 * (estimate / standard_error) ** 2
    high = chdtri(df, 1 - tail)
    return float(df * estimate / chdtri(df, tail)), float(df * estimate / high) if high > 0 else np.inf


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
    from scipy.optimize import brentq
    from scipy.special import ndtr

    draws = squares / rng.chisquare(df, size=(20_000, len(df)))
    sd = np.sqrt(np.maximum(draws @ (np.linalg.pinv(expected).T @ gradient), 1e-300))
    top = 2 * float(np.quantile(sd, 0.999)) * 10 + 1e-300
    return float(brentq(lambda x: float(np.mean(ndtr(x / sd))) - (1 + level) / 2, 0.0, top))
