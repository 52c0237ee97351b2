"""Why a judge is in the panel or not: against the best of all panels that one change makes."""

from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.panel.subsets import Choice
from quorate.planning.panel.screening import candidate, figure
from quorate.planning.panel.shortlist import JudgePool, facts


def pool(price, *, budget=100.0, target=None, noise=0.5, limits=(1, 4), seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(20, 1, 1)) + 0.5 * rng.normal(size=4) + noise * rng.normal(size=(20, 1, 4))
    pilot, prices = facts(x, np.zeros(4)), np.array(price, dtype=float)
    asked = (None, target) if target else (budget, None)
    choice = Choice(pilot.spread, pilot.error(corrected=True), prices, *asked, *limits)
    return JudgePool(tuple("abcd"), prices, 0.0, pilot, choice, True, 20)


def members(text):
    return np.array([name in text for name in "abcd"])


def look(made, panel, judge):
    subset = members(panel)
    return candidate(made, made.panel("", subset), subset, "abcd".index(judge))


@pytest.mark.parametrize(
    ("panel", "judge", "changed"),
    [("ab", "c", ("abc", "ac", "bc")), ("ab", "a", ("b", "bc", "bd")), ("a", "a", ("b", "c", "d"))],
)
def test_one_change_is_tried(panel, judge, changed):
    made = pool([1, 2, 3, 4])
    found = look(made, panel, judge)
    assert found.otherwise == min(made.panel("", members(text)).half_width for text in changed)
    assert found.kept == (judge in panel)


def test_limits_hold_for_changes():
    made = pool([1, 2, 3, 4], limits=(2, 2))
    assert look(made, "ab", "c").otherwise == min(made.panel("", members(text)).half_width for text in ("ac", "bc"))
    alone = pool([1, 1, 1, 1], limits=(4, 4))
    found = look(alone, "abcd", "a")
    assert np.isnan(found.otherwise)
    assert found.reason == "a is kept: no one change of the panel leaves it out within these limits"


def test_a_judge_that_cannot_be_paid_is_said_to_be_out_of_reach():
    found = look(pool([1, 1, 1, 1000]), "abc", "d")
    assert found.reason.endswith("is left out: no one change of the panel lets it in within these limits")
    assert found.reason.startswith("d costs 1,000 times as much as the panel's other judges and")


def test_prices_are_compared_where_they_differ_much():
    assert look(pool([1, 1, 1.4, 0.25]), "abc", "c").reason.startswith("c is kept")
    cheap = look(pool([1, 1, 1.4, 0.25]), "abcd", "d").reason
    assert cheap.startswith("d costs 0.25 of what the panel's other judges cost and is kept")


def test_a_price_is_compared_where_precision_was_asked_for():
    made = pool([1, 1, 1, 5], target=0.01)
    found = look(made, "abc", "d")
    assert found.otherwise == min(made.panel("", members(text)).cost for text in ("abcd", "abd", "acd", "bcd"))
    assert f"with it the price would be {figure(found.otherwise)} instead of" in found.reason


def test_a_near_tie_is_called_one():
    made = pool([1, 1, 1, 1], noise=1e-6, budget=1000.0)
    assert "which makes little difference" in look(made, "abcd", "a").reason


def test_the_figures_are_those_of_the_pilot():
    made = pool([1, 2, 3, 4])
    found = look(made, "ab", "b")
    effects = made.pilot.effects
    assert (found.name, found.price) == ("b", 2.0)
    assert (found.gamma, found.gamma_se, found.expected) == (effects.gamma[1], effects.se[1], effects.mean[1])
    assert found.expected_sd == pytest.approx(np.sqrt(effects.covariance[1, 1]))
    assert (found.noise, found.variance) == (made.pilot.noise[1], made.pilot.spread[1])
