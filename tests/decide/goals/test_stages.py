"""Votes in two stages: as many of every type, then those that decide, and a claim that rests on these alone."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.goals.goal import Offer, Spent, StagedGoal
from quorate.decide.goals.look import Ending, Look
from quorate.decide.goals.rounds import look, pilot
from quorate.errors import InvalidInput
from quorate.numerics.votes.binomial import p_value

GOAL = StagedGoal("x", "y", per_type=10)
TYPES = ("art", "code", "law", "math", "news")
KIND = tuple(TYPES[n % 5] for n in range(500))
OFFER = Offer(items=tuple(f"i{n:03}" for n in range(500)), judges=("ann", "bob"), categories=KIND, calls=130)


def votes_of(batches, wins):
    """Votes on what was bought; ``wins`` says of every battle whether x, y or neither wins."""
    items = [cells.levels["item"][code] for cells in batches for code in cells.code("item").tolist()]
    rows = [{"prompt": item, "judge": "ann", "winner": wins(int(item[1:]))} for item in items]
    frame = pl.DataFrame(rows).with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"))
    return q.read_votes(frame, announce=False)


@pytest.fixture(scope="module")
def staged():
    """Both looks of a study in whose first stage all of law is for x."""
    first = pilot(GOAL, OFFER)
    table = votes_of([first], lambda battle: "model_a" if KIND[battle] == "law" or battle % 2 else "model_b")
    seen, second = look(GOAL, OFFER, table, [], Spent(50))
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
    votes = votes_of(
        [first, second],
        lambda battle: "model_b" if law.get(f"i{battle:03}", 0) % every else "model_a",
    )
    found, none = look(GOAL, OFFER, votes, [seen], Spent(130))
    assert (found.outcome, found.ending, len(none), found.number) == (outcome, ending, 0, 2)
    assert found.value == pytest.approx(1 / every - 0.5)
    wins = 80 // every
    assert (float(p_value(wins, 80)) <= 0.05) == (outcome == "worse")
    assert found.low <= found.value <= found.high
    assert found.note == f"for x: law {wins / 80:.0%} of 80"
    assert look(GOAL, OFFER, votes, [seen], Spent(130))[0] == found


def test_ties_count_for_neither_and_nothing_decisive_is_undecided(staged):
    first, seen, second = staged
    found, _ = look(GOAL, OFFER, votes_of([first, second], lambda _: "tie"), [seen], Spent(130))
    assert (found.outcome, found.value, found.low, found.high, found.note) == ("undecided", 0.0, -0.5, 0.5, "")


def test_types_that_prefer_opposite_systems_are_not_pooled_in_silence():
    """Art for x and law for y: together no preference, and each by itself is clear."""
    goal = replace(GOAL, retained=0.4)
    first = pilot(goal, OFFER)

    def opposite(battle):
        sure = {"art": "model_a", "law": "model_b"}.get(KIND[battle])
        return sure or ["model_a", "model_b"][(battle // 5) % 2]

    seen, second = look(goal, OFFER, votes_of([first], opposite), [], Spent(50))
    assert seen.design["kept"] == ["art", "law"]
    found, _ = look(goal, OFFER, votes_of([first, second], opposite), [seen], Spent(130))
    assert found.outcome == "undecided"
    said = "That is not the same on every prompt type (p < .0001): x is better on art and worse on law (Holm over 2)"
    assert found.sentence.endswith(f"for x: art 100% of 40 and law 0% of 40. {said}")


def test_types_that_run_out_leave_votes_unspent_and_a_spent_budget_ends_it(staged):
    first, seen, _ = staged
    votes = votes_of([first], lambda battle: "model_a" if KIND[battle] == "law" else ["model_a", "model_b"][battle % 2])
    rich = replace(OFFER, calls=450)
    found, cells = look(GOAL, rich, votes, [], Spent(50))
    assert (found.design["votes"], len(cells)) == ([90], 90)
    ended, none = look(GOAL, OFFER, votes, [], Spent(130))
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
        pilot(GOAL, replace(OFFER, **changes))
