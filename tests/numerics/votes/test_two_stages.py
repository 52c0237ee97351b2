import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import combine_pvalues

from quorate.numerics.votes.power import allotted, fisher, inverse_normal, screened, supplied, two_sided


@given(st.integers(0, 10_000), st.lists(st.floats(0.01, 10), min_size=1, max_size=20))
def test_allotted_judgments_sum_to_the_budget_and_stay_near_their_share(budget, weights):
    w = np.array(weights)
    n = allotted(budget, w)
    assert n.sum() == budget
    assert (np.abs(n - budget * w / w.sum()) < 1 + 1e-6).all()


def test_each_study_has_its_own_budget_and_weights():
    n = allotted(np.array([10, 7]), np.array([[1.0, 1, 0], [0, 1, 1]]))
    assert n.tolist() == [[5, 5, 0], [0, 4, 3]]


def test_the_largest_margins_are_kept_whatever_their_sign():
    kept = screened(np.array([[0.1, -0.3, 0.0, 0.2]]), 2, np.random.default_rng(0))
    assert kept.tolist() == [[False, True, False, True]]


def test_equal_margins_are_kept_alike_often():
    kept = screened(np.full((4000, 4), 0.1) * [1, -1, 1, -1], 1, np.random.default_rng(1))
    assert np.abs(kept.mean(axis=0) - 0.25).max() < 0.03


def test_fisher_as_in_scipy():
    assert fisher(0.04, 0.2) == pytest.approx(combine_pvalues([0.04, 0.2], "fisher").pvalue)
    assert fisher(1.0, 1.0) == 1


def test_inverse_normal_as_in_scipy():
    expected = combine_pvalues([0.04, 0.2], "stouffer", weights=np.sqrt([0.3, 0.7])).pvalue
    assert inverse_normal(0.04, 0.2, 0.3) == pytest.approx(expected)
    assert inverse_normal(0.04, 0.2, 0.0) == pytest.approx(0.2)


def test_contradiction_shows_nothing():
    assert inverse_normal(0.0, 1.0, 0.5) == 1


def test_two_sided():
    assert two_sided([0.01, 0.7], [0.99, 0.6]).tolist() == [0.02, 1.0]


def test_what_a_type_lacks_goes_to_the_others_that_are_asked():
    weights = np.array([2.0, 1.0, 1.0, 0.0])
    assert supplied(np.array([6, 3, 3, 0]), np.array([9, 9, 9, 9]), weights).tolist() == [6, 3, 3, 0]
    assert supplied(np.array([6, 3, 3, 0]), np.array([2, 9, 9, 9]), weights).tolist() == [2, 5, 5, 0]
    assert supplied(np.array([6, 3, 3, 0]), np.array([2, 4, 3, 9]), weights).tolist() == [2, 4, 3, 0]
