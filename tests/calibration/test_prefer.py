"""Votes by people and models that are bought until a preference is known: size, power, coverage and cost.

Every scenario is carried out 25 times, so that the Monte Carlo error of a share of .05 is .044, and of .9 .060; 500
times under the mark ``slow``: .010 and .013. Run with ``-s`` to see the table.
"""

from __future__ import annotations

import numpy as np
import pytest
from calibration.goal_scenarios import VOTE_SCENARIOS

from quorate.decide.goals.goal import BestGoal

SIZE, LEAST, POWER, OF_BEST = 0.055, 0.93, 0.9, 1.25


@pytest.mark.parametrize("studies", [25, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("one", VOTE_SCENARIOS, ids=lambda one: one.name)
def test_size_power_coverage_and_cost(one, studies):
    rates = one.rates(studies, seed=5)
    power = min(POWER, rates.right)
    best, usual = (one.fixed(power=power, usual=usual) or np.nan for usual in (False, True))
    ratios = "  ".join(f"{rates.money / price:4.2f} +- {rates.money_error / price:4.2f}" for price in (best, usual))
    print(f"{one.name:60}  {rates.wrong:.3f}  {rates.right:.3f}  {rates.covered:.3f}  {rates.money:7.2f}  {ratios}")
    assert rates.wrong <= SIZE + 2.5 * rates.error(SIZE)
    assert rates.covered >= LEAST - 2.5 * rates.error(0.95)
    if getattr(one.goal, "margin", None) is not None:
        assert rates.right >= 0.87 - 2.5 * rates.error(POWER)
        assert rates.money <= (OF_BEST + 2.5 * rates.money_error / best) * best
    elif isinstance(one.goal, BestGoal) and one.effect:
        assert rates.right >= POWER - 2.5 * rates.error(POWER)
