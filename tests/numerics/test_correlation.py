import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from quorate.numerics.correlation import inversions, kendall, pearson, row_ranks, spearman
from quorate.numerics.ranks import ranks


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
