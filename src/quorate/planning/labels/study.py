"""A pilot with prices and bounds: what money buys, and what a goal costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.numerics.two_phase import Costs, Split, neyman, people_alone, powered
from quorate.planning.labels.labels_plan import Way
from quorate.planning.labels.pilot import Pilot, Precision

FEWEST, _EACH = 10, 5
"""Labels of any study, and of each stratum."""
_FURTHEST, _DEAREST = 20.0, 1e15
_SHOWN, _FAR = 16, 8
_WHOLE = 1e-6


@dataclass(frozen=True, eq=False)
class Study:
    """A study that is planned.

    Parameters
    ----------
    pilot : Pilot
        What is known.
    costs : Costs
        Prices.
    most : float
        Most units there are.
    have : bool
        Whether labels and predictions of the pilot belong to it.
    goal : {"budget", "half_width", "margin"}
        What is asked for.
    level, power : float
        Coverage of the interval, and chance of finding a margin.
    """

    pilot: Pilot
    costs: Costs
    most: float
    have: bool
    goal: str
    level: float
    power: float

    @property
    def least(self) -> Floats:
        """Fewest labels of each stratum."""
        several = len(self.pilot.names) > 1
        floor = np.full(len(self.pilot.names), float(_EACH if several else FEWEST))
        return np.maximum(floor, self.pilot.labels) if self.have else floor

    def paid(self, *, predicted: bool) -> float:
        """What is paid for of a study with predictions or without."""
        units = float(self.pilot.units.sum()) if predicted else 0.0
        return Split(self.pilot.labels, units, 0.0).cost(self.costs) if self.have else 0.0

    def price(self, split: Split) -> float:
        """What must still be bought."""
        return split.cost(self.costs) - self.paid(predicted=split.units > 0)

    def within(self, budget: float) -> tuple[Split, Split | None]:
        """The best split of a budget and people alone, in whole labels and units; refused where it buys too few."""
        both, alone = self._options(budget)
        options = [_whole(each, math.floor) for each in (both, alone) if each is not None]
        if not options:
            fewest = int(self.least.sum())
            raise NotEstimable(f"{budget:,.6g} does not buy a study of {fewest} labels; allow for more")
        best = min(options, key=self.figure)
        return best, None if alone is None else _whole(alone, math.floor)

    def reaching(self, asked: float) -> tuple[Split, Split | None]:
        """The cheapest split that reaches the goal and the cheapest of people alone; refused where there is none."""
        found = [self._cheapest(at, asked) for at in (0, 1)]
        options = [each for each in found if each is not None]
        if not options:
            widest = min(self.figure(each) for each in self._options(_DEAREST) if each is not None)
            reach = f"{asked:g} is out of reach with {self.most:,.0f} units, which give {widest:.3g}"
            raise NotEstimable(f"{self.goal}: {reach}; allow for more of them")
        return min(options, key=self.price), found[1]

    def figure(self, split: Split) -> float:
        """What the goal is about: a half-width, or a margin that is found."""
        found = self.pilot.precision(split)
        return found.detectable(self.level, self.power) if self.goal == "margin" else found.half_width(self.level)

    def half(self, precision: Precision) -> float:
        """Half-width of the interval."""
        return precision.half_width(self.level)

    def way(self, split: Split) -> Way:
        """The split as a result."""
        half = self.half(self.pilot.precision(split))
        return Way(round(float(split.labels.sum())), round(split.units), self.price(split), half)

    def same_price(self, best: Split) -> tuple[Way, ...]:
        """Splits of the price of the best one, each the best of its number of labels, and people alone."""
        pilot, costs = self.pilot, self.costs
        money = self.price(best) + self.paid(predicted=True)
        size = pilot.strata.weight * np.sqrt(pilot.strata.residual)
        out, fewest = [], max(float(self.least.sum()), float(best.labels.sum()) / _FAR)
        for labels in np.geomspace(fewest, money / costs.label, _SHOWN)[:-1]:
            units = min((money - labels * costs.label) / max(costs.prediction + costs.unit, 1e-300), self.most)
            most = units * pilot.strata.weight
            if most.sum() >= labels and (most >= self.least).all():
                split = Split(neyman(float(labels), size, self.least, most), units, np.nan)
                out.append(self.way(_whole(split, math.floor)))
        alone = self._options(self.price(best))[1]
        return (*out, *((self.way(_whole(alone, math.floor)),) if alone else ()))

    def _options(self, budget: float) -> tuple[Split | None, Split | None]:
        """Judges and people, and people alone, that a budget buys on top of what is paid for."""
        pilot, least = self.pilot, self.least
        own = float(pilot.units.sum()) if self.have else 0.0
        both, alone = (budget + self.paid(predicted=predicted) for predicted in (True, False))
        with_judges = powered(pilot.strata, self.costs, both, least, least_units=own, most_units=self.most)
        return with_judges, people_alone(pilot.strata, self.costs, alone, least, most_units=self.most)

    def _cheapest(self, at: int, asked: float) -> Split | None:
        """The cheapest split of one kind that reaches the goal, by its price."""

        def beyond(budget: float) -> float:
            """How far the goal is from what a budget gives, as a logarithm; one that buys nothing is far."""
            split = self._options(budget)[at]
            return _FURTHEST if split is None else math.log(max(self.figure(split), 1e-300) / asked)

        low, high = 0.0, 1.0
        if beyond(low) <= 0:  # by what is paid for
            high = low
        while beyond(high) > 0:
            low, high = high, 4 * high
            if high > _DEAREST:
                return None
        found = brentq(beyond, low, high, xtol=1e-6 * high, rtol=1e-9) if high else 0.0
        reached = self._options(found * (1 + 1e-6))[at]
        return None if reached is None else _whole(reached, math.ceil)


def _whole(split: Split, rounded: Callable[[float], int]) -> Split:
    """A split in whole labels and units."""
    nudge = _WHOLE if rounded is math.floor else -_WHOLE
    labels = np.array([float(rounded(each + nudge)) for each in split.labels])
    return Split(labels, float(rounded(split.units + nudge)) if split.units else 0.0, split.variance)
