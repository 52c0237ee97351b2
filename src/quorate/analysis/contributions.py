"""Contributions of components to the uncertainty of a mean, each with its interval and what makes it smaller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate.analysis.words import advice
from quorate.estimate.components.component import Component
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.coefficients import coefficients
from quorate.estimate.means.mean import Estimate, draw_of
from quorate.estimate.means.targets import FINITE, PANEL, SENSITIVITY
from quorate.numerics.inference import variance_interval
from quorate.numerics.mixed.information import weights


@dataclass(frozen=True)
class Contribution:
    """A component and its part in the uncertainty of a mean: one reason why the mean is uncertain.

    Parameters
    ----------
    component : str
        Term, or the sum of terms that cannot be told apart.
    share : float
        Fraction of the variance of the mean; sums to 1 over all of them.
    se, low, high : float
        Standard error that the component alone would leave, in score units, with its interval; ``high`` may be
        infinite, and both are nan for an index that is no variance estimate.
    weight : float
        What the variance component is multiplied by in the variance of the mean: 1 over its effective number of levels.
    advice : str
        What makes it smaller.
    fitted : Component
        The component as fitted.
    """

    component: str
    share: float
    se: float
    low: float
    high: float
    weight: float
    advice: str
    fitted: Component


def contributions(
    fit: Decomposition, estimate: Estimate, facets: Sequence[str] | None = None
) -> tuple[Contribution, ...]:
    """Components that enter the variance of the mean, the largest first, with 95% intervals.

    A component that the target takes away, such as the judges' for a fixed panel, is left out; one estimated at zero is
    kept, because its interval is not zero.

    Parameters
    ----------
    fit : Decomposition
        Components.
    estimate : Estimate
        The mean, for the target that it states.
    facets : sequence of str, optional
        Facets of which more levels could be had; without them, those that the fit has several of.
    """
    if facets is None:
        facets = [name for name in fit.judgments.names if fit.judgments.n_levels(name) > 1]
    given = weights(fit.assembled.problem, fit.point.solved, fit.assembled.fixed.mean)
    each = coefficients(fit, given, estimate.target)
    in_variance = {name: float(each[t]) for name, t in fit.representatives.items()}  # of the mean
    for facet in fit.assembled.fixed.levels:
        target = estimate.target[facet]
        in_variance[facet] = 0.0 if target in (PANEL, FINITE) else draw_of(fit, facet, target).factor
    found = []
    for component in fit.components:
        name, weight = component.name, in_variance[component.name]
        if weight > 0:
            share = estimate.shares[name]
            low, high = (float(np.sqrt(weight * limit)) for limit in _limits(fit, estimate, component))
            se = float(np.sqrt(estimate.basis.plain * share))
            found.append(Contribution(name, share, se, low, high, weight, advice(name, facets), component))
    return tuple(sorted(found, key=lambda one: (-one.share, -np.nan_to_num(one.high))))


def _limits(fit: Decomposition, estimate: Estimate, component: Component) -> tuple[float, float]:
    """Interval of the variance itself."""
    if component.kind != "sensitivity":
        return component.low, component.high
    target = estimate.target[component.name]
    if target == SENSITIVITY:
        return np.nan, np.nan
    drawn = draw_of(fit, component.name, target)
    noise = float(drawn.noise @ np.maximum(fit.theta, 0.0)) * fit.assembled.scale**2
    return variance_interval(drawn.square - noise, drawn.square * float(np.sqrt(2 / drawn.df)), drawn.df, 0.95)
