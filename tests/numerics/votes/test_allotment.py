import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.votes.allotment import allotted, screened


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
