import math

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.numerics.sequential.bandit import (
    Rule,
    affordable,
    constants,
    floored,
    greedy,
    in_turn,
    known_variance_bound,
    least_budget,
    per_pull,
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
    with pytest.raises(InvalidInput, match=f"got {least - 1:,}; give budget={least:,}"):
        affordable(variant, arms, least - 1, delta)


def test_a_refusal_names_a_delta_that_would_do():
    with pytest.raises(InvalidInput) as caught:
        affordable("experiment", 360, 5000, 0.007)
    assert str(caught.value) == (
        "budget: ROBIN-HOOD begins with 20 pulls of each of 360 arms, 7,200 in all, got 5,000; give budget=7,200 or "
        "delta=0.039"
    )
    assert affordable("experiment", 360, 5000, 0.039).warmup <= 5000 / 360


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"variant": "paper"}, 'variant: one of experiment, theory, got "paper"'),
        ({"delta": 0}, "delta: a number between 0 and 1, got 0"),
        ({"delta": 1.0}, "delta: a number between 0 and 1, got 1.0"),
        ({"delta": math.nan}, "delta: a number between 0 and 1, got nan"),
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
