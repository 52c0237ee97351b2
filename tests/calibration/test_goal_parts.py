"""Goals of several parts and of categories: false claims, power and coverage, as ``docs/methods/goals.md`` has them.

Three are carried out 30 times, so that the Monte Carlo error of a coverage of .95 is .040, of three means .023; all of
them 300 times under the mark ``slow``. Run with ``-s`` to see the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from calibration.goal_scenarios import NEAR

from quorate.decide.goals.goal import CompareGoal, HalfWidthGoal, Offer
from quorate.simulate.goals.goal import simulate_goal

ITEMS = tuple(f"item {n:04}" for n in range(3000))
KINDS = tuple("pqrrpqqq"[n % 8] for n in range(3000))
JUDGES = ("a", "b", "c")
MEAN = {"item": 0.3, "item:judge": 0.15, "cell": 0.25}
SHARES = {"p": 0.5, "q": 0.2, "r": 0.3}
TWO: dict[str, Any] = {"systems": ("x", "y"), "categories": KINDS}


class Asked(NamedTuple):
    """A goal, what may be bought, and the truth."""

    name: str
    goal: CompareGoal | HalfWidthGoal
    more: dict[str, Any]
    law: dict[str, float]
    effect: float | dict[str, float]
    power: float
    """Chance of a right answer that is asked for: of three categories, that all are decided."""


ALL = (
    Asked("means of 3 systems", HalfWidthGoal(0.12), {"systems": ("x", "y", "z")}, MEAN, 0.3, 0.9),
    Asked("means of 3 categories", HalfWidthGoal(0.12, by="category"), {"categories": KINDS}, MEAN, 0.3, 0.9),
    Asked(
        "a mean with shares of categories",
        HalfWidthGoal(0.12, category_shares=SHARES),
        {"categories": KINDS, "category_shares": SHARES},
        MEAN,
        {"p": 0.3, "q": 1.0, "r": -1.0},
        0.9,
    ),
    Asked(
        "two systems on 3 categories, equal on two",
        CompareGoal("x", "y", margin=0.2, by="category"),
        TWO,
        NEAR,
        {"p": 0.0, "q": 0.2, "r": 0.0},
        0.9**3,
    ),
    Asked(
        "two systems on 3 categories, all at the margin",
        CompareGoal("x", "y", margin=0.2, by="category"),
        TWO,
        NEAR,
        {"p": 0.2, "q": 0.2, "r": -0.2},
        0.9**3,
    ),
    Asked(
        "two systems, equal by shares of categories in which they differ",
        CompareGoal("x", "y", margin=0.15, category_shares=SHARES),
        {**TWO, "category_shares": SHARES},
        NEAR,
        {"p": 0.3, "q": 0.5, "r": -0.25 / 0.3},
        0.9,
    ),
)


def held(asked, studies):
    offer = Offer(ITEMS, JUDGES, calls=20_000, **asked.more)
    rates = simulate_goal(asked.goal, offer, asked.law, effect=asked.effect, studies=studies)
    print(f"{asked.name:65} {rates.wrong:.3f} {rates.right:.3f} {rates.covered:.3f} {rates.calls:8,.0f}")
    intervals = studies * (1 if asked.goal.category_shares else 3)
    alpha = 1 - asked.goal.level
    assert rates.wrong <= alpha + 3 * rates.error(alpha)
    assert rates.right >= asked.power - 0.03 - 3 * rates.error(asked.power)
    assert rates.covered >= 0.94 - 3 * np.sqrt(0.95 * 0.05 / intervals)


@pytest.mark.parametrize(
    ("asked", "studies"),
    [*((ALL[at], 30) for at in (0, 2, 5)), *(pytest.param(one, 300, marks=pytest.mark.slow) for one in ALL)],
    ids=lambda value: getattr(value, "name", value),
)
def test_goals_of_parts_hold(asked, studies):
    held(asked, studies)
