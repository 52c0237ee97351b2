from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.distributions import _integrated, _summed, mean_reciprocal


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
