"""Stopping of an adaptive allocation: when it has what was asked for, and the sentence that says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidInput
from quorate.numerics.sequential import item_intervals
from quorate.numerics.sequential.sides import Moments, against_difference, against_mean
from quorate.planning.adaptive.arms import Standing
from quorate.planning.adaptive.options import Scale
from quorate.wording import Brief

_NAMED = 3


@dataclass(frozen=True, eq=False)
class Boundary:
    """What every arm is to be told apart from.

    Parameters
    ----------
    at : float
        A threshold, where there are no partners.
    tolerance : float
        Distance from the boundary that does not matter, in the unit of an attribute.
    partner : array of int64, shape (arms,), optional
        The arm that each is compared with.
    decide : bool
        Whether an arm is known well enough once it is known on which side it is.
    """

    at: float
    tolerance: float
    partner: Ints | None = None
    decide: bool = False

    @property
    def words(self) -> str:
        """What is asked, in words."""
        what = f"on which side of {self.at:g} each is" if self.partner is None else "which of two is better"
        return f"{what}, give or take {self.tolerance:g}"

    def told(self, found: Moments, low: float, span: float, unit: float, alpha: float) -> Bools:
        """Whether it is known on which side every arm is, or that it is within the tolerance; shape (arms,).

        Parameters
        ----------
        found : Moments
            Scores from 0 to 1.
        low, span : float
            Least score of the scale, and its length.
        unit : float
            Of the attribute.
        alpha : float
            Chance that one of the answers about an arm, or about a pair, is ever wrong.
        """
        limit, near = -math.log(alpha), self.tolerance * unit / span
        shifts = (0.0, near, -near)  # one side or the other; or not as far as ``near`` on either
        if self.partner is None:
            at = (self.at - low) / span
            here, above, below = (against_mean(found, at + shift) >= limit for shift in shifts)
            return np.asarray(here | (above & below & (np.abs(found.mean - at) < near)))
        first = np.flatnonzero(np.arange(len(self.partner)) < self.partner)
        one, two = found.of(first), found.of(self.partner[first])
        here, above, below = (against_difference(one, two, shift) >= limit for shift in shifts)
        told = np.zeros(len(self.partner), dtype=bool)
        told[first] = here | (above & below & (np.abs(one.mean - two.mean) < near))
        return told | told[self.partner]


@dataclass(frozen=True)
class Precision(Brief):
    """How well every arm is to be known.

    Parameters
    ----------
    target : float, optional
        Half-width that is good enough for every arm; None to spend the whole budget.
    level : float
        Coverage of the intervals.
    method : {"anytime", "t", "bernstein", "asymptotic"}
        As for `quorate.numerics.sequential.item_intervals.interval`.
    scales : tuple of Scale
        Of every attribute.
    units : tuple of float
        What a half-width of every attribute is divided by before it is compared with the target.
    parts : int
        Answers in one pull.
    together : int
        Intervals that hold together at that level: one of every arm and attribute.
    least : int
        Pulls before an arm can be known well enough.
    boundary : Boundary, optional
        What every arm is to be told apart from.
    sides : int
        Sides that hold together at that level: one of every arm, or of every two that are compared, and attribute.
    """

    target: float | None
    level: float
    method: item_intervals.Method
    scales: tuple[Scale, ...]
    units: tuple[float, ...]
    parts: int = 1
    together: int = 1
    least: int = 1
    boundary: Boundary | None = None
    sides: int = 1

    def __post_init__(self) -> None:
        if self.target is not None and not 0 < self.target < math.inf:
            raise InvalidInput(f"target: a half-width above 0, in the unit of the scores, got {self.target}")
        if self.target is not None and self._decides:
            raise InvalidInput("decide: stops where every side is known, target where every mean is; give one of them")
        if self._decides and self.method != "anytime":
            raise InvalidInput(f'decide: looks at every answer, so interval must be "anytime", got "{self.method}"')
        if self.stops:
            item_intervals.half_width(0, np.nan, 0, **self._options(0))

    @property
    def stops(self) -> bool:
        """Whether something can be reached before the budget is spent."""
        return self.target is not None or self._decides

    def half_widths(self, standing: Standing) -> Floats:
        """Half-width of every arm and attribute in the unit of the scores, shape (arms, attributes).

        Raises
        ------
        InvalidInput
            If the method needs a scale that was not given, or scores lie outside of it.
        """
        columns = [item_intervals.half_width(*self._moments(standing, a), **self._options(a)) for a in self._each]
        return np.column_stack(columns)

    def known(self, standing: Standing) -> Bools:
        """Whether every arm is known well enough, shape (arms,); none is without a target."""
        if not self.stops:
            return np.zeros(len(standing.n), dtype=bool)
        long = standing.n >= self.least
        if self._decides and self.boundary is not None and self.boundary.partner is not None:
            long &= long[self.boundary.partner]
        return np.asarray(np.all([self._enough(standing, a) for a in self._each], axis=0) & long)

    def _enough(self, standing: Standing, attribute: int) -> Bools:
        (n, mean, ss), unit = self._moments(standing, attribute), self.units[attribute]
        if self.boundary is None or self.target is not None:
            target = math.nan if self.target is None else self.target * unit
            return item_intervals.within(n, mean, ss, target, **self._options(attribute))
        low, high = self.bounds[attribute]
        found = Moments(n, np.where(n > 0, (mean - low) / (high - low), 0.5), ss / (high - low) ** 2)
        return self.boundary.told(found, low, high - low, unit, (1 - self.level) / self.sides)

    def reached(self, standing: Standing) -> bool:
        """Whether every arm that is not given up is known well enough."""
        out = self.out(standing)
        return bool((self.known(standing) | out).all() and not out.all())

    def out(self, standing: Standing) -> Bools:
        """Whether no more is spent on an arm: it is given up, or the one it is compared with; shape (arms,)."""
        partner = None if self.boundary is None else self.boundary.partner
        return standing.lost if partner is None else standing.lost | standing.lost[partner]

    @property
    def _decides(self) -> bool:
        return self.boundary is not None and self.boundary.decide

    def wider(self, standing: Standing) -> tuple[int, float]:
        """How many arms are not known well enough, and the widest half-width in units of the attributes."""
        kept = ~self.out(standing)
        widths = (self.half_widths(standing) / self.units).max(axis=1)[kept]
        return int((~self.known(standing) & kept).sum()), float(widths.max(initial=0.0))

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest score of every attribute; empty where they are not known."""
        known = [(low, high) for low, high, _ in self.scales if low is not None and high is not None]
        return tuple(known) if len(known) == len(self.scales) else ()

    @property
    def _each(self) -> range:
        return range(len(self.scales))

    def _moments(self, standing: Standing, attribute: int) -> tuple[Floats, Floats, Floats]:
        n, variance = standing.n.astype(np.float64), standing.variance[:, attribute]
        # an interval of equal scores that has no width is as good as no score: a few do not pass for certainty
        sees_zero = self.scales[attribute].step is not None or self.method in ("anytime", "bernstein")
        says = sees_zero | (variance > 0)
        return np.where(says, n, 0.0), standing.mean[:, attribute], n * variance

    def _options(self, attribute: int) -> item_intervals.Options:
        low, high, step = self.scales[attribute]
        return {
            "level": self.level,
            "method": self.method,
            "low": low,
            "high": high,
            "step": None if step is None else step / self.parts,
            "arms": self.together,
        }


def sentence(
    precision: Precision, standing: Standing, spent: str, names: Sequence[str], *, done: bool, reached: bool
) -> str:
    """What has been reached, for how much, and which arms were given up."""
    boundary = precision.boundary
    asked = (
        f"you asked {boundary.words}" if boundary and boundary.decide else f"you asked for {precision.target or 0:g}"
    )
    if not precision.stops:
        text = f"{spent} made, {int(standing.failed.sum()):,} of them failed"
    elif reached:
        text = f"{asked}; reached after {spent}"
    else:
        count, widest = precision.wider(standing)
        kept = int((~precision.out(standing)).sum())
        text = f"{asked}; {'not reached' if done else 'not yet reached'} after {spent}: {count:,} of {kept:,}"
        text += " are not known"
        text += "" if precision.target is None else f" as well, the widest {widest:.3g}"
    lost = standing.lost, "given up, as their calls failed again and again"
    unheard = (standing.n == 0) & ~standing.lost & done, "the budget ended before any answer for"
    for which, reason in (lost, unheard):
        arms = [names[at] for at in np.flatnonzero(which).tolist()]
        more = f" and {len(arms) - _NAMED} more" if len(arms) > _NAMED else ""
        text += f"; {reason}: arm{'s' * (len(arms) > 1)} {', '.join(arms[:_NAMED])}{more}" if arms else ""
    return text
