"""Tests that are repeated at every look: bounds by the looks before, what is shown, and the chance of more."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from quorate.decide.goals.look import UNDECIDED, DifferenceTest, found_at, held, t_bound
from quorate.numerics.sequential.spending import bounds, obrien_fleming, pocock


class Found(NamedTuple):
    value: float
    se: float
    df: float = math.inf


def test_a_bound_is_as_rare_under_students_law():
    assert float(t_bound(1.959964, 4.0)) == pytest.approx(2.776445, abs=1e-5)
    assert float(t_bound(1.959964, float("inf"))) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("spending", [obrien_fleming, pocock])
def test_bounds_follow_from_the_looks_before(spending):
    past = []
    for fraction, bound in zip([0.2, 0.6, 1.0], bounds([0.2, 0.6, 1.0], 0.05, spending=spending), strict=True):
        found, spent = held(past, fraction, 0.05, 2, spending=spending)
        assert found == pytest.approx(bound, abs=1e-6)
        past.append(found_at(Found(0.0, 1.0), past, fraction, (-1.0, 1.0), alpha=spent, bound=found))
    assert past[-1].alpha == pytest.approx(0.05)
    assert held(past, 1.0, 0.05, 2, spending=spending)[0] == past[-1].bound  # nothing new


TEST = DifferenceTest(0.05, 0.5, obrien_fleming)


@pytest.mark.parametrize(
    ("value", "se", "outcome"),
    [(0.6, 0.2, "better"), (-0.6, 0.2, "worse"), (0.1, 0.2, "equivalent"), (0.3, 0.2, UNDECIDED), (0.4, 0.1, "better")],
)
def test_one_look_is_the_ordinary_test(value, se, outcome):
    here = TEST.look(Found(value, se), [], 1.0)
    assert (here.outcome, here.number, here.level) == (outcome, 1, 0.95)
    assert (here.high - here.value) / se == pytest.approx(1.959964, abs=1e-5)
    assert (here.equal_high - here.value) / se == pytest.approx(1.644854, abs=1e-5)


def test_the_chance_is_that_of_draws_of_the_last_estimate():
    early = TEST.look(Found(0.3, 0.3, 40.0), [], 0.25)
    last = 0.3 + 0.25 * np.random.default_rng(1).standard_normal(150)
    shown = [TEST.look(Found(float(value), 0.15), [early], 1.0).outcome != UNDECIDED for value in last]
    chance = float(TEST.chances([early], np.array(0.15), math.inf, 0.25))
    assert chance == pytest.approx(np.mean(shown), abs=4 * math.sqrt(chance * (1 - chance) / 150))
