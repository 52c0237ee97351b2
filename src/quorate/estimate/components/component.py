"""Component: one variance component with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Interval = Literal["normal", "robust"]
"""What the interval of a component takes the effects of its levels to be: normal, or of any law."""


@dataclass(frozen=True)
class Component:
    """One variance component.

    Parameters
    ----------
    name : str
        Term, or the sum of terms that cannot be told apart, joined by " + ".
    variance : float
        Estimate, in squared score units.
    se : float
        Standard error from the expected information; nan for a sensitivity.
    low, high : float
        95% interval.
    levels : int
        Levels of the term in the data.
    kind : {"random", "sensitivity"}
        A sensitivity is the spread (divisor M) of the fitted means of a fixed facet's levels, not a variance estimate.
    share : float
        Fraction of the variance of one judgment.
    interval : {"normal", "robust"}, optional
        What the interval takes the effects of the levels to be: normal, or of any law; None for a sensitivity.
    """

    name: str
    variance: float
    se: float
    low: float
    high: float
    levels: int
    kind: str
    share: float
    interval: Interval | None
