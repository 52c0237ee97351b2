"""Goals of several parts: the same question of every category of items, or of the mean of every system.

Every part is pursued as if it were a study by itself; they share a budget and the number of looks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.goal import MOST_NAMED, CompareGoal, Goal, HalfWidthGoal, Offer, Spent
from quorate.decide.goals.look import UNDECIDED, DifferenceTest, Ending, Look, Power, Pursuit, buying, found_at
from quorate.decide.goals.plans import Plan, Plans, bought, nothing, of_difference, of_mean, together
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.differences.difference import SystemDifference, difference, stratified_difference
from quorate.estimate.means.effects import strata, stratified_mean
from quorate.estimate.means.mean import Estimate, on_scale
from quorate.frozen import dataclass
from quorate.numerics.distributions import chi_square_quantile
from quorate.numerics.sequential.spending import inflation
from quorate.numerics.study_power import Studies
from quorate.planning.search.optimize import largest_errors, studies_of_plan
from quorate.roles import CATEGORY, ITEM, SYSTEM
from quorate.table.cells import Cells
from quorate.table.collapse.grouped import pooled
from quorate.table.judgments import Judgments
from quorate.wording import listed

# Half-widths as a goal: a mean that is known well enough, by the usual interval.


_NORMAL = 1.959963984540054
_FIRST, _LAST = 0.8, 1.25
"""Part of the information that is bought on the word of a pilot, and before the last look."""
_GROWTH = 2.0
"""What is spent by the next look over what is spent now, if that is enough to buy the plan in time."""
_AIM = 0.98
"""Half-width that is aimed at, over that which is asked for: half of the studies would just miss it."""


@dataclass(frozen=True, eq=False)
class Precision(Pursuit[HalfWidthGoal, Estimate]):
    """The intervals of a mean, and the studies in which they are narrow enough."""

    @property
    def promised(self) -> bool:
        """The half-width."""
        return True

    @property
    def goes_on(self) -> bool:
        """Until the interval is narrow enough."""
        return True

    @property
    def ordinary(self) -> float:
        """The normal quantile of the interval."""
        return NormalDist().inv_cdf(1 - self.alpha / 2)

    @property
    def aim(self) -> float:
        """Half-width of the ordinary 95% interval that is aimed at."""
        return _AIM * self.goal.half_width * _NORMAL / self.ordinary

    def pace(self, fraction: float, left: int) -> float:
        """Most of the way at first, so as not to buy too much on what a pilot says; then all of it; last, to spare."""
        if left == 1:
            return _LAST
        return _FIRST if fraction < _FIRST**2 else 1.0

    def most(self, final: Plan, spent: Spent, left: int) -> float:
        """As much as was spent, unless the looks that are left must buy more each: few levels tell little of a plan."""
        done = spent.calls if self.offer.money is None else spent.money
        return done * (max(_GROWTH, (1 + final.cost / done) ** (1 / left)) - 1) if done else math.inf

    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> Estimate:  # noqa: ARG002  (there is one)
        """The mean."""
        shares, targets = self.goal.category_shares, self.goal.target or {}
        if shares is not None:
            fit = decompose(strata(judgments), covariates=[CATEGORY])
            return on_scale(stratified_mean(fit, shares, targets))
        return decompose(judgments).mean_for(**targets)

    def plans(self, found: Estimate, systems: Sequence[str], spent: Spent) -> Plans:  # noqa: ARG002  (there is one)
        """Studies of the mean."""
        return of_mean(found, self.offer, self.aim, spent)

    def tested(self, found: Estimate, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:  # noqa: ARG002
        """The usual interval, for how often it is looked at depends on its width and not on the mean."""
        goal = self.goal
        low, high = found.at(goal.level).ends
        narrow = (high - low) / 2 <= goal.half_width
        said = {"outcome": "known" if narrow else UNDECIDED, "systems": self.systems, "question": "mean"}
        own = {"alpha": self.alpha, "bound": self.ordinary, "level": goal.level}
        return found_at(found, past, fraction, (low, high), **own, **said)

    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:  # noqa: ARG002
        """Whether the interval is narrow enough in studies of a plan; wherever the mean is."""
        return np.asarray(final.width * law.found_se / np.median(law.found_se) <= 1 / _AIM, dtype=float)


# Comparisons as a goal: which of two systems scores higher, by group-sequential t tests of all judgments so far.


_SURE = 0.8
"""Level of the range in which the chance to decide lies, as far as components are known."""


@dataclass(frozen=True, eq=False)
class Comparison(Pursuit[CompareGoal, SystemDifference]):
    """The tests of a comparison, and the studies that have power enough for them."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Both systems."""
        return self.goal.a, self.goal.b

    @property
    def promised(self) -> bool:
        """With a margin: that it is found, and equivalence."""
        return self.goal.margin is not None

    @cached_property
    def inflation(self) -> float:
        """Standard error of a test that is made once, over that of one that is repeated as often and finds as much."""
        sides = (1, 2) if self.goal.margin is not None else (2,)
        powers = {1: (1 + self.goal.power) / 2, 2: self.goal.power}
        looks, spending = self.offer.looks, self.spending
        most = [inflation(looks, self.alpha, powers[sided], sided=sided, spending=spending) for sided in sides]
        return float(np.sqrt(max(most)))

    @cached_property
    def sized(self) -> Floats:
        """Largest standard errors for the margin; without one, for a difference of 1; others are in proportion."""
        margin, alpha = self.goal.margin, self.alpha

        def power(law: Studies) -> float:
            law = law.times(self.inflation)
            if margin is None:
                return law.finds(1.0, alpha)
            return min(law.finds(margin, alpha), law.shows_equal(0.0, margin, alpha))

        return largest_errors(power, self.goal.power)

    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> SystemDifference:
        """The difference, from the cells that both have."""
        shares, targets = self.goal.category_shares, self.goal.target
        if shares is not None:
            return stratified_difference(judgments, self.goal.a, self.goal.b, shares, targets=targets)
        return difference(judgments, *systems, method="paired", targets=targets)

    def plans(self, found: SystemDifference, systems: Sequence[str], spent: Spent) -> Plans:
        """Studies of both systems."""
        return of_difference(found, self.offer, self.sized, spent, len(systems))

    def power(self, final: Plan) -> Power | None:
        """That of the harder of both questions: to find the margin, and to show two equal systems to be so."""
        margin = self.goal.margin
        if margin is None:
            return None
        law = studies_of_plan(final.projection)
        own = float(np.sqrt(final.variance)) / law.se * self.inflation
        tails = ((1 + _SURE) / 2, (1 - _SURE) / 2)  # of how far the variance may be from what it is taken for
        worst, best = (math.sqrt(law.df / chi_square_quantile(law.df, tail)) for tail in tails)

        def chance(times: float) -> float:
            some = law.times(own * times)
            return min(some.finds(margin, self.alpha), some.shows_equal(0.0, margin, self.alpha))

        return Power(chance(1.0), chance(worst), chance(best), self.goal.power)

    @property
    def test(self) -> DifferenceTest:
        """The test that is repeated."""
        return DifferenceTest(self.alpha, self.goal.margin, self.spending)

    def tested(self, found: SystemDifference, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:  # noqa: ARG002
        """The test of a difference and, with a margin, of equivalence."""
        a, b = self.systems
        return self.test.look(found, past, fraction, systems=self.systems, question=f"{a} less {b}")

    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:  # noqa: ARG002
        """Chance that the last analysis shows something."""
        return self.test.chances(looks, law.found_se, law.found_df, spread)


_FEWEST = 10
"""Items of a category: with fewer, how they vary is hardly known."""


def has_parts(goal: Goal, offer: Offer) -> bool:
    """Whether a goal asks several questions of an offer: of every category, or of the mean of every system."""
    if not isinstance(goal, CompareGoal | HalfWidthGoal):
        return False
    return goal.by is not None or (isinstance(goal, HalfWidthGoal) and len(offer.systems) > 1)


@dataclass(frozen=True, eq=False)
class Part:
    """One part.

    Parameters
    ----------
    name : str
        Its category, its system, or both.
    category, system : str
        What it is limited to; empty where to nothing.
    pursuit : Pursuit
        Its own goal, and what may be bought for it by the budget of all.
    """

    name: str
    category: str
    system: str
    pursuit: Pursuit[Any, Any]

    def of(self, judgments: Judgments) -> Judgments:
        """Its judgments."""
        table = judgments
        if self.category:
            mine = set(self.pursuit.offer.items)
            known = np.array([label in mine for label in table.facet(ITEM).levels])
            table = table.keep(known[table.column(ITEM)])
        if self.system and self.system in table.facet(SYSTEM).levels:
            table = table.only(SYSTEM, self.system)
        if not table.n_cells or (self.system and self.system not in judgments.facet(SYSTEM).levels):
            raise NotEstimable(f"{self.name} has no judgments yet")
        for name in (CATEGORY,) * bool(self.category) + (SYSTEM,) * bool(self.system):
            table = without_facet(table, name)
        return table


@dataclass(frozen=True, eq=False)
class Parts:
    """All parts of a goal.

    Claims about categories are tested at a level that is divided by their number, so that the chance of a false one
    about any is at most that of the goal. Intervals of means hold each by itself. A part that has reached its goal, or
    cannot, is asked no more. What is left of the budget is shared: a part whose plan costs less than an equal share
    has what it needs, and the others share the rest equally.

    Parameters
    ----------
    goal : CompareGoal or HalfWidthGoal
        What is asked.
    offer : Offer
        What may be bought.

    Raises
    ------
    InvalidInput
        If categories are asked for and there are no two, or one has hardly any items.
    """

    goal: CompareGoal | HalfWidthGoal
    offer: Offer

    def __post_init__(self) -> None:
        if self.goal.by is None:
            return
        sizes = {name: len(own) for name, own in self._items.items()}
        if len(sizes) < 2:
            raise InvalidInput(
                "goal.by: two categories of items or more are needed; give items.category, or leave by out"
            )
        least = min(sizes, key=lambda name: sizes[name])
        if sizes[least] < _FEWEST:
            raise InvalidInput(
                f'goal.by: {_FEWEST} items of each category are needed, and "{least}" has {sizes[least]}; use coarser '
                "categories, or leave by out"
            )

    @cached_property
    def _items(self) -> dict[str, tuple[str, ...]]:
        """Items by category."""
        own: dict[str, list[str]] = {name: [] for name in sorted(set(self.offer.categories or ()))}
        for item, name in zip(self.offer.items, self.offer.categories or (), strict=False):
            own[name].append(item)
        return {name: tuple(items) for name, items in own.items()}

    @cached_property
    def each(self) -> tuple[Part, ...]:
        """All parts, in the order of their categories and systems."""
        goal, offer, parts = self.goal, self.offer, []
        alone = isinstance(goal, HalfWidthGoal) and len(offer.systems) > 1
        for category in self._items if goal.by else ("",):
            items = self._items[category] if category else offer.items
            for system in offer.systems if alone else ("",):
                within = replace(
                    offer,
                    items=items,
                    categories=None if category else offer.categories,
                    systems=() if system else offer.systems,
                )
                pursuit: Pursuit[Any, Any]
                if isinstance(goal, CompareGoal):
                    level = 1 - (1 - goal.level) / len(self._items)
                    pursuit = Comparison(replace(goal, by=None, level=level), within)
                else:
                    pursuit = Precision(replace(goal, by=None), within)
                parts.append(Part(" on ".join(filter(None, (system, category))), category, system, pursuit))
        return tuple(parts)

    def pilot(self) -> Cells:
        """The first calls: a crossed pilot of every part."""
        return self._together([part.pursuit.pilot() for part in self.each], None)

    def look(self, judgments: Judgments, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis of all parts, and what it buys; see `quorate.decide.goals.rounds.look`."""
        # looks at each part until it ended; if all had, the budget was raised and those that it stopped go on
        over, before = bool(past) and all(one.ending is not None for one in past[-1].parts), list[list[Look]]()
        for at in range(len(self.each)):
            own = list({one.parts[at].number: one.parts[at] for one in past}.values())
            if over and own[-1].ending in (Ending.FUTILE, Ending.BUDGET):
                own[-1] = replace(own[-1], ending=None)
            before.append(own)
        open_ = [at for at, looks in enumerate(before) if not looks or looks[-1].ending is None]
        tables = {at: self.each[at].of(judgments) for at in open_}
        left = self.offer.left(spent)
        looked = {at: self._look(at, tables[at], before[at], left) for at in open_}
        costs = {at: float(one.design["cost"]) if one.ending is None else 0.0 for at, (one, _) in looked.items()}
        for at, share in shared(costs, left).items():
            looked[at] = self._look(at, tables[at], before[at], share)
        parts = tuple(looked[at][0] if at in looked else looks[-1] for at, looks in enumerate(before))
        none = nothing(self.offer)
        batches = [looked[at][1] if at in looked else none.keep(np.zeros(0, bool)) for at in range(len(parts))]
        cells = self.offer.affordable(self._together(batches, judgments), spent)
        here = replace(self._summed(parts), number=len(past) + 1, looks=self.offer.looks, spent=spent)
        here = replace(here, judgments=judgments.n_answers)
        return (here, cells) if here.ending is not None else buying(here, self.offer, cells)

    def _look(self, at: int, table: Judgments, before: Sequence[Look], share: float) -> tuple[Look, Cells]:
        """A look at a part that may spend so much more; its question names the part."""
        part, offer = self.each[at], self.offer
        pursuit = part.pursuit
        if before:
            done = Spent(before[-1].spent.calls + before[-1].buys.calls, before[-1].spent.money + before[-1].buys.money)
        else:
            done = bought(pursuit.offer, pursuit.pilot())
        calls, money = offer.calls, None
        if offer.money is None:
            calls = done.calls + math.floor(share + 1e-9)
        else:
            money = done.money + share
        within = replace(pursuit.offer, calls=calls, money=money)
        look, cells = replace(pursuit, offer=within).look(table, before, done)
        return replace(look, question=f"{look.question} {'of' if part.system else 'on'} {part.name}"), cells

    def _together(self, batches: Sequence[Cells], have: Judgments | None) -> Cells:
        """Calls of all parts."""
        return together(
            self.offer, [(cells, part.system) for cells, part in zip(batches, self.each, strict=True)], have
        )

    def _summed(self, parts: Sequence[Look]) -> Look:
        """What all parts come to: the numbers are those of the one that is known least, of those that are open."""
        ended = [one.ending for one in parts]
        waiting = [at for at, one in enumerate(parts) if one.outcome == UNDECIDED]
        here = parts[max(waiting or range(len(parts)), key=lambda at: parts[at].high - parts[at].low)]
        ending = next((why for why in (None, *_WORST) if why in ended), None)
        needs = [parts[at].need for at in waiting]
        need = None if None in needs or not needs else float(sum(one for one in needs if one is not None))
        chances = [0.0 if one.ending is not None else one.chance for one in parts if one.outcome == UNDECIDED]
        chance = None if None in chances or not chances else float(np.prod([one for one in chances if one is not None]))
        by_outcome: dict[str, list[str]] = {}  # "better on prose, equivalent on verse"
        for one, part in zip(parts, self.each, strict=True):
            if one.outcome != UNDECIDED:
                by_outcome.setdefault(one.outcome, []).append(part.name)
        compared = isinstance(self.goal, CompareGoal)
        of = "on" if compared else "of"
        shown = ", ".join(f"{outcome} {of} {listed(names, most=MOST_NAMED)}" for outcome, names in by_outcome.items())
        over = [part.name for one, part in zip(parts, self.each, strict=True) if one.ending in _WORST[:-1]]
        given_up = f"asked no more of {listed(over, most=MOST_NAMED)}" if over else ""
        outcome = shown if compared else "known"
        left = [self.each[at] for at in waiting]
        systems = (name for part in left for name in ((part.system,) if part.system else part.pursuit.offer.systems))
        return replace(
            here,
            alpha=sum(one.alpha for one in parts) if compared else here.alpha,
            outcome=UNDECIDED if waiting else outcome,
            ending=ending,
            chance=chance,
            need=need if ending is not None else None,
            design={},
            systems=tuple(dict.fromkeys(systems)),
            note="; ".join(filter(None, (shown, given_up))) if waiting else "",
            power=None,
            parts=tuple(parts),
        )


_WORST = (Ending.FUTILE, Ending.BUDGET, Ending.LOOKS, Ending.REACHED)
"""What ended a study whose parts ended by this and what follows."""


def shared(costs: Mapping[int, float], left: float) -> dict[int, float]:
    """What those have who cannot have all that they want: equal shares of what others, who need less, leave.

    Examples
    --------
    >>> shared({0: 10.0, 1: 50.0, 2: 70.0}, 100.0)
    {1: 45.0, 2: 45.0}
    """
    waiting = dict(sorted(costs.items(), key=lambda one: one[1]))
    while waiting:
        at, cost = next(iter(waiting.items()))
        if cost > left / len(waiting) * (1 + 1e-9):
            return dict.fromkeys(sorted(waiting), left / len(waiting))
        left -= cost
        del waiting[at]
    return {}


def without_facet(judgments: Judgments, name: str) -> Judgments:
    """The same answers as if a facet, and what is nested in it, had no names above."""
    if name not in judgments.names:
        return judgments
    facets = (replace(one, parent=None) if one.parent == name else one for one in judgments.facets)
    return pooled(replace(judgments, facets=tuple(facets)), name)
