"""What every component brings to the uncertainty of a mean, with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.estimate.components.decomposition import Component, Decomposition
from quorate.estimate.means.mean import Estimate, coefficients, draw_of
from quorate.estimate.means.targets import FINITE, PANEL, SENSITIVITY
from quorate.numerics.inference import variance_interval
from quorate.numerics.mixed.information import weights


@dataclass(frozen=True)
class Contribution:
    """A component and its part in the uncertainty of a mean.

    Parameters
    ----------
    component : Component
        As fitted.
    share : float
        Fraction of the variance of the mean.
    se, low, high : float
        Standard error that the component alone would leave, in score units, with its interval; ``high`` may be
        infinite, and both are nan for an index that is no variance estimate.
    weight : float
        What the variance component is multiplied by in the variance of the mean: 1 over its effective number of levels.
    """

    component: Component
    share: float
    se: float
    low: float
    high: float
    weight: float


def contributions(fit: Decomposition, estimate: Estimate) -> tuple[Contribution, ...]:
    """Components that enter the variance of the mean, the largest first, with 95% intervals.

    A component that the target takes away, such as the judges' for a fixed panel, is left out; one estimated at zero is
    kept, because its interval is not zero.

    Parameters
    ----------
    fit : Decomposition
        Components.
    estimate : Estimate
        The mean, for the target that it states.
    """
    weight = _weights(fit, estimate)
    entering = [component for component in fit.components if weight[component.name] > 0]
    found = [_contribution(fit, estimate, component, weight[component.name]) for component in entering]
    return tuple(sorted(found, key=lambda one: (-one.share, -np.nan_to_num(one.high))))


def _contribution(fit: Decomposition, estimate: Estimate, component: Component, weight: float) -> Contribution:
    share = estimate.shares[component.name]
    low, high = (float(np.sqrt(weight * limit)) for limit in _limits(fit, estimate, component))
    return Contribution(component, share, estimate.se * float(np.sqrt(share)), low, high, weight)


def _weights(fit: Decomposition, estimate: Estimate) -> dict[str, float]:
    """Weight of every component in the variance of the mean, by name."""
    problem = fit.assembled.problem
    given = weights(problem, fit.point.solved, fit.assembled.fixed.mean)
    each = coefficients(fit, given, estimate.target)
    out = {name: float(each[t]) for name, t in fit.representatives.items()}
    for facet in fit.assembled.fixed.levels:
        target = estimate.target[facet]
        out[facet] = 0.0 if target in (PANEL, FINITE) else draw_of(fit, facet, target).factor
    return out


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
