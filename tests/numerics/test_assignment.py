from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.assignment import concentration, toward

LEVELS = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def test_equal_use_of_levels_is_one_over_their_number():
    assert concentration(np.repeat(np.arange(5), 4)) == pytest.approx(1 / 5)


@given(levels=LEVELS, seed=st.integers(0, 1000))
def test_concentration_is_the_variance_of_the_weighted_mean_of_unit_effects(levels, seed):
    levels = np.array(levels)
    weight = np.random.default_rng(seed).uniform(0.1, 1, len(levels))
    weight /= weight.sum()
    same = np.equal.outer(levels, levels)
    assert concentration(levels, weight) == pytest.approx(weight @ same @ weight)


@given(levels=LEVELS)
def test_levels_of_a_target_are_subtracted_as_by_definition(levels):
    """``sum_l (w_l - tau_l)^2`` over the 8 levels of a pool, of which at most 6 are used."""
    weight = np.bincount(levels, minlength=8) / len(levels)
    assert toward(concentration(np.array(levels)), 8) == pytest.approx(np.sum((weight - 1 / 8) ** 2))


def test_a_population_keeps_all_of_it():
    assert toward(0.2, None) == 0.2


def test_the_levels_of_the_target_used_equally_leave_nothing():
    assert toward(concentration(np.arange(4)), 4) == 0.0
