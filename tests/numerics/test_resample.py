"""Draws with replacement against all studies there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from quorate.simulate import strategies
from quorate.simulate.strategies import drawn_means, pool_variance, variance_error

POOLS = np.array([[[0.0, 1.0, 5.0], [2.0, 2.0, 3.0]], [[4.0, -1.0, 0.0], [1.0, 7.0, 1.0]]])  # 2 scenarios, 2 columns


def every_mean(pools: np.ndarray) -> np.ndarray:
    """Means of all the studies with one draw from every pool, equally likely."""
    return np.array([np.mean(study) for study in product(*pools.reshape(-1, pools.shape[-1]))])


def test_the_variance_of_a_draw_is_that_of_all_studies():
    assert pool_variance(POOLS) / (2 * 2) == pytest.approx(np.var(every_mean(POOLS)), rel=1e-13)


def test_the_error_of_a_variance_is_exact():
    """Var(s^2) from the moments of all 81 equally likely means, Mood, Graybill and Boes (1974), p. 229."""
    means = every_mean(POOLS) - every_mean(POOLS).mean()
    fourth, second, studies = np.mean(means**4), np.mean(means**2), 50
    exact = np.sqrt((fourth - second**2 * (studies - 3) / (studies - 1)) / studies)
    assert variance_error(POOLS, 2, studies) == pytest.approx(exact, rel=1e-12)


def test_drawn_studies_are_the_studies_there_are():
    """Every mean comes as often as among all studies: chi-squared on the 81 studies' distinct means."""
    n = 200_000
    values, expected = np.unique(np.round(every_mean(POOLS) - POOLS.mean(), 9), return_counts=True)
    drawn = np.round(drawn_means(POOLS, [2], n, np.random.default_rng(1))[0], 9)
    found, counts = np.unique(drawn, return_counts=True)
    np.testing.assert_allclose(found, values, atol=1e-8)
    expected = expected * n / expected.sum()
    assert np.sum((counts - expected) ** 2 / expected) < len(values) + 4 * np.sqrt(2 * len(values))


def test_smaller_studies_begin_larger_ones():
    """With as many draws more, the mean moves by what they say: the draws in between are a study of their own."""
    small, large = drawn_means(POOLS, [2, 4], 20_000, np.random.default_rng(2))
    rest = 2 * large - small
    assert np.var(rest) == pytest.approx(np.var(small), rel=0.05)
    assert np.corrcoef(small, rest)[0, 1] == pytest.approx(0, abs=0.03)


def test_columns_are_drawn_in_turn():
    """Where a column is constant, drawing from it adds no variance, and nothing of the other column's mean."""
    pools = np.array([[[10.0, 10.0], [0.0, 2.0]]])
    assert set(drawn_means(pools, [2], 100, np.random.default_rng(3))[0]) == {-0.5, 0.5}


def test_one_seed_one_result():
    one, same, other = (drawn_means(POOLS, [2, 6], 300, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_many_draws_come_in_blocks(monkeypatch):
    """Blocks keep the law: what they hold at a time is all that changes."""
    monkeypatch.setattr(strategies, "_MOST_DRAWS", 300)
    means = drawn_means(POOLS, [2, 4], 20_001, np.random.default_rng(6))
    assert means.shape == (2, 20_001)
    for mean, draws in zip(means, (2, 4), strict=True):
        assert abs(mean.var(ddof=1) - pool_variance(POOLS) / (2 * draws)) < 4 * variance_error(POOLS, draws, 20_001)


def test_pools_of_more_than_65536_members():
    pools = np.random.default_rng(7).normal(size=(1, 2, 40_000)) + np.array([[[0.0], [3.0]]])
    (mean,) = drawn_means(pools, [2], 3000, np.random.default_rng(8))
    assert abs(mean.var(ddof=1) - pool_variance(pools) / 2) < 4 * variance_error(pools, 2, 3000)


def test_pools_without_variance():
    pools = np.full((3, 1, 4), 7.1)
    assert not drawn_means(pools, [1, 2], 10, np.random.default_rng(9)).any()
    assert pool_variance(pools) == variance_error(pools, 1, 10) == 0
