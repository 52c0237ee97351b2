from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import stdtr

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.ratings.contrast import Law

ROWS = [
    ("x", "y", 60, 20, 10),
    ("x", "z", 55, 25, 10),
    ("y", "z", 41, 39, 12),
    ("y", "w", 70, 20, 5),
    ("z", "w", 66, 23, 6),
]


@pytest.fixture(scope="module")
def ratings():
    frame = pl.DataFrame(ROWS, schema=["model_a", "model_b", "a", "b", "t"], orient="row")
    return q.rank(q.read_votes(frame, wins=("a", "b", "t"), announce=False))


def test_the_table_has_the_best_system_first(ratings):
    frame = ratings.to_frame()
    assert frame.columns == ["system", "rating", "se", "low", "high", "rank_low", "rank_high", "group"]
    assert frame["system"].to_list() == list(ratings.systems) == ["x", "y", "z", "w"]
    assert frame["rating"].is_sorted(descending=True)
    assert ratings.rating.sum() == pytest.approx(0, abs=1e-9)
    assert frame["rank_low"].to_list() == [1, 2, 2, 4]
    assert frame["rank_high"].to_list() == [1, 3, 3, 4]
    assert frame["group"].to_list() == [1, 2, 2, 3]
    assert ratings.groups == (("x",), ("y", "z"), ("w",))
    assert repr(ratings).startswith("Ratings(4 systems, 462 votes, sandwich: x 0.9878, y 0.07375, z 0.06702, ...)")


def test_the_standard_error_is_that_about_the_mean_of_all(ratings):
    weight = np.full(4, -0.25)
    weight[0] += 1
    assert ratings.se[0] == pytest.approx(np.sqrt(weight @ ratings.covariance @ weight))


def test_elo_is_the_same_in_points(ratings):
    elo = ratings.elo()
    assert elo.rating.mean() == pytest.approx(1000)
    np.testing.assert_allclose(elo.se, ratings.se * 400 / np.log(10))
    assert 10 ** (elo.difference("x", "y").value / 400) == pytest.approx(np.exp(ratings.difference("x", "y").value))
    anchored = ratings.elo(1200, system="z")
    assert anchored.rating[anchored.systems.index("z")] == pytest.approx(1200)
    np.testing.assert_allclose(anchored.se, elo.se)
    assert anchored.groups == elo.groups == ratings.groups
    assert anchored.probability("x", "z").value == ratings.probability("x", "z").value
    low, high = anchored.intervals.T
    assert ((low < anchored.rating) & (anchored.rating < high)).all()
    with pytest.raises(UnknownTerm, match='"v"'):
        ratings.elo(system="v")


def test_chances_of_being_best_add_up(ratings):
    assert sum(ratings.best.values()) == pytest.approx(1)
    assert ratings.best["x"] > 0.99
    assert list(ratings.best) == list(ratings.systems)


def test_the_tie_parameter(ratings):
    assert ratings.nu == pytest.approx(math.exp(ratings.log_nu.value))
    low, high = ratings.log_nu.ends
    assert low < ratings.log_nu.value < high


def test_methods_of_uncertainty(ratings):
    model = ratings.using("model")
    assert model.method == "model"
    np.testing.assert_array_equal(model.rating, ratings.rating)
    assert not np.array_equal(model.se, ratings.se)
    assert model.difference("x", "y").df == math.inf
    with pytest.raises(InvalidInput, match='method: expects one of model, sandwich, got "bootstrap"'):
        ratings.using("bootstrap")


def test_what_can_go_wrong_when_asking(ratings):
    with pytest.raises(UnknownTerm, match='no system "v"; there are "x"'):
        ratings.difference("x", "v")
    with pytest.raises(InvalidInput, match='"x" against itself'):
        ratings.probability("x", "x")
    with pytest.raises(InvalidInput, match="level: must lie between 0 and 1, got 0"):
        _ = ratings.difference("x", "y").at(0).ends


@pytest.mark.parametrize("resamples", [0, 300])
def test_a_chance_of_winning_is_that_over_both_orders(resamples):
    """The first of two equals in strength but for their places wins 9 to 1; "x" is better besides."""
    rows = [("x", "y", 95, 5), ("y", "x", 60, 40)]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row")
    votes = q.read_votes(frame, wins=("a", "b"), order="model_a", announce=False)
    placed, plain = q.rank(votes, position=True, resamples=resamples), q.rank(votes)
    rate, other = placed.probability("x", "y"), placed.probability("y", "x")
    assert rate.value == pytest.approx((95 + 40) / 200)
    assert rate.value + other.value == pytest.approx(1)
    assert placed.difference("x", "y").value > rate.log_odds.value
    low, high = rate.ends
    exact = math.sqrt((0.95 * 0.05 + 0.6 * 0.4) / 400)  # of the mean of two shares
    assert (high - low) / 2 / 1.972 == pytest.approx(exact, rel=0.03 if not resamples else 0.12)
    assert plain.probability("x", "y").value == pytest.approx(rate.value)
    assert math.isnan(q.rank(votes, position=True, ties="drop").probability("x", "y").tie)


def test_few_degrees_of_freedom_make_the_best_less_sure():
    frame = pl.DataFrame([("x", "y", 60, 40)], schema=["model_a", "model_b", "a", "b"], orient="row")
    many = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    law = many.laws["sandwich"]
    few = replace(many, laws={"sandwich": Law(law.covariance, np.full((2, 2), 2.0))}, margin=None)
    t = many.difference("x", "y").value / many.difference("x", "y").se
    assert many.best["x"] == pytest.approx(stdtr(99, t), abs=0.01)
    assert few.best["x"] == pytest.approx(stdtr(2, t), abs=0.015)
    assert few.ranks.critical[0, 1] == pytest.approx(4.30, abs=0.3)  # qt(.975, 2) in R


def test_sentences(ratings):
    assert (
        ratings.sentence
        == "x is first of 4 systems; 5 of 6 pairs of systems are told apart, at 95% for all ranks at once."
    )
    frame = pl.DataFrame([("x", "y", 6, 5)], schema=["model_a", "model_b", "a", "b"], orient="row")
    close = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    assert close.sentence == "No two of 2 systems are told apart, at 95% for all ranks at once."
    chain = [("x", "y", 55, 45), ("y", "z", 55, 45), ("x", "z", 68, 32)]
    frame = pl.DataFrame(chain, schema=["model_a", "model_b", "a", "b"], orient="row")
    linked = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    assert linked.sentence.startswith("x leads 3 systems, not surely ahead of y; 1 of 3 pairs of systems is told apart")
    shared = [("x", "y", 50, 48), ("x", "z", 90, 10), ("y", "z", 90, 10)]
    frame = pl.DataFrame(shared, schema=["model_a", "model_b", "a", "b"], orient="row")
    two = q.rank(q.read_votes(frame, wins=("a", "b"), announce=False))
    assert two.sentence.startswith("x leads 3 systems, not surely ahead of y; 2 of 3 pairs")


def test_everything_as_plain_values(ratings):
    said = json.loads(json.dumps(ratings.to_dict(), allow_nan=False))
    assert [row["system"] for row in said["systems"]] == list(ratings.systems)
    assert said["groups"] == [["x"], ["y", "z"], ["w"]]
    assert said["sentence"] == ratings.sentence
    assert said["log_nu"]["value"] == ratings.log_nu.value
    assert said["position"] is None
    json.dumps(ratings.using("model").to_dict(), allow_nan=False)
