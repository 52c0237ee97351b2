import numpy as np
import pytest

from quorate.numerics.sequential.bandit import packed


def test_ragged_scores_are_packed_by_arm_and_part():
    pools = packed(np.arange(9.0), [2, 1, 3, 3], parts=2)
    assert pools.values.shape == (2, 2, 3)
    assert pools.sizes.tolist() == [[2, 1], [3, 3]]
    assert pools.values[0, 0].tolist()[:2] == [0.0, 1.0]
    assert pools.mean == pytest.approx([(0.5 + 2) / 2, (4 + 7) / 2])


def test_variance_of_a_pull_is_that_of_a_mean_over_parts():
    rng = np.random.default_rng(1)
    pools = packed(rng.integers(5, size=24).astype(float), [4] * 6, parts=3)
    draws = np.stack([rng.choice(pools.values[0, part], 200_000) for part in range(3)]).mean(axis=0)
    assert pools.variance[0] == pytest.approx(draws.var(), rel=0.02)
    assert pools.mean[0] == pytest.approx(draws.mean(), rel=0.01)


def test_equal_scores_have_no_variance_at_all():
    """0.1 + 0.1 + 0.1 is not 0.3, and a variance of 1e-18 is not 0."""
    assert packed(np.full(21, 0.1), [7, 7, 7]).variance.tolist() == [0, 0, 0]


def test_the_step_is_the_smallest_gap_that_is_one():
    assert packed(np.array([0.1, 0.3, 0.1 + 0.2, 1.3]), [2, 2]).step == pytest.approx(0.2)
    assert packed(np.array([1.0, 2.0, 5.0, 3.0]), [1] * 4, parts=2).step == 0.5
    assert packed(np.ones(4), [2, 2]).step is None


def test_arms_can_be_taken_in_another_order():
    pools = packed(np.arange(6.0), [2, 2, 2]).at(np.array([2, 0]))
    assert pools.mean.tolist() == [4.5, 0.5]
    assert (pools.arms, pools.parts) == (2, 1)
