from __future__ import annotations

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed import moments
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.solved import solve


@pytest.mark.parametrize("at_once", [True, False])
@given(seed=st.integers(0, 10**6))
@few
def test_sums_over_parts_are_those_of_the_definition(kind, model, at_once, seed):
    """``W' D^-1 W - W' V_w^-1 W``, as a matrix and times a vector."""
    drawn = model(kind, seed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moments, "_LARGE", 1 << 40 if at_once else 0)
        patched.setattr(moments, "_PART", 1)
        patched.setattr(moments, "_STRETCH", 1)
        problem = Problem(drawn.cells, drawn.problem.replicates, reml=drawn.problem.reml)
        solved = solve(problem, drawn.theta)
        units = solved.mean_units
        total = units.sum(lambda part: part.h.T @ part.h)
        np.testing.assert_allclose(
            solved.products.g - total, solved.dense.c, atol=1e-10 * np.abs(solved.products.g).max()
        )
        vector = drawn.rng.normal(size=problem.moments.q)
        z = problem.of_mean_units(solved.half) @ solved.products.n.times(vector)[:, :, None]
        np.testing.assert_allclose(units.taken_out(z[:, :, 0]), total @ vector, atol=1e-9)
        assert sum(len(part) for part in units) == problem.moments.mean_units
