"""Looks: what an analysis of a study with a goal found, what ended it, and what it buys next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.offer import Spent
from quorate.numerics.distributions import normal_cdf
from quorate.numerics.sequential.spending import Spending, bound_for, obrien_fleming, start
from quorate.table.results import Result
from quorate.wording import counted

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
        level = f"{100 * self.level:.4g}% interval"
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
