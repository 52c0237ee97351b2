"""Scenarios of votes: kinds of studies of pairs, by which what goals of votes promise is measured."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, cycle, islice
from typing import Any

from quorate.decide.goals.goal import BestGoal, PreferGoal
from quorate.simulate.goals.scenarios import Scenario
from quorate.simulate.goals.votes import VoteLaw

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
