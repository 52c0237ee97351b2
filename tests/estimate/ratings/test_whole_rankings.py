"""Whole rankings among models of votes: the loss by hand, and what is not comparable."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from reference.rankings import rankings

import quorate as q
from quorate.estimate.ratings.models import NAME, RIDGE, rankings_of


def table(places, **more):
    rows = [(f"r{r:03}", f"s{i}", place) for r, row in enumerate(places) for i, place in enumerate(row) if place]
    frame = pl.DataFrame(rows, schema=["ranking", "system", "rank"], orient="row")
    return q.read_votes(frame.with_columns(**more), rank="rank", announce=False)


@pytest.fixture(scope="module")
def votes():
    return table(rankings(ties=False))


@pytest.fixture(scope="module")
def found(votes):
    return q.votes.models(votes, folds=3)


def test_it_is_one_of_the_models_without_a_likelihood_of_votes(found):
    (whole,) = (one for one in found.models if one.name == NAME)
    assert math.isnan(whole.aic)
    assert whole.options == {"rankings": "cluster"}
    assert (found.held, whole.loss < found.even) == ("cluster", True)
    assert "whole rankings" not in found.sentence.partition("Akaike")[2]
    assert [row["aic"] for row in found.to_dict()["models"] if row["model"] == NAME] == [None]


def test_the_loss_is_that_of_rankings_left_out_by_hand(votes, found):
    from quorate.estimate.ratings.counts import tally
    from quorate.estimate.ratings.models import parts

    held = parts(tally(votes, "half", None, position=False), None, 3, 1)
    total = 0.0
    for fold in range(3):
        mine = held.part == fold
        board = q.rank(votes.keep(~mine), rankings="cluster", regularisation=RIDGE, cluster=())
        rating = dict(zip(board.systems, board.rating.tolist(), strict=True))
        gap = np.array(
            [
                rating[votes.models[a]] - rating[votes.models[b]]
                for a, b in zip(votes.model_a, votes.model_b, strict=True)
            ]
        )
        won = np.where(votes.outcome == 0, gap, -gap)[mine]
        total += np.log1p(np.exp(-won)).sum()
    (whole,) = (one for one in found.models if one.name == NAME)
    assert whole.loss == pytest.approx(total / votes.rows, rel=1e-6)


def test_with_ties_it_predicts_them_too():
    found = q.votes.models(table(rankings(ties=True)), folds=2)
    losses = {one.name: one.loss for one in found.models}
    assert losses[NAME] < found.even
    assert abs(losses[NAME] - losses["Davidson"]) < 0.1


def test_votes_that_come_from_no_rankings_have_no_such_model(votes):
    frame = pl.DataFrame({"model_a": "x", "model_b": "y", "winner": ["x", "y"] * 10, "cluster": range(20)})
    assert rankings_of(q.read_votes(frame, announce=False)) is None
    assert rankings_of(q.read_votes(frame.drop("cluster"), announce=False)) is None
    broken = votes.keep(np.arange(votes.rows) > 0)
    assert rankings_of(broken) is None


def test_rankings_that_are_not_held_out_whole_are_refused(votes):
    found = q.votes.models(votes, cluster=(), folds=2)
    assert found.refused[NAME] == "rankings are not held out whole by vote"
