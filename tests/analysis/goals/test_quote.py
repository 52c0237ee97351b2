"""Quotes of goals: from components that are assumed, or from the answers so far."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from goal_studies import functions, rows, scored, settings
from under_way import written

import quorate as q
from quorate.analysis.goals.quote import Law, is_sized, one_look
from quorate.decide.goals.goal import CompareGoal, HalfWidthGoal, Offer, PreferGoal, StagedGoal
from quorate.errors import InvalidInput, NotEstimable
from quorate.simulate import VoteLaw
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


def by_category(folder, **changes):
    """A study of 100 items of each of two categories, asked for each."""
    kinds = [{**row, "kind": "prose" if int(row["id"][1:]) % 2 else "verse"} for row in rows(200)]
    goal = {"compare": ["x", "y"], "margin": 0.6, "by": "category"}
    given = settings(goal=goal, **changes)
    return written(
        folder,
        kinds,
        {**given["items"], "category": "kind"},
        ["score"],
        0,
        **{name: given[name] for name in ("judges", "goal", "looks", "budget")},
    )


def test_categories_are_drawn_each_with_its_own_difference(tmp_path):
    """Though on average they differ by as much as one that is far from both."""
    path = by_category(tmp_path, budget={"money": 60})
    differing = {"prose": 1.2, "verse": 0.0}
    found = q.quote(path, components=LAW, effect=differing, studies=4)
    assert found.rates.outcomes == {"better on prose, equivalent on verse": 1.0}
    assert found.effect == differing
    assert "as assumed and differences of 1.2 on prose and 0 on verse, expect to spend" in found.sentence
    assert found.promised == pytest.approx(0.9**2)
    assert q.quote(path, components=LAW, effect={"prose": 1.2, "verse": 0.3}, studies=1).promised is None
    with pytest.raises(NotEstimable, match='by category one is needed for each, and "prose" has none'):
        q.quote(path, components=LAW, effect={"verse": 0.3})


@pytest.mark.slow
def test_the_answers_of_every_category_are_its_law_and_its_price_in_hindsight(tmp_path):
    """x is better on prose alone: what was spent is of the size of the quote, and so is the price of one look."""

    def judge(request):
        prose = int(request.cell["item"][1:]) % 2
        return scored(gap=1.5 * prose)(request)

    path = by_category(tmp_path, budget={"money": 60})
    carry_out(load(path), judges=functions(judge))
    found, parts = q.quote(path, studies=3), q.status(path).looks[-1].parts
    assert found.effect == pytest.approx({"prose": parts[0].value, "verse": parts[1].value})
    assert set(found.rates.outcomes) == {"better on prose, equivalent on verse"}
    path_of = q.interim(path).path
    assert path_of.fixed == found.fixed > 0
    assert path_of.hindsight.startswith("A study of one look, planned with what is known now, would have cost")
    assert path_of.fixed < 2 * path_of.spent


def test_what_cannot_be_simulated_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="has none; give it one"):
        q.quote(study(tmp_path, goal=None, looks=None))
    with pytest.raises(InvalidInput, match="effect: the difference to assume is needed"):
        q.quote(study(tmp_path, goal={"compare": ["x", "y"]}), components=LAW)


def test_a_study_of_one_look_costs_what_its_design_does():
    offer = Offer(tuple(f"i{n}" for n in range(400)), ("a", "b", "c"), calls=3000)
    cost = one_look(HalfWidthGoal(0.1), offer, Law(LAW, 0.0))
    assert 0 < cost < one_look(HalfWidthGoal(0.05), offer, Law(LAW, 0.0))
    votes = Offer(offer.items, offer.judges, people=("a",), calls=3000)
    goal = PreferGoal("x", "y", margin=0.1)
    assert one_look(goal, votes, Law(VoteLaw(icc=0.5), 0.1)) == pytest.approx(0.24 * 3.2415**2 / 0.1**2, rel=1e-3)
    assert one_look(StagedGoal("x", "y"), votes, Law(VoteLaw(), 0.1)) is None


def battles(folder, goal, systems=("x", "y"), **changes):
    """A study of votes on 300 battles of every pair, at 0.01 each."""
    pairs = list(combinations(systems, 2))
    texts = {pair: {"prompt": "p", "response_a": f"by {pair[0]}", "response_b": f"by {pair[1]}"} for pair in pairs}
    given = [{"id": f"q{n}", "a": a, "b": b, **texts[a, b]} for n in range(300) for a, b in pairs]
    items = {"file": "items.jsonl", "system_a": "a", "system_b": "b"}
    judges = {name: {"kind": "python", "price": {"call": 0.01}} for name in "ab"}
    return written(
        folder, given, items, ["pairwise"], 0, goal=goal, judges=judges, **{"budget": {"money": 9}} | changes
    )


def test_votes_are_assumed(tmp_path):
    path = battles(tmp_path, {"prefer": ["x", "y"], "margin": 0.15})
    with pytest.raises(InvalidInput, match=r"icc: nothing is answered yet; assume some, such as 0\.5"):
        q.quote(path)
    with pytest.raises(InvalidInput, match="components: are those of scores; of votes assume"):
        q.quote(path, components=LAW)
    found = q.quote(path, icc=0.4, tie_share=0.2, studies=3)
    assert (found.assumed, found.effect, found.components, found.promised) == (True, 0.15, {}, 0.9)
    law = "20% ties and a correlation of 0.4 between votes on one battle"
    assert found.sentence.startswith(f"With {law} as assumed and a difference of 0.15, expect to spend")
    assert 0 < found.fixed < 9
    assert 1 <= found.spent <= 9
    assert q.quote(path, tie_share=0.2, studies=1).icc == 0.5
    scores = tmp_path / "scores"
    scores.mkdir()
    with pytest.raises(InvalidInput, match="icc, tie_share: are those of votes"):
        q.quote(study(scores), icc=0.5)


def test_both_orders_cost_twice_the_calls(tmp_path):
    goal = {"prefer": ["x", "y"], "margin": 0.15}
    once, both = (
        q.quote(battles(folder, goal, **more), icc=0.4, studies=2)
        for folder, more in (
            (tmp_path, {"budget": {"calls": 900}}),
            (tmp_path, {"budget": {"calls": 1800}, "order": "both"}),
        )
    )
    assert (both.spent, both.fixed, both.budget) == (2 * once.spent, 2 * once.fixed, 1800)


def test_the_best_of_several_by_votes_is_quoted_and_priced_in_hindsight(tmp_path):
    path = battles(tmp_path, {"rank": "best"}, "xyz", budget={"calls": 900})
    with pytest.raises(InvalidInput, match="effect: the difference to assume is needed"):
        q.quote(path, icc=0.4)
    assert q.quote(path, icc=0.4, effect=0.3, studies=2).rates.outcomes == {"x": 1.0}

    def judge(request):
        return "A" if request.cell["system_a"] == "x" or hash_of(request) else "B"

    carry_out(load(path), judges=dict.fromkeys("ab", judge))
    found = q.quote(path, studies=2)
    assert (found.assumed, found.unit, found.effect) == (False, "calls", 0.5)
    assert q.interim(path).path.fixed == found.fixed > 0


def hash_of(request):
    """Whether the first of two equal systems is preferred."""
    return int(request.cell["item"][1:]) % 2
