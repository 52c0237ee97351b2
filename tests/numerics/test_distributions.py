"""Tails and quantiles of single numbers, against SciPy's and by what must hold between them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from quorate.numerics.distributions import (
    _integrated,
    _summed,
    beta_cdf,
    beta_quantile,
    chi_square_quantile,
    chi_square_tail,
    each,
    f_tail,
    mean_reciprocal,
    noncentral_t_cdf,
    normal_cdf,
    normal_quantile,
    t_cdf,
    t_quantile,
)

DF = (0.5, 1, 1.3, 2, 3.7, 5, 10, 17.2, 31.9, 32, 50, 100, 333.3, 1000, 1e4, 1e5, 1e6, 1e7)
TAILS = (1e-12, 1e-8, 1e-5, 0.001, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49, 0.51, 0.7, 0.9, 0.95, 0.975, 0.999)
POSITIVE = st.floats(0.3, 1e6)
INSIDE = st.floats(1e-9, 1 - 1e-9)


def near(df):
    """Digits that are kept: many degrees of freedom cost some."""
    return 1e-12 if df <= 1e4 else 1e-9


@pytest.mark.parametrize("p", TAILS)
def test_normal(p):
    x = float(special.ndtri(p))
    assert normal_quantile(p) == pytest.approx(x, rel=1e-14)
    assert normal_cdf(x) == pytest.approx(float(special.ndtr(x)), rel=1e-13)


@pytest.mark.parametrize("df", DF)
def test_student(df):
    for p in TAILS:
        x = float(special.stdtrit(df, p))
        assert t_quantile(df, p) == pytest.approx(x, rel=near(df))
        assert t_cdf(df, x) == pytest.approx(float(special.stdtr(df, x)), rel=near(df))


@pytest.mark.parametrize("df", DF)
def test_chi_square(df):
    for p in TAILS:
        x = float(special.chdtri(df, p))
        assert chi_square_quantile(df, p) == pytest.approx(x, rel=1e-12)
        assert chi_square_tail(df, x) == pytest.approx(float(special.chdtrc(df, x)), rel=near(df))


@pytest.mark.parametrize("df2", DF)
def test_f(df2):
    for df1, x in itertools.product((1, 2, 3, 8, 20.5, 150, 5000), (0.01, 0.7, 1.0, 1.4, 5.0, 40.0)):
        wanted = float(special.fdtrc(df1, df2, x))
        assert f_tail(df1, df2, x) == pytest.approx(wanted, rel=near(max(df1, df2)), abs=1e-300)


@given(POSITIVE, INSIDE)
def test_quantiles_undo_tails(df, p):
    assert t_cdf(df, t_quantile(df, p)) == pytest.approx(p, rel=1e-8)
    assert t_quantile(df, 1 - p) == pytest.approx(-t_quantile(df, p), rel=1e-6, abs=1e-9)
    assert chi_square_tail(df, chi_square_quantile(df, p)) == pytest.approx(p, rel=1e-8)


@given(st.floats(1, 1e5), st.floats(0.01, 30))
def test_square_of_t_is_f_and_of_many_is_chi_square(df, x):
    assert f_tail(1, df, x) == pytest.approx(2 * t_cdf(df, -math.sqrt(x)), rel=1e-9)
    assert f_tail(df, math.inf, x) == pytest.approx(chi_square_tail(df, df * x), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("df", [1.0, 2.5, 1e6, math.inf])
def test_ends(df):
    assert t_quantile(df, 0.5) == 0
    assert t_cdf(df, 0.0) == 0.5
    assert (t_quantile(df, 0.0), t_quantile(df, 1.0)) == (-math.inf, math.inf)
    assert (t_cdf(df, -math.inf), t_cdf(df, math.inf)) == (0, 1)
    assert (f_tail(2, df, 0.0), f_tail(2, df, math.inf)) == (1, 0)
    assert (chi_square_quantile(df, 1.0), chi_square_quantile(df, 0.0)) == (0, math.inf)
    assert (chi_square_tail(df, 0.0), chi_square_tail(3.0, math.inf)) == (1, 0)
    assert (normal_quantile(0.0), normal_quantile(1.0)) == (-math.inf, math.inf)
    assert t_quantile(math.inf, 0.975) == normal_quantile(0.975)
    assert chi_square_tail(0, 1.0) == 0  # all of it is at zero


@pytest.mark.parametrize("off", [math.nan, 0.0, -1.0])
def test_no_degrees_of_freedom_are_nan(off):
    assert math.isnan(t_cdf(off, 1.0))
    assert math.isnan(t_quantile(off, 0.3))
    assert math.isnan(chi_square_quantile(off, 0.3))
    assert math.isnan(f_tail(off, 3.0, 1.0))
    assert math.isnan(f_tail(3.0, off, 1.0))


def test_what_is_not_a_number_stays_so():
    assert math.isnan(normal_quantile(math.nan))
    assert math.isnan(normal_quantile(1.5))
    assert math.isnan(t_cdf(3.0, math.nan))
    assert math.isnan(t_quantile(3.0, math.nan))
    assert math.isnan(chi_square_tail(math.nan, 1.0))
    assert math.isnan(chi_square_tail(3.0, math.nan))
    assert math.isnan(chi_square_quantile(3.0, math.nan))
    assert math.isnan(f_tail(3.0, 3.0, math.nan))


@pytest.mark.wide(1)
@pytest.mark.parametrize("df", [1.0, 3.7, 12, 90])
def test_noncentral_t_is_the_mean_over_the_spread(df):
    """A normal variable over the root of a mean square, by quantiles of the mean square."""
    middle = (np.arange(100_000) + 0.5) / 100_000
    spread = np.sqrt(special.chdtri(df, 1 - middle) / df)
    for shift, x in itertools.product((-2.0, 0.0, 0.7, 3.2, 6.0), (-1.5, 0.0, 0.4, 2.0, 7.0)):
        mean = special.ndtr(x * spread - shift).mean()
        assert noncentral_t_cdf(df, shift, x) == pytest.approx(mean, abs=2e-6), (shift, x)


def test_noncentral_t_without_a_shift_is_students():
    assert noncentral_t_cdf(7, 0.0, 1.3) == pytest.approx(t_cdf(7, 1.3), rel=1e-12)
    assert noncentral_t_cdf(math.inf, 1.0, 1.3) == pytest.approx(normal_cdf(0.3))


@given(st.floats(0.3, 1e4), st.floats(0.3, 1e4), st.floats(1e-6, 1 - 1e-6))
@example(3053.0, 0.3125, 0.9921875)
def test_beta_quantiles_are_scipys(a, b, p):
    """To the digits that a number near 1 has: there the next one is of another probability."""
    found = beta_quantile(a, b, p)
    below, above = (beta_cdf(a, b, min(found * (1 + by), 1.0)) for by in (-2e-15, 2e-15))
    assert below * (1 - 1e-8) <= p <= above * (1 + 1e-8)
    assert found == pytest.approx(special.betaincinv(a, b, p), rel=1e-9)


def test_few_numbers_and_many_are_alike():
    many = np.linspace(0.01, 0.99, 200)
    assert each(normal_quantile, "ndtri", many[:10]) == pytest.approx(each(normal_quantile, "ndtri", many)[:10])


@pytest.mark.parametrize("shift", [-1e6, -50.0, 31.0, 1e4, 1e8])
def test_a_noncentral_t_far_out_ends(shift):
    assert noncentral_t_cdf(4.0, shift, 2.5) == pytest.approx(float(shift < 0), abs=1e-12)
    assert noncentral_t_cdf(6.812920690579611, 47.89868270235769, 2.3) == pytest.approx(0.0, abs=1e-12)


@given(st.integers(1, 30), st.floats(0.01, 0.99))
def test_it_is_the_mean_over_all_counts(trials, chance):
    from math import comb

    weights = [comb(trials, n) * chance**n * (1 - chance) ** (trials - n) for n in range(1, trials + 1)]
    wanted = sum(weight / n for n, weight in enumerate(weights, 1)) / sum(weights)
    assert mean_reciprocal(np.array(float(trials)), chance) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("trials", "chance"), [(401, 0.5), (401, 0.05), (401, 0.005), (5000, 0.002), (2000, 0.01)])
def test_the_quadrature_is_the_sum(trials, chance):
    assert _integrated(np.array([float(trials)]), chance)[0] == pytest.approx(_summed(trials, chance), rel=1e-9)


def test_many_at_once_keep_their_places():
    trials = np.array([[900.0, 3.0], [3.0, 40.0]])
    found = mean_reciprocal(trials, 0.25)
    assert found.shape == (2, 2)
    assert found[0, 1] == found[1, 0] == mean_reciprocal(np.array(3.0), 0.25)
    assert mean_reciprocal(np.array([4.0]), 1.0).tolist() == [0.25]
