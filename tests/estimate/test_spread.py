from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from quorate.estimate.spread import Contrasts, Group, ItemSpread, holm


def test_holm_is_that_of_r():
    """R 4.2.2: p.adjust(c(0.01, 0.04, 0.03, 0.5), "holm")"""
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.5])), [0.04, 0.09, 0.09, 0.5])


def test_holm_counts_what_is_not_known():
    np.testing.assert_array_equal(holm(np.array([0.01, np.nan])), [0.02, np.nan])


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
    spread = ItemSpread(
        (Group(np.arange(2), 9, parts[0]), Group(np.arange(2, 4), 6, parts[1])),
    )
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
