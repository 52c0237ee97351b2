"""Reach: how far a sum of scores may be from what it stands for, the one rule of every interval of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.numerics.distributions import t_cdf, t_quantile

KAPPA = 0.5
"""Part of the noise in level means that is taken off their spread; ``docs/methods/intervals.md`` says why half."""


@dataclass(frozen=True)
class Effect:
    """A facet whose levels stand for others.

    Parameters
    ----------
    square : float
        Variance of its level means over that of what they are averaged to: what it brings to the sum, noise included.
    noise : float
        What items bring to that.
    df : float
        Levels less one.
    """

    square: float
    noise: float
    df: float

    @property
    def part(self) -> float:
        """What intervals count of it: its square less half the noise in that, and never below zero."""
        return max(self.square - KAPPA * self.noise, 0.0)

    @property
    def variance(self) -> float:
        """What it is estimated to add to the variance: its square less the noise in that, and never below zero."""
        return max(self.square - self.noise, 0.0)


@dataclass(frozen=True)
class Reach:
    """How far a weighted sum of scores may be from what it stands for.

    Parameters
    ----------
    variance : float
        Of this study's setup: over items, all else as it is.
    df : float
        Its degrees of freedom.
    effects : tuple of Effect
        Of every facet that stands for others.
    skewness : float
        Of what items bring to the sum.
    items : int
        How many do.

    References
    ----------
    Hall (1983), Annals of Probability 11, 1028-1036: the error of Student's interval by the skewness.
    """

    variance: float
    df: float
    effects: tuple[Effect, ...] = ()
    skewness: float = 0.0
    items: int = 1

    @property
    def missed(self) -> float:
        """By how much skewness takes the coverage of a 95% interval below that, to the first order."""
        z2 = 1.96**2
        density = math.exp(-z2 / 2) / math.sqrt(2 * math.pi)
        return 2 * density * 1.96 * (z2**2 + 2 * z2 - 3) / 18 * self.skewness**2 / self.items

    @property
    def se(self) -> float:
        """Standard error: the root of what items and drawn facets are estimated to bring."""
        return math.sqrt(self.variance + self.beyond_items)

    @property
    def beyond_items(self) -> float:
        """What is left of the variance with any number of items."""
        return sum(one.variance for one in self.effects)

    @property
    def freedom(self) -> float:
        """Satterthwaite's degrees of freedom of that."""
        parts = [(self.variance, self.df), *((one.variance, one.df) for one in self.effects)]
        spent = sum(part**2 / df for part, df in parts)
        return sum(part for part, _ in parts) ** 2 / spent if spent > 0 else self.df

    def half_width(self, level: float) -> float:
        """Half the interval; with a facet more drawn it is never narrower."""
        upper = (1 + level) / 2
        return math.sqrt(t_quantile(self.df, upper) ** 2 * self.variance + self._beyond(upper))

    def tail(self, distance: float) -> float:
        """One-sided p-value of a sum this far from a bound: the interval that ends there has two such tails."""
        if distance < 0:
            return 1 - self.tail(-distance)
        setup = t_cdf(self.df, -distance / math.sqrt(self.variance)) if self.variance > 0 else float(distance == 0) / 2
        if not any(one.part for one in self.effects):
            return float(setup)
        low, high = math.log(max(setup, 1e-300)), math.log(0.5)
        for _ in range(60):
            middle = (low + high) / 2
            wide = self.half_width(1 - 2 * math.exp(middle)) > distance
            low, high = (middle, high) if wide else (low, middle)
        return math.exp((low + high) / 2)

    def _beyond(self, upper: float) -> float:
        """The largest square of what some of the drawn facets add; a small one must not bring another's df up."""
        most = 0.0
        for size in range(1, len(self.effects) + 1):
            for some in combinations(self.effects, size):
                total = sum(one.part for one in some)
                if total > 0:
                    df = total**2 / sum(one.part**2 / one.df for one in some)
                    most = max(most, t_quantile(df, upper) ** 2 * total)
        return most


# The largest of K independent standard normals: its mean, spread and quantiles, exact by quadrature.


MOST = 10**9
"""Largest K for which the quadrature holds its error."""
_REACH, _STEP = 14.0, 1 / 64


def maximum_moments(k: ArrayLike) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the largest of ``k`` independent standard normals.

    Parameters
    ----------
    k : array of int
        How many, from 1 to `MOST`.

    Returns
    -------
    tuple of array
        Both in the shape of ``k``.

    Notes
    -----
    ``E[g(max)] = int g(z) K phi(z) Phi(z)^(K-1) dz`` by the trapezoidal rule, whose error falls exponentially with the
    number of points, since the integrand is entire and vanishes at both ends: below 1e-12 at this step.

    References
    ----------
    Harter (1961), Biometrika 48, 151-165, tabulates the mean.

    Examples
    --------
    >>> mean, sd = maximum_moments([10, 27])
    >>> mean.round(6).tolist()
    [1.538753, 1.998269]
    """
    from scipy.special import log_ndtr

    z = np.arange(-_REACH, _REACH + _STEP, _STEP)
    draws = np.asarray(k, dtype=float)[..., None]
    mass = np.exp(np.log(draws) + (draws - 1) * log_ndtr(z) - z**2 / 2) * (_STEP / np.sqrt(2 * np.pi))
    mean = np.where(draws[..., 0] == 1, 0.0, mass @ z)
    return mean, np.sqrt(np.sum(mass * (z - mean[..., None]) ** 2, axis=-1))


def maximum_quantile(probability: ArrayLike, k: ArrayLike) -> Floats:
    """Quantile of the largest of ``k`` independent standard normals, from ``Phi(z)^K = p``.

    Parameters
    ----------
    probability : array
        In (0, 1).
    k : array of int
        How many, broadcast with ``probability``.

    Examples
    --------
    >>> maximum_quantile(0.5, 27).round(4).tolist()
    1.9541
    """
    from scipy.special import ndtri

    above = -np.expm1(np.log(np.asarray(probability, dtype=float)) / np.asarray(k, dtype=float))
    return np.asarray(-ndtri(above))
