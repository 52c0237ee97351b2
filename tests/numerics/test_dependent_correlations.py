"""Kendall's tau against scipy, Williams' test against R's psych and Steiger's example."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.dependent_correlations import kendall, pearson, williams


def test_steigers_case_a():
    """Steiger (1980), case A; psych 1.7.8, r.test(103, .4, .5, .1) prints t value -0.89 with probability < 0.37."""
    found = williams(0.4, 0.5, 0.1, 103)
    assert (float(found.t), float(found.p)) == pytest.approx((-0.89, 0.37), abs=0.006)
    assert found.df == 100


def test_the_example_of_psych_to_eight_digits():
    """psych 1.7.8, the last example of r.test: probability < 0.1000759."""
    r12, r23, r13 = 0.693458895410494, 0.988475791500198, 0.695966022434845
    assert float(williams(r12, r13, r23, 5105).p) == pytest.approx(0.1000759, abs=5e-7)


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_exchanging_the_two_changes_the_sign(seed, n):
    r = np.corrcoef(np.random.default_rng(seed).normal(size=(3, n)))
    one, two = williams(r[0, 1], r[0, 2], r[1, 2], n), williams(r[0, 2], r[0, 1], r[1, 2], n)
    assert one.t == pytest.approx(-two.t)
    assert one.p == pytest.approx(two.p)
    assert 0 <= one.p <= 1


def test_no_test_with_three_observations_or_equal_boards():
    assert np.isnan(williams(0.4, 0.5, 0.1, 3).p)
    assert np.isnan(williams(1.0, 1.0, 1.0, 20).t)


def test_arrays_are_broadcast():
    assert williams([0.4, 0.5], 0.5, 0.1, 103).t.shape == (2,)
    assert williams([0.4, 0.5], 0.5, 0.1, 103).p[1] == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=15))
def test_tau_b_of_scipy(pairs):
    from scipy.stats import kendalltau

    x, y = np.array(pairs).T
    expected = kendalltau(x, y).statistic if np.ptp(x) and np.ptp(y) else np.nan
    assert kendall(x, y) == pytest.approx(expected, nan_ok=True)


@given(st.integers(0, 10**6), st.integers(3, 20))
def test_pearson_of_numpy(seed, n):
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    assert pearson(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert pearson(x, 3 * x + 1) == pytest.approx(1)
    assert np.isnan(pearson(x, np.ones(n)))
