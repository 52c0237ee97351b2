"""Scenarios of votes: kinds of studies of pairs, by which what goals of votes promise is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, cycle, islice
from typing import Any

from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, PreferGoal
from quorate.estimate.means.targets import Target
from quorate.simulate.goals.fixed import fixed_cost
from quorate.simulate.goals.goal import GoalRates, simulate_goal
from quorate.simulate.goals.votes import VoteLaw

# Scenarios: kinds of studies with a goal, by which what they promise is measured.


NEAR = {"item": 0.15, "item:judge": 0.15, "item:prompt": 0.05, "prompt": 0.0005, "prompt:judge": 0.0005, "cell": 0.25}
"""A difference of two systems on a scale whose scores have a standard deviation of about 1: mostly of items."""
JUDGES = {"item": 0.08, "item:judge": 0.30, "item:prompt": 0.02, "prompt:judge": 0.001, "cell": 0.30, "replicate": 0.2}
"""One in which judges disagree by item, and answers vary."""
DRAWN = {"item": 0.15, "judge": 0.004, "item:judge": 0.15, "cell": 0.25}
"""One in which judges are drawn: they favour one system, each by as much as it likes."""


@dataclass(frozen=True)
class Scenario:
    """One kind of study.

    Parameters
    ----------
    name : str
        In words.
    goal : CompareGoal, HalfWidthGoal, BestGoal or PreferGoal
        What is asked.
    judges, prompts : int
        How many are on offer.
    law : mapping of str to float, or VoteLaw
        As for `simulate_goal`.
    effect : float
        Truth.
    calls : int or None
        Budget in calls.
    more : mapping
        What else is on offer.
    items : int
        How many are on offer.
    noise : mapping of str to float, optional
        As for `simulate_goal`.
    """

    name: str
    goal: CompareGoal | HalfWidthGoal | BestGoal | PreferGoal
    judges: int
    prompts: int
    law: Mapping[str, float] | VoteLaw
    effect: float = 0.0
    calls: int | None = 8000
    systems: tuple[str, ...] = ("x", "y")
    more: Mapping[str, Any] = field(default_factory=dict)
    noise: Mapping[str, float] | None = None
    items: int = 3000

    @property
    def offer(self) -> Offer:
        """What may be bought."""
        return Offer(
            items=tuple(f"item {n:04}" for n in range(self.items)),
            judges=tuple(f"judge {n}" for n in range(1, self.judges + 1)),
            prompts=tuple(f"prompt {n}" for n in range(1, self.prompts + 1)) if self.prompts > 1 else (),
            systems=self.systems,
            calls=self.calls,
            **self.more,
        )

    def rates(self, studies: int, seed: int = 1) -> GoalRates:
        """What such studies spend, and how often they are right."""
        more = {"effect": self.effect, "noise": self.noise, "studies": studies, "seed": seed}
        return simulate_goal(self.goal, self.offer, self.law, **more)  # type: ignore[arg-type]

    def fixed(self, *, power: float = 0.9, usual: bool = False) -> float | None:
        """Price of the best study of a fixed size, with everything known; or of the usual one."""
        law, noise = self.law, self.noise
        return fixed_cost(self.goal, self.offer, law, self.effect, power=power, noise=noise, usual=usual)


_X_Y = ("x", "y")
_MARGIN = CompareGoal(*_X_Y, margin=0.15)
_MEAN = {"item": 0.3, "item:judge": 0.15, "item:prompt": 0.05, "prompt": 0.001, "prompt:judge": 0.001, "cell": 0.25}
_DRAWN_MEAN = {"item": 0.3, "judge": 0.01, "item:judge": 0.15, "cell": 0.25}
_PRICES = {"judge 1": 0.002, "judge 2": 0.005, "judge 3": 0.02, "judge 4": 0.03, "judge 5": 0.05}
_JUDGES_DRAWN: Mapping[str, Target] = {"judge": "population"}
_PROMPTS_DRAWN: Mapping[str, Target] = {"prompt": "population"}
"""Prompts of a study are drawn anew in each, so that this is the reading whose truth is known."""
_NARROW = CompareGoal(*_X_Y, margin=0.1, target=_PROMPTS_DRAWN)

SCENARIOS = (
    Scenario("equal systems, 3 judges", _MARGIN, 3, 1, NEAR),
    Scenario("a difference of the margin, 3 judges", _MARGIN, 3, 1, NEAR, 0.15),
    Scenario("a difference of the margin, 2 judges, 5 prompts", _NARROW, 2, 5, NEAR, 0.1),
    Scenario("a difference of the margin, 3 judges, 3 prompts", _NARROW, 3, 3, NEAR, 0.1),
    Scenario(
        "a difference of the margin, 4 judges, up to 3 replicates",
        CompareGoal(*_X_Y, margin=0.1),
        4,
        1,
        JUDGES,
        0.1,
        more={"replicates": 3},
    ),
    Scenario(
        "equal systems, 5 judges of which one is three times as noisy, 2 prompts that stand for themselves",
        CompareGoal(*_X_Y, margin=0.12, target={"prompt": "panel"}),
        5,
        2,
        JUDGES,
        noise={"judge 5": 3.0},
    ),
    Scenario(
        "a difference of the margin, 5 judges drawn, at prices from 1 to 25",
        CompareGoal(*_X_Y, margin=0.25, target=_JUDGES_DRAWN),
        5,
        1,
        DRAWN,
        0.25,
        calls=None,
        more={"prices": _PRICES, "money": 80.0},
    ),
    Scenario("equal systems, no margin", CompareGoal(*_X_Y), 3, 1, NEAR, calls=1500),
    Scenario("a difference, no margin", CompareGoal(*_X_Y), 3, 1, NEAR, 0.15, calls=2500),
    Scenario("half-width, 3 judges, 5 prompts", HalfWidthGoal(0.1, _PROMPTS_DRAWN), 3, 5, _MEAN, systems=()),
    Scenario("half-width, 5 judges drawn", HalfWidthGoal(0.2, _JUDGES_DRAWN), 5, 1, _DRAWN_MEAN, systems=()),
    Scenario("best of 4, one ahead", BestGoal(), 3, 1, NEAR, 0.15, calls=5000, systems=("w", "x", "y", "z")),
    Scenario("best of 4, all equal", BestGoal(), 3, 1, NEAR, calls=2500, systems=("w", "x", "y", "z")),
)


GOOD, FAIR, USELESS = VoteLaw(icc=0.85, models=0.65), VoteLaw(icc=0.6, models=0.65), VoteLaw(icc=0.0, models=0.65)
"""Models that vote as people do in most battles, in some, and in no more than by chance."""
_BATTLES, _MONEY = 20_000, 2000.0
_BEST = BestGoal()


def _preference(
    name: str, law: VoteLaw, margin: float | None, effect: float, prices: Sequence[float], people: int, **more: Any
) -> Scenario:
    """Votes on two systems; of the judges, those in front are people."""
    goal = PreferGoal("x", "y", margin=margin)
    return Scenario(name, goal, len(prices), 1, law, effect, None, (), _offered(prices, people, **more), items=_BATTLES)


def _best(
    name: str, law: VoteLaw, systems: str, effect: float, prices: Sequence[float], people: int, **more: Any
) -> Scenario:
    """Votes on all pairs of several systems, of which the first is ahead of the others, who are equal."""
    pairs = tuple(islice(cycle(combinations(systems, 2)), _BATTLES))
    offered = _offered(prices, people, pairs=pairs, **more)
    return Scenario(name, _BEST, len(prices), 1, law, effect, None, (), offered, items=_BATTLES)


def _offered(prices: Sequence[float], people: int, **more: Any) -> dict[str, Any]:
    names = [f"judge {n}" for n in range(1, len(prices) + 1)]
    given = {"people": tuple(names[:people]), "prices": dict(zip(names, prices, strict=True)), "money": _MONEY}
    return given | more


_CHEAP, _DEARER = (0.5, 0.01), (0.5, 0.02)
_TIES = VoteLaw(ties=0.2, icc=0.5)

VOTE_SCENARIOS = (
    _preference("equal systems, a person and a good model", GOOD, 0.08, 0.0, _CHEAP, 1),
    _preference("a preference of the margin, a person and a good model", GOOD, 0.08, 0.08, _CHEAP, 1),
    _preference("one against it, a person and a good model", GOOD, 0.08, -0.08, _CHEAP, 1),
    _preference("equal systems, a person and a fair model", FAIR, 0.1, 0.0, _DEARER, 1),
    _preference("a preference of the margin, a person and a fair model", FAIR, 0.1, 0.1, _DEARER, 1),
    _preference("equal systems, a person and a model of no use", USELESS, 0.1, 0.0, _DEARER, 1),
    _preference("a preference of the margin, a person and a model of no use", USELESS, 0.1, 0.1, _DEARER, 1),
    _preference("a preference of the margin, 3 people in turns, a fifth ties", _TIES, 0.1, 0.1, (0.5,) * 3, 3),
    _preference("equal systems, 3 models, a fifth ties", _TIES, 0.05, 0.0, (0.01,) * 3, 0),
    _preference("a preference, no margin, a person and a good model", GOOD, None, 0.08, _CHEAP, 1, money=200.0),
    _best("best of 4, one ahead by .1, a person and a good model", GOOD, "wxyz", 0.1, _CHEAP, 1, money=400.0),
    _best("best of 4, one ahead by .1, 3 models, a fifth ties", _TIES, "wxyz", 0.1, (0.01,) * 3, 0, money=60.0),
    _best("best of 4, all equal, a person and a good model", GOOD, "wxyz", 0.0, _CHEAP, 1, money=300.0),
    _best("best of 3, all equal, 3 people in turns, a fifth ties", _TIES, "xyz", 0.0, (0.5,) * 3, 3, money=300.0),
)
