from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.regression import dependent, doubly_robust, errors, group_means, linear, logistic


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(2)
    x = np.column_stack([np.ones(200), rng.normal(size=200), 1e4 * rng.random(200)])
    return x, x @ [1.0, 2.0, 1e-4] + rng.normal(size=200), rng.uniform(0.5, 2, 200)


def test_least_squares(rows):
    x, y, weight = rows
    found = linear(y, x, weight)
    gram = (x * weight[:, None]).T @ x
    np.testing.assert_allclose(found.value, np.linalg.solve(gram, x.T @ (weight * y)), rtol=1e-9)
    np.testing.assert_allclose(found.influence.sum(axis=0), 0, atol=1e-9)
    hc1 = np.linalg.inv(gram) @ (x.T * (weight * (y - x @ found.value)) ** 2) @ x @ np.linalg.inv(gram) * 200 / 197
    np.testing.assert_allclose(errors(found.influence).se, np.sqrt(np.diag(hc1)), rtol=1e-9)


def test_logistic_regression_solves_its_score_equations_whatever_the_outcomes(rows):
    x, y, weight = rows
    outcome = 0.3 + 0.8 * (y > 2) + 0.4 * np.sin(np.arange(200))  # beyond 0 and 1
    found = logistic(outcome, x, weight)
    chance = 1 / (1 + np.exp(-x @ found.value))
    np.testing.assert_allclose(x.T @ (weight * (outcome - chance)) / x.sum(axis=0).max(), 0, atol=1e-9)
    assert logistic((x[:, 1] > 0).astype(float), x) is None  # one regressor tells all
    assert logistic(np.full(200, -0.1), x) is None


def test_degrees_of_freedom_are_those_of_equal_rows():
    rng = np.random.default_rng(3)
    equal = rng.normal(size=(5000, 1))
    df = errors(equal).df[0]
    assert 4500 < df < 5500
    some = np.where(np.arange(5000)[:, None] < 100, 50 * equal, equal)  # 100 rows bring nearly all
    assert 40 < errors(some).df[0] < 120
    assert errors(np.eye(4)[:, :1] * 3).df[0] == 1 or errors(np.eye(4)[:, :1] * 3).df[0] < 3


def test_clusters_of_one_row_are_no_clusters_and_copies_of_rows_are(rows):
    x, y, _ = rows
    alone = linear(y, x).influence
    assert errors(alone, [np.arange(200)]).se == pytest.approx(errors(alone).se)
    twice = linear(np.tile(y, 2), np.tile(x, (2, 1))).influence
    copies = errors(twice, [np.tile(np.arange(200), 2)]).se
    assert copies == pytest.approx(errors(alone).se, rel=0.01)
    by_both = errors(twice, [np.tile(np.arange(200), 2), np.tile(np.arange(10), 40)]).se
    assert (by_both >= copies - 1e-12).all()


def test_columns_that_others_give_are_found_in_any_unit():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(50, 3)) * np.array([1e-6, 1.0, 1e6])
    assert dependent(x) == []
    assert dependent(np.column_stack([x, x[:, 0] * 1e6 + x[:, 1]])) == [3]
    assert dependent(np.column_stack([x[:, 1], x[:, 1] + 1e-10 * x[:, 2]])) == []


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


def by_hand(features, labels, probability, cluster):
    """Ridge regression without the row's own cluster, one row after the other."""
    known = ~np.isnan(labels)
    middle, spread = features[known].mean(axis=0), features[known].std(axis=0)
    z = np.column_stack([np.ones(len(labels)), (features - middle) / spread])
    weight = 1 / probability / np.mean(1 / probability[known])
    out = []
    for i in range(len(labels)):
        use = known & (cluster != cluster[i])
        gram = (z[use] * weight[use, None]).T @ z[use] + np.diag([1e-9] + [1.0] * features.shape[1])
        guess = z[i] @ np.linalg.solve(gram, z[use].T @ (weight[use] * labels[use]))
        out.append(guess + ((labels[i] - guess) / probability[i] if known[i] else 0))
    return np.array(out)


@pytest.mark.parametrize("groups", [60, 12])
@pytest.mark.parametrize("block", [4_000_000, 40])
def test_labels_of_the_own_cluster_are_left_out(groups, block, monkeypatch):
    monkeypatch.setattr("quorate.numerics.regression._BLOCK", block)
    rng = np.random.default_rng(groups)
    features, chance = rng.normal(size=(60, 2)), rng.uniform(0.2, 0.9, 60)
    labels = np.where(rng.random(60) < chance, features[:, 0] + rng.normal(size=60), np.nan)
    cluster = rng.permutation(np.arange(60) % groups)
    np.testing.assert_allclose(
        doubly_robust(features, labels, chance, cluster), by_hand(features, labels, chance, cluster), rtol=1e-9
    )


@given(st.integers(0, 2**32 - 1), st.floats(-5, 5), st.floats(0.1, 10))
def test_they_follow_a_change_of_scale_of_what_predicts(seed, shift, scale):
    rng = np.random.default_rng(seed)
    features, labels = rng.normal(size=(30, 2)), np.where(np.arange(30) % 2, rng.normal(size=30), np.nan)
    of = [doubly_robust(each, labels, np.full(30, 0.5), np.arange(30)) for each in (features, shift + scale * features)]
    np.testing.assert_allclose(*of, rtol=1e-6, atol=1e-6)


def test_where_all_is_labelled_they_are_the_labels():
    rng = np.random.default_rng(1)
    labels = rng.normal(size=20)
    np.testing.assert_allclose(doubly_robust(rng.normal(size=(20, 1)), labels, np.ones(20), np.arange(20)), labels)
