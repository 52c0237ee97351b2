from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.roots import last


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
