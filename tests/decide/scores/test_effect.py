"""Items for an effect, before there are data and from a pilot.

Reference values: statsmodels 0.15.0, digits as printed::

    >>> from statsmodels.stats.power import TTestPower, TTestIndPower
    >>> TTestPower().solve_power(effect_size=.5, alpha=.05, power=.9)
    43.99548069841475
    >>> TTestPower().solve_power(effect_size=.2, alpha=.05, power=.8)
    198.150820955562
    >>> TTestPower().solve_power(effect_size=.9, alpha=.01, power=.9)
    21.779689426338592
    >>> TTestIndPower().solve_power(effect_size=1, alpha=.05, power=.9)
    22.021088441446192
    >>> TTestIndPower().solve_power(effect_size=.2, alpha=.05, power=.8)
    393.4056930002526
    >>> TTestPower().power(.5, 30, .05), TTestPower().power(2.0, 5, .05), TTestPower().power(.05, 3001, .05)
    (0.75396471574379, 0.9088848681009402, 0.7817840842265151)
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.decide.scores.effect import plan_bar, plan_effect, plan_from_pilot
from quorate.errors import InvalidInput
from quorate.numerics.distributions import t_quantile
from quorate.numerics.study_power import beyond


@pytest.mark.parametrize(
    ("effect", "options", "items"),
    [
        (0.5, {"correlation": 0.5}, 44),
        (0.2, {"correlation": 0.5, "power": 0.8}, 199),
        (0.9, {"correlation": 0.5, "alpha": 0.01}, 22),
        (1.0, {"paired": False}, 23),
        (0.2, {"paired": False, "power": 0.8}, 394),
    ],
)
def test_items_are_those_of_the_t_test(effect, options, items):
    assert plan_effect(effect, sd=1, **options).items == items


@pytest.mark.parametrize(
    ("d", "n", "power"), [(0.5, 30, 0.75396471574379), (2.0, 5, 0.9088848681009402), (0.05, 3001, 0.7817840842265151)]
)
def test_power_is_that_of_the_noncentral_t(d, n, power):
    assert beyond(d * n**0.5, n - 1, t_quantile(n - 1, 0.975)) == pytest.approx(power, abs=1e-6)


@given(
    effect=st.floats(0.02, 0.3),
    rate=st.floats(0.1, 0.65),
    correlation=st.floats(0.0, 0.5),
    judges=st.integers(1, 5),
)
def test_more_judges_more_correlation_and_a_larger_effect_take_fewer_items(effect, rate, correlation, judges):
    options = {"rate": rate, "icc": 0.6}
    largest = plan_effect(effect, judges=judges, **options)
    assert plan_effect(effect, judges=judges + 1, **options).items <= largest.items
    assert largest.chance >= largest.power
    apart = plan_effect(effect, sd=0.5, correlation=0.0, judges=judges, icc=0.6)
    assert plan_effect(effect, sd=0.5, correlation=correlation, judges=judges, icc=0.6).items <= apart.items
    assert plan_effect(1.1 * effect, sd=0.5, correlation=0.0, judges=judges, icc=0.6).items <= apart.items


@pytest.mark.parametrize(
    "options", [{"rate": 0.7, "correlation": 0.4}, {"rate": 0.5, "correlation": 0.6, "power": 0.8}]
)
def test_studies_find_the_effect_as_often_as_promised(options):
    """Two 0/1 systems with these rates and this correlation, tested by the paired t as `compare` does."""
    effect, runs = 0.1, 4000
    plan, rng = plan_effect(effect, **options), np.random.default_rng(5)
    p, other = options["rate"], options["rate"] + effect
    both = options["correlation"] * np.sqrt(p * (1 - p) * other * (1 - other)) + p * other
    worse, better = p - both, other - both
    found = rng.multinomial(plan.items, [worse, better, 1 - worse - better], size=runs)
    mean = (found[:, 1] - found[:, 0]) / plan.items
    se = np.sqrt(((found[:, 0] + found[:, 1]) / plan.items - mean**2) / (plan.items - 1))
    power = np.mean(np.abs(mean / se) > t_quantile(plan.items - 1, 0.975))
    assert power == pytest.approx(plan.chance, abs=3 * np.sqrt(0.25 / runs))


def test_what_is_taken_for_granted_is_said():
    assert "taken to be correlated 0.5" in plan_effect(0.02, rate=0.8).sentence
    assert "taken to be" not in plan_effect(0.02, rate=0.8, correlation=0.5).sentence
    assert plan_effect(0.02, rate=0.8, judges=3, prompts=2, icc=0.4).calls == 2 * 6 * 2428


@pytest.mark.parametrize(
    ("effect", "options", "says"),
    [
        (0, {"sd": 1}, "effect: a number other than 0"),
        (0.1, {}, "rate: give the rate of 0/1 scores, or sd"),
        (0.1, {"rate": 0.95}, "between 0 and 1 (rate 0.95)"),
        (0.1, {"sd": 1, "judges": 2}, "icc: with several judges"),
        (0.1, {"rate": 0.5, "correlation": 0.95}, "the most that these rates and icc allow"),
        (0.1, {"sd": 1, "paired": False, "correlation": 0.2}, "correlation: is of scores on the same items"),
        (1e-6, {"sd": 1}, "state a larger effect"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(effect, options, says):
    with pytest.raises(InvalidInput) as refused:
        plan_effect(effect, **options)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_share_against_a_bar():
    """The tails of the law itself, summed; the interval's ends leave half of alpha in each."""

    def at_least(wins, n, rate):
        return sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(wins, n + 1))

    found = plan_bar(0.9, seen=(47, 50))
    assert found.p_value == pytest.approx(at_least(47, 50, 0.9), rel=1e-9)
    assert at_least(47, 50, found.low) == pytest.approx(0.025, rel=1e-9)
    assert at_least(48, 50, found.high) == pytest.approx(0.975, rel=1e-9)
    assert not found.shown
    assert plan_bar(0.9, seen=(40, 50)).shown
    assert plan_bar(0.9, seen=(45, 50)).needed is None
    assert plan_bar(0.1, rate=0.05).needed == plan_bar(0.9, rate=0.95).needed


def test_a_share_is_shown_from_the_number_planned_on_and_not_before():
    from scipy.stats import binom

    needed = plan_bar(0.9, rate=0.95).needed

    def power(n):
        return binom.sf(binom.isf(0.025, n, 0.9), n, 0.95)

    assert power(needed - 1) < 0.9
    assert min(power(n) for n in range(needed, needed + 300)) >= 0.9


def pilot():
    rng = np.random.default_rng(3)
    items = rng.normal(size=40)
    rows = [
        (system, item, judge, float(items[item] + 0.2 * (system == "x") + rng.normal()))
        for system in "xy"
        for item in range(40)
        for judge in "ab"
    ]
    return q.read(pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row"), announce=False)


def test_a_pilot_says_what_an_effect_takes():
    """Against the paired t on the variance of its items' differences, as items are planned in steps of about 3%."""
    table = pilot()
    step = plan_from_pilot(0.3, table)
    assert step.assumed == 0.3
    assert "if the difference is 0.3." in step.sentence
    few = plan_from_pilot(0.6, table)
    assert few.calls < step.calls / 3
    assert few.calls > step.calls / 6
