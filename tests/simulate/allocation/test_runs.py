import math

import numpy as np
import pytest

from quorate.numerics.sequential.bandit import Rule, constants, packed
from quorate.numerics.sequential.replay import forced
from quorate.simulate.allocation.result import Adaptive, Runs


def pools(arms=30, draws=12, seed=1):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(2, rng.gamma(1.0, 0.6, (arms, 1)), (arms, draws)))
    return packed(scores.ravel(), [draws] * arms)


def hood(arms, budget, step=1.0):
    own = constants("experiment", arms, budget, 0.07)
    return Adaptive(Rule(own.lam, step), forced(own))


def outcomes(policies, **given):
    found = Runs(**{"pools": pools(), "budgets": np.array([400, 900, 1500]), "runs": 6, "seed": 3} | given)
    return found.outcomes(policies, {"robin-hood": hood(30, 1500)} if "robin-hood" in policies else {})


def test_a_policy_does_the_same_whatever_others_are_replayed():
    """All see the same draws."""
    together = outcomes(("uniform", "robin", "robin-hood"))
    for name, one in together.items():
        for a, b in zip(vars(one).values(), vars(outcomes((name,))[name]).values(), strict=True):
            assert np.array_equal(a, b, equal_nan=True)


def test_pulls_add_up_to_the_budget():
    for one in outcomes(("uniform", "robin", "robin-hood")).values():
        assert one.pulls.sum() == pytest.approx(1500)
        assert one.pulls.min() >= 1


@pytest.mark.slow
def test_pulls_are_given_in_the_order_of_the_pools():
    found = outcomes(("robin", "robin-hood"), runs=20)
    order = np.argsort(pools().variance)
    for one in found.values():
        assert one.pulls[order[-1]] > 3 * one.pulls[order[0]]


@pytest.mark.slow
def test_errors_are_those_of_means_of_independent_draws():
    """Mean squared error of uniform allocation: the mean of variances over pulls."""
    found = outcomes(("uniform",), runs=4000)["uniform"]
    assert found.rmse[-1] ** 2 == pytest.approx((pools().variance / 50).mean(), rel=0.04)
    assert found.variance == pytest.approx(pools().variance / 50, rel=0.2, abs=1e-12)
    assert np.abs(found.bias).max() < 5 * np.sqrt(pools().variance.max() / 50 / 4000)


def test_a_truth_of_ones_own_shows_as_bias():
    shifted = outcomes(("uniform",), runs=100, truth=pools().mean + 1)["uniform"]
    assert shifted.bias.mean() == pytest.approx(-1, abs=0.01)
    assert shifted.errors.min() > 0.9


@pytest.mark.slow
def test_correlations_rise_with_the_budget():
    found = outcomes(("uniform",), runs=40, human=pools().mean)["uniform"].correlations
    assert (found[:, 0] < found[:, 2]).all()
    assert found[0, 2] > 0.8
    assert np.isnan(outcomes(("uniform",))["uniform"].correlations).all()


def test_ties_are_broken_in_an_order_of_the_seed():
    order, place = Runs(pools(), np.array([400]), 1, 3).order()
    assert sorted(order.tolist()) == list(range(30))
    assert order[place].tolist() == list(range(30))
    assert order.tolist() != Runs(pools(), np.array([400]), 1, 4).order()[0].tolist()


def test_one_run_has_no_variance():
    assert np.isnan(outcomes(("uniform",), runs=1)["uniform"].variance).all()


def test_correlations_rest_on_the_arms_that_people_scored():
    pools = packed(np.random.default_rng(4).normal(np.repeat(np.arange(6.0), 5), 1), [5] * 6)
    human, budgets = np.array([1.0, 3, 2, 5, 4, math.nan]), np.array([12, 60])
    every = Runs(pools, budgets, 3, 1, human=np.array([1.0, 3, 2, 5, 4, -9])).outcomes(["uniform"], {})["uniform"]
    some = Runs(pools, budgets, 3, 1, human=human).outcomes(["uniform"], {})["uniform"]
    assert np.isfinite(some.correlations).all()
    assert (some.correlations > every.correlations).all()
