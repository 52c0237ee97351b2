"""How many battles people must still vote on for a board: for intervals of its gaps, or to tell neighbours apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from quorate.arguments import argument
from quorate.caveats import Caveat
from quorate.errors import InvalidInput
from quorate.estimate.ratings.corrected_board import CorrectedRatings
from quorate.numerics.ratings.next_vote import GapVotes
from quorate.planning.power.sample_size import check_power
from quorate.table.results import Result, Row, plain
from quorate.wording import Brief, counted


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
    def sentence(self) -> str:
        """The answer in one sentence."""
        wanted = {
            "half_width": f"For half-widths of {self.asked or 0:g} of the gaps of all neighbours",
            "margin": f"To find gaps of {self.asked or 0:g} between all neighbours with a chance of {self.power:g}",
            "resolved": "To tell every two neighbours apart, were their gaps as estimated, with a chance of "
            f"{self.power:g}",
        }[self.goal]
        if self.labels is None:
            done = sum(one.labels is not None and one.labels <= self.have for one in self.gaps)
            return f"{wanted} no number of labels is enough; {done} of {counted(len(self.gaps), 'gap')} have enough."
        alone = "" if self.people is None else f"; without judges {self.people:,}"
        cost = "" if self.cost is None else f" for {self.cost:,.6g}"
        return f"{wanted} it takes {counted(self.labels, 'labelled battle')}, {self.more:,} more than now{cost}{alone}."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        names = ("have", "battles", "explained", "goal", "asked", "level", "power", "price")
        values = {name: plain(getattr(self, name)) for name in names}
        own = {name: getattr(self, name) for name in ("labels", "more", "people", "cost", "sentence")}
        return {"gaps": [plain(row) for row in self.rows()], **values, **own, "board": self.board.to_dict()}


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
    goal, asked = _goal(half_width, margin)
    check_power(power, 1 - board.level)
    battles = board.labels + board.predictions
    if units is not None and units < battles:
        raise InvalidInput(f"units: at least the {battles:,} battles at hand, got {units!r}")
    if price is not None and not (isinstance(price, Real) and 0 <= price < math.inf):
        raise InvalidInput(f"price: a finite amount of at least 0 is needed, got {price!r}")
    total = battles if units is None else units
    left = 1 - board.labels / battles
    explained = min(max((1 - board.labels / board.effective) / left, 0.0), 1.0) if left else 0.0
    gaps = []
    for first, second in zip(board.ratings.systems, board.ratings.systems[1:], strict=False):
        now, alone = (one.difference(first, second) for one in (board.ratings, board.people))
        low, high = now.at(board.level).ends
        each = alone.se**2 * board.labels  # of one label
        target = {"resolved": abs(now.value), "half_width": asked, "margin": asked}[goal]
        chance = None if goal == "half_width" else power
        need = GapVotes(each, alone.df / board.labels, board.level, float(target or 0.0), chance)
        gaps.append(
            GapLabels(
                first, second, now.value, (high - low) / 2, need.needed(explained, total), need.needed(0.0, total)
            )
        )
    return BoardPlan(board, tuple(gaps), board.labels, total, explained, goal, asked, board.level, power, price)


def _goal(half_width: float | None, margin: float | None) -> tuple[str, float | None]:
    """What is asked of the gaps, by name."""
    given = {"half_width": half_width, "margin": margin}
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) > 1:
        raise InvalidInput("half_width: not with " + argument("margin") + "; give one of the two")
    for name, value in named.items():
        if not isinstance(value, Real) or isinstance(value, bool) or not 0 < value < math.inf:
            raise InvalidInput(f"{name}: a number above 0 is needed, got {value!r}")
        return name, float(value)
    return "resolved", None
