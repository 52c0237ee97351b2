"""Votes of people and of models, bought until a preference is known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from decide.goals.carried import carried

import quorate as q
from quorate.decide.goals.goal import BestGoal, Offer, PreferGoal, Spent
from quorate.decide.goals.look import Ending, Look
from quorate.decide.goals.plans import calls
from quorate.decide.goals.rounds import look, pilot
from quorate.decide.goals.votes import Favourite, Poll, Preference, Size, estimated
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.sequential.spending import bounds, pocock

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


@pytest.fixture(scope="module")
def ended():
    return carried(GOAL, OFFER, partial(votes_of, OFFER, share=0.62))


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
    batches, past = carried(
        GOAL, offer, partial(votes_of, offer, share=0.62)
    )  # a vote of a model costs as much as one of a person
    assert past[0].design["predicted"] == 0
    assert all(set(cells.code("judge").tolist()) == {0} for cells in batches[1:])


def test_models_alone_all_vote_on_every_battle():
    offer = Offer(items=OFFER.items, judges=("gpt", "llama"), calls=1500)
    batches, past = carried(GOAL, offer, partial(votes_of, offer, share=0.62))
    assert np.bincount(batches[0].code("judge")).tolist() == [50, 50]
    assert past[-1].ending is Ending.REACHED
    assert past[-2].design["voted"] * 2 == sum(map(len, batches))


def test_money_that_does_not_suffice_ends_a_study_and_says_what_would():
    short = Offer(items=OFFER.items, judges=("ann", "gpt"), people=("ann",), prices={"ann": 0.5, "gpt": 0.01}, money=26)
    _, past = carried(GOAL, short, partial(votes_of, short, share=0.58))
    assert past[-1].ending in (Ending.FUTILE, Ending.BUDGET)
    assert past[-1].need > 2
    with pytest.raises(InvalidInput, match="a pilot takes 100 votes"):
        pilot(GOAL, Offer(items=OFFER.items, judges=("ann", "gpt"), people=("ann",), calls=99))


def test_a_study_is_sized_for_the_margin():
    """Two one-sided tests at .05, both of which must hold: 1.645 + 1.645 standard errors."""
    once = Preference(GOAL, Offer(items=("i",), judges=("a",), calls=1, looks=1)).variance
    assert np.sqrt(once) == pytest.approx(0.1 / (1.6449 + 1.6449), rel=1e-3)
    assert Preference(GOAL, OFFER).variance < once


# Votes of people and of models on battles of two systems: what they say, and how many are bought.


OFFER_POLL = Offer(tuple(f"i{n}" for n in range(20)), ("ann", "gpt"), people=("ann",), calls=100)


def test_shares_are_of_people_and_of_models_on_battles_of_the_two_with_ties_as_halves():
    columns = ["prompt", "judge", "model_a", "model_b", "winner"]
    said = [
        ("i1", "ann", "y", "x", "model_a"),
        ("i1", "gpt", "x", "y", "model_a"),
        ("i1", "gpt", "x", "y", "tie"),
        ("i2", "gpt", "y", "x", "model_b"),
        ("i2", "ann", "x", "z", "model_a"),
    ]
    votes = q.read_votes(pl.DataFrame(said, schema=columns, orient="row"), announce=False)
    poll = Poll("x", "y", OFFER_POLL, np.arange(20))
    assert poll.shares(votes) == ({"i1": 0.0}, {"i1": 0.75, "i2": 1.0})
    assert Poll("y", "z", OFFER_POLL, np.arange(20)).shares(votes) == ({}, {})
    with pytest.raises(NotEstimable, match="votes on x and y: 1 battles have the votes"):
        poll.estimate(votes, Size(1, 1))


def test_what_is_missing_is_on_battles_of_the_poll_alone():
    poll = Poll("x", "y", OFFER_POLL, np.arange(1, 20, 2))
    had, size = Size(2, 3), Size(4, 7)
    cells = calls(OFFER_POLL, poll.missing(had, size))
    assert set(cells.code("item")) == {5, 7, 9, 11, 13}
    assert np.bincount(cells.code("judge")).tolist() == [2, 4]
    assert poll.bought(had, cells) == size
    assert poll.bought(had, cells.keep(cells.code("judge") == 0)) == Size(4, 3)


def test_shares_are_corrected_where_there_are_predictions():
    said = {i: float(i % 3 > 0) for i in range(60)}
    alone = estimated(said, {})
    assert (alone.value, alone.size) == (pytest.approx(2 / 3), Size(60, 0))
    exact = estimated(said, {i: float(i % 3 > 0) for i in range(600)})
    assert exact.se < 0.6 * alone.se
    assert exact.explained > 10 * exact.residual
    none = estimated(said, dict.fromkeys(said, 0.5))
    assert (none.se, none.explained) == (pytest.approx(alone.se), pytest.approx(0, abs=1e-2))
    with pytest.raises(NotEstimable, match="2 battles have the votes"):
        estimated({1: 1.0, 2: 0.0}, {})


# The best of several systems in votes, bought until one is shown to be preferred to each of the others.


GOAL_FAVOURITE, SYSTEMS = BestGoal(), ("x", "y", "z")
PAIRS = tuple(combinations(SYSTEMS, 2)) * 800
OFFER_FAVOURITE = Offer(
    items=tuple(f"i{n:04}" for n in range(len(PAIRS))),
    judges=("ann", "bob"),
    pairs=PAIRS,
    people=("ann", "bob"),
    calls=2500,
)
SHARES = {("x", "y"): 0.62, ("x", "z"): 0.75, ("y", "z"): 0.65}


def favourite_votes(offer, batches, right=0.9):
    """Votes on all that was bought: of people by the shares above, and of a model that mostly says the same."""
    rng = np.random.default_rng(4)
    share = np.array([SHARES[pair] for pair in offer.pairs])[offer.order]
    truth = rng.random(len(share)) < share
    said = np.where(rng.random(len(share)) < right, truth, rng.random(len(share)) < 0.6)
    pairs = [offer.pairs[at] for at in offer.order]
    rows = []
    for cells in batches:
        at, judge = cells.code("item"), np.array(cells.levels["judge"])[cells.code("judge")]
        wins = np.where(np.isin(judge, offer.people), truth[at], said[at])
        a, b = zip(*(pairs[place] for place in at), strict=True)
        item = [cells.levels["item"][place] for place in at]
        side = np.where(wins, "model_a", "model_b")
        rows.append(pl.DataFrame({"prompt": item, "judge": judge, "model_a": a, "model_b": b, "winner": side}))
    return q.read_votes(pl.concat(rows), announce=False)


@pytest.fixture(scope="module")
def ended_favourite():
    return carried(GOAL_FAVOURITE, OFFER_FAVOURITE, partial(favourite_votes, OFFER_FAVOURITE))


def pairs_of(cells, offer=OFFER_FAVOURITE):
    """Votes of a batch by pair."""
    return {pair: int(sum(offer.pairs[offer.order[at]] == pair for at in cells.code("item"))) for pair in SHARES}


def test_the_leader_is_held_against_those_that_are_left(ended_favourite):
    batches, past = ended_favourite
    assert (past[-1].ending, past[-1].outcome, past[-1].systems) == (Ending.REACHED, "x", ("x",))
    assert pairs_of(batches[0]) == dict.fromkeys(SHARES, 25)
    gone = next(at for at, one in enumerate(past) if one.systems == ("x", "y"))
    assert past[gone].note == "shown to be worse: z"
    for cells in batches[gone + 1 :]:
        counts = pairs_of(cells)
        assert counts["x", "y"] > 0
        assert counts["x", "z"] == counts["y", "z"] == 0
    assert past[-1].question == "margin of votes for x against y"
    assert past[-1].low > 0
    assert all(len(cells) == one.buys.calls for cells, one in zip(batches[1:], past[:-1], strict=True))
    asked = np.concatenate([cells.codes for cells in batches])
    assert len(np.unique(asked, axis=0)) == len(asked)


def test_bounds_are_those_of_the_information_of_each_pair_at_the_level_of_the_budget(ended_favourite):
    _, past = ended_favourite
    own = [next(one for one in each.contests if (one.a, one.b) == ("x", "y")) for each in past]
    spent = [float(pocock(one.fraction, 0.025)) for one in past]
    assert [one.alpha for one in own] == pytest.approx(spent)
    information = [one.information for one in own]

    def spending(at, _):
        return dict(zip(information, spent, strict=True))[at]

    assert [one.bound for one in own] == pytest.approx(bounds(information, 0.05, sided=1, spending=spending), abs=1e-6)
    assert past[0].alpha == pytest.approx(0.05 * np.log1p((np.e - 1) * 75 / 2500))


def test_a_look_is_kept_whole(ended_favourite):
    _, past = ended_favourite
    assert [Look.from_dict(one.to_dict()) for one in past] == past


def test_people_vote_on_a_part_and_models_on_more():
    prices = {"ann": 0.5, "gpt": 0.01}
    offer = replace(OFFER_FAVOURITE, judges=("ann", "gpt"), people=("ann",), prices=prices, calls=None, money=400.0)
    _, past = carried(GOAL_FAVOURITE, offer, partial(favourite_votes, offer))
    assert past[-1].outcome == "x"
    more = {tuple(pair): (voted, predicted) for *pair, voted, predicted in past[0].design["pairs"]}
    assert more["x", "y"][1] > 2 * more["x", "y"][0] > 50
    assert more["y", "z"] == (25, 25)


def test_what_does_not_suffice_ends_a_study_and_says_what_would():
    short = replace(OFFER_FAVOURITE, calls=110)
    last = carried(GOAL_FAVOURITE, short, partial(favourite_votes, short))[1][-1]
    assert last.ending in (Ending.FUTILE, Ending.BUDGET)
    with pytest.raises(InvalidInput, match="a pilot takes 75 votes"):
        pilot(GOAL_FAVOURITE, replace(OFFER_FAVOURITE, calls=74))
    with pytest.raises(InvalidInput, match='no item is a battle of "x" and "z"'):
        Favourite(
            GOAL_FAVOURITE, replace(OFFER_FAVOURITE, items=OFFER_FAVOURITE.items[:2], pairs=(("x", "y"), ("z", "y")))
        )
    with pytest.raises(InvalidInput, match="pairs: one for each of 2400 items"):
        replace(OFFER_FAVOURITE, pairs=PAIRS[:1])
    xy = pilot(GOAL_FAVOURITE, OFFER_FAVOURITE)
    only = xy.keep(np.array([OFFER_FAVOURITE.pairs[OFFER_FAVOURITE.order[at]] == ("x", "y") for at in xy.code("item")]))
    with pytest.raises(NotEstimable, match="votes on x and z: 0 battles"):
        look(GOAL_FAVOURITE, OFFER_FAVOURITE, favourite_votes(OFFER_FAVOURITE, [only]), [], Spent(25))
