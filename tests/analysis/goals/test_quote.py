"""Quotes of goals: from components that are assumed, or from the answers so far."""

from __future__ import annotations

from dataclasses import replace

import pytest
from goal_studies import functions, rows, scored, settings
from under_way import written

import quorate as q
from quorate.analysis.goals.law import Law
from quorate.analysis.goals.quote import is_sized, one_look
from quorate.decide.goals.goal import CompareGoal, HalfWidthGoal, PreferGoal
from quorate.decide.goals.offer import Offer
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.loop import carry_out


def study(folder, **changes):
    """A study of 200 items."""
    given = {name: value for name, value in settings(**changes).items() if value is not None and name != "rows"}
    return written(folder, rows(200), given.pop("items"), ["score"], 0, **given)


LAW = {"item": 0.2, "item:judge": 0.1, "cell": 0.4}


def test_components_are_assumed(tmp_path):
    path = study(tmp_path)
    with pytest.raises(InvalidInput, match="components: nothing is answered yet; assume some"):
        q.quote(path)
    assumed = q.quote(path, components=LAW, studies=2)
    assert (assumed.assumed, assumed.effect, assumed.components) == (True, 0.5, LAW)
    assert (assumed.unit, assumed.budget, assumed.rates.studies) == ("money", 20.0, 2)
    assert 2.4 <= assumed.spent <= 20
    assert assumed.sentence.startswith("With components as assumed and a difference of 0.5, expect to spend")
    assert assumed.fixed > 0
    assert assumed.promised == 0.9
    seldom = replace(assumed.rates, studies=100, ended={"reached": 0.77})
    told = replace(assumed, rates=seldom)
    assert told.out_of_reach
    assert "chance of 77%" in told.sentence
    assert "The chance is less than the 90% asked for: offer more items, more prompts" in told.sentence
    assert not replace(assumed, rates=replace(seldom, ended={"reached": 0.88})).out_of_reach
    assert [is_sized(CompareGoal("x", "y", 0.5), effect) for effect in (0.0, 0.3, -0.5)] == [True, False, True]


@pytest.mark.slow
def test_components_of_the_answers_are_taken_once_there_are_some(tmp_path):
    path = study(tmp_path)
    assumed = q.quote(path, components=LAW, studies=2)
    assert q.quote(path, components=q.components(LAW), studies=2) == assumed
    carry_out(load(path), judges=functions(scored()))
    found = q.quote(path, studies=2)
    assert not found.assumed
    assert found.effect == q.status(path).looks[-1].value
    assert found.components.keys() == {"item", "cell"}
    path_of = q.interim(path).path
    assert path_of.hindsight.startswith("A study of one look, planned with what is known now, would have cost")
    assert path_of.fixed == found.fixed


def test_what_cannot_be_simulated_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="has none; give it one"):
        q.quote(study(tmp_path, goal=None, looks=None))
    with pytest.raises(InvalidInput, match="effect: the difference to assume is needed"):
        q.quote(study(tmp_path, goal={"compare": ["x", "y"]}), components=LAW)


def test_a_study_of_one_look_costs_what_its_design_does():
    offer = Offer(tuple(f"i{n}" for n in range(400)), ("a", "b", "c"), calls=3000)
    cost = one_look(HalfWidthGoal(0.1), offer, Law(LAW, 0.0))
    assert 0 < cost < one_look(HalfWidthGoal(0.05), offer, Law(LAW, 0.0))
    assert one_look(PreferGoal("x", "y"), offer, Law(LAW, 0.0)) is None
