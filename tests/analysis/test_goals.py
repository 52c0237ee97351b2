from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from goal_studies import functions, rows, scored, settings
from studies import rated
from under_way import written

import quorate as q
from quorate.analysis.goals.path import GoalPath, in_words
from quorate.analysis.goals.quote import GoalLaw, best_two, is_sized, law_of, law_of_votes, one_look
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, PreferGoal, Spent, StagedGoal
from quorate.decide.goals.look import Ending, Look, Power
from quorate.errors import InvalidInput, NotEstimable
from quorate.simulate import VoteLaw
from quorate.simulate.goals.goal import world
from quorate.simulate.goals.votes import VoteLaw as vote_law_VoteLaw
from quorate.simulate.goals.votes import vote_world
from quorate.study.file import load
from quorate.study.goal import Goal
from quorate.study.loop import carry_out


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


def look(number, half, spent, **more):
    own = {"judgments": 10, "value": 0.2, "se": 0.1, "df": 9.0, "fraction": number / 3, "alpha": 0.01, "bound": 2.0}
    return Look(number, 3, spent=Spent(100 * number, spent), low=0.2 - half, high=0.2 + half, **own, **more)


LOOKS = (look(1, 0.9, 1.5, buys=Spent(50, 1.0)), look(2, 0.15, 2.5, outcome="better", ending=Ending.REACHED))


def test_it_says_where_it_is_and_what_stopped_it():
    path = GoalPath("which is better", LOOKS, "money", 40.0, 0.2, fixed=3.75)
    assert path.stopped == "The goal was reached, after 2 looks and 2.50 of 40.00 in money."
    assert path.sentence.startswith("Round 2 of at most 3: difference 0.2, 95% interval 0.05 to 0.35; better: the goal")
    assert path.hindsight == "A study of one look, planned with what is known now, would have cost 3.75 in money."
    first, second = path.rows()
    assert (first["round"], first["money"], first["more_calls"], first["ending"]) == (1, 1.5, 50, None)
    assert (second["calls"], second["outcome"], second["ending"]) == (200, "better", "reached")
    calls = GoalPath("which is better", LOOKS[:1], "calls", 400.0)
    assert (calls.stopped, calls.hindsight, calls.spent) == ("", "", 100)
    assert "no look yet: the pilot is not finished" in GoalPath("which is better", (), "calls", 400.0).sentence


def test_it_says_by_how_much_the_budget_falls_short():
    short = replace(LOOKS[0], power=Power(0.55, 0.02, 0.81, 0.9))
    chance = "a chance of 55% to decide (2% to 81%, as far as components are known)"
    said = f"the budget buys {chance}, less than the 90% asked for"
    assert short.sentence.endswith(f"50 more calls, 1.00 in money; {said}")
    path = GoalPath("which is better", (short, LOOKS[1]), "money", 40.0)
    assert path.shortfall == f"At look 1, {said}."
    assert (path.rows()[0]["power"], path.rows()[1]["power"]) == (0.55, None)
    assert GoalPath("which is better", LOOKS, "money", 40.0).shortfall == ""
    assert LOOKS[0].falling_short(Power(0.95, 0.7, 0.99, 0.9)) == LOOKS[0]
    assert LOOKS[0].falling_short(short.power) == short
    assert Look.from_dict(short.to_dict()) == short


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"compare": ["x", "y"]}, "which of x and y has the higher mean score, at 95%"),
        (
            {"prefer": ["x", "y"], "margin": 0.05, "level": 0.9},
            "which of x and y is preferred, or that shares are within 0.05 of one half, at 90%",
        ),
        (
            {"prefer": ["x", "y"], "stages": 2},
            (
                "which of x and y is preferred on the 20% of categories whose votes are furthest from one half in a "
                "first stage, at 95%"
            ),
        ),
        ({"half_width": 0.1}, "the mean score to within 0.1, at 95%"),
        ({"half_width": 0.1, "by": "category"}, "the mean score to within 0.1, on every category of items, at 95%"),
        (
            {"half_width": 0.1, "category_shares": {"a": 0.7, "b": 0.3}},
            "the mean score to within 0.1, where categories count a 70% and b 30%, at 95%",
        ),
        ({"rank": "best"}, "which system is best, at 95%"),
    ],
)
def test_goals_in_words(goal, words):
    assert in_words(Goal(**goal), votes=False) == words


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
    found = q.quote(path, components=LAW, effect=differing, studies=1)
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
    cost = one_look(HalfWidthGoal(0.1), offer, GoalLaw(LAW, 0.0))
    assert 0 < cost < one_look(HalfWidthGoal(0.05), offer, GoalLaw(LAW, 0.0))
    votes = Offer(offer.items, offer.judges, people=("a",), calls=3000)
    goal = PreferGoal("x", "y", margin=0.1)
    assert one_look(goal, votes, GoalLaw(VoteLaw(icc=0.5), 0.1)) == pytest.approx(0.24 * 3.2415**2 / 0.1**2, rel=1e-3)
    assert one_look(StagedGoal("x", "y"), votes, GoalLaw(VoteLaw(), 0.1)) is None


def battles(folder, goal, systems=("x", "y"), items=300, **changes):
    """A study of votes on so many battles of every pair, at 0.01 each."""
    pairs = list(combinations(systems, 2))
    texts = {pair: {"prompt": "p", "response_a": f"by {pair[0]}", "response_b": f"by {pair[1]}"} for pair in pairs}
    given = [{"id": f"q{n}", "a": a, "b": b, **texts[a, b]} for n in range(items) for a, b in pairs]
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
    path = battles(tmp_path, {"rank": "best"}, "xyz", 120, budget={"calls": 360})
    with pytest.raises(InvalidInput, match="effect: the difference to assume is needed"):
        q.quote(path, icc=0.4)
    assert q.quote(path, icc=0.4, effect=0.3, studies=1).rates.outcomes == {"x": 1.0}

    def judge(request):
        return "A" if request.cell["system_a"] == "x" or hash_of(request) else "B"

    carry_out(load(path), judges=dict.fromkeys("ab", judge))
    found = q.quote(path, studies=1)
    assert (found.assumed, found.unit, found.effect) == (False, "calls", 0.5)
    assert q.interim(path).path.fixed == found.fixed > 0


def hash_of(request):
    """Whether the first of two equal systems is preferred."""
    return int(request.cell["item"][1:]) % 2


OFFER = Offer(tuple(f"i{n}" for n in range(6000)), ("ann", "gpt", "llama"), people=("ann",), calls=9)
GOAL = PreferGoal("x", "y")


def drawn(goal, offer, law, effect):
    world = vote_world(goal, offer, law, effect, np.random.default_rng(2))
    return world.judgments(~world.nothing())


def test_a_law_is_found_again():
    votes = drawn(GOAL, OFFER, vote_law_VoteLaw(0.2, 0.4, 0.6), 0.1)
    law, effect = law_of_votes(GOAL, votes, ("ann",))
    assert effect == pytest.approx(0.1, abs=0.02)
    assert (law.ties, law.icc, law.models) == (
        pytest.approx(votes.tie_share, abs=1e-3),
        pytest.approx(0.4, abs=0.03),
        pytest.approx(0.6, abs=0.06),
    )
    assert law_of_votes(PreferGoal("y", "x"), votes, ("ann",))[1] == pytest.approx(-effect)
    with pytest.raises(NotEstimable, match="x and z have no votes"):
        law_of_votes(PreferGoal("x", "z"), votes, ())


def test_both_orders_are_one_vote():
    """A judge who says A whatever is first has ties only, whose votes do not vary."""
    votes = drawn(GOAL, replace(OFFER, judges=("gpt",), people=()), vote_law_VoteLaw(), 0.1)
    twice = votes.reordered(np.repeat(np.arange(votes.rows), 2))
    assert law_of_votes(GOAL, twice, ()) == law_of_votes(GOAL, votes, ())
    first = np.tile(np.array([0, 1], dtype=np.int8), votes.rows)
    law, effect = law_of_votes(GOAL, replace(twice, outcome=first), ())
    assert (law, effect) == (vote_law_VoteLaw(1.0, 0.0), 0.0)


def test_the_best_is_ahead_of_the_nearest():
    pairs = tuple(combinations("xyz", 2)) * 2000
    votes = drawn(BestGoal(), replace(OFFER, pairs=pairs), vote_law_VoteLaw(icc=0.3), 0.1)
    law, effect = law_of_votes(BestGoal(), votes, ())
    assert (effect, law.icc, law.models) == (pytest.approx(0.09, abs=0.02), pytest.approx(0.3, abs=0.03), None)
