import numpy as np
import pytest
from scipy import stats

from quorate.numerics.votes import clustered
from quorate.numerics.votes.binomial import clopper_pearson


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
    found = clustered._df(clustered._Studies(None), w[None], v[None])[0]
    assert found == pytest.approx(np.trace(m) ** 2 / np.sum(m * m))


@pytest.mark.slow
def test_the_variance_is_unbiased_for_independent_votes():
    rng = np.random.default_rng(1)
    sizes = np.array([1.0, 2, 3, 10, 20])
    wins = rng.binomial(sizes.astype(int), 0.6, (5000, 5)).astype(float)
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


def test_several_studies_are_each_their_own():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 9, (20, 12)).astype(float)
    wins = rng.binomial(sizes.astype(int), 0.7).astype(float)
    squares = 0.9 * wins
    every = clustered.shares(wins, sizes, squares)
    for at in range(20):
        one = clustered.share(wins[at], sizes[at], squares[at])
        np.testing.assert_allclose(every.one(at), one, rtol=1e-12)
    single = clustered.shares(wins[:, :1], sizes[:, :1])
    assert np.isnan(single.se).all()
    assert single.value[0] == wins[0, 0] / sizes[0, 0]


def test_the_interval_of_single_votes_is_exact():
    wins = np.array([1.0] * 7 + [0.0] * 3)
    ends = clustered.interval(clustered.share(wins, np.ones(10)), 0.95)
    assert ends == pytest.approx([float(end) for end in clopper_pearson(7, 10, 0.95)])


def test_the_interval_of_clusters_is_that_of_fewer_votes():
    """Korn and Graubard by hand: p (1 - p) / se^2, times the squared ratio of the t quantiles."""
    wins, sizes = np.array([9.0, 2, 8, 4, 10, 7]), np.full(6, 10.0)
    found = clustered.share(wins, sizes)
    p, df = 40 / 60, 5
    se = (wins / 10).std(ddof=1) / np.sqrt(6)
    worth = p * (1 - p) / se**2 * (stats.t.ppf(0.975, 59) / stats.t.ppf(0.975, df)) ** 2
    ends = (
        stats.beta.ppf(0.025, p * worth, worth - p * worth + 1),
        stats.beta.ppf(0.975, p * worth + 1, worth - p * worth),
    )
    assert clustered.interval(found, 0.95) == pytest.approx(ends)


def test_clusters_that_do_not_differ_are_single_votes():
    found = clustered.share(np.full(8, 5.0), np.full(8, 5.0))
    assert clustered.interval(found, 0.95) == pytest.approx([float(end) for end in clopper_pearson(8, 8, 0.95)])
    low, high, p = clustered.balance(found, 0.95)
    assert (low, high) == pytest.approx((2 * 0.025 ** (1 / 8) - 1, 1.0))
    assert p == pytest.approx(2 * 0.5**8)


@pytest.mark.parametrize("won", [0.0, 1.0])
def test_a_lead_of_all_is_in_its_interval_whatever_the_sizes(won):
    sizes = np.array([4.0, 6, 5, 7])
    found = clustered.share(won * sizes, sizes)
    low, high, p = clustered.balance(found, 0.95)
    assert low <= 2 * won - 1 <= high
    assert (high if won else -low) == 1.0
    assert p >= 2 ** (1 - found.effective)
    other = clustered.balance(clustered.share((1 - won) * sizes, sizes), 0.95)
    assert other == pytest.approx((-high, -low, p))


def test_a_lead_is_twice_the_share_less_one():
    """Gains of 10 clusters of 4: Student's t on the cluster means."""
    gains = np.array([1, 0, 2, -1, 0, 3, 1, 1, -2, 2]) / 4
    low, high, p = clustered.balance(
        clustered.share((4 * gains + 4) / 2, np.full(10, 4.0), np.full(10, 1.0) + (4 * gains + 4) / 4), 0.95
    )
    t = gains.mean() / (gains.std(ddof=1) / np.sqrt(10))
    assert p == pytest.approx(2 * stats.t.sf(t, 9))
    half = stats.t.ppf(0.975, 9) * gains.std(ddof=1) / np.sqrt(10)
    assert (low, high) == pytest.approx((gains.mean() - half, gains.mean() + half))


def test_an_interval_of_clusters_is_exact_where_they_agree_and_includes_zero_where_they_are_few():
    agree = clustered.share(np.full(6, 4.0), np.full(6, 4.0))
    assert clustered.single_votes(agree) == (6, 6)
    assert clustered.margin_interval(agree, 0.95) == pytest.approx((0.025 ** (1 / 6) - 0.5, 0.5))
    assert clustered.votes_per_independent(agree) == 4
    few = clustered.share(np.array([9.0, 9.0, 8.0]), np.full(3, 10.0))
    assert clustered.margin_interval(few, 0.95)[0] == 0
    assert clustered.margin_interval(few, 0.6)[0] > 0


def test_votes_that_differ_more_within_clusters_than_by_chance_are_not_worth_more():
    assert clustered.votes_per_independent(clustered.share(np.array([5.0, 4.0, 5.0, 5.0]), np.full(4, 10.0))) == 1
