"""The mean of the largest of K normals against closed forms and Harter's table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.reach import MOST, maximum_moments, maximum_quantile

# Harter (1961), Biometrika 48, Table 1, five decimals; 3, 4 and 5 also in closed form (David and Nagaraja, 3.2).
HARTER = {
    2: 0.56419,
    3: 0.84628,
    4: 1.02938,
    5: 1.16296,
    10: 1.53875,
    20: 1.86748,
    50: 2.24907,
    100: 2.50759,
    1000: 3.24144,
}


def test_the_mean_is_that_of_the_table():
    mean, _ = maximum_moments(list(HARTER))
    assert mean.tolist() == pytest.approx(list(HARTER.values()), abs=6e-6)


def test_closed_forms():
    mean, sd = maximum_moments([1, 2, 3, 5])
    exact = [0, 1 / np.sqrt(np.pi), 1.5 / np.sqrt(np.pi), (15 * np.arcsin(1 / 3) / np.pi + 2.5) / (2 * np.sqrt(np.pi))]
    assert mean == pytest.approx(exact, abs=1e-13)
    assert sd[:3] ** 2 == pytest.approx([1, 1 - 1 / np.pi, 1 + np.sqrt(3) / (2 * np.pi) - 9 / (4 * np.pi)], abs=1e-13)


def test_best_of_ten_and_of_twenty_seven():
    assert maximum_moments([10, 27])[0] == pytest.approx([1.538753, 1.998269], abs=5e-7)


@pytest.mark.parametrize("k", [10**4, 10**6, MOST])
def test_many_against_integration_by_parts(k):
    """``E[max] = int_0^oo (1 - Phi^K) - int_-oo^0 Phi^K``, adaptively."""
    from scipy.integrate import quad
    from scipy.special import log_ndtr

    upper = quad(lambda z: -np.expm1(k * log_ndtr(z)), 0, 40, points=[3, 4, 5, 6, 7, 8], epsabs=1e-12, limit=500)[0]
    assert float(maximum_moments(k)[0]) == pytest.approx(upper, abs=1e-9)


@given(st.integers(1, 10**6), st.integers(1, 1000))
def test_more_attempts_are_worth_more_and_vary_less(k, more):
    mean, sd = maximum_moments([k, k + more])
    assert mean[1] > mean[0]
    assert sd[1] < sd[0]


@given(st.floats(0.001, 0.999), st.integers(1, 10**6))
def test_quantiles_invert_the_law(p, k):
    from scipy.special import log_ndtr

    assert float(np.exp(k * log_ndtr(maximum_quantile(p, k)))) == pytest.approx(p, rel=1e-6)
