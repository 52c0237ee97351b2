from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from quorate.numerics.roots import last, root


@given(st.floats(-8, 8), st.floats(0.01, 100))
def test_roots_are_scipys(centre, steep):
    def f(x):
        return math.tanh(steep * (x - centre)) + 0.1 * (x - centre) ** 3

    assert root(f, -9, 12) == pytest.approx(brentq(f, -9, 12), abs=1e-11)


def test_an_end_may_be_the_root():
    assert root(lambda x: x - 1, 1, 5) == 1
    assert root(lambda x: x - 5, 1, 5) == 5


def test_one_sign_is_refused():
    with pytest.raises(ValueError, match="one sign at 1 and 2"):
        root(lambda x: x, 1, 2)


@given(st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(-(10**6), 10**6)), min_size=1, max_size=20))
def test_the_last_integer_is_found_from_any_start(cases):
    edges, off = np.array(cases, dtype=float).T
    assert np.array_equal(last(lambda x: x <= edges, edges + off), edges)


def test_a_right_guess_takes_two_calls():
    calls = []

    def holds(x):
        calls.append(x)
        return x <= 7

    assert last(holds, 7.9) == 7
    assert len(calls) == 2


def test_a_scalar_gives_a_scalar():
    assert float(last(lambda x: x**2 < 50, 0)) == 7
