from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.regression import group_means


def test_complete_groups_give_hotellings_test():
    """T^2 of the differences from the last column: n d' S^-1 d, F = T^2 (n - q) / (q (n - 1))."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1))
    group, cluster = np.tile(np.arange(4), 12), np.repeat(np.arange(12), 4)
    difference = x[:, :3] - x[:, 3:]
    mean, s = difference.mean(axis=0), np.cov(difference.T)
    expected = 12 * mean @ np.linalg.solve(s, mean) * 9 / (3 * 11)
    f, p = group_means(x.ravel(), group, cluster).equal()
    assert f == pytest.approx(expected)
    from scipy.special import fdtrc

    assert p == pytest.approx(fdtrc(3, 9, expected))


def test_disjoint_groups_have_the_variances_of_means():
    values, group = np.array([1.0, 2, 4, 1, 5, 9, 2]), np.array([0, 0, 0, 1, 1, 1, 1])
    found = group_means(values, group, np.arange(7))
    expected = [np.var(values[group == g], ddof=1) / np.sum(group == g) for g in (0, 1)]
    assert np.diag(found.covariance) == pytest.approx(expected)
    assert found.covariance[0, 1] == 0


def test_the_odd_one_is_the_paired_t_with_bonferroni():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(20, 3)) + np.array([0.0, 0.0, 2.0])
    found = group_means(x.ravel(), np.tile(np.arange(3), 20), np.repeat(np.arange(20), 3))
    difference = x[:, 2] - x[:, :2].mean(axis=1)
    place, t, p = found.odd_one()
    assert place == 2
    assert t == pytest.approx(difference.mean() / difference.std(ddof=1) * np.sqrt(20))
    assert p < 0.001


def test_too_few_clusters():
    f, p = group_means(np.arange(4.0), np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1])).equal()
    assert np.isnan(f)
    assert np.isnan(p)


def test_means_that_do_not_vary_have_no_odd_one():
    place, t, p = group_means(np.tile([1.0, 1, 2], 4), np.tile(np.arange(3), 4), np.repeat(np.arange(4), 3)).odd_one()
    assert place == 0
    assert np.isnan([t, p]).all()
