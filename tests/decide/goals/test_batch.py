"""Calls that a plan still needs."""

import numpy as np
import pytest

from quorate.decide.goals.goal import Offer
from quorate.decide.goals.plans import batch, crossed, nothing
from quorate.estimate.components.published import components
from quorate.planning.designs.dstudy import project
from quorate.table.judgments import OK, Facet, Judgments

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
