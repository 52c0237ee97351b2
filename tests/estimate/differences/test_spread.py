from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import quorate as q
from quorate.estimate.differences.spread import (
    Contrasts,
    FittedSpread,
    ItemGroup,
    ItemSpread,
    LeftOutSpread,
    _fai_cornelius,
    grubbs,
    over_items,
    patterns,
)


def test_intervals_and_p_values_are_student_s():
    one = Contrasts(np.array([1.0, 1.0]), np.array([0.5, 0.5]), np.array([7.0, np.inf]))
    low, high = one.interval(0.9)
    np.testing.assert_allclose(high - 1, [0.5 * stats.t.ppf(0.95, 7), 0.5 * stats.norm.ppf(0.95)])
    np.testing.assert_allclose(low + high, 2)
    np.testing.assert_allclose(one.p, [2 * stats.t.sf(2, 7), 2 * stats.norm.sf(2)])


def test_several_groups_add_and_share_their_degrees_of_freedom():
    """Welch (1947), and Krishnamoorthy and Yu (2004), Eq. 7, written out for two groups."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(9, 2)), 3 * rng.normal(size=(6, 2))
    parts = [np.cov(z.T) / len(z) for z in (x, y)]
    spread = ItemSpread((ItemGroup(np.arange(2), 9, parts[0]), ItemGroup(np.arange(2, 4), 6, parts[1])))
    weights = np.array([[1.0, 0, -1, 0], [0, 1, 0, -1]])
    welch = [stats.ttest_ind(x[:, k], y[:, k], equal_var=False) for k in (0, 1)]
    value = x.mean(axis=0) - y.mean(axis=0)
    se, df = spread.contrast(weights)
    np.testing.assert_allclose(value / se, [one.statistic for one in welch])
    np.testing.assert_allclose(df, [one.df for one in welch])
    inverse = np.linalg.inv(parts[0] + parts[1])
    spent = sum(
        (np.trace(a @ a) + np.trace(a) ** 2) / (n - 1)
        for a, n in zip([p @ inverse for p in parts], (9, 6), strict=True)
    )
    nu = 6 / spent
    found = spread.joint(value, weights)
    assert found.df2 == pytest.approx(nu - 1)
    assert found.statistic == pytest.approx((nu - 1) / (2 * nu) * value @ inverse @ value)
    assert found.p == pytest.approx(stats.f.sf(found.statistic, 2, nu - 1))


def influence(seed=3, items=7, p=3):
    """Items of unequal information; the matrices P_i add up to I."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(items, p, p + 1)) * rng.uniform(0.3, 1.5, size=(items, 1, 1))
    information = root @ root.swapaxes(1, 2)
    size, turned = np.linalg.eigh(information.sum(axis=0))
    back = turned / np.sqrt(size)
    part, axes = np.linalg.eigh(back.T @ information @ back)
    return LeftOutSpread(rng.normal(size=(p + 2, p)), axes, part, rng.normal(size=(items, p)))


def test_leaving_out_items_frees_what_they_were_measured_by():
    spread, weights = influence(), np.random.default_rng(5).normal(size=(4, 5))
    moved = [
        spread.half @ np.linalg.solve(np.eye(3) - axes @ np.diag(part) @ axes.T, axes @ score)
        for axes, part, score in zip(spread.axes, spread.part, spread.score, strict=True)
    ]
    np.testing.assert_allclose(spread.contrast(weights)[0], np.sqrt(np.sum((moved @ weights.T) ** 2, axis=0)))


def test_degrees_of_freedom_match_the_moments_of_the_variance():
    """Bell and McCaffrey (2002): 2 E(v)^2 / Var(v), with what the items move from the covariance written out."""
    spread, weights = influence(), np.random.default_rng(5).normal(size=(1, 5))
    p = [axes @ np.diag(part) @ axes.T for axes, part in zip(spread.axes, spread.part, strict=True)]
    freed = [np.linalg.solve(np.eye(3) - one, (weights @ spread.half)[0]) for one in p]
    g = np.array([[freed[i] @ ((i == j) * p[i] - p[i] @ p[j]) @ freed[j] for j in range(7)] for i in range(7)])
    assert spread.contrast(weights)[1][0] == pytest.approx(np.trace(g) ** 2 / np.sum(g**2))


def test_one_contrast_tested_jointly_is_its_t():
    spread, weights = influence(items=12), np.random.default_rng(5).normal(size=(2, 5))
    se, df = spread.contrast(weights[:1])
    joint = spread.joint(np.array([2.0]), weights[:1])
    assert (joint.statistic, joint.df1, joint.df2) == pytest.approx(((2 / se[0]) ** 2, 1, df[0]))
    assert spread.joint(np.ones(2), weights[[0, 0]]) is None
    assert influence(items=3).joint(np.ones(3), np.eye(5)[:3]) is None


def test_an_item_that_is_all_there_is_moves_nothing():
    """Its residual is zero; the others are as if it were absent."""
    spread = influence(p=2)
    axes, part = np.tile(np.eye(3), (7, 1, 1)), np.zeros((7, 3))
    axes[:, :2, :2], part[:, :2], part[3, 2] = spread.axes, spread.part, 1.0
    score = np.column_stack([spread.score, np.zeros(7)])
    alone = LeftOutSpread(np.column_stack([spread.half, np.zeros(4)]), axes, part, score)
    for one, other in zip(alone.contrast(np.eye(4)), spread.contrast(np.eye(4)), strict=True):
        np.testing.assert_allclose(one, other)


def test_degrees_of_freedom_of_a_model_are_of_the_variance_before_it_is_adjusted(judged):
    """Satterthwaite's, 2 v^2 / g'C g, with v and its slopes by dense algebra; Kenward and Roger's error is larger."""
    table = judged({"item": 8, "judge": 3}, keep=0.7, seed=3, fixed=("judge",))
    fit = q.decompose(table, random=["item", "cell"])
    item, x = table.column("item"), np.eye(3)[table.column("judge")]
    weights, components = np.array([1.0, -1.0, 0.0]), np.array([*fit.variances.values()])

    def variance(components):
        v = components[0] * np.equal.outer(item, item) + components[1] * np.eye(len(item))
        return weights @ np.linalg.inv(x.T @ np.linalg.solve(v, x)) @ weights

    steps = 1e-5 * np.eye(2)
    slopes = np.array([variance(components + step) - variance(components - step) for step in steps]) / 2e-5
    (se,), (df,) = FittedSpread(fit, fit.assembled.fixed.levels["judge"]).contrast(weights[None])
    assert df == pytest.approx(2 * variance(components) ** 2 / (slopes @ fit.covariance @ slopes), rel=1e-6)
    assert 1.001 < se**2 / variance(components) < 1.1


def test_the_denominator_of_fai_and_cornelius():
    """With E = sum df / (df - 2), here 3 / 1 + 8 / 6, it is 2 E / (E - 2); t's alike keep theirs."""
    assert _fai_cornelius(np.array([3.0, 8.0])) == pytest.approx(26 / 7)
    assert [_fai_cornelius(np.array(df)) for df in ([5.0, 5.0], [1.5, 9.0])] == [5, 2]


def test_variances_of_systems_are_found_from_squares_about_the_means_of_items():
    """Grubbs (1948): about the mean of four, a deviation has 9/16 of its variance, and 1/16 of each other's."""
    own = np.array([1.0, 2.0, 3.0, 10.0])
    assert grubbs(own * 9 / 16 + (own.sum() - own) / 16) == pytest.approx(own)


def test_no_spread_is_not_a_standard_error_of_zero():
    spread = influence()
    still = LeftOutSpread(spread.half, spread.axes, spread.part, np.zeros_like(spread.score))
    assert np.isnan(still.contrast(np.eye(5))).all()


def test_items_fall_into_groups_by_what_they_have():
    group, combinations = patterns(np.array([0, 0, 1, 2, 2]), np.array([0, 1, 2, 1, 0]))
    assert group[0] == group[2] != group[1]
    assert sorted(own.tolist() for own in combinations) == [[0, 1], [2]]
    score, item, code = np.array([1.0, 3, 2, 4, 8, 6]), np.array([0, 0, 1, 2, 3, 3]), np.array([0, 0, 0, 1, 1, 1])
    mean, spread = over_items(score, item, code)
    np.testing.assert_allclose(mean, [2, 5.5])
    assert [one.n for one in spread.groups] == [2, 2]
    np.testing.assert_allclose(spread.contrast(np.array([[1.0, -1.0]]))[0], [1.5])
