"""The interval of a mean that is taken unless another is asked for; ``docs/methods/intervals.md`` has its coverage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.estimate.means.targets import POPULATION
from quorate.numerics.inference import t_quantile
from quorate.table.facts.describe import score_facts
from quorate.table.judgments import Judgments
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.estimate.means.mean import Estimate

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


@dataclass(frozen=True)
class Ended(Brief):
    """A mean on a scale that ends.

    Parameters
    ----------
    value : float
        The mean.
    ends : (float, float)
        Of the scale.
    """

    value: float
    ends: tuple[float, float]

    def half_width(self, half: ArrayLike, n: ArrayLike) -> Floats:
        """Half the default interval of such a mean, where it would be ``half`` without ends."""
        low, high = between(self.value, half, n, self.ends)
        return np.where(near_an_end(self.value, half, self.ends), (high - low) / 2, half)


def chosen(estimate: Estimate, level: float) -> tuple[float, float]:
    """Student's t, wider where levels show little variance, never narrower than for fewer drawn facets, within ends."""
    half = max(_half(one, level) for one in (estimate, *estimate.narrower))
    ends = score_ends(estimate.basis.fit.judgments)
    if ends is None or not near_an_end(estimate.value, half, ends):
        return estimate.value - half, estimate.value + half
    low, high = between(estimate.value, half, estimate.n, ends)
    return float(low), float(high)


def least_effect(noise: ArrayLike, df: ArrayLike) -> Any:
    """Three standard errors of a main effect whose mean square is noise: each ``noise sqrt(2 / (df + 2))``."""
    return 3 * np.asarray(noise) * np.sqrt(2 / (np.asarray(df) + 2))


def _half(estimate: Estimate, level: float) -> float:
    """Half-width without ends: Student's t, with no main effect taken to be below three standard errors it has at zero.

    So much the data allow where its estimate is zero, whatever the degrees of freedom of the mean.
    """
    variance, spread = estimate.basis.plain, estimate.basis.spread
    for weight, value, noise, square, df in _main_effects(estimate):
        least = least_effect(noise, df)
        if value < least:
            variance += weight * (least - value)
            spread += 2 * weight**2 * ((least + noise) ** 2 - square**2) / df
    df = max(1.0, 2 * variance**2 / spread) if spread > 0 else np.inf
    return t_quantile(df, (1 + level) / 2) * float(np.sqrt(estimate.variance - estimate.basis.plain + variance))


def _main_effects(estimate: Estimate) -> Iterator[tuple[float, float, float, float, float]]:
    """Of facets that stand for others: weight in the variance, component, noise in its mean square, that, and its df.

    A component is a mean square less noise, so its variance is ``2 (value + noise)^2 / df``. None where items stand for
    themselves: the variance of the mean then rests on few degrees of freedom as it is.
    """
    basis, fit, judgments = estimate.basis, estimate.basis.fit, estimate.basis.fit.judgments
    apart = {judgments.object, *judgments.ancestors(judgments.object)}
    if estimate.target[judgments.object] != POPULATION:
        return
    drawn = {name for name in judgments.names if estimate.target[name] == POPULATION} - apart
    for names, t in zip(fit.classes, fit.representatives.values(), strict=True):
        value = max(float(fit.theta[t]), 0.0) * fit.assembled.scale**2
        error = float(np.sqrt(max(fit.covariance[t, t], 0.0)))
        if drawn & set(names) and basis.gradient[t] > 0 and value < 3 * error:
            df = fit.freedom(t)
            square = error * float(np.sqrt(df / 2))
            yield float(basis.gradient[t]), value, max(square - value, 0.0), square, df
    for one in basis.drawn.values():
        if np.isfinite(one.df):
            noise = basis.noise_in(one)
            yield one.factor, max(one.square - noise, 0.0), noise, one.square, one.df
