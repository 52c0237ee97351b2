"""Components of a crossed panel under one model, and where two models differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.panel import crossed as panel

TERMS = {
    "alpha": "scenario",
    "beta": "generation",
    "gamma": "judge",
    "eps": "residual",
    "interaction": "scenario:judge",
}
"""What each component is the variance of."""


@dataclass(frozen=True)
class PanelComponents:
    """Variance components of a crossed panel under one model, per observation, in squared score units.

    Unbiased, so an estimate can be negative; nothing is cut at zero. nan where a component is part of another (see
    ``Crossed.caveats``), and for the interaction of a model that has none.

    Parameters
    ----------
    alpha, beta, gamma, eps, interaction : float
        Scenario, generation, judge (mean square of the effects of these judges, divisor K), residual, scenario:judge.
    intervals : mapping of str to (float, float)
        Bootstrap interval of every component that is estimated.
    """

    alpha: float
    beta: float
    gamma: float
    eps: float
    interaction: float
    intervals: Mapping[str, tuple[float, float]]

    @property
    def values(self) -> Mapping[str, float]:
        """Components that are estimated, by name."""
        return {name: getattr(self, name) for name in self.intervals}

    @property
    def negative(self) -> tuple[str, ...]:
        """Components whose estimate is below zero."""
        return tuple(name for name, value in self.values.items() if value < 0)

    def to_dict(self) -> dict[str, Any]:
        """Every component that is estimated under its name, and ``intervals`` of them."""
        return {**self.values, "intervals": {name: list(ends) for name, ends in self.intervals.items()}}


def with_intervals(estimate: Floats, drawn: Floats, level: float) -> PanelComponents:
    """Estimates in the order of `numerics.crossed.NAMES`, with percentile intervals of their resamples.

    Parameters
    ----------
    estimate : array, shape (5,)
        Components, nan where not estimated.
    drawn : array, shape (resamples, 5)
        The same of every resample.
    level : float
        Coverage of the intervals.
    """
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    values = dict(zip(panel.NAMES, estimate.tolist(), strict=True))
    bounds = zip(panel.NAMES, low.tolist(), high.tolist(), strict=True)
    return PanelComponents(**values, intervals={name: (a, b) for name, a, b in bounds if not np.isnan(values[name])})


def differences(one: PanelComponents, other: PanelComponents) -> tuple[str, ...]:
    """Scenario, generation and judge components for which the estimate of one model is outside the other's interval.

    Residuals are not compared: with an interaction and without it they are different things.
    """
    shared = [name for name in ("alpha", "beta", "gamma") if name in one.intervals]
    apart = []
    for name in shared:
        sides = ((one, other.intervals[name]), (other, one.intervals[name]))
        if any(not low <= side.values[name] <= high for side, (low, high) in sides):
            apart.append(name)
    return tuple(apart)
