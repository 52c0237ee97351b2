"""Normal, Student's t, chi-square, F and beta distributions of single numbers: tails and quantiles.

What an analysis asks of them is some hundred numbers, for which it need not load ``scipy.special``. Where arrays are
asked for, SciPy's functions are used. The derivation is in ``docs/methods/distributions.md``.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.laguerre import laggauss
from numpy.typing import ArrayLike

from quorate.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Callable


_NORMAL = NormalDist()
_ROUNDING = 1e-16
_SMALL = 1e-8
"""A step of Newton's after which nothing is left: the next would be of the order of its square."""
_TINY = 1e-300
"""What stands for zero in a denominator of a continued fraction."""
_LEFT = 1e-18
"""What is left out of a series."""
_LONG = 30
"""Means of a noncentral t from which the series has too many terms, and SciPy's method is used."""
_FEW = 64
"""Numbers up to which loading SciPy takes longer than what it saves."""
_MANY = 2e5
"""Degrees of freedom beyond which six terms of an expansion give a chi-square quantile to all digits."""


def normal_cdf(x: float) -> float:
    """Chance that a standard normal variable is at most ``x``."""
    return math.erfc(-x / math.sqrt(2)) / 2


def normal_quantile(probability: float) -> float:
    """Value that a standard normal variable is below with this probability, infinite at 0 and 1."""
    if 0 < probability < 1:
        return _NORMAL.inv_cdf(probability)
    return {0.0: -math.inf, 1.0: math.inf}.get(probability, math.nan)


def t_cdf(df: float, x: float) -> float:
    """Chance that Student's t is at most ``x``; the normal where ``df`` is infinite."""
    if math.isinf(df) or math.isinf(x):
        return normal_cdf(x)
    if not df > 0 or math.isnan(x):
        return math.nan
    df, x = float(df), float(x)  # of NumPy's numbers, whose arithmetic is slower
    beyond = _beta_below(df / 2, 0.5, df / (df + x * x), x * x / (df + x * x)) / 2
    return beyond if x <= 0 else 1 - beyond


@lru_cache(maxsize=10_000)  # searches of plans ask for the same again and again
def t_quantile(df: float, probability: float) -> float:
    """Quantile of Student's t; the normal where ``df`` is infinite.

    Newton's steps on the logarithm of the tail, from Hill's approximation, below 2 df the normal quantile.
    """
    tail = min(probability, 1 - probability)
    if math.isinf(df) or not 0 < tail < 0.5:
        return normal_quantile(probability)
    if not df > 0:
        return math.nan
    x = _hill(float(df), float(tail)) if df > 2 else -normal_quantile(tail)
    scale = 1 / math.sqrt(df) / math.exp(_log_beta(df / 2, 0.5))
    for _ in range(100):
        beyond = t_cdf(df, -x)
        density = scale * math.exp(-(df + 1) / 2 * math.log1p(x * x / df))
        step = math.log(beyond / tail) * beyond / density
        x += step
        if abs(step) <= _SMALL * x:
            break
    return math.copysign(x, probability - 0.5)


def _hill(df: float, tail: float) -> float:
    """Value that Student's t is above with this probability, to four digits or more.

    Algorithm 396 of Hill (1970), Communications of the ACM 13, 619-620.
    """
    a = 1 / (df - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * df
    y = (d * 2 * tail) ** (2 / df)
    if y <= 0.05 + a:
        y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y - 1) * (df + 1)
        return math.sqrt(df * (y / (df + 2) + (d * 2 * tail) ** (-2 / df)))
    x = normal_quantile(tail)
    y = x * x
    c += 0.3 * (df - 4.5) * (x + 0.6) if df < 5 else 0.0
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    return math.sqrt(df * math.expm1(a * y * y))


def chi_square_tail(df: float, x: float) -> float:
    """Chance that a chi-square variable is above ``x``."""
    if math.isnan(df) or math.isnan(x) or df < 0:
        return math.nan
    if x <= 0 or df == 0 or math.isinf(x):
        return 1.0 if x <= 0 else 0.0
    return _gamma_tails(float(df) / 2, float(x) / 2)[1]


def chi_square_quantile(df: float, above: float) -> float:
    """Value that a chi-square variable is above with this probability.

    Newton's steps on the logarithm of the smaller tail, from the approximation of Wilson and Hilferty.
    """
    z = -normal_quantile(above)
    if not df > 0 or math.isnan(z):
        return math.nan
    if math.isinf(z) or math.isinf(df):
        return max(z, 0.0) if math.isinf(z) else df
    if df > _MANY:
        # Cornish and Fisher's expansion.
        terms = (
            df,
            z * math.sqrt(2 * df),
            2 / 3 * (z**2 - 1),
            (z**3 - 7 * z) / (9 * math.sqrt(2 * df)),
            -(6 * z**4 + 14 * z**2 - 32) / (405 * df),
            (9 * z**5 + 256 * z**3 - 433 * z) / (4860 * math.sqrt(2) * df**1.5),
        )
        return math.fsum(terms)
    a, upper = float(df) / 2, above <= 0.5
    x = a * max(1 - 1 / (9 * a) + z / (3 * math.sqrt(a)), 0.0) ** 3
    x = x or max(
        math.exp((math.log1p(-above) + math.lgamma(a + 1)) / a), 1e-300
    )  # P(a, x) is x^a / gamma(a + 1) near zero
    wanted = above if upper else 1 - above
    for _ in range(100):
        tail = _gamma_tails(a, x)[upper]
        log_density = _log_gamma_density(a, x) - math.log(x)
        # In the logarithm of x, in which the lower tail is nearly a line near zero.
        step = math.log(tail / wanted) * math.exp(math.log(tail) - log_density) / x
        x *= math.exp(min(max(step if upper else -step, -2.0), 2.0))
        if abs(step) <= _SMALL:
            break
    return 2 * x


def f_tail(df1: float, df2: float, x: float) -> float:
    """Chance that an F variable on ``df1`` and ``df2`` degrees of freedom is above ``x``."""
    if not (df1 > 0 and df2 > 0) or math.isnan(x):
        return math.nan
    if math.isinf(df2):
        return chi_square_tail(df1, df1 * x)
    if x <= 0 or math.isinf(x):
        return 1.0 if x <= 0 else 0.0
    df1, df2, x = float(df1), float(df2), float(x)
    return _beta_below(df2 / 2, df1 / 2, df2 / (df2 + df1 * x), df1 * x / (df2 + df1 * x))


def noncentral_t_cdf(df: float, shift: float, x: float) -> float:
    """Chance that a noncentral t, of a normal variable with this mean, is at most ``x``.

    The series of Lenth (1989), Applied Statistics 38, 185-189, from its largest terms outwards; each incomplete beta
    function follows from its neighbour.
    """
    df, shift, x = float(df), float(shift), float(x)  # of NumPy's numbers, whose arithmetic is slower
    if x < 0:
        return 1 - noncentral_t_cdf(df, -shift, -x)
    if math.isinf(df) or math.isinf(x):
        return normal_cdf(x - shift)
    if abs(shift) > _LONG:
        from scipy.special import nctdtr

        far = float(nctdtr(df, shift, x))
        return float(shift < x) if math.isnan(far) else far  # nan where a tail is lost in rounding
    half, b, share = shift * shift / 2, df / 2, x * x / (x * x + df)
    rest = df / (x * x + df)
    total = normal_cdf(-shift)
    if share <= 0:
        return total
    for odd, factor in ((0.0, 1.0), (0.5, shift / math.sqrt(2))):
        start = int(half)
        log = start * math.log(half) - half - math.lgamma(start + 1 + odd) if half > 0 else -math.lgamma(1 + odd)
        a = start + 0.5 + odd
        middle = _beta_below(a, b, share, rest)
        edge = math.exp(a * math.log(share) + b * math.log(rest) - _log_beta(a, b)) / a  # by which neighbours differ
        j, weight, below, gap = start, factor * math.exp(log), middle, edge
        while abs(weight * below) > _LEFT:
            total += weight * below / 2
            below -= gap
            gap *= share * (j + 0.5 + odd + b) / (j + 1.5 + odd)
            j += 1
            weight *= half / (j + odd)
        j, weight, below, gap = start, factor * math.exp(log), middle, edge
        while j > 0 and abs(weight) > _LEFT:
            gap *= (j + 0.5 + odd) / (share * (j - 0.5 + odd + b))
            below += gap
            weight *= (j + odd) / half
            j -= 1
            total += weight * below / 2
    return min(max(total, 0.0), 1.0)


def beta_cdf(a: float, b: float, x: float) -> float:
    """Chance that a beta variable is at most ``x``."""
    return _beta_below(a, b, x, 1 - x)


def beta_quantile(a: float, b: float, probability: float) -> float:
    """Value that a beta variable is below with this probability, by Newton's steps and halves."""
    if not 0 < probability < 1:
        return {0.0: 0.0, 1.0: 1.0}.get(probability, math.nan)
    low, high, x = 0.0, 1.0, a / (a + b)
    log = _log_beta(a, b)
    for _ in range(200):
        gap = _beta_below(a, b, x, 1 - x) - probability
        low, high = (low, x) if gap > 0 else (x, high)
        slope = math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - log)
        step = gap / max(slope, 1e-300)
        nearer = x - step if low < x - step < high else (low + high) / 2
        if abs(nearer - x) <= 1e-15 * nearer:
            return nearer
        x = nearer
    return x


def each(own: Callable[..., float], other: str, *values: ArrayLike) -> Floats:
    """A function of single numbers at each of few, and SciPy's of this name at many.

    Examples
    --------
    >>> each(normal_quantile, "ndtri", [0.5, 0.975]).round(2).tolist()
    [0.0, 1.96]
    """
    arrays = np.broadcast_arrays(*(np.asarray(one, dtype=float) for one in values))
    if arrays[0].size > _FEW:
        from scipy import special

        return np.asarray(getattr(special, other)(*arrays))
    rows = zip(*(one.ravel().tolist() for one in arrays), strict=True)
    return np.array([own(*row) for row in rows], dtype=float).reshape(arrays[0].shape)


def _stirling(a: float) -> float:
    """What ``log gamma(a)`` is above Stirling's ``(a - 1/2) log a - a + log(2 pi) / 2``."""
    if a < 16:
        return math.lgamma(a) - (a - 0.5) * math.log(a) + a - math.log(2 * math.pi) / 2
    v = 1 / (a * a)
    return (1 / 12 + v * (-1 / 360 + v * (1 / 1260 + v * (-1 / 1680 + v * (1 / 1188 - v * 691 / 360360))))) / a


def _deviance(x: float, mean: float) -> float:
    """``x log(x / mean) + mean - x``, without cancellation where they are near each other."""
    gap = x - mean
    if abs(gap) > 0.1 * (x + mean):
        return x * math.log(x / mean) - gap
    v = gap / (x + mean)
    total, power, k = gap * v, 2 * x * v, 1
    while True:
        power *= v * v
        k += 2
        more = total + power / k
        if more == total:
            return total
        total = more


def _log_gamma_density(a: float, x: float) -> float:
    """``log(x^a exp(-x) / gamma(a))``."""
    return math.log(a / (2 * math.pi)) / 2 - _deviance(a, x) - _stirling(a)


def _gamma_tails(a: float, x: float) -> tuple[float, float]:
    """Regularised incomplete gamma functions P and Q: a series below the mean, a continued fraction above."""
    front = math.exp(_log_gamma_density(a, x))
    if x < a + 1:
        total = term = 1 / a
        n = a
        while term > total * _ROUNDING:
            n += 1
            term *= x / n
            total += term
        return front * total, 1 - front * total
    upper = front * _fraction(x + 1 - a, lambda k: (-k * (k - a), x + 2 * k + 1 - a))
    return 1 - upper, upper


def _log_beta(a: float, b: float) -> float:
    """Logarithm of the beta function, without cancellation of large gammas."""
    n = a + b
    ratio = a * math.log1p(b / a) + b * math.log1p(a / b)
    return math.log(2 * math.pi * n / (a * b)) / 2 - ratio + _stirling(a) + _stirling(b) - _stirling(n)


def _beta_below(a: float, b: float, x: float, y: float) -> float:
    """Regularised incomplete beta function at ``x``, with ``y = 1 - x`` given as well (DLMF 8.17.22)."""
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    n = a + b
    if x > (a + 1) / (n + 2):
        return 1 - _beta_below(b, a, y, x)
    log = math.log(a * b / (2 * math.pi * n)) / 2 + _stirling(n) - _stirling(a) - _stirling(b)
    front = math.exp(log - _deviance(a, n * x) - _deviance(b, n * y))
    return front / a * _beta_fraction(a, b, x)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method; two of its terms a round.

    Written out, as tails and quantiles of t and F are asked for hundreds of times an analysis.
    """
    n, value, c, d, m, edge = a + b, 1.0, 1.0, 0.0, 0, a
    while True:
        term = -(a + m) * (n + m) * x / (edge * (edge + 1))
        d = 1 / ((1.0 + term * d) or _TINY)
        c = (1.0 + term / c) or _TINY
        value *= c * d
        if abs(c * d - 1) <= _ROUNDING * 2 or m > 50_000:
            return 1 / value
        m += 1
        term = m * (b - m) * x / ((edge + 1) * (edge + 2))
        edge += 2
        d = 1 / ((1.0 + term * d) or _TINY)
        c = (1.0 + term / c) or _TINY
        value *= c * d
        if abs(c * d - 1) <= _ROUNDING * 2:
            return 1 / value


def _fraction(first: float, partial: Callable[[int], tuple[float, float]]) -> float:
    """``1 / (b0 + a1 / (b1 + a2 / (b2 + ...)))`` by Lentz's method, as modified by Thompson and Barnett."""
    value = first or _TINY
    c, d, k = value, 0.0, 0
    while True:
        k += 1
        a, b = partial(k)
        d = 1 / ((b + a * d) or _TINY)
        c = (b + a / c) or _TINY
        value *= c * d
        if abs(c * d - 1) <= _ROUNDING * 2 or k > 100_000:
            return 1 / value


# The mean of one over a binomial count: what equal weights cost where it is chance who is asked how often.


_SUMMED = 400
_NODES = 64


def mean_reciprocal(trials: Floats, chance: float) -> Floats:
    """``E[1 / n | n > 0]`` for ``n`` binomial.

    Parameters
    ----------
    trials : array
        Whole numbers of at least 1.
    chance : float
        Of a success, in (0, 1].

    Notes
    -----
    Up to 400 trials the sum; beyond, ``E[1/n; n > 0] = integral of ((1 - p + p exp(-y))^N - (1 - p)^N) dy`` by
    Gauss-Laguerre quadrature in ``x = N p y``, right to nine digits where ``N p`` is 2 or more.

    Examples
    --------
    >>> mean_reciprocal(np.array([1.0, 2.0]), 0.5).round(4)
    array([1.    , 0.8333])
    """
    counts, place = np.unique(np.asarray(trials, dtype=float), return_inverse=True)
    if chance == 1:
        return np.asarray((1 / counts)[place].reshape(np.shape(trials)))
    small = np.array([_summed(int(count), chance) for count in counts[counts <= _SUMMED]])
    large = _integrated(counts[counts > _SUMMED], chance)
    return np.asarray(np.concatenate([small, large])[place].reshape(np.shape(trials)))


def _summed(trials: int, chance: float) -> float:
    n = np.arange(1, trials + 1)
    log = np.cumsum(np.log((trials + 1 - n) / n))
    probability = np.exp(log + n * np.log(chance) + (trials - n) * np.log1p(-chance))
    return float(np.sum(probability / n) / np.sum(probability))


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Laguerre, found once; by NumPy, as SciPy loads much more for them."""
    x, weight = laggauss(_NODES)
    return np.asarray(x), np.asarray(weight)


def _integrated(trials: Floats, chance: float) -> Floats:
    x, weight = _quadrature()
    never = np.exp(trials * np.log1p(-chance))
    y = x / (trials[:, None] * chance)
    inside = np.exp(trials[:, None] * np.log1p(chance * np.expm1(-y)) + x) - never[:, None] * np.exp(x)
    kept = np.maximum(inside, 0.0)
    return np.asarray((kept @ weight) / (trials * chance) / (1 - never))
