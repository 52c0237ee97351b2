from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.numerics.votes import kl


def test_divergence_by_its_definition():
    d = np.array([-0.49, -0.25, -0.06, 0.03, 0.2, 0.4])
    p = 0.5 + d
    assert kl.divergence(d) == pytest.approx(p * np.log(2 * p) + (1 - p) * np.log(2 * (1 - p)), rel=1e-12)


def test_divergence_at_its_ends_and_near_zero():
    assert kl.divergence([-0.5, 0.0, 0.5]) == pytest.approx([np.log(2), 0, np.log(2)])
    assert kl.divergence(1e-9) == pytest.approx(2e-18, rel=1e-9)


@given(st.floats(-0.25, 0.25))
def test_the_quadratic_bounds_hold_up_to_a_quarter(d):
    low, high = kl.quadratic_bounds(d)
    assert low * (1 - 1e-12) <= kl.divergence(d) + 1e-300
    assert kl.divergence(d) <= high * (1 + 1e-12) + 1e-300


@given(st.floats(0.2501, 0.5), st.sampled_from([-1, 1]))
def test_beyond_a_quarter_only_the_lower_bound_is_claimed(size, sign):
    low, high = kl.quadratic_bounds(sign * size)
    assert low <= kl.divergence(sign * size)
    assert np.isnan(high)


@pytest.mark.parametrize("margins", [(0.1, -0.2, 0.05), (0.25,) * 6, (0.4, 0.4, -0.3, 0.1)])
def test_no_test_has_less_error_than_the_floor(margins):
    """The best test rejects where the alternative is likelier: its error rates sum to the overlap of the two laws."""
    d = np.array(margins)
    y = np.array(list(product([0, 1], repeat=len(d))))
    alternative = np.prod(np.where(y == 1, 0.5 + d, 0.5 - d), axis=1)
    overlap = np.minimum(alternative, 0.5 ** len(d)).sum()
    assert kl.error_floor(kl.divergence(d).sum()) <= overlap


def test_the_mean_of_the_log_likelihood_ratio_is_the_divergence():
    d = np.array([0.1, -0.2, 0.3])
    y = np.array(list(product([0, 1], repeat=3)))
    chance = np.prod(np.where(y == 1, 0.5 + d, 0.5 - d), axis=1)
    ratio = kl.log_likelihood_ratio(y, 1, d)
    assert ratio.shape == (8,)
    assert chance @ ratio == pytest.approx(kl.divergence(d).sum())
    assert np.mean(np.exp(ratio)) == pytest.approx(1)


def test_log_likelihood_ratio_of_counts_is_that_of_binomials():
    k, n, d = np.array([3, 40]), np.array([10, 60]), np.array([-0.1, 0.2])
    wanted = stats.binom.logpmf(k, n, 0.5 + d) - stats.binom.logpmf(k, n, 0.5)
    assert kl.log_likelihood_ratio(k, n, d) == pytest.approx(wanted.sum())


def test_a_vote_against_a_certain_margin_rules_it_out():
    assert kl.log_likelihood_ratio([2], [3], [0.5]) == -np.inf
    assert kl.log_likelihood_ratio([3], [3], [0.5]) == pytest.approx(3 * np.log(2))
