"""Rankings: the model of Plackett and Luce against choix and R, against Davidson's, and what is no ranking."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from reference.rankings import rankings
from tables import votes_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.models import NAME, RIDGE, rankings_of

RECORDED = json.loads((Path(__file__).parents[2] / "reference" / "rankings.json").read_text())


def table(places):
    """Rankings as places of every system, 0 of those not in it, by four judges."""
    rows = [
        (f"r{r:03}", f"s{i}", place, f"j{r % 40}")
        for r, row in enumerate(places)
        for i, place in enumerate(row)
        if place
    ]
    return votes_table(rows, "ranking system rank judge", rank="rank")


@pytest.fixture(scope="module")
def tied():
    return table(rankings(ties=True))


@pytest.fixture(scope="module")
def board(tied):
    return q.rank(tied, rankings="cluster", cluster=())


def test_without_ties_it_is_choix():
    found = q.rank(table(rankings(ties=False)), rankings="cluster")
    rating = dict(zip(found.systems, found.rating, strict=True))
    ours = [rating[f"s{i}"] for i in range(6)]
    np.testing.assert_allclose(ours, RECORDED["ilsr"], atol=1e-10)
    np.testing.assert_allclose(ours, RECORDED["opt"], atol=1e-6)
    assert not found.tied


def test_with_ties_it_is_the_package_of_r(board):
    """Printed by `tests/reference/rankings.R`, to the ten digits and its own convergence."""
    plain = board.using("model")
    worth = [plain.difference(f"s{i}", "s0") for i in range(1, 6)]
    wanted = [-0.5299011836, -0.9371479344, -1.9330847143, -2.5342927129, -2.4673606197]
    np.testing.assert_allclose([one.value for one in worth], wanted, atol=2e-8)
    errors = [0.3065636414, 0.3209806327, 0.3424979965, 0.3479291220, 0.3538212171]
    np.testing.assert_allclose([one.se for one in worth], errors, atol=2e-8)
    np.testing.assert_allclose(board.values[6:], [-1.8554598000, -0.6700064713], atol=2e-8)
    assert plain.log_nu.se == pytest.approx(0.1562779593, abs=2e-8)
    assert board.log_likelihood == pytest.approx(-376.88223892, abs=1e-8)


def test_it_says_what_it_is_by(board, tied):
    assert board.n == 120
    assert "120 rankings" in repr(board)
    assert board.to_dict()["rankings"] == "cluster"
    assert q.rank(tied, rankings="cluster").cluster == ("judge", "cluster")


def test_of_two_systems_each_it_is_davidsons_model(tied):
    votes = table(
        [[place if i in (r % 6, (r + 1 + r % 4) % 6) else 0 for i, place in enumerate(row)] for r, row in PAIRS]
    )
    by_rankings, by_pairs = q.rank(votes, rankings="cluster", cluster="judge"), q.rank(votes, cluster="judge")
    np.testing.assert_allclose(by_rankings.values, by_pairs.values, atol=1e-9)
    np.testing.assert_allclose(by_rankings.covariance, by_pairs.covariance, atol=1e-9)
    assert by_rankings.log_likelihood == pytest.approx(by_pairs.log_likelihood)
    np.testing.assert_allclose(by_rankings._law.df, by_pairs._law.df)


PAIRS = [(r, [1 + (7 * r + i * i) % 3 for i in range(6)]) for r in range(240)]


@pytest.mark.slow
def test_refits_of_rankings_vary_as_the_sandwich_says(tied, board):
    drawn = q.rank(tied, rankings="cluster", cluster=(), resamples=100)
    np.testing.assert_allclose(drawn.se, board.se, rtol=0.25)


def test_a_board_of_linked_systems_alone():
    places = [[*row, 6] for row in rankings(ties=False)]
    found = q.rank(table(places), rankings="cluster", cluster=())
    assert [(one.system, one.place) for one in found.unrated] == [("s6", "below all")]
    assert len(found) == 6


def test_what_is_no_ranking_is_refused(tied):
    broken = tied.keep(np.arange(tied.rows) != 3)
    with pytest.raises(InvalidInput, match='1 of 120 levels of cluster, such as "r0'):
        q.rank(broken, rankings="cluster")
    cyclic = pl.DataFrame(
        {"model_a": ["x", "y", "z"], "model_b": ["y", "z", "x"], "winner": ["model_a"] * 3, "cluster": "r"}
    )
    with pytest.raises(InvalidInput, match="agree with one order"):
        q.rank(q.read_votes(cyclic, announce=False), rankings="cluster", regularisation=1)
    with pytest.raises(InvalidInput, match="position: not with rankings"):
        q.rank(tied, rankings="cluster", position=True)
    with pytest.raises(InvalidInput, match="ties: of rankings they are davidson"):
        q.rank(tied, rankings="cluster", ties="half")
    with pytest.raises(NotEstimable, match="groups to choose from"):
        q.rank(table([[1] * 13 + [2] * 13 + [3, 3], [3] * 13 + [2] * 13 + [1, 1]]), rankings="cluster")
    with pytest.raises(NotEstimable, match="never two"):
        q.rank(table([[1, 1, 1, 2], [2, 2, 2, 1]] * 3), rankings="cluster")


def test_every_pair_of_a_ranking_is_a_vote(tied):
    size = sum(len(list(combinations([place for place in row if place], 2))) for row in rankings(ties=True))
    assert tied.n == size


def votes_of(places, **more):
    rows = [(f"r{r:03}", f"s{i}", place) for r, row in enumerate(places) for i, place in enumerate(row) if place]
    frame = pl.DataFrame(rows, schema=["ranking", "system", "rank"], orient="row")
    return q.read_votes(frame.with_columns(**more), rank="rank", announce=False)


@pytest.fixture(scope="module")
def votes():
    return votes_of(rankings(ties=False))


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
    found = q.votes.models(votes_of(rankings(ties=True)), folds=2)
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
