"""Labels to come: plans for means, and for the gaps of a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.coefficients import alpha_of
from quorate.estimate.ratings.corrected_board import CorrectedRatings
from quorate.frozen import dataclass
from quorate.numerics.ratings.next_vote import GapVotes
from quorate.planning.power.sample_size import check_power
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


# How many battles people must still vote on for a board: for intervals of its gaps, or to tell neighbours apart.


@dataclass(frozen=True)
class GapLabels(Brief):
    """Labels for the gap of two neighbours.

    Parameters
    ----------
    first, second : str
        The two systems.
    gap : float
        Difference of their ratings.
    half_width : float
        Half of its interval now.
    labels, people : int or None
        Labelled battles that it takes with judges, and without them; None where no number suffices, as of a gap of 0.
    """

    first: str
    second: str
    gap: float
    half_width: float
    labels: int | None
    people: int | None


@dataclass(frozen=True, eq=False, repr=False)
class BoardPlan(Result):
    """How many labels every gap of two neighbours of a board takes.

    Parameters
    ----------
    board : CorrectedRatings
        The board at hand.
    gaps : tuple of GapLabels
        Neighbours, the best first.
    have, battles : int
        Labelled battles so far, and battles in all.
    explained : float
        Share of the variance of a label that judges say, from 0 to 1.
    goal : {"resolved", "half_width", "margin"}
        What is asked of every gap.
    asked : float or None
        How wide or large that is; None if gaps are to be resolved as they are.
    level, power : float
        Coverage of the interval of a gap, and chance that it leaves out 0.
    price : float or None
        Of a label.
    """

    board: CorrectedRatings
    gaps: tuple[GapLabels, ...]
    have: int
    battles: int
    explained: float
    goal: str
    asked: float | None
    level: float
    power: float
    price: float | None

    entries = "gaps=rows have battles explained goal asked level power price labels more people cost sentence board"

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on the board."""
        return self.board.caveats

    @property
    def labels(self) -> int | None:
        """Labels for all gaps; None where no number suffices for one."""
        return _largest(one.labels for one in self.gaps)

    @property
    def people(self) -> int | None:
        """The same without judges."""
        return _largest(one.people for one in self.gaps)

    @property
    def more(self) -> int | None:
        """Labels to buy."""
        return None if self.labels is None else max(self.labels - self.have, 0)

    @property
    def cost(self) -> float | None:
        """Their price."""
        return None if self.more is None or self.price is None else self.more * self.price

    def rows(self) -> list[Row]:
        """One row for every two neighbours: first, second, gap, half_width, labels, more, people."""
        out = []
        for one in self.gaps:
            more = None if one.labels is None else max(one.labels - self.have, 0)
            gap = {"first": one.first, "second": one.second, "gap": one.gap, "half_width": one.half_width}
            out.append({**gap, "labels": one.labels, "more": more, "people": one.people})
        return out

    @property
    def done(self) -> int:
        """Gaps that have enough labels."""
        return sum(one.labels is not None and one.labels <= self.have for one in self.gaps)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        wanted = {
            "half_width": f"For half-widths of {self.asked or 0:g} of the gaps of all neighbours",
            "margin": f"To find gaps of {self.asked or 0:g} between all neighbours with a chance of {self.power:g}",
            "resolved": "To tell every two neighbours apart, were their gaps as estimated, with a chance of "
            f"{self.power:g}",
        }[self.goal]
        if self.labels is None:
            of = f"{self.done} of {counted(len(self.gaps), 'gap')}"
            return f"{wanted} no number of labels is enough; {of} have enough."
        alone = "" if self.people is None else f"; without judges {self.people:,}"
        cost = "" if self.cost is None else f" for {self.cost:,.6g}"
        return f"{wanted} it takes {counted(self.labels, 'labelled battle')}, {self.more:,} more than now{cost}{alone}."


def _largest(numbers: Any) -> int | None:
    every = list(numbers)
    return None if None in every else max(every)


def plan_board_labels(
    board: CorrectedRatings,
    *,
    half_width: float | None = None,
    margin: float | None = None,
    power: float = 0.9,
    units: int | None = None,
    price: float | None = None,
) -> BoardPlan:
    """How many battles people must vote on for a board whose gaps are known well enough.

    The variance of a gap is ``v ((1 - r^2) / n + r^2 / N)`` with ``n`` of ``N`` battles labelled, ``v`` that of one
    label and ``r^2`` what judges say of it on the whole board; both are as the board at hand has them.

    Parameters
    ----------
    board : CorrectedRatings
        From `quorate.agreement.corrected_ratings`.
    half_width : float, optional
        Half-width that the gaps of neighbours are to have. Default: to tell these apart. Of the interval of every gap,
        in the unit of the ratings; gaps are taken as estimated.
    margin : float, optional
        Instead: a gap between neighbours that is to be found wherever it is.
    power : float
        Chance of finding a gap. That its interval leaves out 0.
    units : int, optional
        Battles that judges will have voted on; by default those at hand.
    price : float, optional
        Price of a label.

    Returns
    -------
    BoardPlan

    Raises
    ------
    InvalidInput
        If an argument breaks its rule.

    References
    ----------
    Cochran (1977), Sampling Techniques, 12.7. ``docs/methods/labelled-boards.md``.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> rng = np.random.default_rng(1)
    >>> people = rng.random(900) < 0.65
    >>> llm = np.where(rng.random(900) < 0.9, people, True)
    >>> frame = {"prompt": np.tile(np.arange(900), 2), "judge": ["llm"] * 900 + ["person"] * 900}
    >>> frame |= {"model_a": ["x"] * 1800, "model_b": ["y"] * 1800}
    >>> frame |= {"winner": np.where(np.append(llm, people), "x", "y")}
    >>> votes = q.read_votes(polars.DataFrame(frame)[:1050], announce=False)
    >>> plan = q.agreement.plan_board_labels(q.agreement.corrected_ratings(votes, "person"), half_width=0.25)
    >>> plan.labels < plan.people
    True
    """
    if half_width is not None and margin is not None:
        raise InvalidInput("half_width: not with " + argument("margin") + "; give one of the two")
    goal, asked = "resolved" if margin is None else "margin", margin
    if half_width is not None:
        goal, asked = "half_width", half_width
    if asked is not None:
        rules.number(goal, asked, above=0)
        asked = float(asked)
    check_power(power, 1 - board.level)
    battles = board.labels + board.predictions
    if units is not None and units < battles:
        raise InvalidInput(f"units: at least the {battles:,} battles at hand, got {units!r}")
    if price is not None:
        rules.number("price", price, least=0)
    total = battles if units is None else units
    left = 1 - board.labels / battles
    explained = min(max((1 - board.labels / board.effective) / left, 0.0), 1.0) if left else 0.0
    gaps = []
    for first, second in zip(board.ratings.systems, board.ratings.systems[1:], strict=False):
        now, alone = (one.difference(first, second) for one in (board.ratings, board.people))
        low, high = now.at(board.level).ends
        each = alone.se**2 * board.labels  # of one label
        target = abs(now.value) if asked is None else asked
        chance = None if goal == "half_width" else power
        need = GapVotes(each, alone.df / board.labels, board.level, float(target), chance)
        labels, people = need.needed(explained, total), need.needed(0.0, total)
        gaps.append(GapLabels(first, second, now.value, (high - low) / 2, labels, people))
    return BoardPlan(board, tuple(gaps), board.labels, total, explained, goal, asked, board.level, power, price)
