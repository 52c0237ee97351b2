from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from quorate.numerics.roots import root


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
