from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.votes import clusters as of_clusters
from quorate.numerics.votes.clusters import Clusters, gather


def clusters(wins, votes, pair=None):
    wins = np.asarray(wins, dtype=float)
    pair = np.zeros(len(wins), dtype=int) if pair is None else np.asarray(pair)
    return Clusters(pair, wins, np.asarray(votes, dtype=float), int(pair.max()) + 1)


def test_gather_keeps_pairs_apart():
    found = gather(
        np.array([0, 0, 1, 0]), np.array([5, 5, 5, 2]), np.array([1, 0, 1, 1.0]), np.array([1, 2, 3, 1.0]), 2
    )
    assert found.count.tolist() == [2, 1]
    assert sorted(zip(found.pair.tolist(), found.wins.tolist(), found.votes.tolist(), strict=True)) == [
        (0, 1, 1),
        (0, 1, 3),
        (1, 3, 3),
    ]


def test_design_effect_is_one_on_average_for_votes_dealt_at_random():
    rng, sizes = np.random.default_rng(1), np.array([1, 1, 2, 5, 9, 30])
    owner, outcome = np.repeat(np.arange(6), sizes), np.repeat([0.0, 1.0], [20, 28])
    dealt = [clusters(np.bincount(owner, rng.permutation(outcome)), sizes) for _ in range(4000)]
    found = np.array([of_clusters.design_effect(one)[0] for one in dealt])
    assert found.mean() == pytest.approx(1.0, abs=4 * found.std() / np.sqrt(4000))


def test_design_effect_of_copies_is_their_number():
    """Each vote given m times is worth one; the correction for few clusters is (n - 1) / (n - m)."""
    one = np.repeat([0.0, 1.0], [40, 60])
    found = of_clusters.design_effect(clusters(3 * one, np.full(100, 3)))
    assert found[0] == pytest.approx(3 * (300 - 1) / (300 - 3))
    assert of_clusters.icc(clusters(3 * one, np.full(100, 3)))[0] == pytest.approx(1.0)


def test_icc_by_hand():
    """Clusters with 2, 1, 0 and 2 wins of two votes: the analysis of variance of the eight votes."""
    found = clusters([2, 1, 0, 2], [2, 2, 2, 2])
    votes = np.array([[1, 1], [1, 0], [0, 0], [1, 1.0]])
    between = 2 * votes.mean(axis=1).var(ddof=1)
    within = votes.var(axis=1, ddof=1).mean()
    assert of_clusters.mean_squares(found) == (pytest.approx(between), pytest.approx(within), pytest.approx(2.0))
    assert of_clusters.icc(found)[0] == pytest.approx((between - within) / (between + within))
    assert of_clusters.between_variance(found)[0][0] == pytest.approx((between - within) / 2)


def test_without_repeats_there_is_no_icc():
    single = clusters([1, 0, 1, 1], [1, 1, 1, 1])
    assert np.isnan(of_clusters.icc(single)).all()
    assert np.isnan(of_clusters.between_variance(single)[0]).all()
    spread, noise = of_clusters.plain_variances(single)
    assert spread[0] == pytest.approx(np.var([1, 0, 1, 1], ddof=1))
    assert noise[0] == 0.0


def test_unanimous_votes_have_no_design_effect():
    assert np.isnan(of_clusters.design_effect(clusters([2, 3], [2, 3]))).all()


@pytest.mark.slow
def test_halves_of_dependent_votes_differ_too_often_unless_clusters_are_allowed_for():
    rng = np.random.default_rng(2)
    copies = clusters(4.0 * rng.integers(2, size=2000), np.full(2000, 4), np.repeat(np.arange(20), 100))
    plain, sandwich = of_clusters.half_misses(copies, 0.05, 200, rng)
    assert plain.mean() == pytest.approx(0.327, abs=0.03)  # 2 (1 - pnorm(1.96 / 2))
    assert sandwich.mean() == pytest.approx(0.05, abs=0.012)


def test_one_cluster_cannot_be_split():
    plain, sandwich = of_clusters.half_misses(clusters([3.0], [5.0]), 0.05, 3, np.random.default_rng(1))
    assert np.isnan(plain).all()
    assert np.isnan(sandwich).all()
