from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from quorate.errors import InvalidInput
from quorate.numerics.sequential import confidence_sequence
from quorate.numerics.sequential.confidence_sequence import Method, half_width, interval, within

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


@pytest.mark.parametrize("method", METHODS)
@given(
    scores=st.lists(st.integers(0, 10), min_size=1, max_size=80),
    error=st.floats(min_value=0.01, max_value=10),
)
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
        ({"method": "exact"}, 'method: one of anytime, t, bernstein, asymptotic; got "exact"'),
        ({"level": 95}, "level: above 0 and below 1; got 95"),
        ({"arms": 0}, "arms: how many .* got 0"),
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
