from __future__ import annotations

import polars as pl
import pytest

from quorate.estimate.doctor.vote_findings import (
    AGREEMENT,
    ALLOCATION,
    MARGINS,
    ORDER,
    RATINGS,
    SPREAD,
    STABILITY,
    clustered_by,
    vote_analyses,
)
from quorate.table.read_votes import read_votes


def analyses(frame, **options):
    facts = read_votes(pl.DataFrame(frame), announce=False, **options).describe()
    return {one.name: one for one in vote_analyses(facts)}


def pair(n, a="x", b="y", **columns):
    return pl.DataFrame({"model_a": [a] * n, "model_b": [b] * n, "winner": (["a", "b"] * n)[:n], **columns})


def test_a_pilot_needs_thirty_decisive_votes():
    few, enough = (analyses(pair(n))[MARGINS] for n in (29, 30))
    assert (few.possible, enough.possible) == (False, True)
    assert few.reason == "no pair has 30 decisive votes, the fewest of a pilot; the most is 29"
    assert few.fix == "ask for 1 more decisive vote on one pair"
    assert enough.reason == "1 of 1 pair with 30 decisive votes or more"


def test_ties_are_not_decisive():
    tied = pair(60).with_columns(winner=pl.Series(["a", "tie"] * 30))
    assert analyses(tied)[MARGINS].possible
    assert not analyses(tied[:58])[MARGINS].possible


def test_margins_over_pairs_need_two_well_sampled_pairs():
    one = pl.concat([pair(200), pair(199, b="z")])
    assert analyses(one)[SPREAD].reason == "1 pair with 200 decisive votes or more"
    assert not analyses(one)[SPREAD].possible
    assert analyses(pl.concat([one, pair(1, b="z")]))[SPREAD].possible


def test_ratings_need_models_that_votes_connect():
    apart = analyses(pl.concat([pair(4), pair(4, "u", "v"), pair(2, "v", "w")]))[RATINGS]
    assert not apart.possible
    assert apart.reason == '2 groups of models that no vote connects: "u" and "v" and 1 more | "x" and "y"'
    assert apart.fix == 'compare "u" with "x", or rate each group alone'
    linked = analyses(pl.concat([pair(4), pair(4, "y", "z")]))[RATINGS]
    assert (linked.possible, linked.reason) == (True, "3 models, all connected by votes")
    ahead = analyses(pl.concat([pair(4), pair(1, "z", "x")]))[RATINGS]
    assert ahead.possible
    assert "never lost to, or never beat" in ahead.reason
    assert analyses(pair(4))[RATINGS].reason == "2 models: the margin of their pair says it all"


@pytest.mark.parametrize("role", ["prompt", "judge", "cluster"])
def test_clustered_errors_need_twenty_clusters(role):
    assert analyses(pair(40))[clustered_by(role)].fix == f'name it: {role}="..."'
    few = analyses(pair(40, **{role: [i % 19 for i in range(40)]}))[clustered_by(role)]
    assert (few.possible, few.reason) == (False, f"19 {role}s: too few to tell how much they differ")
    enough = analyses(pair(40, **{role: [i % 20 for i in range(40)]}))[clustered_by(role)]
    assert (enough.possible, enough.reason) == (True, f"20 {role}s of 2.0 votes on average, 2 at most")
    alone = analyses(pair(40, **{role: list(range(40))}))[clustered_by(role)]
    assert alone.reason.endswith("each has one vote, so that nothing is clustered")


def test_allocation_needs_two_types_with_decisive_votes():
    assert not analyses(pair(4))[ALLOCATION].possible
    types = pair(4, prompt_type=["p", "p", "q", "q"])
    assert analyses(types)[ALLOCATION].possible
    tied = types.with_columns(winner=pl.Series(["a", "b", "tie", None]))
    assert analyses(tied)[ALLOCATION].reason == "1 prompt type with decisive votes"
    assert not analyses(tied)[ALLOCATION].possible


def test_order_and_time():
    bare = analyses(pair(2))
    assert (bare[ORDER].possible, bare[STABILITY].possible) == (False, False)
    assert analyses(pair(2), order="model_a")[ORDER].reason == "2 decisive votes with a known order"
    assert not analyses(pair(2, shown_first=[None, None]))[ORDER].possible
    times = analyses(pair(2, time=["2024-01-01", "2024-02-01"]))[STABILITY]
    assert times.reason == "2 distinct times, from 2024-01-01T00:00:00+00:00 to 2024-02-01T00:00:00+00:00"
    assert times.possible
    assert not analyses(pair(2, time=[5, 5]))[STABILITY].possible


def test_agreement_needs_two_judges_on_one_prompt():
    assert analyses(pair(2, judge=["j", "k"]))[AGREEMENT].reason == "no column has the role prompt"
    alone = analyses(pair(2, judge=["j", "k"], prompt=[1, 2]))[AGREEMENT]
    assert (alone.possible, alone.reason) == (False, "0 combinations of prompt and pair judged by 2 judges or more")
    assert analyses(pair(2, judge=["j", "k"], prompt=[1, 1]))[AGREEMENT].possible
