"""Tails and quantiles of single numbers, against SciPy's and by what must hold between them."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from quorate.numerics.distributions import (
    chi_square_quantile,
    chi_square_tail,
    f_tail,
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
