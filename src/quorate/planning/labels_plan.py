"""The result of a plan of labels: how many by people and how many predictions by judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import NotEstimable
from quorate.estimate.agreement.coefficients import alpha_of
from quorate.roles import JUDGE
from quorate.table.results import Result, Row
from quorate.wording import Brief, counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from quorate.estimate.agreement.labelled import Table, UnitMeans


# Reliability of people: how far labels of the same unit agree, and what of a label any judge could predict.


_FEWEST = 5
"""Units with several labels below which nothing is said of how far people agree."""


@dataclass(frozen=True)
class Reliability(Brief):
    """How far labels of the same units by several people agree.

    Parameters
    ----------
    value, low, high : float
        Krippendorff's alpha and its interval over units: the share of a label's variance that people have in common.
        Its root is the highest correlation that any judge can have with a label.
    units : int
        Units that two people or more labelled.
    within : float
        Variance of labels of one unit.
    """

    value: float
    low: float
    high: float
    units: int
    within: float

    @property
    def ceiling(self) -> float:
        """Highest correlation with a label that a judge could have."""
        return float(np.sqrt(max(self.value, 0.0)))

    @property
    def none(self) -> bool:
        """Whether labels of the same unit may agree no more than by chance."""
        return not self.low > 0


@dataclass(frozen=True, eq=False)
class Persons:
    """Labels by unit and person.

    Parameters
    ----------
    unit : array of int, shape (labels,)
        Code of the unit.
    value : array, shape (labels,)
        What the person says of it, the mean where it is asked again.
    """

    unit: Ints
    value: Floats

    @classmethod
    def of(cls, people: Table, units: Callable[[Table], UnitMeans]) -> Persons:
        """Labels of every person of a table, by the function that has its units."""
        if JUDGE not in people.names:
            tables = [people]
        else:
            tables = [people.only(JUDGE, name) for name in people.facet(JUDGE).levels]
        found = [units(table) for table in tables]
        code = {key: i for i, key in enumerate(dict.fromkeys(key for one in found for key in one.keys))}
        unit = np.array([code[key] for one in found for key in one.keys], dtype=np.int64)
        value = np.concatenate([one.value for one in found])
        known = ~np.isnan(value)
        return cls(unit[known], value[known])

    @property
    def counts(self) -> Ints:
        """People of every labelled unit."""
        counts: Ints = np.unique(self.unit, return_counts=True)[1]
        return counts

    def reliability(self, level: float) -> Reliability | None:
        """How far they agree; None where too few units have several labels, or all labels are equal."""
        try:
            found = alpha_of(self.unit, self.value, level=level)
        except NotEstimable:
            return None
        if found.items < _FEWEST:
            return None
        counts = np.bincount(self.unit)
        centre = np.bincount(self.unit, self.value) / np.maximum(counts, 1)
        several = counts[self.unit] > 1
        square = float(np.sum((self.value - centre[self.unit])[several] ** 2))
        within = square / float(np.sum(counts[counts > 1] - 1))
        low = found.low if np.isfinite(found.low) else -1.0
        high = found.high if np.isfinite(found.high) else 1.0
        return Reliability(found.value, low, high, found.items, within)


@dataclass(frozen=True)
class Way(Brief):
    """One way to spend the money.

    Parameters
    ----------
    labels : int
        Units that people label, one person each.
    units : int
        Units that judges predict; 0 where people are asked alone.
    cost : float
        What must be bought.
    half_width : float
        Half of the interval that half of the studies find at most.
    """

    labels: int
    units: int
    cost: float
    half_width: float


@dataclass(frozen=True)
class StratumLabels(Brief):
    """Labels of one stratum.

    Parameters
    ----------
    name : str
        Its level.
    share : float
        Share of all units.
    labels, units : int
        Units to label, and to predict.
    """

    name: str
    share: float
    labels: int
    units: int


@dataclass(frozen=True)
class LabelsPlan(Result):
    """How many labels by people and predictions by judges to buy.

    Parameters
    ----------
    what : str
        What is estimated.
    best : Way
        The cheapest or most precise split; without predictions where people alone are better.
    people : Way or None
        People alone at the same price, or as precise; None where there are not units enough.
    same_price : tuple of Way
        Splits of the price of the best one, from few labels to labels alone.
    goal : {"budget", "half_width", "margin"}
        What was asked for.
    asked : float
        How much of it.
    strata : tuple of StratumLabels
        The split by stratum; none where there are no strata.
    narrowest, widest : float
        Half-widths of the same plan if the correlation is at the ends of its interval.
    correlation, low, high : float
        Of a label and its prediction within strata, from the pilot, and its interval.
    worth_from : float
        Correlation from which predictions pay at these prices.
    bias, bias_se : float
        Prediction less label in the pilot: what predictions alone are off by, however many.
    reliability : Reliability or None
        How far people agree; None where too few units have labels of two.
    pilot : int
        Labels of the pilot.
    label_price, prediction_price, unit_price : float
        What one costs.
    level : float
        Coverage of intervals.
    power : float or None
        Chance of deciding a margin.
    caveats : tuple of Caveat
        What the reader must know.
    """

    what: str
    best: Way
    people: Way | None
    same_price: tuple[Way, ...]
    goal: str
    asked: float
    strata: tuple[StratumLabels, ...]
    narrowest: float
    widest: float
    correlation: float
    low: float
    high: float
    worth_from: float
    bias: float
    bias_se: float
    reliability: Reliability | None
    pilot: int
    label_price: float
    prediction_price: float
    unit_price: float
    level: float
    power: float | None
    caveats: tuple[Caveat, ...]

    derived = ("saved", "unattenuated", "says", "sentence")

    @property
    def saved(self) -> float | None:
        """Part of the price of people alone that is saved for the same precision; None where it is not known."""
        if self.people is None or self.goal == "budget":
            return None
        return 1 - self.best.cost / self.people.cost if self.people.cost else 0.0

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        best = self.best
        by = f" ({listed([f'{one.labels:,} of {one.name}' for one in self.strata])})" if self.strata else ""
        labels = f"{counted(best.labels, 'label')} by people{by}"
        end = f"for {best.cost:,.6g}: half-width {best.half_width:.3g}"
        if not best.units:
            return f"{labels} and no predictions, {end}. Predictions do not pay at these prices."
        alone = "alone people cannot be as precise with the units that there are"
        if self.people is not None and self.goal == "budget":
            alone = f"people alone get {self.people.half_width:.3g} for it, with {self.people.labels:,} labels"
        elif self.people is not None:
            alone = f"people alone take {self.people.labels:,} labels, {self.people.cost:,.6g}, for as much"
        return f"{labels} among {counted(best.units, 'unit')} that judges predict, {end}; {alone}."

    @property
    def says(self) -> tuple[str, ...]:
        """What the pilot says of predictions and of people, a sentence each."""
        pays = "they pay" if self.correlation >= self.worth_from else "they do not pay"
        around, by = f"{self.low:.2f} to {self.high:.2f}", f"by {self.pilot:,} labels"
        said = f"Predictions correlate {self.correlation:.2f} with a label ({around}, {by}); at these prices {pays}: "
        lines = [f"{said}{self.worth_from:.2f} is needed."]
        if self.best.units:
            ends = f"{self.widest:.3g} or {self.narrowest:.3g}"
            lines.append(f"At the ends of that interval the same plan has a half-width of {ends}.")
        off = f"{self.bias:+.3f} (standard error {self.bias_se:.3f})"
        lines.append(f"Judges alone would be off by {off}, however many units they predict.")
        if self.reliability is not None:
            found = self.reliability
            agree = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}, {found.units:,} units)"
            said = f"People agree with alpha {agree}: no judge can correlate more than {found.ceiling:.2f} with a label"
            shared = f", and these correlate {self.unattenuated:.2f} with what people share" if found.ceiling else ""
            lines.append(f"{said}{shared}.")
        return tuple(lines)

    @property
    def unattenuated(self) -> float | None:
        """Correlation of predictions with what people share; None where that is not known, and at most 1."""
        if self.reliability is None or not self.reliability.ceiling:
            return None
        return min(self.correlation / self.reliability.ceiling, 1.0)

    def rows(self) -> list[Row]:
        """The split and people alone: way, labels, units, cost and half_width."""
        ways = {"people and judges" if self.best.units else "people alone": self.best}
        ways |= {"people alone": self.people} if self.people and self.best.units else {}
        return [
            {"way": name, "labels": w.labels, "units": w.units, "cost": w.cost, "half_width": w.half_width}
            for name, w in ways.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        return super().to_dict() | {"caveats": [str(caveat) for caveat in self.caveats]}
