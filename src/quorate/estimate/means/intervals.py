"""The interval of a mean that is taken unless another is asked for; ``docs/methods/intervals.md`` has its coverage."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.means.targets import PANEL, POPULATION, Target
from quorate.numerics.inference import t_quantile
from quorate.streams import stream
from quorate.table.facts.describe import score_facts
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.means.mean import Estimate

_STEPS = 10
"""Whole scores over at most so many steps are marks on a scale that ends where they do."""
_GRID = 400


def score_ends(judgments: Judgments) -> tuple[float, float] | None:
    """Least and greatest score where they are the ends of a scale: two values, or a few whole marks; else None."""
    facts = score_facts(judgments)
    marks = facts.integers and facts.high - facts.low <= _STEPS
    return (facts.low, facts.high) if facts.high > facts.low and (facts.binary or marks) else None


def near_an_end(value: float, half: float, ends: tuple[float, float] | None) -> bool:
    """Whether a mean is within two half-widths of an end of the scale."""
    return ends is not None and (value - 2 * half < ends[0] or value + 2 * half > ends[1])


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
    """Student's t, wider where few levels show no variance, never narrower than for fewer drawn facets, within ends."""
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


def unseen(estimate: Estimate) -> dict[str, int]:
    """Facets that stand for others and whose levels show no variance, with the component that is theirs."""
    fit, judgments = estimate.basis.fit, estimate.basis.fit.judgments
    apart = {judgments.object, *judgments.ancestors(judgments.object)}
    found = {}
    for names, t in zip(fit.classes, fit.representatives.values(), strict=True):
        for name in set(names) & set(judgments.names) - apart:
            if fit.theta[t] <= 0 and estimate.basis.gradient[t] > 0 and estimate.target[name] == POPULATION:
                found[name] = t
    return found


def _half(estimate: Estimate, level: float) -> float:
    """Half-width without ends: Student's t, or a mixture over what a component that is estimated at zero may be.

    A component is a mean square less noise ``d``; at an estimate of zero it may be ``d (df / chi2 - 1)``, cut at zero.
    """
    from scipy.optimize import brentq
    from scipy.special import chdtri, stdtr

    upper = (1 + level) / 2
    half = t_quantile(estimate.df, upper) * estimate.se
    if not (zero := unseen(estimate)):
        return half
    fit, gradient = estimate.basis.fit, estimate.basis.gradient.copy()
    variance: Floats = np.full(_GRID, estimate.variance)
    rng = stream(0, "unseen variance")
    for t in zero.values():
        df = fit.freedom(t)
        noise = float(np.sqrt(max(fit.covariance[t, t], 0.0) * df / 2))
        ratio = df / chdtri(df, (rng.permutation(_GRID) + 0.5) / _GRID) - 1
        variance = variance + gradient[t] * noise * np.maximum(ratio, 0.0)
        gradient[t] = 0.0
    spread = float(gradient @ fit.covariance @ gradient)
    known = spread > 0 and not estimate.basis.drawn
    df = max(1.0, 2 * estimate.basis.plain**2 / spread) if known else estimate.df
    df, sd = min(df, 1e6), np.sqrt(variance)
    top = 1.001 * t_quantile(df, upper) * float(sd.max())
    return max(half, float(brentq(lambda x: float(np.mean(stdtr(df, x / sd))) - upper, 0.0, top)))
