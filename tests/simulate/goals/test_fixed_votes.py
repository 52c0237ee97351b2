"""Votes of a fixed size, with everything known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from quorate.decide.goals.goal import BestGoal, Offer, PreferGoal
from quorate.errors import InvalidInput
from quorate.simulate import VoteLaw
from quorate.simulate.goals.fixed import fixed_cost, fixed_votes, variances

ITEMS = tuple(f"i{n}" for n in range(900))
PEOPLE = Offer(ITEMS, ("ann", "bob"), people=("ann", "bob"), calls=900)
BOTH = Offer(ITEMS, ("ann", "gpt"), people=("ann",), prices={"ann": 0.5, "gpt": 0.01}, money=100)
GOAL, LAW = PreferGoal("x", "y", margin=0.1), VoteLaw(ties=0.2, icc=0.8)
VARIANCE = 0.6 * 0.4 - 0.2 / 4


def test_people_alone_take_as_many_votes_as_a_sample_size_says():
    assert fixed_votes(GOAL, PEOPLE, LAW, 0.1) == pytest.approx(VARIANCE * (1.95996 + 1.28155) ** 2 / 0.1**2, rel=1e-4)
    equal = (0.25 - 0.05) * (1.64485 + 1.64485) ** 2 / 0.1**2
    assert fixed_votes(GOAL, PEOPLE, LAW, 0.0) == pytest.approx(equal, rel=1e-4)
    assert fixed_votes(GOAL, PEOPLE, LAW, 0.1, usual=True) == pytest.approx(
        VARIANCE * (2 * 1.64485) ** 2 / 0.01, rel=1e-4
    )
    assert fixed_votes(PreferGoal("x", "y"), PEOPLE, LAW, 0.0) is None
    assert fixed_votes(PreferGoal("x", "y"), PEOPLE, VoteLaw(), 0.5) == 6  # a unanimous vote of 6 has p = .031


def test_models_save_votes_of_people_as_two_phase_sampling_says():
    residual, explained = VARIANCE * (1 - 0.64), VARIANCE * 0.64
    price = (np.sqrt(residual * 0.5) + np.sqrt(explained * 0.01)) ** 2 * (1.95996 + 1.28155) ** 2 / 0.1**2
    assert fixed_cost(GOAL, BOTH, LAW, 0.1) == pytest.approx(price, rel=1e-3)
    assert variances(LAW, BOTH, 0.1) == pytest.approx((VARIANCE, explained))
    models = Offer(ITEMS, ("gpt", "llama"), calls=900)
    assert variances(LAW, models, 0.1)[0] == pytest.approx(VARIANCE * 0.9)
    with pytest.raises(InvalidInput, match="PreferGoal is not about answers of this kind"):
        fixed_cost(GOAL, BOTH, {"item": 0.1}, 0.1)


def test_the_best_is_told_from_each_of_the_others():
    pairs = tuple(combinations("wxyz", 2)) * 150
    offer = Offer(ITEMS, ("ann",), people=("ann",), pairs=pairs, calls=900)
    each = VARIANCE * (2.12805 + 1.28155) ** 2 / 0.1**2  # one-sided, at .05 / 3
    assert fixed_votes(BestGoal(), offer, LAW, 0.1) == pytest.approx(3 * each, rel=1e-4)
    assert fixed_votes(BestGoal(), offer, LAW, 0.1, usual=True) == pytest.approx(6 * each, rel=1e-4)
