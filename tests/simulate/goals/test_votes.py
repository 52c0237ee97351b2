"""Votes drawn from a law: shares, ties, and the correlation of two votes on one battle."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.decide.goals.goal import BestGoal, HalfWidthGoal, Offer, PreferGoal
from quorate.errors import InvalidInput
from quorate.simulate import VoteLaw, simulate_goal
from quorate.simulate.goals.votes import vote_world

OFFER = Offer(tuple(f"i{n}" for n in range(20_000)), ("gpt", "ann"), people=("ann",), calls=3000)
GOAL, LAW = PreferGoal("x", "y", margin=0.15), VoteLaw(ties=0.2, icc=0.4, models=0.7)
VALUE = np.array([1.0, 0.0, 0.5])


def test_votes_are_as_the_law_says():
    world = vote_world(GOAL, OFFER, LAW, 0.1, np.random.default_rng(3))
    votes = VALUE[world.outcome[:, 0]]
    assert (world.outcome == 2).mean() == pytest.approx(0.2, abs=0.01)
    follows = np.sqrt(0.4)
    assert votes.mean(axis=0) == pytest.approx([follows * 0.6 + (1 - follows) * 0.7, 0.6], abs=0.01)
    assert votes[:, 1].var() == pytest.approx(LAW.variance(0.6), abs=0.005)
    assert np.cov(votes.T)[0, 1] == pytest.approx(0.4 * LAW.variance(0.6), abs=0.005)
    made = world.nothing()
    made[:3, 0, 0] = made[1, 0, 1] = True
    table = world.judgments(made)
    assert (table.rows, table.models) == (4, ("x", "y"))
    assert table.outcome.tolist() == world.outcome[[0, 1, 1, 2], 0, [0, 0, 1, 0]].tolist()


def test_the_first_system_is_ahead_of_all_others_whichever_is_listed_first():
    offer = Offer(OFFER.items[:6000], ("gpt",), pairs=(("y", "x"), ("z", "y"), ("x", "z")) * 2000, calls=9)
    world = vote_world(BestGoal(), offer, VoteLaw(), 0.2, np.random.default_rng(3))
    pairs = np.array([" ".join(pair) for pair in world.pairs])
    won = [float((world.outcome[pairs == pair] == 0).mean()) for pair in ("y x", "z y", "x z")]
    assert won == pytest.approx([0.3, 0.5, 0.7], abs=0.04)


def test_studies_of_votes_are_carried_out():
    rates = simulate_goal(GOAL, OFFER, LAW, effect=0.3, studies=3)
    assert (rates.outcomes, rates.wrong) == ({"better": 1.0}, 0)
    assert simulate_goal(GOAL, OFFER, LAW, effect=0.3, studies=3) == rates
    assert rates.in_calls(2).calls == 2 * rates.calls


@pytest.mark.parametrize(
    ("goal", "law", "said"),
    [
        (GOAL, {"item": 0.1}, "PreferGoal of this offer is simulated by a VoteLaw"),
        (HalfWidthGoal(0.1), LAW, "HalfWidthGoal of this offer is simulated by components"),
        (GOAL, VoteLaw(ties=0.9), "effect: with 0.9 of the votes ties, shares are from 0.45 to 0.55"),
    ],
)
def test_what_does_not_go_together_is_refused(goal, law, said):
    with pytest.raises(InvalidInput, match=said):
        simulate_goal(goal, OFFER, law, effect=0.1, studies=1)


def test_numbers_out_of_range_are_refused():
    with pytest.raises(InvalidInput, match="icc: must be from 0 to 1, got 2"):
        VoteLaw(icc=2)
