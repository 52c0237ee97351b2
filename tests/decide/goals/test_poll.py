"""Votes of people and of models on battles of two systems: what they say, and how many are bought."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.goals.goal import Offer
from quorate.decide.goals.plans import calls
from quorate.decide.goals.votes import Poll, Size, estimated
from quorate.errors import NotEstimable

OFFER = Offer(tuple(f"i{n}" for n in range(20)), ("ann", "gpt"), people=("ann",), calls=100)


def test_shares_are_of_people_and_of_models_on_battles_of_the_two_with_ties_as_halves():
    columns = ["prompt", "judge", "model_a", "model_b", "winner"]
    said = [
        ("i1", "ann", "y", "x", "model_a"),
        ("i1", "gpt", "x", "y", "model_a"),
        ("i1", "gpt", "x", "y", "tie"),
        ("i2", "gpt", "y", "x", "model_b"),
        ("i2", "ann", "x", "z", "model_a"),
    ]
    votes = q.read_votes(pl.DataFrame(said, schema=columns, orient="row"), announce=False)
    poll = Poll("x", "y", OFFER, np.arange(20))
    assert poll.shares(votes) == ({"i1": 0.0}, {"i1": 0.75, "i2": 1.0})
    assert Poll("y", "z", OFFER, np.arange(20)).shares(votes) == ({}, {})
    with pytest.raises(NotEstimable, match="votes on x and y: 1 battles have the votes"):
        poll.estimate(votes, Size(1, 1))


def test_what_is_missing_is_on_battles_of_the_poll_alone():
    poll = Poll("x", "y", OFFER, np.arange(1, 20, 2))
    had, size = Size(2, 3), Size(4, 7)
    cells = calls(OFFER, poll.missing(had, size))
    assert set(cells.code("item")) == {5, 7, 9, 11, 13}
    assert np.bincount(cells.code("judge")).tolist() == [2, 4]
    assert poll.bought(had, cells) == size
    assert poll.bought(had, cells.keep(cells.code("judge") == 0)) == Size(4, 3)


def test_shares_are_corrected_where_there_are_predictions():
    said = {i: float(i % 3 > 0) for i in range(60)}
    alone = estimated(said, {})
    assert (alone.value, alone.size) == (pytest.approx(2 / 3), Size(60, 0))
    exact = estimated(said, {i: float(i % 3 > 0) for i in range(600)})
    assert exact.se < 0.6 * alone.se
    assert exact.explained > 10 * exact.residual
    none = estimated(said, dict.fromkeys(said, 0.5))
    assert (none.se, none.explained) == (pytest.approx(alone.se), pytest.approx(0, abs=1e-2))
    with pytest.raises(NotEstimable, match="2 battles have the votes"):
        estimated({1: 1.0, 2: 0.0}, {})
