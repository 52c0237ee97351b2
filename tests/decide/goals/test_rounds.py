"""Studies with a goal, from the pilot to the end."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from decide.goals.carried import carried

import quorate as q
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal, Offer, Spent, StagedGoal
from quorate.decide.goals.look import UNDECIDED, DifferenceTest, Ending, Look, found_at, held, t_bound
from quorate.decide.goals.parts import Comparison, Precision
from quorate.decide.goals.rounds import Elimination, look, pilot
from quorate.errors import InvalidInput
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.published import components
from quorate.numerics.sequential.spending import bounds, obrien_fleming, pocock
from quorate.numerics.votes.binomial import p_value
from quorate.simulate.demo import draw_judgments
from quorate.simulate.goals.goal import world
from quorate.table.facets import OK, Facet
from quorate.table.judgments import Judgments

GOAL = CompareGoal("x", "y", margin=0.3)
OFFER = Offer(
    items=tuple(f"i{n:03}" for n in range(200)),
    judges=("a", "b", "c"),
    prompts=("p", "q", "r"),
    systems=("x", "y"),
    calls=3000,
)


def answered(batches, gap):
    """Scores of all calls: items, and judges by items, differ; the systems by ``gap``."""
    rng = np.random.default_rng(5)
    levels = batches[0].levels
    codes = np.concatenate([cells.codes for cells in batches])
    own = rng.normal(0, 0.3, (200, 2, 1, 1)) + rng.normal(0, 0.3, (200, 2, 1, 3)) + rng.normal(0, 0.3, (200, 2, 3, 3))
    score = own[tuple(codes.T)] - gap * codes[:, 1]
    n, facets = np.ones(len(codes), int), tuple(Facet(name, name, levels[name], name == "judge") for name in levels)
    table = Judgments(facets, "item", "score", codes, n, score, np.zeros(len(n)), score, score, {OK: n})
    return table.keep(np.ones(len(n), bool))


@pytest.mark.wide(1)
@pytest.mark.parametrize(("gap", "outcome"), [(0.5, "better"), (0.0, "equivalent")])
def test_a_study_ends_with_its_question_answered(gap, outcome):
    batches, past = carried(GOAL, OFFER, partial(answered, gap=gap))
    assert past[-1].ending is Ending.REACHED
    assert past[-1].outcome == outcome
    assert sum(map(len, batches)) <= OFFER.calls
    assert [one.fraction for one in past] == sorted(one.fraction for one in past)
    asked = np.concatenate([np.column_stack([cells.codes, cells.replicate]) for cells in batches])
    assert len(np.unique(asked, axis=0)) == len(asked)  # nothing is bought twice
    assert all(len(cells) == one.buys.calls for cells, one in zip(batches[1:], past[:-1], strict=True))
    again = look(GOAL, OFFER, answered(batches, gap), past[:-1], Spent(sum(map(len, batches))))[0]
    assert again == past[-1]
    assert [Look.from_dict(one.to_dict()) for one in past] == past
    with pytest.raises(InvalidInput, match="ended the study"):
        look(GOAL, OFFER, answered(batches, gap), past, Spent(1))


def test_a_pilot_is_crossed_at_the_floors_and_must_be_paid_for():
    cells = pilot(GOAL, OFFER)
    assert len(cells) == 30 * 2 * 3 * 3
    assert set(cells.calls("judge").values()) == {180}
    with pytest.raises(InvalidInput, match="a pilot takes 540 calls"):
        pilot(GOAL, Offer(OFFER.items, OFFER.judges, OFFER.prompts, OFFER.systems, calls=500))


# What a look says.


LOOK = Look(3, 5, 900, Spent(900, 9.0), 0.21, 0.09, 20.0, 0.02, 0.4, 0.6, 0.01, 2.7, buys=Spent(310, 2.1))


def test_a_look_says_its_interval_and_what_it_buys():
    assert LOOK.sentence == (
        "round 3 of at most 5: difference 0.21, 95% interval 0.02 to 0.4; 310 more calls, 2.10 in money"
    )
    assert "too early for a 95% interval" in replace(LOOK, low=-9.0, high=9.0).sentence


def test_the_last_look_says_what_ended_the_study_and_what_the_goal_would_take():
    assert LOOK.ended(Ending.FUTILE, 700.0).sentence.endswith(
        "undecided: the goal is out of reach of the budget; reaching it would take about 700 more"
    )
    assert LOOK.ended(Ending.BUDGET, 0.0).sentence.endswith("undecided: nothing more can be bought")
    known = replace(LOOK, df=float("inf"))
    assert Look.from_dict(known.ended(Ending.BUDGET).to_dict()) == known.ended(Ending.BUDGET)


# What all goals have in common: how far the next look is.


OFFER_PURSUIT = Offer(("i",), ("a",), calls=1)


def test_the_next_look_is_a_step_of_what_is_left():
    assert Comparison(CompareGoal("x", "y", margin=1.0), OFFER_PURSUIT).pace(0.2, 4) == pytest.approx(0.4)
    assert Comparison(CompareGoal("x", "y"), OFFER_PURSUIT).pace(0.0625, 4) == pytest.approx(0.125)
    assert Comparison(CompareGoal("x", "y"), OFFER_PURSUIT).pace(0.5, 1) == 1.0


# Tests that are repeated at every look: bounds by the looks before, what is shown, and the chance of more.


class Found(NamedTuple):
    value: float
    se: float
    df: float = math.inf


def test_a_bound_is_as_rare_under_students_law():
    assert float(t_bound(1.959964, 4.0)) == pytest.approx(2.776445, abs=1e-5)
    assert float(t_bound(1.959964, float("inf"))) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("spending", [obrien_fleming, pocock])
def test_bounds_follow_from_the_looks_before(spending):
    past = []
    for fraction, bound in zip([0.2, 0.6, 1.0], bounds([0.2, 0.6, 1.0], 0.05, spending=spending), strict=True):
        found, spent = held(past, fraction, 0.05, 2, spending=spending)
        assert found == pytest.approx(bound, abs=1e-6)
        past.append(found_at(Found(0.0, 1.0), past, fraction, (-1.0, 1.0), alpha=spent, bound=found))
    assert past[-1].alpha == pytest.approx(0.05)
    assert held(past, 1.0, 0.05, 2, spending=spending)[0] == past[-1].bound  # nothing new


TEST = DifferenceTest(0.05, 0.5, obrien_fleming)


@pytest.mark.parametrize(
    ("value", "se", "outcome"),
    [(0.6, 0.2, "better"), (-0.6, 0.2, "worse"), (0.1, 0.2, "equivalent"), (0.3, 0.2, UNDECIDED), (0.4, 0.1, "better")],
)
def test_one_look_is_the_ordinary_test(value, se, outcome):
    here = TEST.look(Found(value, se), [], 1.0)
    assert (here.outcome, here.number, here.level) == (outcome, 1, 0.95)
    assert (here.high - here.value) / se == pytest.approx(1.959964, abs=1e-5)
    assert (here.equal_high - here.value) / se == pytest.approx(1.644854, abs=1e-5)


@pytest.mark.slow
def test_the_chance_is_that_of_draws_of_the_last_estimate():
    early = TEST.look(Found(0.3, 0.3, 40.0), [], 0.25)
    last = 0.3 + 0.25 * np.random.default_rng(1).standard_normal(150)
    shown = [TEST.look(Found(float(value), 0.15), [early], 1.0).outcome != UNDECIDED for value in last]
    chance = float(TEST.chances([early], np.array(0.15), math.inf, 0.25))
    assert chance == pytest.approx(np.mean(shown), abs=4 * math.sqrt(chance * (1 - chance) / 150))


# Systems that drop out once another is shown to be better.


@pytest.mark.parametrize(("ahead", "left"), [((0.5, 0.5, -3.0), 2), ((3.0, 0.0, -1.0), 1)])
def test_what_is_shown_to_be_worse_is_asked_no_more(ahead, left):
    law = components({"item": 0.3, "system:item": 0.1, "cell": 0.2}, sensitivity={"judge": 0.0, "system": 0.0})
    effects = {"system": np.array(ahead)}
    table = draw_judgments(law, levels={"item": 30, "system": 3, "judge": 2}, effects=effects, rng=1)
    names = {name: tuple(table.facet(name).levels) for name in table.names}
    items = (*names["item"], *(f"more {n}" for n in range(300)))
    offer = Offer(items, names["judge"], systems=names["system"], calls=4000)
    found, cells = Elimination(BestGoal(), offer).look(table, [], Spent(180))
    assert len(found.systems) == left
    if left == 1:
        assert (found.outcome, found.ending) == (names["system"][0], "reached")
    else:
        assert found.outcome == UNDECIDED
        assert set(np.unique(cells.column("system"))) == set(names["system"][:2])
        assert Elimination(BestGoal(), offer).alpha == pytest.approx(0.025)


# Studies of two systems, sized for the margin and for looking.


@pytest.mark.slow
def test_studies_are_sized_for_the_margin_and_for_looking():
    goal, offer = CompareGoal("x", "y", margin=0.5, power=0.9), Offer(("i",), ("a",), calls=1, looks=1)
    once = Comparison(goal, offer).sized[-1]
    assert once == pytest.approx(0.5 / (1.6449 + 1.6449), rel=1e-3)  # two one-sided tests, both with 95%
    assert Comparison(goal, Offer(("i",), ("a",), calls=1, looks=5)).sized[-1] < once
    free = Comparison(CompareGoal("x", "y"), offer).sized[-1]
    assert free == pytest.approx(1 / (1.95996 + 1.28155), rel=1e-3)


def test_a_look_says_what_chance_its_budget_buys_where_that_is_less_than_is_asked():
    law = {"item": 0.3, "item:judge": 0.3, "cell": 0.3}
    short = Offer(tuple(f"i{n}" for n in range(400)), ("a", "b"), systems=("x", "y"), calls=600)
    drawn = world(short, law, [0.1, 0.0], np.random.default_rng(1))
    goal = CompareGoal("x", "y", margin=0.2)
    table = drawn.judgments(drawn.asked(pilot(goal, short), drawn.nothing()))
    less = look(goal, short, table, [], Spent(120))[0].power
    assert 0 <= less.low < less.chance < less.high < 1
    assert (less.chance < 0.9, less.promised) == (True, 0.9)
    more = look(goal, replace(short, calls=900), table, [], Spent(120))[0].power
    assert more.chance > less.chance
    assert look(goal, replace(short, calls=10_000), table, [], Spent(120))[0].power is None


# Means that are known well enough.


def test_the_usual_interval_buys_until_it_is_narrow():
    law = components({"item": 0.3, "item:judge": 0.2, "cell": 0.2}, sensitivity={"judge": 0.0})
    table = draw_judgments(law, levels={"item": 30, "judge": 3}, rng=1)
    judges = tuple(table.facet("judge").levels)
    offer = Offer((*table.facet("item").levels, *(f"more {n}" for n in range(400))), judges, calls=2000)
    asked = Precision(HalfWidthGoal(0.1), offer)
    found, cells = asked.look(table, [], Spent(90))
    usual = decompose(table).mean.half_width
    assert found.outcome == UNDECIDED
    assert (found.high - found.low) / 2 == pytest.approx(usual, rel=1e-9)
    assert found.fraction == pytest.approx((0.1 / usual) ** 2, rel=0.15)
    assert 0 < found.buys.calls == len(cells) < 2000
    once = Precision(HalfWidthGoal(usual * 1.01), Offer(offer.items, judges, calls=2000, looks=1))
    last, none = once.look(table, [], Spent(90))
    assert (last.outcome, len(none)) == ("known", 0)
    assert (last.high - last.low) / 2 == pytest.approx(usual, rel=1e-6)
    assert found.buys.calls <= 90  # no more than was spent, on the word of a pilot
    assert asked.pace(0.1, 4) < asked.pace(0.7, 3) < asked.pace(0.7, 1)


# Votes in two stages: as many of every type, then those that decide, and a claim that rests on these alone.


GOAL_STAGES = StagedGoal("x", "y", per_type=10)
TYPES = ("art", "code", "law", "math", "news")
KIND = tuple(TYPES[n % 5] for n in range(500))
OFFER_STAGES = Offer(items=tuple(f"i{n:03}" for n in range(500)), judges=("ann", "bob"), categories=KIND, calls=130)


def votes_of(batches, wins):
    """Votes on what was bought; ``wins`` says of every battle whether x, y or neither wins."""
    items = [cells.levels["item"][code] for cells in batches for code in cells.code("item").tolist()]
    rows = [{"prompt": item, "judge": "ann", "winner": wins(int(item[1:]))} for item in items]
    frame = pl.DataFrame(rows).with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"))
    return q.read_votes(frame, announce=False)


@pytest.fixture(scope="module")
def staged():
    """Both looks of a study in whose first stage all of law is for x."""
    first = pilot(GOAL_STAGES, OFFER_STAGES)
    table = votes_of([first], lambda battle: "model_a" if KIND[battle] == "law" or battle % 2 else "model_b")
    seen, second = look(GOAL_STAGES, OFFER_STAGES, table, [], Spent(50))
    return first, seen, second


def test_the_first_stage_has_as_many_votes_of_every_type_and_judges_in_turns(staged):
    first, seen, _ = staged
    assert np.bincount(first.code("category")).tolist() == [10] * 5
    assert np.bincount(first.code("judge")).tolist() == [25, 25]
    assert len(np.unique(first.code("item"))) == 50
    assert (seen.alpha, seen.low, seen.high, seen.ending) == (0.0, -0.5, 0.5, None)
    assert "too early for a 95% interval; 80 more calls" in seen.sentence
    assert Look.from_dict(json.loads(json.dumps(seen.to_dict(), allow_nan=False))) == seen


def test_the_second_stage_asks_of_the_type_that_is_furthest_from_one_half(staged):
    first, seen, second = staged
    assert seen.design == {"per_type": 10, "kept": ["law"], "votes": [80]}
    assert seen.sentence.endswith("; the second stage asks of law, furthest from one half")
    assert {second.levels["category"][code] for code in second.code("category").tolist()} == {"law"}
    assert not set(first.code("item").tolist()) & set(second.code("item").tolist())
    assert seen.buys.calls == len(second) == 80


@pytest.mark.parametrize(("every", "outcome", "ending"), [(2, "undecided", Ending.LOOKS), (4, "worse", Ending.REACHED)])
def test_what_is_said_rests_on_the_second_stage_alone(staged, every, outcome, ending):
    """The first has law 10 to 0 for x."""
    first, seen, second = staged
    law = {name: at for at, name in enumerate(second.levels["item"][code] for code in second.code("item").tolist())}
    votes = votes_of([first, second], lambda battle: "model_b" if law.get(f"i{battle:03}", 0) % every else "model_a")
    found, none = look(GOAL_STAGES, OFFER_STAGES, votes, [seen], Spent(130))
    assert (found.outcome, found.ending, len(none), found.number) == (outcome, ending, 0, 2)
    assert found.value == pytest.approx(1 / every - 0.5)
    wins = 80 // every
    assert (float(p_value(wins, 80)) <= 0.05) == (outcome == "worse")
    assert found.low <= found.value <= found.high
    assert found.note == f"for x: law {wins / 80:.0%} of 80"
    assert look(GOAL_STAGES, OFFER_STAGES, votes, [seen], Spent(130))[0] == found


def test_ties_count_for_neither_and_nothing_decisive_is_undecided(staged):
    first, seen, second = staged
    found, _ = look(GOAL_STAGES, OFFER_STAGES, votes_of([first, second], lambda _: "tie"), [seen], Spent(130))
    assert (found.outcome, found.value, found.low, found.high, found.note) == ("undecided", 0.0, -0.5, 0.5, "")


def test_types_that_prefer_opposite_systems_are_not_pooled_in_silence():
    """Art for x and law for y: together no preference, and each by itself is clear."""
    goal = replace(GOAL_STAGES, retained=0.4)
    first = pilot(goal, OFFER_STAGES)

    def opposite(battle):
        sure = {"art": "model_a", "law": "model_b"}.get(KIND[battle])
        return sure or ["model_a", "model_b"][(battle // 5) % 2]

    seen, second = look(goal, OFFER_STAGES, votes_of([first], opposite), [], Spent(50))
    assert seen.design["kept"] == ["art", "law"]
    found, _ = look(goal, OFFER_STAGES, votes_of([first, second], opposite), [seen], Spent(130))
    assert found.outcome == "undecided"
    said = "That is not the same on every prompt type (p < .0001): x is better on art and worse on law (Holm over 2)"
    assert found.sentence.endswith(f"for x: art 100% of 40 and law 0% of 40. {said}")


def test_types_that_run_out_leave_votes_unspent_and_a_spent_budget_ends_it(staged):
    first, seen, _ = staged
    votes = votes_of([first], lambda battle: "model_a" if KIND[battle] == "law" else ["model_a", "model_b"][battle % 2])
    rich = replace(OFFER_STAGES, calls=450)
    found, cells = look(GOAL_STAGES, rich, votes, [], Spent(50))
    assert (found.design["votes"], len(cells)) == ([90], 90)
    ended, none = look(GOAL_STAGES, OFFER_STAGES, votes, [], Spent(130))
    assert (ended.ending, len(none), seen.ending) == (Ending.BUDGET, 0, None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"categories": None}, "two types of items or more are needed; give items.category"),
        ({"people": ("ann",)}, "votes are those of people or of models, not of both"),
        ({"calls": 50}, "budget: above 50, which screening 5 types with 10 judgments each takes, got 50"),
        ({"categories": ("art",) * 9 + ("code",) * 491}, 'takes 10 battles of each type, and "art" has 9'),
    ],
)
def test_what_cannot_be_in_two_stages_is_refused(changes, message):
    with pytest.raises(InvalidInput, match=message):
        pilot(GOAL_STAGES, replace(OFFER_STAGES, **changes))
