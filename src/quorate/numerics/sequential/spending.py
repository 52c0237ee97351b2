"""Group-sequential bounds: a test that is repeated as information grows, and errs as seldom as one that is made once.

With information I the statistic Z sqrt(I) is a Brownian motion with drift, and a look at fraction t = I / I_max of the
information may spend what a function of t allows of the level. The bounds follow by integrating the density of Z over
what went on, look by look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from quorate.arrays import Floats
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.roots import root

_FAR = 8.0
"""Standard normal value beyond which there is nothing to integrate, and the largest bound."""
_STEPS, _MOST_STEPS = 40, 200
"""Pairs of steps of Simpson's rule for a look that is as far from the last as the first from the start, and most."""
_SOON = 1e-4
"""Part of the information below which a look has nothing new to say."""


def obrien_fleming(fraction: Floats | float, alpha: float) -> Floats:
    """What a one-sided test may have spent of its level at a fraction of the information; Lan and DeMets's first.

    Parameters
    ----------
    fraction : array or float
        Part of the information, from 0 to 1.
    alpha : float
        One-sided level.

    References
    ----------
    Lan and DeMets (1983), Biometrika 70, 659-663: ``2 - 2 Phi(z_(alpha / 2) / sqrt(t))``.
    """
    from scipy.special import ndtr, ndtri

    part = np.clip(np.asarray(fraction, dtype=float), 1e-12, 1.0)
    return np.asarray(2 * ndtr(ndtri(alpha / 2) / np.sqrt(part)))


def pocock(fraction: Floats | float, alpha: float) -> Floats:
    """The same where more of the level is spent early; Lan and DeMets's second: ``alpha log(1 + (e - 1) t)``."""
    return np.asarray(alpha * np.log1p((np.e - 1) * np.clip(np.asarray(fraction, dtype=float), 0.0, 1.0)))


Spending = Callable[[float, float], Floats]
"""What may be spent of a one-sided level at a fraction of the information."""


@dataclass(frozen=True, eq=False)
class Path:
    """Where the statistic can be, given that no look has ended the test so far.

    Parameters
    ----------
    fraction : float
        Information of the last look; 0 before the first.
    z, weight : array, shape (nodes,)
        Nodes of the statistic there, and their probabilities, which sum to the chance to have gone on.
    """

    fraction: float
    z: Floats
    weight: Floats

    def crossing(self, fraction: float, bound: float, *, drift: float = 0.0, sided: int = 2) -> float:
        """Chance to go beyond a bound at a look, not having done so before.

        Parameters
        ----------
        fraction : float
            Information of that look.
        bound : float
            Standard normal value.
        drift : float
            Expectation of the statistic at all the information.
        sided : {1, 2}
            Beyond the bound above, or on either side.
        """
        from scipy.special import ndtr

        mean, sd = self._next(fraction, drift)
        above = ndtr((mean - bound) / sd)
        below = ndtr((-bound - mean) / sd) if sided == 2 else 0.0
        return float(self.weight @ (above + below))

    def after(self, fraction: float, bound: float, *, drift: float = 0.0, sided: int = 2) -> Path:
        """The path after a look that did not go beyond its bound."""
        mean, sd = self._next(fraction, drift)
        centre = drift * np.sqrt(fraction)
        low = max(-bound, centre - _FAR) if sided == 2 else centre - _FAR
        high = min(bound, centre + _FAR)
        steps = 2 * int(min(_STEPS / sd, _MOST_STEPS))
        z = np.linspace(low, high, steps + 1)
        w = np.full(steps + 1, 2.0) + 2.0 * (np.arange(steps + 1) % 2)
        w[[0, -1]] = 1.0
        w *= (high - low) / (3 * steps)
        density = np.exp(-0.5 * ((z[:, None] - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
        return Path(fraction, z, w * (density @ self.weight))

    def _next(self, fraction: float, drift: float) -> tuple[Floats, float]:
        """Mean and standard deviation of the statistic at a later look, by that of the last one."""
        share = self.fraction / fraction
        mean = self.z * np.sqrt(share) + drift * np.sqrt(fraction) * (1 - share)
        return mean, float(np.sqrt(max(1 - share, _SOON)))


def start() -> Path:
    """Before any look."""
    return Path(0.0, np.zeros(1), np.ones(1))


def bound_for(path: Path, fraction: float, alpha: float, *, sided: int = 2) -> float:
    """The bound of a look that is crossed for the first time there with a given chance; 8 where that is next to none.

    Parameters
    ----------
    path : Path
        Of the looks before.
    fraction : float
        Information of the look.
    alpha : float
        Chance to be spent, of both sides together.
    sided : {1, 2}
        Whether the test has one bound or two.
    """
    if alpha <= 0 or path.crossing(fraction, _FAR, sided=sided) >= alpha:
        return _FAR
    return root(lambda bound: path.crossing(fraction, bound, sided=sided) - alpha, -_FAR, _FAR, xtol=1e-8)


def bounds(fractions: Sequence[float], alpha: float, *, sided: int = 2, spending: Spending = obrien_fleming) -> Floats:
    """Bounds of all looks of a test.

    Parameters
    ----------
    fractions : sequence of float
        Information of the looks, rising; the last one need not be 1.
    alpha : float
        Level, of both sides together.
    sided : {1, 2}
        Whether the test has one bound or two.
    spending : callable
        `obrien_fleming` or `pocock`.

    Returns
    -------
    array, shape (looks,)
        Standard normal values.

    References
    ----------
    Jennison and Turnbull (1999), Group Sequential Methods, chapters 7 and 19.

    Examples
    --------
    >>> bounds([0.2, 0.4, 0.6, 0.8, 1.0], 0.05).round(3).tolist()
    [4.877, 3.357, 2.68, 2.29, 2.031]
    """
    path, before, out = start(), 0.0, []
    for fraction in fractions:
        spent = float(sided * spending(fraction, alpha / sided))
        bound = bound_for(path, fraction, spent - before, sided=sided)
        path, before = path.after(fraction, bound, sided=sided), spent
        out.append(bound)
    return np.array(out)


def chance(fractions: Sequence[float], limits: Sequence[float] | Floats, drift: float, *, sided: int = 2) -> float:
    """Chance that a test goes beyond one of its bounds.

    Parameters
    ----------
    fractions, limits : sequence of float
        Information and bound of every look.
    drift : float
        Expectation of the statistic at all the information.
    sided : {1, 2}
        Whether the test has one bound or two.
    """
    path, total = start(), 0.0
    for fraction, bound in zip(fractions, limits, strict=True):
        total += path.crossing(fraction, bound, drift=drift, sided=sided)
        path = path.after(fraction, bound, drift=drift, sided=sided)
    return total


@cache
def inflation(looks: int, alpha: float, power: float, *, sided: int = 2, spending: Spending = obrien_fleming) -> float:
    """Information that equally spaced looks take, over that of a test that is made once.

    Parameters
    ----------
    looks : int
        Looks in all.
    alpha, power : float
        Level, of both sides together, and the chance to cross.
    sided : {1, 2}
        Whether the test has one bound or two.
    spending : callable
        `obrien_fleming` or `pocock`.

    Examples
    --------
    >>> round(inflation(5, 0.05, 0.9), 3)
    1.023
    """
    fractions = [(look + 1) / looks for look in range(looks)]
    limits = bounds(fractions, alpha, sided=sided, spending=spending)
    once = normal_quantile(1 - alpha / sided) + normal_quantile(power)
    drift = root(lambda value: chance(fractions, limits, value, sided=sided) - power, once / 2, 2 * once)
    return float((drift / once) ** 2)
