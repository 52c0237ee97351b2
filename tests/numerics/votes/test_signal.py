from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from quorate.numerics.votes import clusters
from quorate.numerics.votes.clusters import Clusters

PAIR = np.repeat([0, 1], [5, 4])
WINS = np.array([2.0, 1, 0, 3, 1, 4, 2, 1, 0])
VOTES = np.array([3.0, 2, 1, 3, 2, 4, 4, 2, 1])
CLUSTERS = Clusters(PAIR, WINS, VOTES, 2)
BLOCK = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3])


@pytest.fixture
def sums():
    return clusters.block_sums(CLUSTERS, BLOCK, 5)


def test_the_squared_margin_is_the_mean_product_of_votes_of_different_clusters(sums):
    for pair in (0, 1):
        own = pair == PAIR
        votes = [np.repeat([0.5, -0.5], [int(w), int(n - w)]) for w, n in zip(WINS[own], VOTES[own], strict=True)]
        products = np.concatenate([np.outer(a, b).ravel() for a, b in combinations(votes, 2)])
        assert clusters.square(sums.sum(axis=0))[pair] == pytest.approx(products.mean())


def test_the_others_are_those_of_clusters(sums):
    whole = sums.sum(axis=0)
    assert clusters.between(whole) == pytest.approx(clusters.between_variance(CLUSTERS)[0])
    assert clusters.effect(whole) == pytest.approx(np.maximum(clusters.design_effect(CLUSTERS), 1))


def test_unanimous_votes_are_worth_one_each():
    whole = clusters.block_sums(Clusters(np.zeros(3, int), np.ones(3), np.ones(3), 1), np.arange(3), 3).sum(axis=0)
    assert clusters.effect(whole).tolist() == [1.0]
    assert clusters.square(whole).tolist() == [0.25]
    assert np.isnan(clusters.between(whole)).all()


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(1).normal(size=(12, 1))
    found = clusters.jackknife(np.column_stack([values, np.ones(12)]), lambda left: left[..., 0] / left[..., 1])
    assert found[:3] == pytest.approx((values.mean(), values.std(ddof=1) / np.sqrt(12), 11))
    assert found.left[3] == pytest.approx(np.delete(values, 3).mean())


@pytest.mark.parametrize(
    ("first", "second", "interval"),
    [
        # both errors 0: the ratio itself
        ((2.0, 0.0), (4.0, 0.0), (2.0, 2.0)),
        # Fieller by hand: (16 - 4 R^2 + ...): R^2 (4 - 1) - 16 R + (16 - 1) = 0
        ((2.0, 0.5), (4.0, 0.5), ((8 - np.sqrt(19)) / 3, (8 + np.sqrt(19)) / 3)),
        # the first is no more than noise: no upper end
        ((0.5, 0.5), (4.0, 0.5), ((2 - np.sqrt(4 + 0.75 * 15)) / -0.75, np.inf)),
        ((0.5, 0.5), (0.5, 0.5), (0.0, np.inf)),
        ((-1.0, 0.1), (2.0, 0.1), (0.0, np.inf)),
    ],
)
def test_the_interval_of_a_ratio(first, second, interval):
    assert clusters.ratio_interval(first, second, 0.0, 2.0) == pytest.approx(interval)


def test_the_interval_of_a_ratio_of_the_same_votes_is_the_ratio():
    assert clusters.ratio_interval((2.0, 0.5), (4.0, 1.0), 0.5, 2.0) == pytest.approx((2.0, 2.0))
