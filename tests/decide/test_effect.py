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
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import scores_table

import quorate as q
from quorate.decide.effect import plan_bar, plan_effect, plan_study
from quorate.errors import InvalidInput
from quorate.numerics.distributions import t_quantile
from quorate.numerics.study_power import beyond


@pytest.mark.parametrize(
    ("effect", "options", "items"),
    [
        (0.5, {"correlation": 0.5}, 44),
        (0.2, {"correlation": 0.5, "power": 0.8}, 199),
        (0.9, {"correlation": 0.5, "alpha": 0.01}, 22),
        (1.0, {"unpaired": True}, 23),
        (0.2, {"unpaired": True, "power": 0.8}, 394),
    ],
)
def test_items_are_those_of_the_t_test(effect, options, items):
    assert plan_effect(effect, sd=1, **options).items == items


@pytest.mark.parametrize(
    ("d", "n", "power"), [(0.5, 30, 0.75396471574379), (2.0, 5, 0.9088848681009402), (0.05, 3001, 0.7817840842265151)]
)
def test_power_is_that_of_the_noncentral_t(d, n, power):
    assert beyond(d * n**0.5, n - 1, t_quantile(n - 1, 0.975)) == pytest.approx(power, abs=1e-6)


@pytest.mark.slow
@given(
    effect=st.floats(0.02, 0.3), rate=st.floats(0.1, 0.65), correlation=st.floats(0.0, 0.5), judges=st.integers(1, 5)
)
def test_more_judges_more_correlation_and_a_larger_effect_take_fewer_items(effect, rate, correlation, judges):
    largest = plan_effect(effect, rates=rate, icc=0.6, judges=judges)
    assert plan_effect(effect, rates=rate, icc=0.6, judges=judges + 1).items <= largest.items
    assert largest.chance >= largest.power
    apart = plan_effect(effect, sd=0.5, correlation=0.0, judges=judges, icc=0.6)
    assert plan_effect(effect, sd=0.5, correlation=correlation, judges=judges, icc=0.6).items <= apart.items
    assert plan_effect(1.1 * effect, sd=0.5, correlation=0.0, judges=judges, icc=0.6).items <= apart.items


@pytest.mark.parametrize(
    "options",
    [
        {"rates": (0.7, 0.8), "correlation": 0.4},
        {"rates": (0.5, 0.6), "correlation": 0.6, "power": 0.8},
        {"rates": (0.9, 0.93), "correlation": 0.3, "power": 0.8},
    ],
)
def test_studies_of_rates_find_the_effect_as_often_as_promised(options):
    """Pairs of 0/1 scores of these rates and correlation, by the t over items: within 3 points, 4,000 studies."""
    runs, (p, other) = 4000, options["rates"]
    plan, rng = plan_effect(**options), np.random.default_rng(5)
    both = options["correlation"] * np.sqrt(p * (1 - p) * other * (1 - other)) + p * other
    worse, better = p - both, other - both
    found = rng.multinomial(plan.items, [worse, better, 1 - worse - better], size=runs)
    mean = (found[:, 1] - found[:, 0]) / plan.items
    se = np.sqrt(((found[:, 0] + found[:, 1]) / plan.items - mean**2) / (plan.items - 1))
    power = np.mean(np.abs(mean / se) > t_quantile(plan.items - 1, 0.975))
    assert power == pytest.approx(plan.chance, abs=0.03 - 2 * np.sqrt(0.09 / runs))


def compared(plan, sd, icc, rng):
    """The comparison of one study of a plan: normal scores, judges whose preference for a system varies."""
    one, other = (sd * np.sqrt(icc) * rng.normal(size=plan.items) for _ in range(2))
    rho = plan.correlation / icc
    own = {"x": one, "y": rho * one + np.sqrt(1 - rho**2) * other}
    likes = plan.spread.get("judge", 0.0) * rng.normal(size=plan.judges)
    own["x"] = own["x"] + plan.effect
    rows = [
        (system, item, judge, own[system][item] + (system == "x") * likes[judge] + sd * np.sqrt(1 - icc) * rng.normal())
        for system in "xy"
        for item in range(plan.items)
        for judge in range(plan.judges)
    ]
    table = scores_table(rows, "system item judge score")
    return q.compare(table, "x", "y")


@pytest.mark.slow
@pytest.mark.parametrize("spread", [None, {"judge": 0.15}])
def test_compare_finds_the_effect_as_often_as_promised(spread):
    """For this study's setup, and for judges like these: within 3 points; Monte Carlo error of 600 studies 1.2."""
    plan = plan_effect(0.5, sd=1, correlation=0.3, icc=0.6, judges=4 if spread else 2, spread=spread)
    rng, runs = np.random.default_rng(1), 600
    found = 0
    for _ in range(runs):
        verdict = compared(plan, 1.0, 0.6, rng)
        p = verdict.others.p_difference() if spread else verdict.p_difference
        found += p <= 0.05
    assert found / runs == pytest.approx(plan.chance, abs=0.03)


def test_judges_that_differ_take_more_of_them():
    """Where judges differ about the two systems, no number of items makes up for too few judges."""
    plan = plan_effect(0.1, sd=0.5, icc=0.5, correlation=0.25, spread={"judge": 0.03})
    assert plan.judges >= 4
    assert plan.calls == min(row["calls"] for row in plan.rows())
    assert "for judges like these" in plan.sentence
    with pytest.raises(InvalidInput, match=r"they differ by 0\.3 from judge to judge: allow more of them"):
        plan_effect(0.1, sd=0.5, icc=0.5, judges=3, spread={"judge": 0.3})


def test_rates_that_leave_nothing_to_chance_are_refused():
    with pytest.raises(InvalidInput, match="scores of which 0 or 1 are right do not vary"):
        plan_effect(rates=(0.0, 1.0))


def test_a_half_width_is_that_of_the_middle_study():
    """Of a difference by Student's t at the median of the mean square; of one share in the form of Wilson."""
    plan = plan_effect(half_width=0.1, sd=(1.0, 1.0), correlation=0.5)
    rng = np.random.default_rng(2)
    sd = np.sqrt(rng.chisquare(plan.items - 1, 20_000) / (plan.items - 1))
    widths = t_quantile(plan.items - 1, 0.975) * sd / np.sqrt(plan.items)
    assert np.median(widths) <= 0.1002
    assert plan.reached == pytest.approx(np.median(widths), rel=0.002)
    one = plan_effect(half_width=0.05, rates=0.8)
    assert (one.systems, one.calls) == (1, one.items)
    assert one.items == pytest.approx(1.96**2 * 0.16 / 0.05**2, abs=3)


def test_what_is_taken_for_granted_is_said():
    assert "taken to be correlated 0.5" in plan_effect(0.02, rates=0.8).sentence
    assert "taken to be" not in plan_effect(0.02, rates=0.8, correlation=0.5).sentence
    assert plan_effect(0.02, rates=0.8, judges=3, prompts=2, icc=0.4).calls == 2 * 6 * 2428


@pytest.mark.parametrize(
    ("effect", "options", "says"),
    [
        (0, {"sd": 1}, "effect: a number other than 0"),
        (None, {"sd": 1}, "effect: give the difference to be found, or half_width"),
        (0.1, {"sd": 1, "half_width": 0.1}, "effect: give the difference to be found, or half_width"),
        (0.1, {}, "rates: give the rates of 0/1 scores, or sd"),
        (0.1, {"rates": 0.95}, "between 0 and 1 (rate 0.95)"),
        (0.1, {"rates": (0.7, 0.8)}, "effect: is the difference of the two rates"),
        (0.1, {"sd": 1, "judges": 2}, "icc: with several judges"),
        (0.1, {"rates": 0.5, "correlation": 0.95}, "the most that these rates and icc allow"),
        (0.1, {"sd": 1, "unpaired": True, "correlation": 0.2}, "correlation: is of scores on the same items"),
        (0.1, {"sd": 1, "judges": 2, "icc": 0.5, "spread": {"judge": 0.1}}, "judges: fewer than 3 say nothing"),
        (0.1, {"sd": 1, "spread": {"rater": 0.1}}, 'spread: is of "judge" and "prompt"'),
        (1e-6, {"sd": 1}, "effect: takes more than 10,000,000 items; no study can"),
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
    assert (found.shown, found.exit_code, plan_bar(0.9, rate=0.95).exit_code) == (False, 2, 0)
    close, above = plan_bar(0.9, seen=(49, 50)), plan_bar(0.9, seen=(50, 50))  # one-sided p .034 and .005
    assert (close.shown, close.low < 0.9, above.shown, above.exit_code) == (False, True, True, 0)
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
    return scores_table(rows, "system item judge score")


def test_a_pilot_says_what_an_effect_takes():
    """Against the paired t on the variance of its items' differences, as items are planned in steps of about 3%."""
    table = pilot()
    step = plan_study(0.3, table)
    assert step.assumed == 0.3
    assert "if the difference is 0.3." in step.sentence
    few = plan_study(0.6, table)
    assert few.calls < step.calls / 3
    assert few.calls > step.calls / 6
