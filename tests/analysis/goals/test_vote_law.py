"""Shares, ties and agreement of votes, as they were drawn."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from quorate.analysis.goals.quote import law_of_votes
from quorate.decide.goals.goal import BestGoal, Offer, PreferGoal
from quorate.errors import NotEstimable
from quorate.simulate.goals.votes import VoteLaw, vote_world

OFFER = Offer(tuple(f"i{n}" for n in range(6000)), ("ann", "gpt", "llama"), people=("ann",), calls=9)
GOAL = PreferGoal("x", "y")


def drawn(goal, offer, law, effect):
    world = vote_world(goal, offer, law, effect, np.random.default_rng(2))
    return world.judgments(~world.nothing())


def test_a_law_is_found_again():
    votes = drawn(GOAL, OFFER, VoteLaw(0.2, 0.4, 0.6), 0.1)
    law, effect = law_of_votes(GOAL, votes, ("ann",))
    assert effect == pytest.approx(0.1, abs=0.02)
    assert (law.ties, law.icc, law.models) == (
        pytest.approx(votes.tie_share, abs=1e-3),
        pytest.approx(0.4, abs=0.03),
        pytest.approx(0.6, abs=0.06),
    )
    assert law_of_votes(PreferGoal("y", "x"), votes, ("ann",))[1] == pytest.approx(-effect)
    with pytest.raises(NotEstimable, match="x and z have no votes"):
        law_of_votes(PreferGoal("x", "z"), votes, ())


def test_both_orders_are_one_vote():
    """A judge who says A whatever is first has ties only, whose votes do not vary."""
    votes = drawn(GOAL, replace(OFFER, judges=("gpt",), people=()), VoteLaw(), 0.1)
    twice = votes.reordered(np.repeat(np.arange(votes.rows), 2))
    assert law_of_votes(GOAL, twice, ()) == law_of_votes(GOAL, votes, ())
    first = np.tile(np.array([0, 1], dtype=np.int8), votes.rows)
    law, effect = law_of_votes(GOAL, replace(twice, outcome=first), ())
    assert (law, effect) == (VoteLaw(1.0, 0.0), 0.0)


def test_the_best_is_ahead_of_the_nearest():
    pairs = tuple(combinations("xyz", 2)) * 2000
    votes = drawn(BestGoal(), replace(OFFER, pairs=pairs), VoteLaw(icc=0.3), 0.1)
    law, effect = law_of_votes(BestGoal(), votes, ())
    assert (effect, law.icc, law.models) == (pytest.approx(0.09, abs=0.02), pytest.approx(0.3, abs=0.03), None)
