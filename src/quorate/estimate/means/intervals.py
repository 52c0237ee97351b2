"""The interval of a mean that is taken unless another is asked for; ``docs/methods/intervals.md`` has its coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from quorate import caveats
from quorate.caveats import Caveat
from quorate.estimate.means.targets import PANEL, POPULATION, Target
from quorate.numerics.inference import t_quantile
from quorate.table.facts.describe import score_facts
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
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


def near_an_end(value: float, half: float, ends: tuple[float, float] | None) -> bool:
    """Whether a mean is within two half-widths of an end of the scale."""
    return ends is not None and (value - 2 * half < ends[0] or value + 2 * half > ends[1])


def ends_near(judgments: Judgments, facet: str, half: float) -> list[Caveat]:
    """Said where the mean score of a level of a facet is within two half-widths of an end of the scale."""
    ends, answered = score_ends(judgments), judgments.n > 0
    code, n = judgments.column(facet)[answered], judgments.n[answered]
    count = np.bincount(code, n)
    means = np.bincount(code, n * judgments.mean[answered])[count > 0] / count[count > 0]
    near = any(near_an_end(float(mean), half, ends) for mean in means)
    return [caveats.differences_near_an_end(*ends)] if ends is not None and near else []


def between(value: float, half: float, n: int, ends: tuple[float, float]) -> tuple[float, float]:
    """Limits on the scale of log odds between the ends, by the delta method.

    Parameters
    ----------
    value, half : float
        Mean, and half the width of its interval without ends.
    n : int
        Answers; a mean is taken to be half an answer from either end at least.
    ends : (float, float)
        Of the scale.
    """
    low, high = ends
    share = min(max((value - low) / (high - low), 0.5 / n), 1 - 0.5 / n)
    odds, reach = share / (1 - share), np.exp(min(half / ((high - low) * share * (1 - share)), 700.0))
    below, above = odds / reach, odds * reach
    return float(low + (high - low) * below / (1 + below)), float(high - (high - low) / (1 + above))


def chosen(estimate: Estimate, level: float) -> tuple[float, float]:
    """Student's t, wider where levels show little variance, never narrower than for fewer drawn facets, within ends."""
    half = max(_half(one, level) for one in (estimate, *estimate.narrower))
    ends = score_ends(estimate.basis.fit.judgments)
    if ends is None or not near_an_end(estimate.value, half, ends):
        return estimate.value - half, estimate.value + half
    return between(estimate.value, half, estimate.n, ends)


def narrower_targets(fit: Decomposition, targets: Mapping[str, Target]) -> list[dict[str, Target]]:
    """The same targets with one or more of the facets that stand for others standing for themselves."""
    judgments = fit.judgments
    apart = {judgments.object, *judgments.ancestors(judgments.object)}
    drawn = [name for name, target in targets.items() if target == POPULATION and name not in apart]
    sets = [names for size in range(1, len(drawn) + 1) for names in combinations(drawn, size)]
    return [{**targets, **dict.fromkeys(names, PANEL)} for names in sets]


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
