"""Ratings by votes that several facets make alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable


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
