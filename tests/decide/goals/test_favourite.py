"""The best of several systems in votes, bought until one is shown to be preferred to each of the others."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.goals.goal import BestGoal, Offer, Spent
from quorate.decide.goals.look import Ending, Look
from quorate.decide.goals.rounds import look, pilot
from quorate.decide.goals.votes import Favourite
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.sequential.spending import bounds, pocock

GOAL, SYSTEMS = BestGoal(), ("x", "y", "z")
PAIRS = tuple(combinations(SYSTEMS, 2)) * 800
OFFER = Offer(
    items=tuple(f"i{n:04}" for n in range(len(PAIRS))),
    judges=("ann", "bob"),
    pairs=PAIRS,
    people=("ann", "bob"),
    calls=2500,
)
SHARES = {("x", "y"): 0.62, ("x", "z"): 0.75, ("y", "z"): 0.65}


def votes_of(offer, batches, right=0.9):
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


def carried(offer):
    batches, past = [pilot(GOAL, offer)], []
    while True:
        spent = Spent(sum(map(len, batches)), sum(float(offer.price(cells).sum()) for cells in batches))
        found, cells = look(GOAL, offer, votes_of(offer, batches), past, spent)
        past.append(found)
        if found.ending:
            return batches, past
        batches.append(cells)


@pytest.fixture(scope="module")
def ended():
    return carried(OFFER)


def pairs_of(cells, offer=OFFER):
    """Votes of a batch by pair."""
    return {pair: int(sum(offer.pairs[offer.order[at]] == pair for at in cells.code("item"))) for pair in SHARES}


def test_the_leader_is_held_against_those_that_are_left(ended):
    batches, past = ended
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


def test_bounds_are_those_of_the_information_of_each_pair_at_the_level_of_the_budget(ended):
    _, past = ended
    own = [next(one for one in each.contests if (one.a, one.b) == ("x", "y")) for each in past]
    spent = [float(pocock(one.fraction, 0.025)) for one in past]
    assert [one.alpha for one in own] == pytest.approx(spent)
    information = [one.information for one in own]

    def spending(at, _):
        return dict(zip(information, spent, strict=True))[at]

    assert [one.bound for one in own] == pytest.approx(bounds(information, 0.05, sided=1, spending=spending), abs=1e-6)
    assert past[0].alpha == pytest.approx(0.05 * np.log1p((np.e - 1) * 75 / 2500))


def test_a_look_is_kept_whole(ended):
    _, past = ended
    assert [Look.from_dict(one.to_dict()) for one in past] == past


def test_people_vote_on_a_part_and_models_on_more():
    prices = {"ann": 0.5, "gpt": 0.01}
    offer = replace(OFFER, judges=("ann", "gpt"), people=("ann",), prices=prices, calls=None, money=400.0)
    _, past = carried(offer)
    assert past[-1].outcome == "x"
    more = {tuple(pair): (voted, predicted) for *pair, voted, predicted in past[0].design["pairs"]}
    assert more["x", "y"][1] > 2 * more["x", "y"][0] > 50
    assert more["y", "z"] == (25, 25)


def test_what_does_not_suffice_ends_a_study_and_says_what_would():
    last = carried(replace(OFFER, calls=110))[1][-1]
    assert last.ending in (Ending.FUTILE, Ending.BUDGET)
    with pytest.raises(InvalidInput, match="a pilot takes 75 votes"):
        pilot(GOAL, replace(OFFER, calls=74))
    with pytest.raises(InvalidInput, match='no item is a battle of "x" and "z"'):
        Favourite(GOAL, replace(OFFER, items=OFFER.items[:2], pairs=(("x", "y"), ("z", "y"))))
    with pytest.raises(InvalidInput, match="pairs: one for each of 2400 items"):
        replace(OFFER, pairs=PAIRS[:1])
    xy = pilot(GOAL, OFFER)
    only = xy.keep(np.array([OFFER.pairs[OFFER.order[at]] == ("x", "y") for at in xy.code("item")]))
    with pytest.raises(NotEstimable, match="votes on x and z: 0 battles"):
        look(GOAL, OFFER, votes_of(OFFER, [only]), [], Spent(25))
