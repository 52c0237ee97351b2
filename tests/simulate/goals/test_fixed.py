"""Studies of a fixed size, with everything known."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, PreferGoal
from quorate.errors import InvalidInput
from quorate.simulate import VoteLaw
from quorate.simulate.goals.fixed import fixed_cost, fixed_votes, variances

OFFER = Offer(tuple(f"i{n}" for n in range(3000)), ("a", "b", "c"), systems=("x", "y"), calls=9000)
LAW = {"item": 0.2, "item:judge": 0.2, "cell": 0.2}


@pytest.mark.slow
def test_one_judge_for_each_item_in_turn_is_enough_for_a_panel():
    goal = CompareGoal("x", "y", margin=0.1)
    each = 0.6 * (1.95996 + 1.28155) ** 2 / 0.1**2  # pairs, by the normal law
    assert fixed_cost(goal, OFFER, LAW, 0.1) == pytest.approx(2 * each, rel=0.03)
    usual = (0.2 + 0.4 / 3) * (1.64485 + 1.64485) ** 2 / 0.1**2  # for equivalence, which takes more
    assert fixed_cost(goal, OFFER, LAW, 0.1, usual=True) == pytest.approx(2 * 3 * usual, rel=0.03)
    assert fixed_cost(goal, OFFER, LAW, 0.0) > fixed_cost(goal, OFFER, LAW, 0.1)
    assert fixed_cost(CompareGoal("x", "y"), OFFER, LAW, 0.0) is None


@pytest.mark.slow
def test_noise_of_one_judge_is_paid_for_and_so_is_a_narrow_interval():
    goal, mean = CompareGoal("x", "y", margin=0.1), HalfWidthGoal(0.05)
    assert fixed_cost(goal, OFFER, LAW, 0.1, noise={"a": 3.0}) > fixed_cost(goal, OFFER, LAW, 0.1)
    plain = Offer(OFFER.items, OFFER.judges, calls=9000)
    often, mostly = (fixed_cost(mean, plain, LAW, 0.0, power=power) for power in (0.5, 0.9))
    assert often == pytest.approx(0.6 * 1.96**2 / 0.05**2, rel=0.03)
    chi2 = 1 + 1.28155 * (2 / often) ** 0.5  # its 90% quantile over its degrees of freedom
    assert mostly == pytest.approx(often * chi2, rel=0.03)


def test_categories_are_priced_each_by_its_own_difference_and_components():
    plain = Offer(OFFER.items[:900], OFFER.judges, systems=("x", "y"), calls=2700)
    kinds = replace(plain, categories=("p", "q", "q") * 300)
    law = {"item": {"p": 0.2, "q": 0.6}, "item:judge": 0.2, "cell": {"p": 0.2, "q": 0.1}}
    goal, effect = CompareGoal("x", "y", margin=0.2, by="category"), {"p": 0.3, "q": 0.0}
    alone = CompareGoal("x", "y", margin=0.2, level=0.975)
    each = [
        fixed_cost(alone, plain, {"item": item, "item:judge": 0.2, "cell": cell}, difference)
        for item, cell, difference in ((0.2, 0.2, 0.3), (0.6, 0.1, 0.0))
    ]
    assert fixed_cost(goal, kinds, law, effect) == pytest.approx(sum(each), rel=0.05)
    assert fixed_cost(goal, kinds, law, {"p": 0.3, "q": 0.2}) > 1.5 * fixed_cost(goal, kinds, law, 0.3)
    for given in ((law, 0.0), (LAW, effect)):
        with pytest.raises(InvalidInput, match="by category are for goals that ask by category"):
            fixed_cost(alone, kinds, *given)


# Votes of a fixed size, with everything known.


ITEMS = tuple(f"i{n}" for n in range(900))
PEOPLE = Offer(ITEMS, ("ann", "bob"), people=("ann", "bob"), calls=900)
BOTH = Offer(ITEMS, ("ann", "gpt"), people=("ann",), prices={"ann": 0.5, "gpt": 0.01}, money=100)
GOAL, VOTE_LAW = PreferGoal("x", "y", margin=0.1), VoteLaw(ties=0.2, icc=0.8)
VARIANCE = 0.6 * 0.4 - 0.2 / 4


def test_people_alone_take_as_many_votes_as_a_sample_size_says():
    assert fixed_votes(GOAL, PEOPLE, VOTE_LAW, 0.1) == pytest.approx(
        VARIANCE * (1.95996 + 1.28155) ** 2 / 0.1**2, rel=1e-4
    )
    equal = (0.25 - 0.05) * (1.64485 + 1.64485) ** 2 / 0.1**2
    assert fixed_votes(GOAL, PEOPLE, VOTE_LAW, 0.0) == pytest.approx(equal, rel=1e-4)
    assert fixed_votes(GOAL, PEOPLE, VOTE_LAW, 0.1, usual=True) == pytest.approx(
        VARIANCE * (2 * 1.64485) ** 2 / 0.01, rel=1e-4
    )
    assert fixed_votes(PreferGoal("x", "y"), PEOPLE, VOTE_LAW, 0.0) is None
    assert fixed_votes(PreferGoal("x", "y"), PEOPLE, VoteLaw(), 0.5) == 6  # a unanimous vote of 6 has p = .031


def test_models_save_votes_of_people_as_two_phase_sampling_says():
    residual, explained = VARIANCE * (1 - 0.64), VARIANCE * 0.64
    price = (np.sqrt(residual * 0.5) + np.sqrt(explained * 0.01)) ** 2 * (1.95996 + 1.28155) ** 2 / 0.1**2
    assert fixed_cost(GOAL, BOTH, VOTE_LAW, 0.1) == pytest.approx(price, rel=1e-3)
    assert variances(VOTE_LAW, BOTH, 0.1) == pytest.approx((VARIANCE, explained))
    models = Offer(ITEMS, ("gpt", "llama"), calls=900)
    assert variances(VOTE_LAW, models, 0.1)[0] == pytest.approx(VARIANCE * 0.9)
    with pytest.raises(InvalidInput, match="PreferGoal is not about answers of this kind"):
        fixed_cost(GOAL, BOTH, {"item": 0.1}, 0.1)


def test_the_best_is_told_from_each_of_the_others():
    pairs = tuple(combinations("wxyz", 2)) * 150
    offer = Offer(ITEMS, ("ann",), people=("ann",), pairs=pairs, calls=900)
    each = VARIANCE * (2.12805 + 1.28155) ** 2 / 0.1**2  # one-sided, at .05 / 3
    assert fixed_votes(BestGoal(), offer, VOTE_LAW, 0.1) == pytest.approx(3 * each, rel=1e-4)
    assert fixed_votes(BestGoal(), offer, VOTE_LAW, 0.1, usual=True) == pytest.approx(6 * each, rel=1e-4)
