"""The law of a goal from the answers of a study."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from studies import rated

import quorate as q
from quorate.analysis.goals.quote import best_two, law_of
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, PreferGoal, StagedGoal
from quorate.errors import InvalidInput
from quorate.simulate import VoteLaw
from quorate.simulate.goals.goal import world


def test_components_are_those_of_what_is_asked():
    table = rated(gap=0.4)
    assert best_two(table) == ("system 0", "system 1")
    best, compared = law_of(BestGoal(), table), law_of(CompareGoal("system 0", "system 1"), table)
    assert best == compared
    assert best.effect == pytest.approx(0.4, abs=0.2)
    assert best.components.keys() <= {"item", "judge", "item:judge", "cell", "replicate"}
    assert all(value >= 0 for value in best.components.values())
    mean = law_of(HalfWidthGoal(0.1), table.only("system", "system 0"))
    assert (mean.effect, mean.components["item"] > 0.1) == (0, True)


def test_of_votes_it_is_how_they_come_about():
    won = ["model_a", "model_a", "model_b", "tie"]
    columns = {"prompt": list("abcd"), "model_a": ["x"] * 4, "model_b": ["y"] * 4, "winner": won}
    votes = q.read_votes(pl.DataFrame(columns), announce=False)
    law = law_of(PreferGoal("x", "y"), votes)
    assert (law.components, law.effect) == (VoteLaw(ties=0.25), 0.125)
    for goal, table in ((StagedGoal("x", "y"), votes), (PreferGoal("x", "y"), rated(gap=0.4))):
        with pytest.raises(InvalidInput, match="one of two stages, or of other answers"):
            law_of(goal, table)


def test_every_category_has_its_own_difference_and_components():
    """Of all answers to 400 items of each of two categories, as they were drawn."""
    items = tuple(f"i{n:03}" for n in range(800))
    offer = Offer(items, ("a", "b"), systems=("x", "y"), categories=("prose", "verse") * 400, calls=1)
    own = {"item": {"prose": 0.05, "verse": 0.4}, "item:judge": {"prose": 0.2, "verse": 0.1}, "cell": 0.1}
    drawn = world(offer, own, ({"prose": 0.6, "verse": -0.1}, 0.0), np.random.default_rng(4))
    table = drawn.judgments(np.ones_like(drawn.score, dtype=bool))
    law = law_of(CompareGoal("x", "y", by="category"), table)
    assert law.effect == pytest.approx({"prose": 0.6, "verse": -0.1}, abs=0.1)
    assert law.components["item"] == pytest.approx({"prose": 2 * 0.05, "verse": 2 * 0.4}, rel=0.25, abs=0.03)
    of_x = law_of(HalfWidthGoal(0.1, by="category"), table.only("system", "x"))
    assert of_x.effect == 0
    assert of_x.components["item"] == pytest.approx({"prose": 0.05, "verse": 0.4}, rel=0.25, abs=0.05)
