"""Policies of adaptive allocation: the next cells, given the progress."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.numerics.sequential import confidence_sequence
from quorate.numerics.sequential.bandit import Rule, in_turn
from quorate.numerics.sequential.confidence_sequence import Moments, against_difference, against_mean
from quorate.planning.arms import Arms, Scale, Standing, standing
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments
from quorate.table.progress import Progress
from quorate.table.results import Result
from quorate.wording import Brief

# Stopping of an adaptive allocation: when it has what was asked for, and the sentence that says so.


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
        As for `quorate.numerics.sequential.confidence_sequence.interval`.
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
    method: confidence_sequence.Method
    scales: tuple[Scale, ...]
    units: tuple[float, ...]
    parts: int = 1
    together: int = 1
    least: int = 1
    boundary: Boundary | None = None
    sides: int = 1

    def __post_init__(self) -> None:
        if self.target is not None:
            rules.number("target", self.target, above=0)
        if self.target is not None and self._decides:
            raise InvalidInput("decide: stops where every side is known, target where every mean is; give one of them")
        if self._decides and self.method != "anytime":
            raise InvalidInput(f'decide: looks at every answer, so interval must be "anytime", got "{self.method}"')
        if self.stops:
            confidence_sequence.half_width(0, np.nan, 0, **self._options(0))

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
        each = range(len(self.scales))
        columns = [confidence_sequence.half_width(*self._moments(standing, a), **self._options(a)) for a in each]
        return np.column_stack(columns)

    def known(self, standing: Standing) -> Bools:
        """Whether every arm is known well enough, shape (arms,); none is without a target."""
        if not self.stops:
            return np.zeros(len(standing.n), dtype=bool)
        long = standing.n >= self.least
        if self._decides and self.boundary is not None and self.boundary.partner is not None:
            long &= long[self.boundary.partner]
        enough = [long]
        for a, unit in enumerate(self.units):
            n, mean, ss = self._moments(standing, a)
            if self.boundary is None or self.target is not None:
                target = math.nan if self.target is None else self.target * unit
                enough.append(confidence_sequence.within(n, mean, ss, target, **self._options(a)))
                continue
            low, high = self.bounds[a]
            found = Moments(n, np.where(n > 0, (mean - low) / (high - low), 0.5), ss / (high - low) ** 2)
            enough.append(self.boundary.told(found, low, high - low, unit, (1 - self.level) / self.sides))
        return np.asarray(np.all(enough, axis=0))

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

    def _moments(self, standing: Standing, attribute: int) -> tuple[Floats, Floats, Floats]:
        n, variance = standing.n.astype(np.float64), standing.variance[:, attribute]
        # an interval of equal scores that has no width is as good as no score: a few do not pass for certainty
        sees_zero = self.scales[attribute].step is not None or self.method in ("anytime", "bernstein")
        says = sees_zero | (variance > 0)
        return np.where(says, n, 0.0), standing.mean[:, attribute], n * variance

    def _options(self, attribute: int) -> confidence_sequence.Options:
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


Name = Literal["uniform", "robin", "robin-hood"]
SLACK = 1e-9
"""Share of a budget that sums of prices may be off by."""
_MOST_AT_ONCE = 128
_MOST_CALLS = 1_000_000_000
Priority = Callable[[Ints, Ints], Floats]
"""Priority of arms, shape (k,), after so many pulls each, shape (k, depth); -inf where an arm is not to be pulled."""


class Pulls(NamedTuple):
    """Pulls in their order.

    Parameters
    ----------
    arm : array of int64, shape (pulls,)
        Which arm.
    level : array of int64, shape (pulls,)
        Pulls of that arm before this one.
    """

    arm: Ints
    level: Ints


def best(priority: Priority, level: Ints, failed: Ints, rank: Ints, count: int) -> Pulls:
    """The next pulls: always of the greatest priority, of equals the arm of the lowest rank.

    Where priorities are infinite, or 0, it goes by the calls made, so that arms take turns. Only arms whose next pull
    is among the first ``count`` can be pulled at all, since the priority of an arm falls with its pulls.

    Parameters
    ----------
    priority : callable
        Of arms after some pulls; it never rises with the pulls.
    level : array of int64, shape (arms,)
        Pulls so far, those under way included.
    failed : array of int64, shape (arms,)
        Calls that failed.
    rank : array of int64, shape (arms,)
        Order among equals.
    count : int
        How many pulls; fewer come back where no more arms are to be pulled.
    """
    first = priority(np.arange(len(level)), level[:, None])[:, 0]
    turns = in_turn(first, level + failed)
    arms = np.flatnonzero(turns > -np.inf)
    if len(arms) > count:  # the ``count`` arms that come first, in any order
        arms = arms[turns[arms] >= np.partition(turns[arms], len(arms) - count)[len(arms) - count]]
        arms = np.asarray(arms[np.lexsort((rank[arms], -turns[arms]))][:count])
    levels = level[arms, None] + np.arange(count)
    keys = in_turn(priority(arms, levels), levels + failed[arms, None])
    arm = np.broadcast_to(arms[:, None], levels.shape)
    some = np.flatnonzero(keys > -np.inf)
    order = some[np.lexsort((levels.flat[some], rank[arm.flat[some]], -keys.flat[some]))][:count]
    return Pulls(arm.flat[order], levels.flat[order])


@dataclass(frozen=True, eq=False, repr=False)
class Policy(Result):
    """Which cells to ask next; made by `adaptive`.

    It holds no state: the next cells follow from the progress alone, so a run that was killed goes on as if it had not
    been.

    Parameters
    ----------
    name : {"uniform", "robin", "robin-hood"}
        Which policy.
    arms : Arms
        What is measured.
    attributes : tuple of str
        What every answer scores, where that is more than one thing.
    budget : float
        Calls, or money where there are prices.
    price : array, shape (cells,)
        Price of a call.
    priced : bool
        Whether prices were given.
    rules : tuple of Rule
        Order of pulls by every attribute, weights and prices of shape (arms, 1).
    known : array, shape (arms, attributes), optional
        Variances that need not be found; None to use those of the answers.
    warmup : int
        Pulls of every arm before its variance counts.
    precision : Precision
        When to stop before the budget is spent.
    unit : array, shape (attributes,)
        Scores are multiples of it, or it is 1.
    rank : array of int64, shape (arms,)
        Order among equals, random by the seed.
    give_up : int
        Failures in a row after which an arm is given up.
    most : array of int64, shape (cells,), optional
        Highest replicate of every cell that there is, where answers were recorded before.
    """

    name: Name
    arms: Arms
    attributes: tuple[str, ...]
    budget: float
    price: Floats
    priced: bool
    rules: tuple[Rule, ...]
    known: Floats | None
    warmup: int
    precision: Precision
    unit: Floats
    rank: Ints
    give_up: int
    most: Ints | None = None

    def __repr__(self) -> str:
        kind = "" if self.priced else " calls"
        return f"Policy({self.name}: {len(self.arms):,} arms, budget {self.budget:,g}{kind})"

    def start(self) -> Progress:
        """The progress before anything was asked."""
        start = Progress.start(self.arms.roster, attributes=self.attributes)
        return replace(start, bounds=self.precision.bounds)

    def resume(self, judgments: Judgments, *, attribute: str | None = None) -> Progress:
        """The progress that judgments have come to, such as those of a run that was killed.

        Parameters
        ----------
        judgments : Judgments
            A row for every call, also for those that failed.
        attribute : str, optional
            Facet whose levels are the attributes.

        Raises
        ------
        InvalidInput
            If the judgments have other cells or facets.
        InvalidData
            If two rows of a cell have the same replicate, or a score is not on the scale.
        """
        return Progress.of(judgments, arms=self.start(), attribute=attribute)

    def next_cells(self, progress: Progress, batch: int = 1) -> Cells:
        """The next calls, in the order of asking; none when the policy is done, or must wait for those under way.

        They are the calls that would be made one by one if no answer came in between: calls under way count as made.
        No replicate of a cell is asked twice, not even if its answer was lost.

        Parameters
        ----------
        progress : Progress
            Of the same cells, such as from `start`.
        batch : int
            Most calls; a pull of several cells, such as a cycle of judges, is never divided.

        Raises
        ------
        InvalidInput
            If the progress is of other cells, or has spent more than the budget.
        """
        batch = rules.whole("batch", batch, 1, _MOST_CALLS)
        now = self._standing(progress)
        spent = self.spent(progress)
        if self._overspent(progress):
            raise InvalidInput(f"budget: {self.budget:,g}, but {spent:,g} is spent already; raise the budget to go on")
        left = self.budget * (1 + SLACK) - spent
        ends = np.full(len(self.arms), np.inf)
        if self.most is not None:  # what failed, and what was not recorded, is none of the pulls that an arm can have
            ends = (now.asked + (self.most - progress.issued)[self.arms.cells]).min(axis=1).astype(np.float64)
        pulls = self._pulls(now, ends, left, batch)
        asks = now.asked[pulls.arm] <= pulls.level[:, None]
        rows = self.arms.cells[pulls.arm]
        place = progress.issued[rows] + pulls.level[:, None] - now.asked[pulls.arm] + 1
        return self.arms.roster.cells(rows[asks], place[asks])

    def done(self, progress: Progress) -> bool:
        """Whether nothing is under way and nothing more is to be asked, or paid."""
        return not progress.pending.any() and (self._overspent(progress) or not len(self.next_cells(progress)))

    def reached(self, progress: Progress) -> bool:
        """Whether every arm that is not given up is known as well as was asked; False without a target to reach."""
        return self.precision.reached(self._standing(progress))

    def enough(self, progress: Progress) -> NDArray[np.bool_]:
        """Whether every arm is known as well as was asked, shape (arms,); none is without a target to reach."""
        return self.precision.known(self._standing(progress))

    def spent(self, progress: Progress) -> float:
        """Price of the calls made, failed ones and those under way included; their number where there are no prices."""
        return float((self.price * progress.calls).sum())

    def half_widths(self, progress: Progress) -> Floats:
        """Half-width of the interval of every arm, shape (arms,) or (arms, attributes)."""
        widths = self.precision.half_widths(self._standing(progress))
        return widths if self.attributes else widths[:, 0]

    def means(self, progress: Progress) -> Floats:
        """Mean of every arm, shape (arms,) or (arms, attributes); nan where there is none."""
        found = self._standing(progress).mean
        return found if self.attributes else found[:, 0]

    def pulls(self, progress: Progress) -> Ints:
        """Whole pulls of every arm that are answered, shape (arms,)."""
        return self._standing(progress).n

    def given_up(self, progress: Progress) -> tuple[str, ...]:
        """The arms whose calls only or mostly failed, on which no more is spent."""
        return tuple(self.arms.names[at] for at in np.flatnonzero(self._standing(progress).lost).tolist())

    def sentence(self, progress: Progress, *, spent: str | None = None, done: bool | None = None) -> str:
        """What has been reached, for how much, and which arms were given up or have no answer.

        Parameters
        ----------
        progress : Progress
            Of the same cells.
        spent : str, optional
            What was spent, where another count is the better one, such as ``"50 of 100 calls"``.
        done : bool, optional
            Whether nothing more is asked, where another budget ends it.
        """
        of = f"{self.spent(progress):,.{2 * self.priced}f} of {self.budget:,.{2 * self.priced}f}"
        own = f"{of} spent on {int(progress.calls.sum()):,} calls" if self.priced else f"{of} calls"
        spent, done = own if spent is None else spent, self.done(progress) if done is None else done
        reached = self.reached(progress)
        return sentence(self.precision, self._standing(progress), spent, self.arms.names, done=done, reached=reached)

    def _standing(self, progress: Progress) -> Standing:
        found = standing(self.arms, progress, self.unit, self.give_up)
        if progress.bounds != self.precision.bounds:
            raise InvalidInput(
                "progress: its scores were not checked against the scale of the policy; "
                "begin with policy.start() or policy.resume(judgments)"
            )
        return found

    def _overspent(self, progress: Progress) -> bool:
        return self.spent(progress) > self.budget * (1 + SLACK)

    def _pulls(self, now: Standing, ends: Floats, left: float, batch: int) -> Pulls:
        """Pulls in turn, a hundred or so at a time, until the batch is full or the next does not fit the budget."""
        asked, parts, calls = now.asked, [Pulls(*np.zeros((2, 0), dtype=np.int64))], 0
        priority = self._priority(now, ends)
        while calls < batch:
            count = min(_MOST_AT_ONCE, max((batch - calls) // self.arms.parts, 1))
            pulls = best(priority, asked.min(axis=1), now.failed, self.rank, count)
            asks = asked[pulls.arm] <= pulls.level[:, None]
            sizes, costs = asks.sum(axis=1), (asks * self.price[self.arms.cells[pulls.arm]]).sum(axis=1)
            fits = (calls + np.cumsum(sizes) <= batch) & (np.cumsum(costs) <= left)
            if not calls and len(fits):
                fits[0] = costs[0] <= left
            kept = int(np.logical_and.accumulate(fits).sum())
            parts.append(Pulls(pulls.arm[:kept], pulls.level[:kept]))
            if kept < count:
                break
            calls, left = calls + int(sizes.sum()), left - float(costs.sum())
            asked = asked.copy()
            np.maximum.at(asked, pulls.arm, pulls.level[:, None] + 1)
        return Pulls(np.concatenate([part.arm for part in parts]), np.concatenate([part.level for part in parts]))

    def _priority(self, now: Standing, ends: Floats) -> Priority:
        gap = now.mean if self.arms.partner is None else now.mean - now.mean[self.arms.partner]
        gap = np.where(np.isnan(gap), self.rules[0].at, gap)  # not known yet, so perhaps at the boundary
        variance = now.variance if self.known is None else self.known
        enough = self.precision.known(now)
        # uniform stays a baseline: equally many calls of every arm until all are known
        out = self.precision.out(now)
        idle = out | (enough if self.name != "uniform" else (enough | out).all())

        failed = -(-now.failed // self.arms.parts)

        def priority(arms: Ints, level: Ints) -> Floats:
            keys = []
            calls = level + failed[arms, None]  # those that failed were made too, and make an arm less urgent
            for a, rule in enumerate(self.rules):
                here = replace(rule, weight=np.asarray(rule.weight)[arms], price=np.asarray(rule.price)[arms])
                keys.append(here.priority(calls, gap[arms, a, None], variance[arms, a, None]))
            out = np.sum(keys, axis=0) if self.rules[0].objective == "average" else np.max(keys, axis=0)
            out = np.where(level < self.warmup, np.inf, out)
            waits = (now.n[arms, None] < self.warmup) & (level >= self.warmup) & (self.known is None)
            return np.where(idle[arms, None] | waits | (level >= ends[arms, None]), -np.inf, out)

        return priority
