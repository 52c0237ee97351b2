"""Looks: what an analysis of a study with a goal found, what ended it, and what it buys next."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, Spent
from quorate.decide.goals.plans import Plan, Plans, batch, bought, crossed, described, nothing
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.doctor.support import ITEMS, PROMPTS, REPLICATES
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import POPULATION
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_cdf
from quorate.numerics.sequential.spending import Spending, bound_for, obrien_fleming, pocock, start
from quorate.numerics.study_power import Studies, squares_of_studies
from quorate.planning.search.optimize import studies_of_plan
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.wording import at_level, counted

JUDGES = 3
"""Judges of a pilot where they stand for others: with two, their spread rests on 1 degree of freedom."""
FUTILE = 0.05
"""Chance of success below which a study is given up."""
_ALL = 0.98
"""Part of the planned information that is as good as all of it: what is missing is not worth a look."""
_MANY = 1e6

Asked = TypeVar("Asked", bound=CompareGoal | HalfWidthGoal | BestGoal)
Found = TypeVar("Found", SystemDifference, Estimate)
"""What a look estimates."""


@dataclass(frozen=True, eq=False)
class Pursuit(ABC, Generic[Asked, Found]):
    """How a goal is pursued.

    Parameters
    ----------
    goal : CompareGoal, HalfWidthGoal or BestGoal
        What is asked.
    offer : Offer
        What may be bought.
    """

    goal: Asked
    offer: Offer

    @property
    def alpha(self) -> float:
        """Chance of a false claim, or of an interval that misses."""
        return 1 - self.goal.level

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that the goal is about, of those on offer."""
        return self.offer.systems

    @property
    @abstractmethod
    def promised(self) -> bool:
        """Whether it is said beforehand what the study must be able to show."""

    @property
    def goes_on(self) -> bool:
        """Whether a study may go on when it has all the information that was planned: not when its level is spent."""
        return False

    def power(self, final: Plan) -> Power | None:  # noqa: ARG002  (some goals promise one)
        """Chance that studies of a plan answer the question; None where none is asked for."""
        return None

    @abstractmethod
    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> Found:
        """What the goal is about, from all judgments so far and the systems that are left."""

    @abstractmethod
    def plans(self, found: Found, systems: Sequence[str], spent: Spent) -> Plans:
        """The studies that may be bought, by what is still to be paid for them."""

    @abstractmethod
    def tested(self, found: Found, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:
        """What the look shows; see `quorate.decide.goals.look.found_at`."""

    @abstractmethod
    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:
        """Chance of success in studies of a plan, whose estimate will still move by so much; of the last look."""

    def pilot(self) -> Cells:
        """The first calls; see `quorate.decide.goals.rounds.pilot`."""
        targets, offer = self.goal.target or {}, self.offer
        judges, prompts = len(offer.judges), len(offer.prompts)
        levels = {
            ITEM: min(ITEMS, len(offer.order)),
            JUDGE: min(JUDGES, judges) if targets.get(JUDGE) == POPULATION else judges,
            PROMPT: max(min(PROMPTS, prompts) if targets.get(PROMPT, POPULATION) == POPULATION else prompts, 1),
            REPLICATE: min(REPLICATES, offer.replicates),
        }
        return crossed(offer, levels, self.systems)

    def look(self, judgments: Judgments, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        offer, number = self.offer, len(past) + 1
        systems = past[-1].systems if past else self.systems
        found = self.estimate(judgments, systems)
        plans = self.plans(found, systems, spent)
        wanted = plans.cheapest() if self.promised else None
        final = wanted if wanted is not None and plans.affords(wanted) else plans.best()
        none = nothing(offer)
        last = number >= offer.looks or final is None
        fraction = 1.0 if last or final is None else final.variance / found.se**2
        fraction = fraction if fraction < _ALL else 1.0
        fraction = max([fraction, *(one.fraction for one in past)])
        here = self.tested(found, judgments, past, fraction)
        here = replace(here, looks=offer.looks, judgments=judgments.n_answers, spent=spent)
        if final is not None and final is not wanted:
            here = here.falling_short(self.power(final))
        if here.outcome != UNDECIDED:
            return here.ended(Ending.REACHED), none
        if last or final is None or (fraction >= 1 and not self.goes_on):
            return here.ended(Ending.BUDGET if final is None else Ending.LOOKS, self._need(here, plans)), none
        chance = self._chance([*past, here], final)
        if chance < FUTILE:
            return replace(here, chance=chance).ended(Ending.FUTILE, self._need(here, plans)), none
        left = offer.looks - number
        items = plans.part(final, final.variance / self.pace(fraction, left), self.most(final, spent, left))
        cells = none
        for wide in (items, int(final.projection.design[ITEM])):
            if not len(cells):
                cells = offer.affordable(batch(offer, final.projection, wide, judgments, here.systems), spent)
        return buying(here, offer, cells, self._need(here, plans), chance=chance, design=described(final, items))

    @property
    def spending(self) -> Spending:
        """O'Brien and Fleming's where something is promised; else early, for nobody knows what to wait for."""
        return obrien_fleming if self.promised else pocock

    def pace(self, fraction: float, left: int) -> float:
        """Part of the information that the next look is to have: in equal steps, or else in equal ratios."""
        return fraction + (1 - fraction) / left if self.promised else float(fraction ** (1 - 1 / left))

    def most(self, final: Plan, spent: Spent, left: int) -> float:  # noqa: ARG002  (some goals hold back)
        """The most that the next batch may cost."""
        return math.inf

    def _chance(self, looks: Sequence[Look], final: Plan) -> float:
        """Chance of success by the last analysis, with the estimate as uncertain as it is now."""
        law = studies_of_plan(final.projection)
        law = law.times(float(np.sqrt(final.variance)) / law.se)
        df = min(looks[-1].df, _MANY)  # the components are as uncertain as the standard error of now
        off = 1 / squares_of_studies(1 + len(law.drawn), df)
        law = replace(law, expected=off * law.expected, drawn=tuple((off * part, free) for part, free in law.drawn))
        chances = self.chances(looks, law, still_moves(looks[-1], final.variance), final)
        return float(np.minimum(chances, 1.0).mean())

    def _need(self, here: Look, plans: Plans) -> float | None:
        """What the goal would still cost: as promised, or else for the difference as found; None if nothing does."""
        plan = plans.cheapest(1.0 if self.promised else abs(here.value))
        spent = here.fraction >= 1 and not self.goes_on  # so that what is left would buy no other answer
        return None if plan is None or (spent and plans.affords(plan)) else plan.cost


UNDECIDED = "undecided"

_WIDE = 20.0
"""Half-width in standard errors beyond which an interval says nothing yet."""


class Ending(StrEnum):
    """Why a study with a goal buys nothing more."""

    REACHED = "reached"
    FUTILE = "futile"
    BUDGET = "budget"
    LOOKS = "looks"


_ENDED = {
    Ending.REACHED: "the goal is reached",
    Ending.FUTILE: "the goal is out of reach of the budget",
    Ending.BUDGET: "nothing more can be bought",
    Ending.LOOKS: "that was the last analysis",
}


@dataclass(frozen=True)
class Contest:
    """One of several tests of a look: two systems in votes.

    Parameters
    ----------
    a, b : str
        The two systems.
    value, se, df : float
        Share of votes for ``a`` less a half, its standard error and degrees of freedom.
    information : float
        One over the square of that error; it never falls.
    alpha : float
        Part of the one-sided level of either system that is spent by now.
    bound : float
        Standard normal value that either is held against.
    """

    a: str
    b: str
    value: float
    se: float
    df: float
    information: float
    alpha: float
    bound: float

    def of(self, name: str) -> Contest:
        """The same with one of the two first."""
        return self if name == self.a else replace(self, a=self.b, b=self.a, value=-self.value)


@dataclass(frozen=True)
class Power:
    """Chance to decide.

    Parameters
    ----------
    chance : float
        By the components as they are estimated now.
    low, high : float
        By components as they may be as well: 8 of 10 times where a single mean square has all the variance.
    promised : float
        That which the goal asks for.
    """

    chance: float
    low: float
    high: float
    promised: float

    @property
    def sentence(self) -> str:
        """By how much it is too small, in words."""
        chance = f"{self.chance:.0%} to decide ({self.low:.0%} to {self.high:.0%}, as far as components are known)"
        return f"the budget buys a chance of {chance}, less than the {self.promised:.0%} asked for"


@dataclass(frozen=True)
class Look(Result):
    """One analysis of a study with a goal.

    Parameters
    ----------
    number, looks : int
        Which one it is, and of how many at most.
    judgments : int
        Answers that it rests on.
    spent : Spent
        What was spent until then.
    value, se, df : float
        The estimate, its standard error and degrees of freedom.
    low, high : float
        Interval that holds at all looks at once; for half-widths the usual one.
    fraction : float
        Part of the information of the planned study.
    alpha : float
        Part of the level that is spent by now; for half-widths all of it.
    bound : float
        Standard normal value that the estimate is held against.
    outcome : str
        What is shown: such as "better"; "undecided" where nothing is.
    ending : Ending or None
        What ended the study; None while it goes on.
    chance : float or None
        Chance that the goal is reached within the budget, if the rest goes on like this; None where it is decided.
    need : float or None
        What it would cost from here to reach the goal, in money or else in calls; None where nothing would do, or more
        than nothing is not known.
    buys : Spent
        Calls that are bought next, and their price.
    design : mapping
        The plan that they are of: levels of every facet, layout, and judges by name.
    equal_bound : float or None
        With a margin: the bound of the test of equivalence.
    equal_low, equal_high : float or None
        With a margin: the interval that must lie within it.
    systems : tuple of str
        Systems that are still in the running.
    contests : tuple of Contest
        For the best of several systems in votes: every pair of those that were in the running.
    question : str
        What the estimate is of, in words.
    note : str
        What else was found or decided, in words.
    power : Power or None
        Where the budget does not buy the chance to decide that the goal asks for: the chance that it buys.
    parts : tuple of Look
        Of a goal with parts, such as categories, the latest look at each; its own numbers are those of the part that
        is known least.
    """

    number: int
    looks: int
    judgments: int
    spent: Spent
    value: float
    se: float
    df: float
    low: float
    high: float
    fraction: float
    alpha: float
    bound: float
    level: float = 0.95
    outcome: str = UNDECIDED
    ending: Ending | None = None
    chance: float | None = None
    need: float | None = None
    buys: Spent = field(default_factory=lambda: Spent(0))
    design: Mapping[str, Any] = field(default_factory=dict)
    equal_bound: float | None = None
    equal_low: float | None = None
    equal_high: float | None = None
    systems: tuple[str, ...] = ()
    contests: tuple[Contest, ...] = ()
    question: str = "difference"
    note: str = ""
    power: Power | None = None
    parts: tuple[Look, ...] = ()

    @property
    def sentence(self) -> str:
        """The look in one sentence."""
        level = f"{at_level(self.level)} interval"
        found = f"{self.question} {self.value:.3g}, "
        early = not self.alpha or self.high - self.low > 2 * _WIDE * self.se
        found += f"too early for a {level}" if early else f"{level} {self.low:.3g} to {self.high:.3g}"
        start = f"round {self.number} of at most {self.looks}: {found}"
        note = f"; {self.note}" if self.note else ""
        note += f"; {self.shortfall}" if self.shortfall and self.ending is not Ending.REACHED else ""
        if self.ending is None:
            money = f", {self.buys.money:,.2f} in money" if self.buys.money else ""
            return f"{start}; {counted(self.buys.calls, 'more call')}{money}{note}"
        need = "" if self.need is None else f"; reaching it would take about {self.need:,.4g} more"
        return (
            f"{start}; {self.outcome}: {_ENDED[self.ending]}{need if self.ending is not Ending.REACHED else ''}{note}"
        )

    derived = ("sentence",)

    @property
    def shortfall(self) -> str:
        """By how much the chance to decide is less than was asked for, in words; empty where it is not."""
        return "" if self.power is None else self.power.sentence

    def falling_short(self, power: Power | None) -> Look:
        """The same look, which says what chance the budget buys where that is less than the one asked for."""
        return self if power is None or power.chance >= power.promised else replace(self, power=power)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Look:
        """The look of which these are the plain values."""
        own = {name: value for name, value in values.items() if name in cls.__dataclass_fields__}
        ending = own.get("ending")
        return cls(
            **{
                **own,
                "spent": Spent(**own["spent"]),
                "buys": Spent(**own["buys"]),
                **{name: math.inf if own[name] is None else own[name] for name in ("df", "bound")},
                "systems": tuple(own.get("systems", ())),
                "contests": tuple(Contest(**one) for one in own.get("contests", ())),
                "power": None if own.get("power") is None else Power(**own["power"]),
                "ending": None if ending is None else Ending(ending),
                "parts": tuple(cls.from_dict(one) for one in own.get("parts", ())),
            }
        )

    def ended(self, ending: Ending, need: float | None = None) -> Look:
        """The same look as the last one."""
        return replace(self, ending=ending, need=need or None, buys=Spent(0))


def buying(here: Look, offer: Offer, cells: Cells, need: float | None = None, **said: Any) -> tuple[Look, Cells]:
    """A look with what it buys; the last one, which may need more, where that is nothing."""
    if not len(cells):
        return here.ended(Ending.BUDGET, need), nothing(offer)
    return replace(here, buys=bought(offer, cells), **said), cells


def still_moves(here: Look, variance: float) -> float:
    """Standard deviation by which an estimate moves until it has another variance."""
    now = here.se**2
    return math.sqrt(max(now - variance, 1e-12 * now))


# Tests that are repeated at every look: their bounds, what they show, and what they may still show.


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


def beyond(value: float, limit: Floats | float, spread: float) -> Floats:
    """Chance that an estimate ends beyond a limit on either side, of which it is there now and moves by so much."""
    from scipy.special import ndtr

    return np.asarray(ndtr((value - limit) / spread) + ndtr((-limit - value) / spread))


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
        value = looks[-1].value
        bound, _ = held(looks, 1.0, self.alpha, 2, spending=self.spending)
        chance = beyond(value, t_bound(bound, df) * se, spread)
        if self.margin is not None:
            room = np.maximum(self.margin - t_bound(self._equal_bound(looks, 1.0), df) * se, 0.0)
            chance += 1 - beyond(value, room, spread)
        return np.minimum(chance, 1.0)

    def _equal_bound(self, past: Sequence[Look], fraction: float) -> float:
        return held(past, fraction, self.alpha, 1, equal=True, spending=self.spending)[0]
