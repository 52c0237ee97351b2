from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.sequential.bandit import curve, greedy, normal_saving, pull_limits, uniform

VARIANCES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0, 2.0, 7.0]), min_size=1, max_size=5)


def one_by_one(variance, budget):
    pulls = np.ones(len(variance), dtype=int)
    for _ in range(budget - len(variance)):
        pulls[np.argmax(variance / pulls)] += 1
    return pulls


@given(VARIANCES.filter(any), st.integers(0, 60))
def test_it_is_the_greedy_rule(variance, more):
    variance = np.array(variance)
    assert greedy(variance, len(variance) + more).tolist() == one_by_one(variance, len(variance) + more).tolist()


@given(VARIANCES.filter(any), st.integers(0, 7))
def test_no_other_allocation_has_a_smaller_worst_variance(variance, more):
    """All ways to spend the budget, one pull of each arm at least."""
    variance = np.array(variance)
    budget = len(variance) + more
    pulls = greedy(variance, budget)
    assert pulls.sum() == budget
    assert pulls.min() >= 1
    every = [n for n in product(range(1, more + 2), repeat=len(variance)) if sum(n) == budget]
    assert (variance / pulls).max() == min((variance / np.array(n)).max() for n in every)


def test_lemma_2_of_the_paper_is_false():
    """It says that every arm gets its share of the budget, give or take one pull."""
    variance = np.array([1.1] * 99 + [91.1])
    assert variance.sum() == pytest.approx(200)
    pulls = greedy(variance, 200)
    assert pulls[-1] == 83
    assert sorted(set(pulls[:-1])) == [1, 2]


@given(VARIANCES.filter(any), st.integers(1, 500))
def test_every_arm_gets_its_share_of_what_one_pull_each_leaves(variance, more):
    variance = np.array(variance)
    arms, share = len(variance), variance / variance.sum()
    pulls = greedy(variance, arms + more)
    assert (pulls >= share * more - 1e-9).all()
    assert (pulls[pulls > 1] <= (share * (arms + more - 1) + 1 + 1e-9)[pulls > 1]).all()


def test_limits_hold_the_allocation_of_large_budgets():
    variance = np.random.default_rng(1).gamma(0.3, 1, 1000)
    low, high = pull_limits(variance, 10**7)
    pulls = greedy(variance, 10**7)
    assert ((low <= pulls) & (pulls <= high)).all()
    assert (high - low).sum() < 10 * len(variance)


def test_arms_without_variance_share_alike_if_there_are_no_others():
    assert greedy([0.0, 0.0, 0.0], 7).tolist() == [3, 2, 2]
    assert greedy([0.0, 1.0, 0.0], 7).tolist() == [1, 5, 1]


def test_uniform_gives_the_rest_to_the_first():
    assert uniform(3, 8).tolist() == [3, 3, 2]


def test_a_curve_begins_with_one_pull_each():
    assert curve(np.array([1.0, 4.0]), [1, 2, 7]).tolist() == [[1, 0], [1, 1], [2, 5]]


def test_normal_saving_is_what_normal_means_save():
    """Median of the largest error of normal means, by simulation, at the two allocations."""
    rng = np.random.default_rng(2)
    variance = np.append(rng.gamma(0.5, 1, 60), np.zeros(20))
    saved = normal_saving(variance)
    z = np.abs(rng.normal(size=(40_000, 60)))
    uniform_, equal = (z * np.sqrt(variance[:60])).max(axis=1), z.max(axis=1) * np.sqrt(variance.mean())
    assert saved == pytest.approx(1 - (np.median(equal) / np.median(uniform_)) ** 2, abs=0.01)
    assert 0 < saved < 1 - variance.mean() / variance.max()
    assert normal_saving(np.ones(50)) == pytest.approx(0, abs=1e-9)
