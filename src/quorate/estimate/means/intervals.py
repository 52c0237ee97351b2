"""The interval of a mean that is taken unless another is asked for; ``docs/methods/intervals.md`` has its coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.estimate.means.targets import POPULATION
from quorate.numerics.distributions import chi_square_quantile, t_quantile
from quorate.table.facts.describe import score_facts
from quorate.table.judgments import Judgments
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.estimate.means.mean import Estimate

Choice = TypeVar("Choice")

_LENIENT = 1.4
"""How much larger the odds may be that an interval misses, for those of other facets to be in order with it."""
_SHOWN = 2
"""Degrees of freedom that are taken to have shown nothing but noise, besides those of a mean square near it."""
_STEPS = 10
"""Whole scores over at most so many steps are marks on a scale that ends where they do."""


def score_ends(judgments: Judgments) -> tuple[float, float] | None:
    """Ends of the scale of scores: as declared, or those of two values or of a few whole marks; else None."""
    if judgments.scale is not None:
        return judgments.scale
    facts = score_facts(judgments)
    marks = facts.integers and facts.high - facts.low <= _STEPS
    return (facts.low, facts.high) if facts.high > facts.low and (facts.binary or marks) else None


def near_an_end(value: ArrayLike, half: ArrayLike, ends: tuple[float, float]) -> Any:
    """Whether a mean is within two half-widths of an end of the scale."""
    value, half = np.asarray(value), np.asarray(half)
    return (value - 2 * half < ends[0]) | (value + 2 * half > ends[1])


def ends_near(judgments: Judgments, facet: str, half: float) -> list[Caveat]:
    """Said where the mean score of a level of a facet is within two half-widths of an end of the scale."""
    ends, answered = score_ends(judgments), judgments.n > 0
    code, n = judgments.column(facet)[answered], judgments.n[answered]
    count = np.bincount(code, n)
    means = np.bincount(code, n * judgments.mean[answered])[count > 0] / count[count > 0]
    near = ends is not None and np.any(near_an_end(means, half, ends))
    return [caveats.differences_near_an_end(*ends)] if ends is not None and near else []


def between(value: ArrayLike, half: ArrayLike, n: ArrayLike, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """Limits on the scale of log odds between the ends, by the delta method.

    Parameters
    ----------
    value, half : float or array
        Mean, and half the width of its interval without ends.
    n : int or array
        Answers; a mean is taken to be half an answer from either end at least.
    ends : (float, float)
        Of the scale.
    """
    low, high = ends
    share = np.clip((np.asarray(value) - low) / (high - low), 0.5 / np.asarray(n), 1 - 0.5 / np.asarray(n))
    odds = share / (1 - share)
    reach = np.exp(np.minimum(np.asarray(half) / ((high - low) * share * (1 - share)), 700.0))
    below, above = odds / reach, odds * reach
    return low + (high - low) * below / (1 + below), high - (high - low) / (1 + above)


def limits(value: float, half: float, n: int, ends: tuple[float, float] | None) -> tuple[float, float]:
    """Limits ``half`` from a mean; those of the log odds where it is near an end of the scale.

    Examples
    --------
    >>> limits(3.0, 0.5, 100, (1, 5))
    (2.5, 3.5)
    >>> [round(limit, 2) for limit in limits(4.8, 0.3, 100, (1, 5))]
    [4.19, 4.96]
    """
    if ends is None:
        return value - half, value + half
    low, high = _within(value, half, n, ends)
    return float(low), float(high)


def _within(value: ArrayLike, half: ArrayLike, n: ArrayLike, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """Limits on a scale that ends: of log odds near an end, and then never within the last ones without ends.

    So a wider interval has no limit that is nearer.
    """
    value, half = np.asarray(value, dtype=float), np.asarray(half, dtype=float)
    low, high = between(value, half, n, ends)
    near, last = near_an_end(value, half, ends), np.minimum(value - ends[0], ends[1] - value) / 2
    return (
        np.where(near, np.minimum(low, value - last), value - half),
        np.where(near, np.maximum(high, value + last), value + half),
    )


@dataclass(frozen=True)
class Ended(Brief):
    """A mean on a scale that ends.

    Parameters
    ----------
    value : float
        The mean.
    ends : (float, float)
        Of the scale.
    latent : bool
        Whether it is the mean of a model of log odds, whose interval is on their scale wherever it is.
    """

    value: float
    ends: tuple[float, float]
    latent: bool = False

    def half_width(self, half: ArrayLike, n: ArrayLike) -> Floats:
        """Half the default interval of such a mean, where it would be ``half`` without ends."""
        low, high = (between if self.latent else _within)(self.value, half, n, self.ends)
        return (high - low) / 2


def lenient(level: float) -> float:
    """The level of an interval whose odds to miss are 1.4 times as large: 93.1% for 95%.

    Examples
    --------
    >>> round(lenient(0.95), 4)
    0.9314
    """
    return level / (1 + (_LENIENT - 1) * (1 - level))


def chosen(estimate: Estimate, level: float) -> tuple[float, float]:
    """Student's t, wider where levels show little variance, in order of the facets that are drawn, within ends."""
    half = half_without_ends(estimate, level)
    return limits(estimate.value, half, estimate.n, score_ends(estimate.basis.fit.judgments))


def half_without_ends(estimate: Estimate, level: float) -> float:
    """Half-width of the default interval on a scale without ends.

    Where items stand for themselves it is no wider than for items like these, which the mean estimates less well.
    """
    means = [estimate] if estimate.of_items_like_these is None else [estimate, estimate.of_items_like_these]
    return min(float(in_order(one.drawn, one.choices, _half, level)) for one in means)


def in_order(
    drawn: frozenset[str],
    choices: Mapping[frozenset[str], Choice],
    half: Callable[[Choice, float], Any],
    level: float,
) -> Any:
    """Half-width with these facets drawn: never more than with more of them, never less than with fewer.

    Both give way: an interval is lifted to those of fewer facets at the `lenient` level, and cut to those of more. So
    none covers less than it would alone at that level.

    Parameters
    ----------
    drawn : frozenset of str
        Facets that stand for others.
    choices : mapping of frozenset of str to object
        What is known for every choice of them.
    half : callable
        Half-width by that at a level, whatever the other choices.
    level : float
        Coverage wanted.
    """
    more = [names for names in choices if drawn <= names]
    least = {names: half(one, lenient(level)) for names, one in choices.items() if any(names < wide for wide in more)}
    lifted = (
        reduce(np.fmax, (low for names, low in least.items() if names < wide), half(choices[wide], level))
        for wide in more
    )
    return reduce(np.fmin, lifted)


def least_effect(noise: ArrayLike, df: ArrayLike) -> Any:
    """Three standard errors of a main effect whose mean square is noise: each ``noise sqrt(2 / (df + 2))``."""
    return 3 * np.asarray(noise) * np.sqrt(2 / (np.asarray(df) + 2))


def largest_square(df: float, level: float) -> float:
    """What a mean square that is no more than its noise can be expected to be, in units of that noise.

    The upper bound that is missed four fifths as often as the interval, by the chi-square law and a weak prior: as if
    two more degrees of freedom had shown the noise alone.

    Examples
    --------
    >>> [round(largest_square(df, 0.95), 1) for df in (1, 2, 4, 9)]
    [10.0, 6.4, 4.0, 2.6]
    """
    free = df + _SHOWN
    return free / chi_square_quantile(free, 1 - 0.8 * (1 - level))


def largest_squares(df: Floats, level: float) -> Floats:
    """`largest_square` of each of many."""
    from scipy.special import chdtri

    free = df + _SHOWN
    return np.asarray(free / chdtri(free, 1 - 0.8 * (1 - level)))


def _half(estimate: Estimate, level: float) -> float:
    """Half-width without ends: Student's t, or the normal with drawn facets varying as much as they can, if wider."""
    upper, variance = (1 + level) / 2, estimate.variance
    for weight, noise, square, df in _main_effects(estimate):
        variance += weight * max(largest_square(df, level) * noise - square, 0.0)
    student = t_quantile(estimate.df, upper) * estimate.se
    return max(student, t_quantile(np.inf, upper) * float(np.sqrt(variance)))


def _main_effects(estimate: Estimate) -> Iterator[tuple[float, float, float, float]]:
    """Of facets that stand for others: weight in the variance, noise in the mean square, that, and its df.

    A component is a mean square less noise, so its variance is ``2 (value + noise)^2 / df``. None where items stand for
    themselves: the variance of the mean then rests on few degrees of freedom as it is.
    """
    basis, fit, judgments = estimate.basis, estimate.basis.fit, estimate.basis.fit.judgments
    if estimate.target[judgments.object] != POPULATION:
        return
    for names, t in zip(fit.classes, fit.representatives.values(), strict=True):
        value = max(float(fit.theta[t]), 0.0) * fit.assembled.scale**2
        error = float(np.sqrt(max(fit.covariance[t, t], 0.0)))
        if estimate.drawn & set(names) and basis.gradient[t] > 0 and value < 3 * error:
            df = fit.freedom(t)
            square = error * float(np.sqrt(df / 2))
            yield float(basis.gradient[t]), max(square - value, 0.0), square, df
    for one in basis.drawn.values():
        if np.isfinite(one.df):
            yield one.factor, basis.noise_in(one), one.square, one.df
