import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.estimate.shares import share_of
from quorate.numerics.votes import clustered
from quorate.numerics.votes.clustered import combined, multiway, multiways, share


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


def test_the_variance_is_unbiased_for_independent_votes():
    rng = np.random.default_rng(1)
    sizes = np.repeat([1, 2, 3, 6, 9], 4)
    wins = rng.binomial(sizes, 0.6, (20_000, 20)).astype(float)
    found = clustered.shares(wins, np.broadcast_to(sizes.astype(float), wins.shape))
    assert np.mean(found.se**2) == pytest.approx(0.24 / 84, rel=0.015)


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


@pytest.mark.parametrize("size", [1.0, 10.0])
def test_the_interval_is_wilsons_with_students_quantile(size):
    """By hand: the roots of (x - p)^2 = (t se)^2 x (1 - x) / (p (1 - p))."""
    wins = size * np.array([0.9, 0.2, 0.8, 0.4, 1.0, 0.7])
    p, se = 2 / 3, (wins / size).std(ddof=1) / np.sqrt(6)
    k = (stats.t.ppf(0.975, 5) * se) ** 2 / (p * (1 - p))
    ends = np.roots([1 + k, -2 * p - k, p**2])
    found = clustered.share(wins, np.full(6, size), wins**2 / size)
    assert clustered.interval(found, 0.95) == pytest.approx(sorted(ends))


def test_clusters_that_do_not_differ_are_single_votes():
    found = clustered.share(np.full(8, 5.0), np.full(8, 5.0))
    assert clustered.interval(found, 0.95) == pytest.approx((0.05 ** (1 / 8), 1))
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
    others = 0.05 ** (1 / (22**2 / (sizes @ sizes)))
    assert clustered.interval(found, 0.95) == pytest.approx((others, 1.0) if won else (0.0, 1 - others))
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
    assert clustered.single_votes(clustered.share(np.full(5, 13.0), np.full(5, 20.0))) == (3, 5)  # a lead of 1.5 is one
    few = clustered.share(np.array([9.0, 9.0, 8.0]), np.full(3, 10.0))
    assert clustered.margin_interval(few, 0.95)[0] == 0
    assert clustered.margin_interval(few, 0.6)[0] > 0


def test_votes_that_differ_more_within_clusters_than_by_chance_are_not_worth_more():
    alone = clustered.share(np.repeat([1.0, 0.0], [6, 4]), np.ones(10))
    assert clustered.votes_per_independent(alone) == pytest.approx(10 / 9)  # p (1 - p) / (n - 1) over p (1 - p) / n
    assert clustered.votes_per_independent(clustered.share(np.array([5.0, 4.0, 5.0, 5.0]), np.full(4, 10.0))) == 1


# Shares of votes by several facets at once.
#
# Reference values are those of R 4.2.2 with sandwich 3.0-2::
#
#     > library(sandwich)
#     > i <- 0:23
#     > d <- data.frame(y = as.numeric((i %/% 4) + 1.5 * (i %% 4) + (i * 7) %% 5 / 2 > 5),
#     +                 prompt = i %/% 4, judge = i %% 4, third = i %/% 12)
#     > paste(d$y, collapse = "")
#     [1] "000000010001001101110111"
#     > fit <- lm(y ~ 1, d)
#     > se <- function(f) print(sqrt(vcovCL(fit, cluster = f, type = "HC0", cadjust = TRUE)[1, 1]), digits = 12)
#     > se(~ prompt); se(~ judge); se(~ prompt + judge); se(~ third); se(~ prompt + third); se(~ prompt + judge + third)
#     [1] 0.123603308118
#     [1] 0.173472166622
#     [1] 0.186554918242
#     [1] 0.25
#     [1] 0.25
#     [1] 0.256528513633
#
# and hold to the printed digits. All cells of one set of facets are of one size: ``G / (G - 1)`` is ``1 / (1 - w)``.


CELL = np.arange(24)
Y = np.array([float(digit) for digit in "000000010001001101110111"])
FACETS = {"prompt": CELL // 4, "judge": CELL % 4, "third": CELL // 12}
ONES = np.ones(24)


@pytest.mark.parametrize(
    ("names", "se"),
    [
        (("prompt",), 0.123603308118),
        (("judge",), 0.173472166622),
        (("prompt", "judge"), 0.186554918242),
        (("third",), 0.25),
        (("prompt", "third"), 0.25),
        (("prompt", "judge", "third"), 0.256528513633),
    ],
)
def test_standard_errors_are_those_of_sandwich(names, se):
    assert multiway(Y, ONES, [FACETS[name] for name in names]).share.se == pytest.approx(se, abs=1e-11)


def test_one_facet_is_its_clusters():
    rng = np.random.default_rng(1)
    code, won = rng.integers(0, 30, 200), (rng.random(200) < 0.6).astype(float)
    sizes = np.bincount(code).astype(float)
    assert multiway(won, np.ones(200), [code]).share == pytest.approx(share(np.bincount(code, won), sizes))


@given(st.integers(0, 10_000), st.integers(2, 3))
def test_it_is_at_least_the_largest_by_one_facet_and_its_df_no_fewer_than_theirs(seed, facets):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    codes = [np.unique(rng.integers(0, rng.integers(2, 12), n), return_inverse=True)[1] for _ in range(facets)]
    won = (rng.random(n) < 0.5).astype(float)
    found = multiway(won, rng.integers(1, 4, n).astype(float), codes)
    if min(way.clusters for way in found.ways) > 1:
        assert found.share.se >= max(way.se for way in found.ways) * (1 - 1e-12)
        assert found.share.df >= min(way.df for way in found.ways) * (1 - 1e-12)
    assert found.share.effective == min(way.effective for way in found.ways)


def test_degrees_of_freedom_are_between_those_of_the_facets_that_matter():
    one = combined(np.array(4.0), np.array([4.0, 0.0]), np.array([9.0, 99.0]))
    both = combined(np.array(4.0), np.array([2.0, 2.0]), np.array([9.0, 9.0]))
    assert (float(one[1]), float(both[1])) == (9.0, 18.0)


def test_two_clusters_leave_one_degree_of_freedom_however_alike_they_are():
    alike = combined(np.array([4.0, 4.0]), np.array([[4.0, 4.0], [1e-9, 1e-9]]), np.array([[99.0, 99.0], [1.0, 2.0]]))
    assert alike[1][0] == 1.0
    assert alike[1][1] == pytest.approx(99.0)


def test_a_row_may_stand_for_several_votes():
    rng = np.random.default_rng(2)
    prompt, judge, won = rng.integers(0, 8, 40), rng.integers(0, 5, 40), (rng.random(40) < 0.4).astype(float)
    times = rng.integers(1, 4, 40)
    rows = np.repeat(np.arange(40), times)
    counted = multiway(won, times.astype(float), [prompt, judge]).share
    single = multiway(won[rows], np.ones(len(rows)), [prompt[rows], judge[rows]]).share
    assert tuple(counted) == pytest.approx(tuple(single))


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_many_studies_at_once_are_each_of_them(seed, facets):
    """Studies of other sizes, one of a single cluster, with ties and rows that stand for several votes."""
    rng = np.random.default_rng(seed)
    study = np.repeat(np.arange(4), [12, 1, 30, 7])
    outcome, weight = rng.choice([0.0, 0.5, 1.0], len(study)), rng.integers(1, 4, len(study)).astype(float)
    codes = [rng.integers(0, 5, len(study)) for _ in range(facets)]
    found = multiways(study, outcome, weight, codes)
    for at in range(4):
        own = study == at
        wanted = multiway(outcome[own], weight[own], [code[own] for code in codes])
        assert found.share.one(at) == pytest.approx(wanted.share, abs=1e-12, nan_ok=True)
        one = [share(*_sums(outcome[own], weight[own], code[own])) for code in codes]
        for way, alone in zip(found.ways, one, strict=True):
            assert way.one(at) == pytest.approx(alone, abs=1e-12, nan_ok=True)


def _sums(outcome, weight, code):
    at = np.unique(code, return_inverse=True)[1]
    return np.bincount(at, weight * outcome), np.bincount(at, weight), np.bincount(at, weight * outcome**2)


def test_intervals_are_by_clusters():
    right = np.array([True] * 12 + [False] * 8)
    apart, together = np.arange(20), np.repeat(np.arange(5), 4)
    alone, by_five = (share_of(right.astype(float), code, 0.95) for code in (apart, together))
    assert by_five.low < alone.low < alone.high < by_five.high
    gain = np.where(right, 1, -1)
    assert clustered.gain_interval(gain, together, 0.95)[2] > clustered.gain_interval(gain, apart, 0.95)[2]


def test_one_cluster_has_no_interval():
    one = np.zeros(3, dtype=np.int64)
    assert np.isnan(share_of(np.ones(3), one, 0.95).ends).all()
    assert np.isnan(clustered.gain_interval(np.ones(3, dtype=np.int64), one, 0.95)).all()
    assert clustered.shared_out(np.zeros(0), np.zeros(0, dtype=np.int64)) is None


def test_weights_count():
    found = clustered.shared_out(np.array([1.0, 0.0]), np.array([0, 1]), np.array([3.0, 1.0]))
    assert (found.value, found.n, found.clusters) == (0.75, 4.0, 2)
