"""Studies of two systems, sized for the margin and for looking."""

from dataclasses import replace

import numpy as np
import pytest

from quorate.decide.goals.goal import CompareGoal, Offer, Spent
from quorate.decide.goals.parts import Comparison
from quorate.decide.goals.rounds import look, pilot
from quorate.simulate.goals.goal import world


def test_studies_are_sized_for_the_margin_and_for_looking():
    goal, offer = CompareGoal("x", "y", margin=0.5, power=0.9), Offer(("i",), ("a",), calls=1, looks=1)
    once = Comparison(goal, offer).sized[-1]
    assert once == pytest.approx(0.5 / (1.6449 + 1.6449), rel=1e-3)  # two one-sided tests, both with 95%
    assert Comparison(goal, Offer(("i",), ("a",), calls=1, looks=5)).sized[-1] < once
    free = Comparison(CompareGoal("x", "y"), offer).sized[-1]
    assert free == pytest.approx(1 / (1.95996 + 1.28155), rel=1e-3)


def test_a_look_says_what_chance_its_budget_buys_where_that_is_less_than_is_asked():
    law = {"item": 0.3, "item:judge": 0.3, "cell": 0.3}
    short = Offer(tuple(f"i{n}" for n in range(400)), ("a", "b"), systems=("x", "y"), calls=600)
    drawn = world(short, law, [0.1, 0.0], np.random.default_rng(1))
    goal = CompareGoal("x", "y", margin=0.2)
    table = drawn.judgments(drawn.asked(pilot(goal, short), drawn.nothing()))
    less = look(goal, short, table, [], Spent(120))[0].power
    assert 0 <= less.low < less.chance < less.high < 1
    assert (less.chance < 0.9, less.promised) == (True, 0.9)
    more = look(goal, replace(short, calls=900), table, [], Spent(120))[0].power
    assert more.chance > less.chance
    assert look(goal, replace(short, calls=10_000), table, [], Spent(120))[0].power is None
