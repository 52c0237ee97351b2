from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable
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


def crossed(seed=1, prompts=60, judges=12, each=5, spread=0.5):
    rng = np.random.default_rng(seed)
    names, n = np.array(list("abcd")), prompts * each
    taste = rng.normal(0, spread, (judges, 4)), rng.normal(0, spread, (prompts, 4))
    prompt, judge, a = np.repeat(np.arange(prompts), each), rng.integers(0, judges, n), rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    liking = taste[0][judge] + taste[1][prompt]
    won = rng.random(n) < 1 / (1 + np.exp(liking[np.arange(n), b] - liking[np.arange(n), a]))
    columns = {"model_a": names[a], "model_b": names[b], "winner": np.where(won, "model_a", "model_b")}
    frame = pl.DataFrame({**columns, "prompt": prompt, "judge": judge})
    return q.read_votes(frame, announce=False)


@pytest.fixture(scope="module")
def votes():
    return crossed()


def test_by_default_ratings_vary_with_all_that_votes_share(votes):
    ratings = q.rank(votes)
    assert (ratings.method, ratings.cluster, ratings.clusters) == ("cluster", ("prompt", "judge"), (60, 12))
    each = [q.rank(votes, cluster=name) for name in ratings.cluster]
    for one in "abc":
        gap = ratings.difference(one, "d")
        assert gap.se >= max(way.difference(one, "d").se for way in each) * (1 - 1e-9)
        assert gap.df >= min(way.difference(one, "d").df for way in each) * (1 - 1e-9)
    assert np.linalg.eigvalsh(ratings.covariance).min() > -1e-9


def test_the_facet_with_the_largest_effect_is_named(votes):
    said = [one.sentence for one in q.rank(votes, cluster=()).caveats]
    assert "yet some share their prompt and judge (most by " in said[0]
    assert 'say cluster=("prompt", "judge")' in said[0]


def test_the_order_of_facets_does_not_matter(votes):
    one, other = q.rank(votes, cluster=("judge", "prompt")), q.rank(votes)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-12)


def test_refits_vary_with_every_facet(votes):
    ratings = q.rank(votes, resamples=600)
    np.testing.assert_allclose(ratings.se, ratings.using("cluster").se, rtol=0.2)


def test_a_facet_that_says_nothing_is_left_out_unless_it_is_named(votes):
    alone = np.flatnonzero(votes.column("judge") == 0)[0]
    others = votes.keep((votes.model_a != 0) & (votes.column("judge") != 0) | (np.arange(votes.rows) == alone))
    some = q.read_votes(
        pl.DataFrame(
            {
                "model_a": [*np.array(others.models)[others.model_a], "z", "z"],
                "model_b": [*np.array(others.models)[others.model_b], "b", "b"],
                "winner": [*np.where(others.outcome == 0, "model_a", "model_b"), "model_a", "model_b"],
                "prompt": [*others.column("prompt").astype(str), "0", "1"],
                "judge": [*others.column("judge").astype(str), "j", "j"],
            }
        ).filter(~((pl.col("model_a") == "a") | (pl.col("model_b") == "a"))),
        announce=False,
    )
    ratings = q.rank(some)
    assert ratings.cluster == ("prompt",)
    assert any(one.code == "taken-as-independent" and "judge" in one.sentence for one in ratings.caveats)
    with pytest.raises(NotEstimable, match="are of one judge"):
        q.rank(some, cluster=("prompt", "judge"))


def test_one_judge_is_said_and_is_no_cluster(votes):
    ratings = q.rank(votes.only("judge", "1"))
    assert "judge" not in ratings.cluster
    assert "one-level" in {one.code for one in ratings.caveats}
