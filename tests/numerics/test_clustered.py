import numpy as np
import pytest

from quorate.numerics import clustered


def test_equal_clusters_are_a_t_test():
    wins = np.array([3.0, 2, 4, 1, 5])
    found = clustered.share(wins, np.full(5, 5.0))
    assert found.se == pytest.approx((wins / 5).std(ddof=1) / np.sqrt(5))
    assert found.df == pytest.approx(4)


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_degrees_of_freedom_match_their_definition(rho):
    sizes = np.random.default_rng(0).integers(1, 20, 30).astype(float)
    w, v = sizes / sizes.sum(), sizes * (1 + (sizes - 1) * rho)
    a = np.diag((1 - w) ** -0.5) @ (np.eye(30) - np.outer(w, np.ones(30)))
    m = a @ np.diag(v) @ a.T
    assert clustered._df(w, v) == pytest.approx(np.trace(m) ** 2 / np.sum(m * m))


def test_the_variance_is_unbiased_for_independent_votes():
    rng = np.random.default_rng(1)
    sizes = np.array([1.0, 2, 3, 10, 20])
    wins = rng.binomial(sizes.astype(int), 0.6, (20_000, 5)).astype(float)
    square = np.mean([clustered.share(k, sizes).se ** 2 for k in wins])
    assert square == pytest.approx(0.24 / 36, rel=0.03)


def test_correlation_within_clusters():
    rng = np.random.default_rng(2)
    share = rng.beta(2, 2, 4000)  # correlation 1 / (2 + 2 + 1)
    found = clustered.share(rng.binomial(6, share).astype(float), np.full(4000, 6.0))
    assert found.icc == pytest.approx(0.2, abs=0.02)


def test_one_cluster_says_nothing_of_others():
    found = clustered.share(np.array([3.0]), np.array([5.0]))
    assert found.value == 0.6
    assert np.isnan(found.se)
