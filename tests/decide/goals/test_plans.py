"""Plans that are paid for in part."""

import numpy as np
import pytest

from quorate.decide.goals.goal import CompareGoal, Offer, Spent
from quorate.decide.goals.parts import Comparison
from quorate.estimate.components.published import components
from quorate.estimate.differences.difference import difference
from quorate.simulate.crossed import draw_judgments


@pytest.fixture(scope="module")
def plans():
    law = components({"system:item": 0.2, "system:item:judge": 0.2, "cell": 0.2}, sensitivity={"judge": 0.0})
    table = draw_judgments(law, levels={"item": 30, "system": 2, "judge": 3}, rng=1)
    offer = Offer(tuple(f"i{n}" for n in range(900)), ("judge 1", "judge 2", "judge 3"), calls=5000, seed=2)
    found = difference(table, "system 1", "system 2", method="paired")
    goal = CompareGoal("system 1", "system 2", margin=0.15)
    return Comparison(goal, offer).plans(found, ("system 1", "system 2"), Spent(180))


def test_what_is_at_hand_counts_for_plans_in_turns(plans):
    plan = plans.cheapest()
    design = plan.projection
    assert design.layout == "cyclic"
    assert plan.variance < design.variance  # 30 items that all judges saw are worth more than 30 that one saw
    assert plan.cost == pytest.approx(2 * (design.design["item"] - 30), abs=1e-6)
    assert plans.affords(plan)
    half = plans.part(plan, 2 * plan.variance, np.inf)
    assert 30 < plans.part(plan, 2 * plan.variance, 0.0) < plans.part(plan, 2 * plan.variance, 60.0) <= 60
    assert 60 < half < design.design["item"]
    assert plans.cheapest(times=1e-3) is None


def test_the_best_study_spends_what_is_left(plans):
    best = plans.best()
    assert best.cost <= plans.left
    assert best.variance <= plans.cheapest().variance * (1 + 1e-9)
    assert np.isfinite(plans.kept.width).all()
