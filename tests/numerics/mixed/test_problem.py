from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

SEEDS = st.integers(0, 10**6)


@given(seed=SEEDS)
def test_values_of_levels_are_added_up_to_components(kind, model, seed):
    problem = model(kind, seed).problem
    theta = np.arange(1.0, problem.n_components + 1)
    within, shared, residual = problem.split(theta)
    total = problem.sums(within, shared, residual)
    columns = np.bincount(problem.units.column_term, minlength=problem.n_within)
    levels = np.bincount(problem.units.shared_term, minlength=problem.n_shared)
    counts = np.concatenate([columns, levels, np.ones(problem.n_residual)])
    assert total == pytest.approx(theta * counts)
    assert problem.largest_residual(theta) == problem.n_residual - 1
