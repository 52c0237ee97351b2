"""Plans that are paid for in part."""

import numpy as np
import pytest

from quorate.decide.goals.goal import CompareGoal, Offer, Spent
from quorate.decide.goals.parts import Comparison
from quorate.decide.goals.plans import batch, crossed, nothing
from quorate.estimate.components.published import components
from quorate.estimate.differences.difference import difference
from quorate.planning.designs.dstudy import project
from quorate.simulate.demo import draw_judgments
from quorate.table.facets import OK, Facet
from quorate.table.judgments import Judgments


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


# Calls that a plan still needs.


OFFER = Offer(tuple(f"i{n:02}" for n in range(60)), ("a", "b", "c"), ("p", "q"), ("x", "y"), calls=9000)
LAW = components({"item": 1.0, "item:judge": 1.0, "item:prompt": 1.0, "cell": 1.0})


def made(cells):
    n, score = np.ones(len(cells), int), np.zeros(len(cells))
    facets = tuple(Facet(name, name, labels, name == "judge") for name, labels in cells.levels.items())
    table = Judgments(facets, "item", "score", cells.codes, n, score, score, score, score, {OK: n})
    return table.keep(np.ones(len(n), bool))


@pytest.mark.parametrize(("layout", "calls"), [("factorial", 10 * 12), ("latin", 10 * 2), ("cyclic", 10 * 4)])
def test_new_items_take_turns_or_are_crossed(layout, calls):
    pilot = crossed(OFFER, {"item": 30, "judge": 3, "prompt": 2})
    plan = project(LAW, items=50, judges=3, prompts=2, layout=layout)
    cells = batch(OFFER, plan, 40, made(pilot))
    assert len(cells) == calls
    assert set(np.unique(cells.code("item"))) == set(range(30, 40))
    assert np.ptp(list(cells.calls("judge").values())) <= 4
    assert set(cells.replicate) == {1}


def test_items_at_hand_are_completed_where_everything_is_crossed():
    pilot = crossed(OFFER, {"item": 30, "judge": 2, "prompt": 1}, ("x",))
    plan = project(LAW, items=30, judges=3, prompts=2, replicates=2)
    cells = batch(OFFER, plan, 30, made(pilot))
    assert len(cells) == 30 * 2 * 3 * 2 * 2 - 60
    first = (cells.code("system") == 0) & (cells.code("prompt") == 0) & (cells.code("judge") < 2)
    assert set(cells.replicate[first]) == {2}
    assert not len(nothing(OFFER))


def test_new_items_are_of_all_categories_and_their_turns_are_too():
    """Three equal categories and three judges: in a fixed order a judge would have a category for itself."""
    kinds = tuple("pqr"[n % 3] for n in range(300))
    items = tuple(f"i{n}" for n in range(300))
    offer = Offer(items, ("a", "b", "c"), systems=("x", "y"), calls=5000, categories=kinds)
    pilot = crossed(offer, {"item": 30, "judge": 3, "prompt": 1, "replicate": 1})
    plan = project(components({"item": 1.0, "item:judge": 1.0, "cell": 1.0}), items=150, judges=3, layout="cyclic")
    for wanted in (75, 120):
        cells = batch(offer, plan, wanted, made(pilot))
        counts = np.zeros((3, 3), dtype=int)
        np.add.at(counts, (cells.code("category"), cells.code("judge")), 1)
        assert counts.sum() == 2 * (wanted - 30)
        assert np.ptp(counts) <= 2  # an item of both systems
        assert np.ptp(counts.sum(axis=1)) <= 2
