from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.ratings.contrast import Contrast, average_odds, expit
from quorate.numerics.ratings.ties.registry import tie_model

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


def test_a_difference(ratings):
    gap, back = ratings.difference("x", "y"), ratings.difference("y", "x")
    assert gap.value == -back.value == ratings.rating[0] - ratings.rating[1]
    assert gap.se == back.se
    low, high = gap.ends
    assert (low + high) / 2 == pytest.approx(gap.value)
    assert (high - low) / gap.se / 2 == pytest.approx(1.9651, abs=1e-3)  # qt(.975, 461) in R
    assert gap.at(0.99).ends[0] < low
    plain = ratings.using("model").difference("x", "y")
    assert plain.p_value == pytest.approx(math.erfc(plain.value / plain.se / math.sqrt(2)), rel=1e-9)
    assert 0.3 < ratings.difference("y", "z").p_value < 1


def test_chances_of_one_against_another(ratings):
    rate, other = ratings.probability("x", "y"), ratings.probability("y", "x")
    assert rate.value + other.value == pytest.approx(1)
    assert rate.tie == other.tie
    worth = math.exp(rate.log_odds.value)
    assert rate.value == pytest.approx(worth / (1 + worth))
    tie = ratings.nu * math.sqrt(worth)
    assert rate.tie == pytest.approx(tie / (1 + worth + tie))
    low, high = rate.ends
    assert low < rate.value < high < 1
    assert np.isnan(ratings.using("model").probability("x", "y").tie) == (ratings.ties != "davidson")


def test_intervals_of_refits_are_their_percentiles():
    frame = pl.DataFrame(ROWS, schema=["model_a", "model_b", "a", "b", "t"], orient="row")
    votes = q.read_votes(frame, wins=("a", "b", "t"), announce=False)
    ratings = q.rank(votes, resamples=1000)
    gap = ratings.difference("x", "y")
    low, high = gap.at(0.9).ends
    inside = np.mean((gap.value + gap.deviations >= low) & (gap.value + gap.deviations <= high))
    assert low - gap.value == pytest.approx(np.quantile(gap.deviations, 0.05), rel=0.005)
    assert inside == pytest.approx(0.9, abs=0.004)
    assert sum(ratings.best.values()) == pytest.approx(1)
    json.dumps(ratings.to_dict(), allow_nan=False)


@pytest.mark.parametrize("df", [math.inf, 4.0])
def test_the_p_value_of_refits_is_that_of_their_interval(df):
    deviations = np.random.default_rng(1).exponential(size=999) - 1  # skewed: no normal law agrees
    for value in (-1.6, -0.7, 0.2, 0.9):
        one = Contrast("x - y", value, 1.0, df, 100, deviations)
        for level in (1 - one.p_value - 1e-4, 1 - one.p_value + 1e-4):
            low, high = one.at(level).ends
            assert (low > 0 or high < 0) == (level < 1 - one.p_value)
    assert Contrast("x - y", 30.0, 1.0, math.inf, 100, deviations).p_value == 1 / 1000


@pytest.mark.parametrize("tied", [False, True])
def test_odds_over_both_orders(tied):
    gap, g, nu = 2.0, 1.5, 0.7 * tied
    won, lost, tie = np.mean(
        [np.array([math.exp(x / 2), math.exp(-x / 2), nu]) / (2 * math.cosh(x / 2) + nu) for x in (gap + g, gap - g)],
        axis=0,
    )
    found = average_odds(np.array([gap, g, math.log(0.7)]), tie_model("davidson" if tied else "half"))
    assert found[0] == pytest.approx(math.log(won / lost))
    assert found[1] == pytest.approx(tie)


def test_a_chance_of_a_log_odds():
    assert expit(0) == 0.5
    assert expit(700) == 1
    assert expit(-700) == pytest.approx(math.exp(-700))
