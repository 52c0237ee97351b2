from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from quorate.errors import InvalidInput
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import (
    benjamini_yekutieli,
    checked_level,
    holm,
    pivotal,
    satterthwaite,
    variance_interval,
)


def test_satterthwaite_of_a_difference_of_mean_squares_by_hand():
    """(MS1 - MS2) / 3 from 5 and 20 df: nu = (MS1 - MS2)^2 / (MS1^2 / 5 + MS2^2 / 20)."""
    ms, df = np.array([10.0, 2.0]), np.array([5.0, 20.0])
    gradient = np.array([1 / 3, -1 / 3])
    got = satterthwaite(float(gradient @ ms), gradient, np.diag(2 * ms**2 / df))
    assert got == pytest.approx(64 / (100 / 5 + 4 / 20))


def test_one_mean_square_keeps_its_degrees_of_freedom():
    assert satterthwaite(0.7, np.array([0.1]), np.array([[2 * 7.0**2 / 9]])) == pytest.approx(9)


def test_degrees_of_freedom_do_not_fall_below_one():
    assert satterthwaite(0.1, np.array([1.0]), np.array([[50.0]])) == 1.0


def test_a_variance_known_exactly_has_infinite_degrees_of_freedom():
    assert satterthwaite(0.1, np.array([1.0]), np.array([[0.0]])) == np.inf


@pytest.mark.parametrize("df", [1.0, 2.5, 30.0, np.inf])
@pytest.mark.parametrize("probability", [0.5, 0.9, 0.975])
def test_quantiles_of_t(df, probability):
    assert t_quantile(df, probability) == pytest.approx(stats.t.ppf(probability, df), rel=1e-9, abs=1e-12)


def chi_square_limits(square, df, level):
    tail = (1 - level) / 2
    return df * square / stats.chi2.ppf(1 - tail, df), df * square / stats.chi2.ppf(tail, df)


def test_variance_interval_of_a_mean_square_is_the_chi_square_one():
    assert variance_interval(3.0, 3.0 * np.sqrt(2 / 8), 8, 0.9) == pytest.approx(chi_square_limits(3.0, 8, 0.9))


def test_variance_interval_of_a_component_is_that_of_its_mean_square_less_the_noise():
    """A component of 2 under noise of 1: its mean square of 3 has standard error 3 sqrt(2 / 8)."""
    low, high = chi_square_limits(3.0, 8, 0.9)
    assert variance_interval(2.0, 3.0 * np.sqrt(2 / 8), 8, 0.9) == pytest.approx((low - 1, high - 1))


def test_variance_interval_of_a_component_at_zero_starts_there():
    low, high = variance_interval(0.0, np.sqrt(2 / 8), 8, 0.9)
    assert low == 0.0
    assert high == pytest.approx(chi_square_limits(1.0, 8, 0.9)[1] - 1)


def test_variance_interval_is_continuous_at_zero():
    at = [variance_interval(estimate, np.sqrt(2 / 8), 8, 0.9)[1] for estimate in (0.0, 1e-9)]
    assert at[0] == pytest.approx(at[1], rel=1e-6)


def test_variance_interval_widens_with_the_level_and_with_fewer_degrees_of_freedom():
    for change in ([(20, 0.5), (20, 0.9), (20, 0.99)], [(50, 0.9), (10, 0.9), (2, 0.9)]):
        widths = [np.diff(variance_interval(1.0, np.sqrt(2 / df), df, level))[0] for df, level in change]
        assert widths == sorted(widths)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999999])
def test_pivotal_interval_of_one_mean_square_is_the_t_interval(level):
    squares, df = np.array([12.0]), np.array([6.0])
    half = pivotal(squares, df, np.array([[4.0]]), np.array([1 / 5]), level, np.random.default_rng(1))
    exact = np.sqrt(12 / 6 / 4 / 5) * stats.t.ppf((1 + level) / 2, 6)
    assert half == pytest.approx(exact, rel=0.02 if level < 0.99 else 0.5)


def test_pivotal_interval_scales_with_the_data():
    arguments = np.array([5.0, 9.0]), np.array([3.0, 40.0])
    expected, gradient = np.array([[6.0, 1.0], [0.0, 1.0]]), np.array([0.2, 0.01])
    one = pivotal(*arguments, expected, gradient, 0.95, np.random.default_rng(2))
    hundred = pivotal(100 * arguments[0], arguments[1], expected, gradient, 0.95, np.random.default_rng(2))
    assert hundred == pytest.approx(10 * one, rel=1e-9)


def test_a_level_is_between_0_and_1():
    assert checked_level(0.5) == 0.5
    for level in (0, 1, float("nan")):
        with pytest.raises(InvalidInput, match=f"level: must lie between 0 and 1, got {level}"):
            checked_level(level)


def test_holm_is_that_of_r():
    """R 4.2.2: p.adjust(c(0.01, 0.04, 0.03, 0.5), "holm")"""
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.5])), [0.04, 0.09, 0.09, 0.5])


def test_holm_counts_what_is_not_known():
    np.testing.assert_array_equal(holm(np.array([0.01, np.nan])), [0.02, np.nan])


def test_benjamini_yekutieli_of_r():
    """R 4.3: p.adjust(c(.01, .02, .03, .04, .05), "BY") is 0.1141667 five times; c(.001, .3, .02): .0055, .55, .055."""
    assert benjamini_yekutieli(np.array([0.01, 0.02, 0.03, 0.04, 0.05])) == pytest.approx(
        np.full(5, 0.1141667), abs=1e-7
    )
    assert benjamini_yekutieli(np.array([0.001, 0.3, 0.02])) == pytest.approx([0.0055, 0.55, 0.055])
