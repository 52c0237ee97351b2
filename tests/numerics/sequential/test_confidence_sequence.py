from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import t as student

from quorate.errors import InvalidInput
from quorate.numerics.sequential import confidence_sequence
from quorate.numerics.sequential.confidence_sequence import (
    Method,
    Moments,
    against_difference,
    against_mean,
    half_width,
    interval,
    mean_log_evidence,
    within,
)


def summary(scores):
    scores = np.asarray(scores, dtype=float)
    return len(scores), scores.mean(), np.sum((scores - scores.mean()) ** 2)


def capital(scores, share):
    """What the bets on these very scores come to."""
    above = np.log1p(confidence_sequence.STAKES * (scores[:, None] / share - 1)).sum(axis=0)
    below = np.log1p(confidence_sequence.STAKES * ((1 - scores[:, None]) / (1 - share) - 1)).sum(axis=0)
    return logsumexp(np.logaddexp(above, below), b=confidence_sequence.WEIGHTS) - np.log(2)


@pytest.mark.parametrize(("wins", "n", "high", "share"), [(12, 40, 1.0, 0.2), (30, 40, 0.6, 0.3), (5, 5, 0.7, 0.1)])
def test_scores_of_two_values_of_which_one_loses_all_leave_no_doubt(wins, n, high, share):
    scores = np.repeat([0.0, high], [n - wins, wins])
    above = np.log1p(confidence_sequence.STAKES * (scores[:, None] / share - 1)).sum(axis=0)
    assert confidence_sequence.mean_log_evidence(*summary(scores), share) == pytest.approx(
        logsumexp(above, b=confidence_sequence.WEIGHTS) - np.log(2)
    )


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0]), min_size=1, max_size=40),
    st.floats(min_value=0.02, max_value=0.98),
)
def test_the_evidence_is_never_above_what_bets_on_the_scores_win(scores, share):
    evidence = confidence_sequence.mean_log_evidence(*summary(scores), share)
    assert evidence <= capital(np.array(scores), share) + 1e-9


@pytest.mark.wide(1)
@pytest.mark.parametrize("chances", [(0.6, 0.3, 0.1), (0.02, 0.02, 0.96), (0.0, 0.5, 0.5)])
def test_the_evidence_against_the_true_mean_is_expected_to_be_one_at_most(chances):
    values = np.array([0.0, 0.5, 1.0])
    for n in (1, 3, 6):
        expected = sum(
            np.prod([chances[i] for i in drawn])
            * np.exp(confidence_sequence.mean_log_evidence(*summary(values[list(drawn)]), values @ chances))
            for drawn in product(range(3), repeat=n)
        )
        assert expected <= 1


@pytest.mark.slow
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=60))
def test_the_ends_are_where_the_evidence_reaches_its_limit(thousandths):
    n, mean, ss = summary(np.array(thousandths) / 1000)
    lower, upper = confidence_sequence.bounded_mean(n, mean, ss, 0.05)
    assert 0 <= lower <= mean <= upper <= 1
    for end, edge in ((lower, 0.0), (upper, 1.0)):
        assert end == edge or confidence_sequence.mean_log_evidence(n, mean, ss, end) >= np.log(20)
        assert confidence_sequence.mean_log_evidence(n, mean, ss, end + (mean - edge) / 2**39) < np.log(20)


def test_mirrored_scores_have_the_mirrored_interval():
    lower, upper = confidence_sequence.bounded_mean([5, 40, 3000], [0.2, 0.9, 0.01], [0.3, 1.0, 20.0], 0.01)
    low, high = confidence_sequence.bounded_mean([5, 40, 3000], [0.8, 0.1, 0.99], [0.3, 1.0, 20.0], 0.01)
    assert 1 - high == pytest.approx(lower, abs=1e-9)
    assert 1 - low == pytest.approx(upper, abs=1e-9)


def test_without_scores_nothing_is_excluded():
    lower, upper = confidence_sequence.bounded_mean([0], [0.5], [0.0], 0.05)
    assert (lower[0], upper[0]) == (0, 1)


def test_small_variances_make_it_narrower_than_the_sequence_of_votes():
    n, mean = 200, 0.5
    votes = np.diff(confidence_sequence.confidence_sequence(n * mean, n, 0.95, 0.5), axis=0)
    widths = [
        np.diff(confidence_sequence.bounded_mean(n, mean, n * variance, 0.05), axis=0) for variance in (0.25, 0.02, 0.0)
    ]
    assert widths[0] < 1.12 * votes
    assert widths[1] < 0.5 * votes
    assert widths[2] < 0.2 * votes


@pytest.mark.parametrize(
    ("n", "mean", "ss", "share", "wanted"),
    [
        (1, 0.5, 0, 0.01, 2.47799060715),
        (8, 0.75, 0.5, 0.2, 6.05207783364),
        (8, 0.75, 0.5, 0.95, 2.57386889466),
        (40, 0.3, 1.2, 0.5, 6.63072102),
        (40, 0.02, 0.05, 0.2, 5.2075428088),
        (300, 0.5, 3, 0.45, 13.5991239115),
        (300, 0.5, 3, 0.56, 18.375134597),
        (2000, 0.9, 180, 0.88, 1.17705031614),
        (2000, 0.001, 0.5, 0.01, 13.3468698327),
        (50, 1, 0, 0.8, 8.02542427974),
        (50, 0, 0, 0.001, -0.669718141897),
    ],
)
def test_the_evidence_to_ten_digits(n, mean, ss, share, wanted):
    """mpmath 1.4.1 with 50 digits, from the closed forms in docs/methods/adaptive-intervals.md."""
    assert confidence_sequence.mean_log_evidence(n, mean, ss, share) == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize(
    ("n", "mean", "ss", "alpha", "lower", "upper"),
    [
        (1, 0.5, 0, 1e-9, 1.1650299817e-10, 0.99999999988),
        (1, 0, 0, 0.05, 0, 0.98819206783),
        (10, 0.5, 2.5, 1e-9, 0.0028324144446, 0.99716758556),
        (40, 0.3, 1.2, 0.05, 0.20492196142, 0.43310615268),
        (40, 1e-12, 0, 1e-9, 5.4207427671e-13, 0.45792572329),
        (1000, 1, 0, 1e-9, 0.97551004836, 1),
        (1000, 0.5, 250, 1e-9, 0.39141837354, 0.60858162646),
        (1000, 0.5, 1, 1e-9, 0.48407553662, 0.51592446338),
    ],
)
def test_the_ends_to_ten_digits(n, mean, ss, alpha, lower, upper):
    """mpmath 1.4.1 with 50 digits, by halves."""
    np.testing.assert_allclose(confidence_sequence.bounded_mean(n, mean, ss, alpha), (lower, upper), rtol=0, atol=1e-10)


def test_it_works_at_the_edges_of_what_numbers_can_be():
    """With a billion scores the ends are next to the mean: normal ones, 13 standard errors away at most."""
    mean = np.array([0.0, 0.3, 0.5, 1.0])
    lower, upper = confidence_sequence.bounded_mean(1e9, mean, 1e9 * mean * (1 - mean), 1e-9)
    margin = 13 * np.sqrt(mean * (1 - mean) / 1e9)
    assert np.all((lower >= mean - margin - 1e-7) & (upper <= mean + margin + 1e-7))
    assert np.all((lower[1:] < 1 - 1e-9) & (upper[:-1] > 1e-9))
    assert np.all((upper - lower)[1:3] > margin[1:3])
    assert np.all(
        np.isfinite(confidence_sequence.mean_log_evidence(1e9, mean[:, None], 0.0, np.linspace(1e-9, 1 - 1e-9, 50)))
    )
    assert confidence_sequence.mean_log_evidence(1e9, 0.5, 0.0, 0.0) > 1e11


METHODS = get_args(Method)
TEN = {"low": 0.0, "high": 10.0}


def test_t_is_that_of_the_scores():
    scores = np.array([3.0, 5.0, 4.0, 4.0, 9.0])
    ss = np.sum((scores - 5) ** 2)
    expected = student.interval(0.9, 4, 5, scores.std(ddof=1) / np.sqrt(5))
    assert interval(5, 5, ss, method="t", level=0.9) == pytest.approx(expected)


def test_equal_scores_are_not_certain():
    """After 8 the next differs with a chance of 1/10: variance .09 with divisor 8, hence .09 / 7 of the mean."""
    assert half_width(8, 7, 0, method="t") == 0
    expected = student.ppf(0.975, 7) * np.sqrt(0.09 / 7)
    assert half_width(8, 7, 0, method="t", step=1.0) == pytest.approx(expected)
    assert half_width(8, 7, 0, method="asymptotic", step=1.0) > expected
    assert half_width(8, 7, 8 * 0.09, method="t", step=1.0) == pytest.approx(expected)


def test_empirical_bernstein_by_hand():
    """Maurer and Pontil (2009), Theorem 4: 2 / delta with delta = .025 on either side, variance .04."""
    log = np.log(2 / 0.025)
    expected = np.sqrt(2 * 0.04 * log / 101) + 7 * log / 300
    assert half_width(101, 0.5, 4.0, method="bernstein", low=0, high=1) == pytest.approx(expected)


def test_the_asymptotic_sequence_is_least_where_it_is_tuned():
    """Waudby-Smith et al. (2024): ``sd sqrt(2 (n r + 1) / (n^2 r) log(sqrt(n r + 1) / alpha))``, r = rho^2."""
    n, rho2 = 250, np.geomspace(1e-4, 1, 2001)
    margin = np.sqrt(2 * (n * rho2 + 1) / (n**2 * rho2) * np.log(np.sqrt(n * rho2 + 1) / 0.05))
    found = half_width(n, 0, n - 1, method="asymptotic", tuned=n)
    assert found == pytest.approx(margin.min(), rel=1e-6)
    assert half_width(n, 0, n - 1, method="asymptotic", tuned=20) > 1.02 * found


def test_anytime_is_the_sequence_on_the_scale():
    lower, upper = interval([9, 50], [2.5, 1.2], [6.0, 9.0], low=1, high=3, level=0.9, arms=2)
    low, high = confidence_sequence.bounded_mean([9, 50], [0.75, 0.1], [1.5, 2.25], 0.05)
    assert (lower - 1) / 2 == pytest.approx(low)
    assert (upper - 1) / 2 == pytest.approx(high)


@pytest.mark.parametrize("method", METHODS)
def test_many_arms_are_a_higher_level(method):
    together = interval(30, 7, 40, method=method, step=1.0, arms=10, **TEN)
    assert together == pytest.approx(interval(30, 7, 40, method=method, step=1.0, level=0.995, **TEN))


@pytest.mark.parametrize("method", METHODS)
def test_too_few_scores_leave_the_whole_scale(method):
    lower, upper = interval([0, 1], [np.nan, 4.0], 0.0, method=method, step=1.0, **TEN)
    assert (lower[0], upper[0]) == (0, 10)
    assert upper[1] - lower[1] > 8.5
    assert half_width(0, np.nan, 0.0, method=method, **TEN) == 10
    assert not within(0, np.nan, 0.0, 9.9, method=method, **TEN)
    assert within(0, np.nan, 0.0, 10, method=method, **TEN)


@pytest.mark.parametrize("method", ["t", "asymptotic"])
def test_without_a_scale_little_is_infinite(method):
    lower, upper = interval([0, 1], [np.nan, 4.0], 0.0, method=method)
    assert lower.tolist() == [-np.inf] * 2
    assert upper.tolist() == [np.inf] * 2
    assert half_width(0, np.nan, 0.0, method=method) == np.inf


@pytest.mark.parametrize("method", METHODS)
def test_arrays_broadcast_and_the_interval_stays_on_the_scale(method):
    n = np.array([2, 20, 200])[:, None]
    lower, upper = interval(n, [0.0, 9.5], n * 0.2, method=method, step=1.0, **TEN | {"low": -1.0})
    assert lower.shape == upper.shape == (3, 2)
    assert np.all((lower >= -1) & (upper <= 10))
    assert np.all(np.diff(upper - lower, axis=0) < 0)


@pytest.mark.wide(2)
@pytest.mark.parametrize("method", METHODS)
@given(scores=st.lists(st.integers(0, 10), min_size=1, max_size=80), error=st.floats(min_value=0.01, max_value=10))
def test_within_says_what_the_half_width_says(method, scores, error):
    scores = np.array(scores, dtype=float)
    given = len(scores), scores.mean(), np.sum((scores - scores.mean()) ** 2)
    options = {"method": method, "step": 1.0, **TEN}
    width = half_width(*given, **options)
    if abs(width - error) > 1e-6:
        assert within(*given, error, **options) == (width <= error)


@pytest.mark.parametrize("mean", [0.0, 10.0])
def test_no_mean_lies_beyond_the_scale(mean):
    assert within(80, mean, 0.0, half_width(80, mean, 0.0, **TEN) + 1e-6, **TEN)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "exact"}, 'method: must be one of anytime, t, bernstein, asymptotic, got "exact"'),
        ({"level": 95}, "level: must lie between 0 and 1, got 95"),
        ({"arms": 0}, "arms: must be at least 1, got 0"),
        ({"tuned": 0, "method": "asymptotic"}, "tuned: .* got 0"),
        ({"low": None}, 'method="anytime" needs the least and the greatest score possible; got None and 10.0'),
        ({"high": np.inf, "method": "bernstein"}, 'method="bernstein" needs'),
        ({"low": 10.0}, "must be below the greatest; got 10.0 and 10.0"),
        ({"high": 6.0}, "scores lie outside of 0 to 6; got 5 with mean 7 and sum of squares 4 in arm 0"),
        ({"low": 6.9, "high": 7.1}, "scores lie outside of 6.9 to 7.1"),
        ({"low": 6.9, "high": 7.1, "method": "t"}, "scores lie outside"),
    ],
)
@pytest.mark.parametrize("ask", [interval, lambda *given, **options: within(*given, 0.5, **options)])
def test_what_cannot_be_right_is_refused(ask, options, match):
    with pytest.raises(InvalidInput, match=match):
        ask(5, 7.0, 4.0, **{**TEN, **options})


def moments(*draws):
    """Of scores between 0 and 1."""
    n = np.array([len(own) for own in draws], dtype=float)
    mean = np.array([np.mean(own) if len(own) else 0.5 for own in draws])
    ss = np.array([np.sum((np.array(own) - m) ** 2) for own, m in zip(draws, mean, strict=True)])
    return Moments(n, mean, ss)


def test_evidence_against_a_mean_is_that_of_the_sequence():
    found = moments([0.2, 0.4] * 20, [0.9] * 5)
    np.testing.assert_array_equal(against_mean(found, 0.5), mean_log_evidence(*found, 0.5))
    assert against_mean(found, 1.1).tolist() == [np.inf, np.inf]
    assert against_mean(found, -0.1).tolist() == [np.inf, np.inf]
    np.testing.assert_array_equal(found.of(np.array([1])).mean, [0.9])


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), n=st.integers(0, 3000), share=st.floats(0, 1))
def test_evidence_against_a_mean_holds_for_those_beyond_it(seed, n, share):
    rng = np.random.default_rng(seed)
    mean = rng.choice([rng.uniform(), 10 ** rng.uniform(-4, -1)])
    found = Moments(*np.array([[n], [mean], [n * mean * (1 - mean) * 10 ** rng.uniform(-4, 0)]]))
    beyond = np.linspace(share, 1 if share >= mean else 0, 301)
    evidence = against_mean(found, share).item()
    every = [mean_log_evidence(*found, one).item() for one in beyond]
    assert evidence <= np.min(every) + 0.05 * max(evidence, 1)


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), shift=st.floats(-0.9, 0.9))
def test_evidence_against_a_difference_is_no_more_than_against_any_pair_of_means(seed, shift):
    rng = np.random.default_rng(seed)
    first = moments(rng.binomial(4, rng.uniform(), rng.integers(0, 120)) / 4)
    second = moments(rng.binomial(4, rng.uniform(), rng.integers(0, 120)) / 4)
    found = against_difference(first, second, shift).item()
    a, b = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41))
    seen = (first.mean - second.mean).item()
    beyond = (a - b <= shift) if seen > shift else (a - b >= shift)
    pairs = against_mean(Moments(*(np.full(beyond.sum(), x[0]) for x in first)), a[beyond]) + against_mean(
        Moments(*(np.full(beyond.sum(), x[0]) for x in second)), b[beyond]
    )
    least = pairs.min()
    assert found <= least + 1e-9


def test_a_difference_that_cannot_be_is_excluded():
    found = against_difference(moments([0.5]), moments([0.5]), 1.5), against_difference(moments([]), moments([]), -1.5)
    assert found == (np.inf, np.inf)


def test_more_scores_tell_two_means_apart():
    limit = -np.log(0.05)
    few, many = [(moments([0.2, 0.4] * k), moments([0.5, 0.7] * k)) for k in (3, 30)]
    assert against_difference(*few, 0.0).item() < limit < against_difference(*many, 0.0).item()
    assert against_difference(*many, 0.0).item() == pytest.approx(against_difference(*many[::-1], 0.0).item())
    grid = np.linspace(0.3, 0.6, 2001)
    pairs = [against_mean(Moments(*(np.full(2001, x[0]) for x in one)), grid) for one in many]
    assert against_difference(*many, 0.0).item() > 0.95 * np.min(np.sum(pairs, axis=0))
