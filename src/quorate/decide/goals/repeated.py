"""Tests that are repeated at every look: their bounds, what they show, and what they may still show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.look import UNDECIDED, Look
from quorate.decide.goals.offer import Spent
from quorate.numerics.distributions import normal_cdf
from quorate.numerics.sequential.spending import Spending, bound_for, obrien_fleming, start


class Measured(Protocol):
    """An estimate, its standard error and degrees of freedom."""

    @property
    def value(self) -> float:
        """The estimate."""

    @property
    def se(self) -> float:
        """Its standard error."""

    @property
    def df(self) -> float:
        """Degrees of freedom of that."""


def held(
    past: Sequence[Look],
    fraction: float,
    alpha: float,
    sided: int,
    *,
    equal: bool = False,
    spending: Spending = obrien_fleming,
) -> tuple[float, float]:
    """The bound of a look, and what is spent of the level by then, after looks that did not go beyond theirs."""
    path, limit = start(), 0.0
    for one in past:
        if one.fraction > path.fraction:
            limit = (one.equal_bound or 0.0) if equal else one.bound
            path = path.after(one.fraction, limit, sided=sided)
    spent, before = (sided * float(spending(part, alpha / sided)) for part in (fraction, path.fraction))
    if fraction <= path.fraction:  # nothing new: the same bound
        return limit, spent
    return bound_for(path, fraction, spent - before, sided=sided), spent


def t_bound(bound: float, df: Floats | float) -> Floats:
    """The value of Student's t that is as rare as a standard normal one."""
    from scipy.special import stdtrit

    return -np.asarray(stdtrit(np.minimum(df, 1e9), max(normal_cdf(-bound), 1e-300)))


def found_at(
    found: Measured, past: Sequence[Look], fraction: float, interval: tuple[float, float], **said: Any
) -> Look:
    """What a look found; how many answers it rests on and what they cost is for its study to say."""
    low, high = interval
    return Look(
        number=len(past) + 1,
        looks=0,
        judgments=0,
        spent=Spent(0),
        value=found.value,
        se=found.se,
        df=found.df,
        low=low,
        high=high,
        fraction=fraction,
        **said,
    )


@dataclass(frozen=True)
class DifferenceTest:
    """Which side of zero a difference is on and, with a margin, whether it lies within that on both.

    Parameters
    ----------
    alpha : float
        Level of both sides together; of either test of equivalence.
    margin : float or None
        Largest difference that does not matter.
    spending : Spending
        How the level is spent.
    """

    alpha: float
    margin: float | None
    spending: Spending

    def look(self, found: Measured, past: Sequence[Look], fraction: float, **said: Any) -> Look:
        """What is shown: "better", "worse", "equivalent", or nothing yet."""
        bound, spent = held(past, fraction, self.alpha, 2, spending=self.spending)
        half = float(t_bound(bound, found.df)) * found.se
        shown = "better" if found.value > half else "worse" if found.value < -half else UNDECIDED
        if self.margin is not None:
            own = self._equal_bound(past, fraction)
            room = float(t_bound(own, found.df)) * found.se
            said |= {"equal_bound": own, "equal_low": found.value - room, "equal_high": found.value + room}
            shown = "equivalent" if abs(found.value) + room < self.margin else shown
        said |= {"alpha": spent, "bound": bound, "level": 1 - self.alpha, "outcome": shown}
        return found_at(found, past, fraction, (found.value - half, found.value + half), **said)

    def chances(self, looks: Sequence[Look], se: Floats, df: Floats | float, spread: float) -> Floats:
        """Chance that the last analysis shows something, by its errors, of an estimate that still moves by so much."""
        from scipy.special import ndtr

        value = looks[-1].value
        bound, _ = held(looks, 1.0, self.alpha, 2, spending=self.spending)
        limit = t_bound(bound, df) * se
        chance = ndtr((value - limit) / spread) + ndtr((-limit - value) / spread)
        if self.margin is not None:
            room = np.maximum(self.margin - t_bound(self._equal_bound(looks, 1.0), df) * se, 0.0)
            chance += ndtr((room - value) / spread) - ndtr((-room - value) / spread)
        return np.minimum(chance, 1.0)

    def _equal_bound(self, past: Sequence[Look], fraction: float) -> float:
        return held(past, fraction, self.alpha, 1, equal=True, spending=self.spending)[0]
