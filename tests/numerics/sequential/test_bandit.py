import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.numerics.sequential.bandit import (
    Rule,
    affordable,
    constants,
    curve,
    floored,
    greedy,
    in_turn,
    known_variance_bound,
    least_budget,
    normal_saving,
    packed,
    per_pull,
    pull_limits,
    uniform,
    unknown_variance_bound,
)


@pytest.mark.parametrize(("delta", "warmup", "published"), [(0.007, 20, 20_164), (0.07, 11, 10_807)])
def test_constants_of_the_experiments_are_those_of_the_paper(delta, warmup, published):
    """Its totals, before rounding up for every arm, are those of 1,016 arms."""
    own = constants("experiment", 1016, 100_000, delta)
    assert own.warmup == warmup
    assert int(1016 * 4 * own.lam) == published


def test_constants_of_the_theory():
    own = constants("theory", 1000, 100_000, 0.007)
    assert own.lam == pytest.approx(math.log(4e8 / 0.007))
    assert own.warmup == math.ceil(16 * own.lam) == 397


@pytest.mark.parametrize("variant", ["experiment", "theory"])
@pytest.mark.parametrize(("arms", "delta"), [(2, 0.007), (360, 0.07), (1016, 0.5), (100_000, 1e-300)])
def test_the_least_budget_is_enough_and_one_less_is_not(variant, arms, delta):
    least = least_budget(variant, arms, delta)
    assert affordable(variant, arms, least, delta) == constants(variant, arms, least, delta)
    with pytest.raises(InvalidInput, match=f"got {least - 1:,}; give budget={least}"):
        affordable(variant, arms, least - 1, delta)


def test_a_refusal_names_a_delta_that_would_do():
    with pytest.raises(InvalidInput) as caught:
        affordable("experiment", 360, 5000, 0.007)
    assert str(caught.value) == (
        "budget: ROBIN-HOOD begins with 20 pulls of each of 360 arms, 7,200 in all, got 5,000; give budget=7200 or "
        "delta=0.039"
    )
    assert affordable("experiment", 360, 5000, 0.039).warmup <= 5000 / 360


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"variant": "paper"}, 'variant: must be one of experiment, theory, got "paper"'),
        ({"delta": 0}, "delta: must lie between 0 and 1, got 0"),
        ({"delta": 1.0}, "delta: must lie between 0 and 1, got 1.0"),
        ({"delta": math.nan}, "delta: must lie between 0 and 1, got nan"),
    ],
)
def test_other_arguments_are_checked(given, said):
    with pytest.raises(InvalidInput, match=said):
        affordable(**{"variant": "experiment", "arms": 10, "budget": 1000, "delta": 0.007} | given)


def test_the_bound_of_a_variance_is_equation_6():
    n, lam, s2 = np.array([25.0, 100.0]), 4.0, np.array([0.5, 0.5])
    assert per_pull(s2, n, lam) == pytest.approx(s2 / (1 - np.sqrt(4 * lam / n)) / n)
    assert per_pull(np.zeros(2), np.array([15.0, 16.0]), lam).tolist() == [np.inf, np.inf]


def test_the_floor_is_what_one_more_score_may_show():
    """After n equal scores the next differs with chance 1/(n + 2), the rule of succession."""
    n = 20.0
    p = 1 / (n + 2)
    assert floored(np.zeros(1), np.array([n]), 0.5) == pytest.approx(0.25 * p * (1 - p))
    assert floored(np.array([0.3]), np.array([n]), 0.5) == pytest.approx(0.3)
    assert floored(np.zeros(1), np.array([n]), None) == 0


def test_objectives_differ_in_what_they_weigh():
    n, mean, variance = np.array([10.0, 10.0]), np.array([2.0, 3.0]), np.array([1.0, 1.0])
    worst = Rule(weight=np.array([1.0, 4.0])).priority(n, mean, variance)
    average = Rule(objective="average", price=np.array([1.0, 2.0])).priority(n, mean, variance)
    boundary = Rule(objective="boundary", at=2.5, tolerance=0.5).priority(n, np.array([2.5, 4.0]), variance)
    assert worst[1] / worst[0] == pytest.approx(4)
    assert average.tolist() == pytest.approx([1 / 110, 1 / 220])  # what one more pull takes off v / n, per price
    assert boundary[0] / boundary[1] == pytest.approx((2 / 0.5) ** 2)


def test_the_bound_for_known_variances_fails_with_rare_scores():
    """1,000 arms that give a 1 once in 1,000, pulled twice each: a single 1 among the 2,000 is beyond the bound."""
    rate = 0.001
    variance = np.full(1000, rate * (1 - rate))
    pulls = greedy(variance, 2000)
    bound = known_variance_bound(variance, 2000, 0.1)
    ones = np.random.default_rng(1).binomial(pulls, rate, (500, 1000))
    worst = np.abs(ones / pulls - rate).max(axis=1)
    assert bound == pytest.approx(0.1407, abs=1e-4)
    assert np.mean(worst > bound) == pytest.approx(1 - (1 - rate) ** 2000, abs=0.04)


def test_bounds_are_those_of_the_proofs():
    """Theorem 3 with the factor 2 of its proof, Theorem 5 as in the appendix."""
    variance, budget, delta = np.array([1.0, 2.0, 3.0]), 1000, 0.05
    assert known_variance_bound(variance, budget, delta) == pytest.approx(math.sqrt(12 / 997 * math.log(120)))
    expected = math.sqrt(36 / (1000 - 60) * math.log(4 * 3 * 1000 / 0.05))
    assert unknown_variance_bound(variance, budget, delta, 20) == pytest.approx(expected)
    assert known_variance_bound(variance, 3, delta) == math.inf
    assert unknown_variance_bound(variance, 60, delta, 20) == math.inf


def test_equal_extremes_take_turns():
    keys = in_turn(np.array([0, 0, 3, np.inf, np.inf, -np.inf]), np.array([4, 2, 9, 7, 6, 0]))
    assert np.argsort(-keys).tolist() == [4, 3, 2, 1, 0, 5]
    some = np.array([2.0, 1.0])
    np.testing.assert_array_equal(in_turn(some, np.array([5, 6])), some)


def test_one_pull_is_one():
    with pytest.raises(InvalidInput, match="begins with 1 pull of each of 3 arms, 3 in all, got 2;"):
        affordable("experiment", 3, 2, 0.9)


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
