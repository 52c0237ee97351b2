"""Votes of people and of models, bought until a preference is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.goals.goal import Offer, PreferGoal, Spent
from quorate.decide.goals.look import Ending
from quorate.decide.goals.rounds import look, pilot
from quorate.decide.goals.votes import Preference, Size
from quorate.errors import InvalidInput

GOAL = PreferGoal("x", "y", margin=0.1)
OFFER = Offer(
    items=tuple(f"i{n:04}" for n in range(3000)),
    judges=("ann", "bob", "gpt"),
    people=("ann", "bob"),
    prices={"ann": 0.5, "bob": 0.5, "gpt": 0.01},
    money=400.0,
)


def votes_of(offer, batches, share, right=0.9):
    """Votes on all that was bought: people prefer x in ``share`` of the battles, and a model says so mostly."""
    rng = np.random.default_rng(4)
    truth = rng.random(len(offer.items)) < share
    said = np.where(rng.random(len(offer.items)) < right, truth, rng.random(len(offer.items)) < 0.7)
    rows = []
    for cells in batches:
        item, judge = (np.array(cells.levels[name])[cells.code(name)] for name in ("item", "judge"))
        wins = np.where(np.isin(judge, offer.people), truth[cells.code("item")], said[cells.code("item")])
        rows.append(pl.DataFrame({"prompt": item, "judge": judge, "winner": np.where(wins, "model_a", "model_b")}))
    frame = pl.concat(rows).with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"))
    return q.read_votes(frame, announce=False)


def carried(offer, share, goal=GOAL):
    batches, past = [pilot(goal, offer)], []
    while True:
        spent = Spent(sum(map(len, batches)), sum(float(offer.price(cells).sum()) for cells in batches))
        found, cells = look(goal, offer, votes_of(offer, batches, share), past, spent)
        past.append(found)
        if found.ending:
            return batches, past
        batches.append(cells)


@pytest.fixture(scope="module")
def ended():
    return carried(OFFER, 0.62)


def test_people_vote_on_a_part_in_turns_and_models_on_more(ended):
    batches, past = ended
    assert (past[-1].ending, past[-1].outcome) == (Ending.REACHED, "better")
    first = batches[0]
    assert len(first) == 100
    assert np.bincount(first.code("judge")).tolist() == [50, 25, 25]  # gpt is the cheapest
    last = Size(**past[-2].design)
    assert last.predicted > 5 * last.voted
    assert sum(map(len, batches)) == sum(last)
    asked = np.concatenate([cells.codes for cells in batches])
    assert len(np.unique(asked, axis=0)) == len(asked)
    assert all(len(cells) == one.buys.calls for cells, one in zip(batches[1:], past[:-1], strict=True))
    assert [one.fraction for one in past] == sorted(one.fraction for one in past)
    assert past[-1].low <= 0.12 <= past[-1].high
    assert past[0].sentence.startswith("round 1 of at most 5: margin of votes for x 0.")


def test_a_model_of_no_use_is_asked_no_more():
    offer = Offer(items=OFFER.items, judges=("ann", "gpt"), people=("ann",), calls=900)
    batches, past = carried(offer, 0.62)  # a vote of a model costs as much as one of a person
    assert past[0].design["predicted"] == 0
    assert all(set(cells.code("judge").tolist()) == {0} for cells in batches[1:])


def test_models_alone_all_vote_on_every_battle():
    offer = Offer(items=OFFER.items, judges=("gpt", "llama"), calls=1500)
    batches, past = carried(offer, 0.62)
    assert np.bincount(batches[0].code("judge")).tolist() == [50, 50]
    assert past[-1].ending is Ending.REACHED
    assert past[-2].design["voted"] * 2 == sum(map(len, batches))


def test_money_that_does_not_suffice_ends_a_study_and_says_what_would():
    short = Offer(items=OFFER.items, judges=("ann", "gpt"), people=("ann",), prices={"ann": 0.5, "gpt": 0.01}, money=26)
    _, past = carried(short, 0.58)
    assert past[-1].ending in (Ending.FUTILE, Ending.BUDGET)
    assert past[-1].need > 2
    with pytest.raises(InvalidInput, match="a pilot takes 100 votes"):
        pilot(GOAL, Offer(items=OFFER.items, judges=("ann", "gpt"), people=("ann",), calls=99))


def test_a_study_is_sized_for_the_margin():
    """Two one-sided tests at .05, both of which must hold: 1.645 + 1.645 standard errors."""
    once = Preference(GOAL, Offer(items=("i",), judges=("a",), calls=1, looks=1)).variance
    assert np.sqrt(once) == pytest.approx(0.1 / (1.6449 + 1.6449), rel=1e-3)
    assert Preference(GOAL, OFFER).variance < once
