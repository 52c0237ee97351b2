"""Power of studies: what tests of a design find, from the mean squares that their interval rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.reach import KAPPA, Effect

_QUANTILES = 200
_DRAWS = 4_000


@dataclass(frozen=True, eq=False)
class Studies:
    """Studies of one design: the true standard error, and what each of many studies rests its interval on.

    Parameters
    ----------
    se : float
        True standard error.
    df : float
        Degrees of freedom over items.
    variance : array, shape (studies,)
        Variance over items as found.
    drawn : tuple of (array, float)
        What every drawn facet is found to add, shape (studies,), and its degrees of freedom.
    """

    se: float
    df: float
    variance: Floats
    drawn: tuple[tuple[Floats, float], ...] = ()

    def times(self, factor: float) -> Studies:
        """The same studies with every standard error so many times as large."""
        drawn = tuple((factor**2 * part, df) for part, df in self.drawn)
        return Studies(factor * self.se, self.df, factor**2 * self.variance, drawn)

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
        from scipy.special import ndtr

        limit, x = self.half_width(1 - alpha / 2) / self.se, d / self.se
        return float(np.mean(ndtr(x - limit) + ndtr(-x - limit)))

    def shows_equal(self, d: float, margin: float, alpha: float) -> float:
        """Chance that two one-sided tests show a difference ``d`` to be within a margin."""
        from scipy.special import ndtr

        room = margin - self.half_width(1 - alpha)
        chance = ndtr((room - d) / self.se) - ndtr((-room - d) / self.se)
        return float(np.mean(np.where(room > 0, chance, 0.0)))

    def detectable(self, alpha: float, power: float) -> float:
        """Smallest difference that is found with a chance of ``power``."""
        from scipy.optimize import brentq

        top = self.se
        while self.finds(top, alpha) < power:
            top *= 2
        return float(brentq(lambda d: self.finds(d, alpha) - power, 0.0, top))

    def alike(self, margin: float, alpha: float, power: float) -> float | None:
        """Largest difference that is shown to be within a margin with a chance of ``power``; None if none is."""
        from scipy.optimize import brentq

        if self.shows_equal(0.0, margin, alpha) < power:
            return None
        return float(brentq(lambda d: self.shows_equal(d, margin, alpha) - power, 0.0, margin))


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
    from scipy.special import stdtrit

    most: Floats = np.zeros(())
    known = np.ones((), dtype=bool)
    for part, _ in drawn:
        known = known & np.isfinite(part)
    parts = [(np.where(np.isfinite(part), part, 0.0), np.asarray(own, dtype=float)) for part, own in drawn]
    for size in range(1, len(parts) + 1):
        for some in combinations(parts, size):
            total = sum((part for part, _ in some), np.zeros(()))
            spent = sum((part**2 / own for part, own in some), np.zeros(()))
            free = np.where(spent > 0, total**2 / np.maximum(spent, 1e-300), 1.0)
            most = np.maximum(most, np.square(stdtrit(free, upper)) * total)
    half = np.sqrt(np.square(stdtrit(np.minimum(df, 1e9), upper)) * variance + most)
    return np.where(known, half, np.inf)


def one_square(se: float, df: float) -> Studies:
    """Studies whose variance is over items alone, by quantiles of its law in the place of draws.

    Parameters
    ----------
    se : float
        True standard error.
    df : float
        Degrees of freedom.
    """
    from scipy.special import gammaincinv

    middle = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    return Studies(se, df, np.asarray(se**2 * gammaincinv(df / 2, middle) * 2 / df))


def studies(variance: float, df: float, effects: Sequence[Effect], beyond: float, rng: np.random.Generator) -> Studies:
    """What studies of a design find, their mean squares drawn as independent chi-squares: exact for balanced data.

    Parameters
    ----------
    variance, df : float
        Of the sum over items, and the degrees of freedom it is found with.
    effects : sequence of Effect
        Facets that stand for others, with the squares that are expected.
    beyond : float
        True variance beyond items: what several facets share counts once.
    rng : numpy.random.Generator
        For the draws.
    """
    se = math.sqrt(variance + beyond)
    if not effects:
        return replace(one_square(math.sqrt(variance), df), se=se)
    drawn = [
        (np.maximum(one.square * rng.chisquare(one.df, _DRAWS) / one.df - KAPPA * one.noise, 0.0), one.df)
        for one in effects
    ]
    return Studies(se, df, variance * rng.chisquare(df, _DRAWS) / df, tuple(drawn))
