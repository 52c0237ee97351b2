"""Correlations against scipy, Williams' test against R's psych and Steiger's example."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from quorate.numerics.correlation import inversions, kendall, of_pair, pearson, ranks, row_ranks, spearman, williams


@pytest.mark.wide(8)
@pytest.mark.parametrize(("own", "peer"), [(pearson, pearsonr), (spearman, spearmanr), (kendall, kendalltau)])
@pytest.mark.parametrize("n", [2, 3, 8, 33, 100])
@pytest.mark.parametrize("levels", [3, 1000])
def test_agrees_with_scipy(own, peer, n, levels):
    rng = np.random.default_rng(n)
    x, y = rng.integers(levels, size=(6, n)).astype(float), rng.integers(5, size=n).astype(float)
    y[:2] = 0, 1
    x[:, :2] = 0, 1
    assert own(x, y) == pytest.approx([peer(row, y).statistic for row in x])


@pytest.mark.parametrize("own", [pearson, spearman, kendall])
def test_what_does_not_vary_has_no_correlation(own):
    assert np.isnan(own(np.array([[1.0, 1.0, 1.0]]), np.array([1.0, 2.0, 3.0]))).all()
    assert np.isnan(own(np.array([[1.0, 2.0, 3.0]]), np.array([1.0, 1.0, 1.0]))).all()


@pytest.mark.parametrize("value", [0.1, 0.7, 1e9 + 0.1])
def test_what_does_not_vary_has_none_though_its_mean_is_rounded(value):
    same, other = np.full((1, 7), value), np.random.default_rng(1).normal(size=(1, 7))
    assert np.isnan(pearson(same, other[0])).all()
    assert np.isnan(pearson(other, same[0])).all()


def test_inversions_are_pairs_in_the_wrong_order():
    x = np.random.default_rng(1).integers(6, size=(4, 23)).astype(float)
    want = [sum(row[i] > row[j] for i in range(23) for j in range(i + 1, 23)) for row in x]
    assert inversions(x).tolist() == want


def test_ranks_of_rows_are_ranks():
    x = np.random.default_rng(1).integers(6, size=(4, 23)).astype(float)
    assert (row_ranks(x) == np.array([ranks(row) for row in x])).all()


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


def test_one_pair_of_vectors():
    x, y = np.random.default_rng(3).integers(8, size=(2, 40))
    for method, peer in ((pearson, pearsonr), (spearman, spearmanr), (kendall, kendalltau)):
        assert of_pair(method, x, y) == pytest.approx(peer(x, y).statistic)
        assert np.isnan(of_pair(method, [1, 1, 1], [1, 2, 3]))
    assert of_pair(pearson, x, 3 * x + 1) == 1


def test_ranks_of_equal_values_are_their_mean():
    assert ranks([3.0, 1.0, 3.0, 2.0]).tolist() == [3.5, 1.0, 3.5, 2.0]
