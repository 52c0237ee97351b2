"""Ratings by votes that come in clusters, few or many."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from rated_votes import drawn, single

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.ratings.contrast import Rows
from quorate.estimate.ratings.counts import tally
from quorate.numerics.ratings.bradley_terry import fit
from quorate.numerics.ratings.draws import covariance
from quorate.numerics.ratings.rank_intervals import difference_se, rank_intervals


def test_one_vote_per_cluster_is_no_cluster():
    votes = drawn(1, prompts=400)
    np.testing.assert_allclose(q.rank(votes, cluster="prompt").se, q.rank(votes, cluster=()).se, rtol=1e-12)


def test_clusters_that_repeat_every_vote_widen_by_the_root_of_two():
    once = drawn(2, prompts=400)
    twice = q.rank(drawn_twice(once), cluster="prompt")
    assert twice.n == 2 * once.n
    np.testing.assert_allclose(twice.se, q.rank(once, cluster=()).se, rtol=1e-9)
    np.testing.assert_allclose(
        twice.se / q.rank(drawn_twice(once), cluster=()).se, np.sqrt(2), rtol=4e-3
    )  # but for 1 / (1 - h)


def drawn_twice(votes):
    names = np.array(votes.models)
    labels = np.array(["model_a", "model_b", "tie"])[votes.outcome]
    columns = {"model_a": names[votes.model_a], "model_b": names[votes.model_b], "winner": labels}
    frame = pl.DataFrame({**columns, "prompt": votes.column("prompt")})
    return q.read_votes(pl.concat([frame, frame]), announce=False)


def test_few_clusters_and_shared_prompts_are_said():
    assert [one.code for one in q.rank(drawn(8), cluster=()).caveats] == ["taken-as-independent"]
    assert q.rank(drawn(8), cluster="prompt").caveats == ()
    few = q.rank(drawn(8, prompts=12), cluster="prompt")
    assert [one.code for one in few.caveats] == ["few-clusters"]
    assert few.clusters == (12,)
    assert 10 < few.difference("v", "w").df < 11


def seldom(seed, clusters=100, often=5, seen=3):
    """Votes on "x" in a few of many prompts; all systems are equal but vary from prompt to prompt."""
    rng, rows = np.random.default_rng(seed), []
    for g in range(clusters):
        rating = dict(zip("abcdx", rng.normal(0, 1, 5), strict=True))
        for _ in range(2 * often):
            one, two = ("x", rng.choice(list("abcd"))) if g < seen else rng.choice(list("abcd"), 2, replace=False)
            won = rng.random() < 1 / (1 + np.exp(rating[two] - rating[one]))
            rows.append((str(one), str(two), "model_a" if won else "model_b", f"p{g}"))
    return single(rows)


def test_a_system_seen_in_few_clusters_is_known_as_these_few_tell():
    ratings = q.rank(seldom(1), cluster="prompt")
    rare, common = ratings.difference("x", "a"), ratings.difference("a", "b")
    assert 1.5 < rare.df < 2.5
    assert common.df > 40
    assert [one.code for one in ratings.caveats] == ["few-clusters"]
    assert re.search(
        r'100 levels of prompt, worth [23]\.\d of equal size for "x" against|against "x"', str(ratings.caveats)
    )


@pytest.mark.calibration
def test_intervals_of_a_system_seen_in_few_clusters_hold():
    missed = [0, 0]
    for seed in range(40):
        drawn = q.rank(seldom(seed), cluster="prompt", ties="drop", resamples=100)
        for k, one in enumerate((drawn.using("cluster"), drawn)):
            low, high = one.difference("x", "a").ends
            missed[k] += not low <= 0 <= high
    assert max(missed) <= 5  # of 40 with a chance of .05 each; with the degrees of freedom of 100 clusters 9 and more


def by_prompt(counted):
    rows = Rows(counted)
    return rows.units(rows.code("prompt"))


def test_residuals_of_few_clusters_are_enlarged():
    """A system of three clusters: by about ``1 / (1 - 1/3)`` in the variance, not by ``1 / (1 - 1/100)``."""
    votes = seldom(1)
    found = tally(votes, "davidson", None, position=False)
    at = fit(found.design, found.counts[..., None])
    bare = difference_se(covariance(found.design, at, 0.0, by_prompt(found)))
    ratings = q.rank(votes, cluster="prompt")
    x, a, b = (found.systems.index(name) for name in "xab")
    assert 1.2 < (ratings.difference("x", "a").se / bare[x, a]) ** 2 < 2
    assert 1 < (ratings.difference("a", "b").se / bare[a, b]) ** 2 < 1.05


def test_few_clusters_make_ranks_less_sure_too():
    ratings = q.rank(seldom(1), cluster="prompt")
    x, a, b = (ratings.systems.index(name) for name in "xab")
    assert ratings.ranks.critical[x, a] > 1.5 * ratings.ranks.critical[a, b]
    sure = ratings.using("model").ranks.critical
    assert (ratings.ranks.critical > sure.max()).all()


def won(a, b, firsts, seconds, prompt):
    """That many votes for each, of one prompt."""
    return firsts * [(a, b, "model_a", prompt)] + seconds * [(a, b, "model_b", prompt)]


def test_groups_that_one_cluster_links_are_named():
    rows = [row for g in range(20) for a, b in ("ab", "cd") for row in won(a, b, 1, 1, f"p{g}")]
    rows += won("a", "c", 2, 1, "link") + won("b", "d", 1, 2, "link")
    with pytest.raises(NotEstimable, match='only prompt "link" links "c" and "d" to "a" and "b", so nothing') as error:
        q.rank(single(rows), cluster="prompt")
    assert error.value.names == {"c", "d"}
    with pytest.raises(NotEstimable, match='only prompt "link" links'):
        q.rank(single(rows), cluster="prompt", regularisation=1)
    assert len(q.rank(single([*rows, *won("a", "d", 1, 0, "p1")]), cluster="prompt")) == 4


def test_a_position_effect_that_one_cluster_tells_has_no_standard_error():
    rows = [row for g in range(20) for row in won("x", "y", 2, 1, f"p{g}")] + won("y", "x", 2, 1, "p0")
    with pytest.raises(NotEstimable, match="one level of prompt alone tells some of the ratings or the position"):
        q.rank(single(rows, order="model_a"), cluster="prompt", position=True)


def test_resampled_units_vary_about_their_own_mean():
    """Refits of few clusters vary by ``(G - 1) / G`` of what they should: the law is wider than they are."""
    ratings = q.rank(drawn(6, n=600, prompts=10), cluster="prompt", resamples=400)
    law = ratings.laws["bootstrap"]
    gap = ratings.difference("v", "w")
    i, j = ratings.systems.index("v"), ratings.systems.index("w")
    refit = law.deviations[:, i] - law.deviations[:, j]
    assert gap.df < 9
    assert gap.se >= np.std(refit, ddof=1) * np.sqrt(1 + 1 / gap.df) * (1 - 1e-9)
    names, drawn_ = len(ratings), law.deviations[:, : len(ratings)]
    wanted = rank_intervals(
        ratings.rating, ratings.covariance, drawn_, 0.95, law.df[:names, :names], np.cov(drawn_, rowvar=False)
    )
    np.testing.assert_allclose(ratings.ranks.critical, wanted.critical)
    np.testing.assert_allclose(gap.deviations, refit * np.sqrt(1 + 1 / gap.df))
    assert np.ptp(gap.ends) > 1.1 * np.ptp(np.quantile(gap.deviations, [0.025, 0.975]))
