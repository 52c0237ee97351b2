"""Power of studies: what tests of a design find, from the mean squares that their interval rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.frozen import dataclass
from quorate.numerics.distributions import (
    chi_square_quantile,
    each,
    noncentral_t_cdf,
    normal_cdf,
    normal_quantile,
    t_quantile,
)
from quorate.numerics.reach import KAPPA, Effect
from quorate.numerics.roots import root

# Quantiles of many degrees of freedom at once: of Student's t and of mean squares, as polynomials through a few.


_DEGREE_T, _DEGREE_SQUARE, _DEGREE_LAW = 16, 14, 24
"""Errors are below 1e-8 of a t, and of a mean square below 1e-6; of its law, along its chances, below 1e-9."""
_MOST_T = 0.9995
"""Probability up to which quantiles of t are so smooth."""


def t_quantiles(df: ArrayLike, probability: float) -> Floats:
    """Quantiles of Student's t, at 1 degree of freedom or more and a probability above one half.

    Examples
    --------
    >>> t_quantiles([1.0, 10.0], 0.975).round(4).tolist()
    [12.7062, 2.2281]
    """
    free = np.asarray(df, dtype=float)
    if probability > _MOST_T:
        return each(t_quantile, "stdtrit", free, probability)
    return np.asarray(np.exp(chebyshev.chebval(2 / np.maximum(free, 1.0) - 1, _t_terms(probability))))


def mean_squares(chance: tuple[float, ...], df: ArrayLike) -> Floats:
    """Quantiles of mean squares whose mean is 1, shape (chances, ...); 1 where there are no degrees of freedom to tell.

    Parameters
    ----------
    chance : tuple of float
        Places in the law.
    df : array, shape (...)
        Degrees of freedom.

    Examples
    --------
    >>> mean_squares((0.5,), [2.0, 1e6]).round(4).tolist()
    [[0.6931, 1.0]]
    """
    free = np.asarray(df, dtype=float)
    some, at = np.unique(np.maximum(free, 1.0), return_inverse=True)
    found = chebyshev.chebval(2 / np.sqrt(some) - 1, _square_terms(chance)) ** 3
    return np.where(free < 1, 1.0, found[:, at.reshape(free.shape)])


@lru_cache(maxsize=64)
def _t_terms(probability: float) -> Floats:
    """Terms of the logarithm of the quantile in the inverse of the degrees of freedom."""
    knots, inverse = _knots(_DEGREE_T)
    return np.asarray(chebyshev.chebfit(knots, [np.log(t_quantile(1 / u, probability)) for u in inverse], _DEGREE_T))


@lru_cache(maxsize=16)
def _square_terms(chance: tuple[float, ...]) -> Floats:
    """Terms of the cube root of a mean square, nearly normal, in the inverse root of its degrees of freedom."""
    knots, inverse = _knots(_DEGREE_SQUARE)

    def roots(some: Sequence[float]) -> Floats:
        return np.array([[(chi_square_quantile(1 / u**2, 1 - p) * u**2) ** (1 / 3) for p in some] for u in inverse])

    if len(chance) <= _DEGREE_LAW:
        return np.asarray(chebyshev.chebfit(knots, roots(chance), _DEGREE_SQUARE))
    # Many lie on a polynomial in their normal quantiles, through a few.
    normal = np.array([normal_quantile(p) for p in chance])
    low, span = normal.min(), np.ptp(normal)
    places, parts = _knots(_DEGREE_LAW)
    law = chebyshev.chebfit(places, roots([normal_cdf(low + span * part) for part in parts]).T, _DEGREE_LAW)
    return np.asarray(chebyshev.chebfit(knots, chebyshev.chebval(2 * (normal - low) / span - 1, law), _DEGREE_SQUARE))


def _knots(degree: int) -> tuple[Floats, list[float]]:
    """Chebyshev's knots, and the same between 0 and 1."""
    knots = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    return knots, ((1 + knots) / 2).tolist()


_STUDIES = 127
_GENERATOR = 29
"""Of the lattice of studies: of a prime number of them, every mean square takes every step of its law once."""
_CHANCES = tuple((turn + 0.5) / _STUDIES for turn in range(_STUDIES))


def squares_of_studies(place: int, df: ArrayLike) -> Floats:
    """A mean square as every study finds it, in units of what is expected: a Korobov lattice through its law.

    Parameters
    ----------
    place : int
        Of the mean square among those of a study, which are independent.
    df : array, shape (...)
        Its degrees of freedom, taken as at least 1.

    Returns
    -------
    array, shape (studies, ...)
    """
    turns = np.arange(_STUDIES) * pow(_GENERATOR, place, _STUDIES) % _STUDIES
    return mean_squares(_CHANCES, np.maximum(df, 1.0))[turns]


_NORMAL = 2e3
"""Degrees of freedom from which the noncentral t is as by Abramowitz and Stegun (1964), 26.7.10."""


@dataclass(frozen=True, eq=False)
class Studies:
    """Studies of one design: the true standard error, and what each of many studies rests its interval on.

    Parameters
    ----------
    se : float
        True standard error.
    df : float
        Degrees of freedom over items.
    expected : float or array, shape (studies,)
        Variance over items as expected.
    drawn : tuple of (array, float)
        What every drawn facet is found to add, shape (studies,), and its degrees of freedom.
    """

    se: float
    df: float
    expected: Any
    drawn: tuple[tuple[Floats, float], ...] = ()

    @cached_property
    def variance(self) -> Floats:
        """Variance over items as found, shape (studies,)."""
        return np.asarray(self.expected * squares_of_studies(0, self.df))

    def times(self, factor: float) -> Studies:
        """The same studies with every standard error so many times as large."""
        drawn = tuple((factor**2 * part, df) for part, df in self.drawn)
        return Studies(factor * self.se, self.df, factor**2 * self.expected, drawn)

    @property
    def found_se(self) -> Floats:
        """Standard error that each study finds."""
        return np.asarray(np.sqrt(self.variance + sum(part for part, _ in self.drawn)))

    @property
    def found_df(self) -> Floats:
        """Satterthwaite's degrees of freedom of that."""
        spent = self.variance**2 / self.df + sum(part**2 / df for part, df in self.drawn)
        return np.asarray(np.maximum(self.found_se**4 / np.maximum(spent, 1e-300), 1.0))

    def half_width(self, upper: float) -> Floats:
        """Half the interval that each study finds, by the upper point of its tails."""
        return half_widths(upper, self.variance, np.asarray(self.df), self.drawn)

    def finds(self, d: float, alpha: float) -> float:
        """Chance that the two-sided test finds a difference ``d``."""
        return self._found(d, self._limit(alpha))

    def _limit(self, alpha: float) -> Any:
        """Where the test of each study rejects, in units of the true standard error; of the t alone, one for all."""
        if self.drawn:
            return self.half_width(1 - alpha / 2) / self.se
        return t_quantile(self.df, 1 - alpha / 2) * math.sqrt(self.expected) / self.se

    def _found(self, d: float, limit: Any) -> float:
        """Chance of a difference beyond these limits: exact where the variance is over items alone."""
        x = abs(d) / self.se
        if not self.drawn:
            return beyond(x, self.df, limit)
        from scipy.special import ndtr

        return float(np.mean(ndtr(x - limit) + ndtr(-x - limit)))

    def shows_equal(self, d: float, margin: float, alpha: float) -> float:
        """Chance that two one-sided tests show a difference ``d`` to be within a margin."""
        from scipy.special import ndtr

        room = margin - self.half_width(1 - alpha)
        chance = ndtr((room - d) / self.se) - ndtr((-room - d) / self.se)
        return float(np.mean(np.where(room > 0, chance, 0.0)))

    def detectable(self, alpha: float, power: float) -> float:
        """Smallest difference that is found with a chance of ``power``."""
        limit = self._limit(alpha)
        guess = (float(np.median(limit)) + normal_quantile(power)) * self.se  # so large were the limits all alike
        low, high = max(0.9 * guess, 0.0), 1.1 * max(guess, self.se)
        low = 0.0 if self._found(low, limit) > power else low
        while self._found(high, limit) < power:
            low, high = high, 2 * high
        return root(lambda d: self._found(d, limit) - power, low, high, xtol=1e-9 * high)

    def alike(self, margin: float, alpha: float, power: float) -> float | None:
        """Largest difference that is shown to be within a margin with a chance of ``power``; None if none is."""
        if self.shows_equal(0.0, margin, alpha) < power:
            return None
        return root(lambda d: self.shows_equal(d, margin, alpha) - power, 0.0, margin)


def half_widths(
    upper: float | Floats, variance: Floats, df: Floats, drawn: tuple[tuple[Floats, Floats | float], ...]
) -> Floats:
    """Half the interval of many sums at once; see `quorate.numerics.reach.Reach`.

    Parameters
    ----------
    upper : float or array
        Upper point of the tails: .975 of a 95% interval.
    variance, df : array
        Variance over items, and its degrees of freedom.
    drawn : tuple of (array, array or float)
        What every drawn facet adds, infinite where nothing is known of others, and its degrees of freedom.
    """
    most: Floats = np.zeros(())
    known = np.ones((), dtype=bool)
    for part, _ in drawn:
        known = known & np.isfinite(part)
    parts = [(np.where(np.isfinite(part), part, 0.0), np.asarray(own, dtype=float)) for part, own in drawn]
    for size in range(1, len(parts) + 1):
        for some in combinations(parts, size):
            total = sum((part for part, _ in some), np.zeros(()))
            whole = np.where(total > 0, total, 1.0)
            spent = sum(((part / whole) ** 2 / own for part, own in some), np.zeros(()))
            free = np.where(spent > 0, 1 / np.maximum(spent, 1e-300), 1.0)
            most = np.maximum(most, np.square(_tails(free, upper)) * total)
    half = np.sqrt(np.square(_tails(np.minimum(df, 1e9), upper)) * variance + most)
    return np.where(known, half, np.inf)


def _tails(df: Floats, upper: float | Floats) -> Floats:
    """Quantiles of t at one level for all, or at one for each."""
    if isinstance(upper, float):
        return t_quantiles(df, upper)
    return each(t_quantile, "stdtrit", df, upper)


def beyond(shift: float, df: float, limit: float) -> float:
    """Chance that a t is beyond a limit on either side, its mean so many standard errors from 0: noncentral t.

    Examples
    --------
    >>> round(beyond(10**0.5, 38, t_quantile(38, 0.975)), 4)  # two samples of 20 whose means are an sd apart
    0.869
    """
    if df > _NORMAL:
        near, wide = limit * (1 - 1 / (4 * df)), math.sqrt(1 + limit**2 / (2 * df))
        return normal_cdf((shift - near) / wide) + normal_cdf((-shift - near) / wide)
    return 1 - noncentral_t_cdf(df, shift, limit) + noncentral_t_cdf(df, shift, -limit)


def one_square(se: float, df: float) -> Studies:
    """Studies whose variance is over items alone.

    Parameters
    ----------
    se : float
        True standard error.
    df : float
        Degrees of freedom.
    """
    return Studies(se, df, se**2)


def studies(variance: float, df: float, effects: Sequence[Effect], beyond: float) -> Studies:
    """What studies of a design find, their mean squares independent chi-squares: exact for balanced data.

    Parameters
    ----------
    variance, df : float
        Of the sum over items, and the degrees of freedom it is found with.
    effects : sequence of Effect
        Facets that stand for others, with the squares that are expected.
    beyond : float
        True variance beyond items: what several facets share counts once.
    """
    drawn = tuple(
        (np.maximum(one.square * squares_of_studies(place, one.df) - KAPPA * one.noise, 0.0), one.df)
        for place, one in enumerate(effects, 1)
    )
    return Studies(math.sqrt(variance + beyond), df, variance, drawn)
