from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.planning.designs.weights import toward

LEVELS = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def concentration(levels):
    """``sum_l w_l^2`` of equally weighted cells."""
    return float(np.sum((np.bincount(levels) / len(levels)) ** 2))


@given(levels=LEVELS)
def test_levels_of_a_target_are_subtracted_as_by_definition(levels):
    """``sum_l (w_l - tau_l)^2`` over the 8 levels of a pool, of which at most 6 are used."""
    weight = np.bincount(levels, minlength=8) / len(levels)
    assert toward(concentration(np.array(levels)), 8) == pytest.approx(np.sum((weight - 1 / 8) ** 2))


def test_a_population_keeps_all_of_it():
    assert toward(0.2, None) == 0.2


def test_the_levels_of_the_target_used_equally_leave_nothing():
    assert toward(concentration(np.arange(4)), 4) == 0.0
