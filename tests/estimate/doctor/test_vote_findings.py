from __future__ import annotations

import math

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
    share_interval,
    vote_analyses,
    vote_findings,
)
from quorate.table.facts.vote_facts import Sides
from quorate.table.read_votes import read_votes


def found(frame, **options):
    facts = read_votes(pl.DataFrame(frame), announce=False, **options).describe()
    return {one.code: one for one in vote_findings(facts)}


def pair(n, a="x", b="y", **columns):
    return pl.DataFrame({"model_a": [a] * n, "model_b": [b] * n, "winner": (["a", "b"] * n)[:n], **columns})


def test_good_votes_have_no_findings():
    assert found(pair(40, prompt=list(range(40)))) == {}


def test_votes_of_which_none_is_decisive():
    only = found(pair(2, winner=["tie", None]))
    assert only["no-decisive-votes"].severity == "error"
    assert (
        only["no-decisive-votes"].sentence == "no vote prefers a model (1 tie, 1 missing): there is nothing to compare"
    )
    assert "few-votes" not in only


def test_mostly_ties():
    assert "mostly-ties" in found(pair(40, winner=["tie"] * 21 + ["a"] * 10 + ["b"] * 9))
    assert "mostly-ties" not in found(pair(40, winner=["tie"] * 20 + ["a"] * 10 + ["b"] * 10))


def test_missing_votes_and_who_they_are_missing_from():
    judge = ["j"] * 50 + ["k"] * 50
    winner = ["a", "b"] * 25 + ["a", "b", None, "refused", "error"] * 10
    some = found(pair(100, winner=winner, judge=judge))
    assert some["missing"].severity == "warning"
    assert some["missing"].sentence.startswith(
        "30 of 100 votes (30.0%) have no outcome (10 refused, 10 error, 10 missing): left out, never a tie"
    )
    assert 'most for "k" (60.0%)' in some["missing-by-judge"].sentence
    even = found(pair(100, winner=["a", "b", "a", "b", None] * 20, judge=["j", "k"] * 50))
    assert "missing-by-judge" not in even


def test_pairs_with_few_votes_are_named():
    few = found(pl.concat([pair(40), pair(2, b="z\n<script>")]))["few-votes"]
    assert few.sentence == (
        '1 of 2 pairs has fewer than 30 decisive votes ("x" and "z <script>" 2): its margin says next to nothing'
    )


def test_groups_that_no_vote_connects_are_named():
    apart = found(pl.concat([pair(40), pair(40, "u", "v"), pair(40, "v", "w")]))["not-connected"]
    assert apart.sentence.startswith(
        'the models fall into 2 groups that no vote connects: "x", "y" apart from "u", "v", "w"; no ranking holds'
    )


def test_models_that_always_win():
    ahead = found(pl.concat([pair(40), pair(40, "z", "x").with_columns(winner=pl.lit("model_a"))]))
    assert "ratings by maximum likelihood are infinite" in ahead["one-sided"].sentence
    assert "one-sided" not in found(pair(40).with_columns(winner=pl.lit("model_a")))


def test_copies_and_contradictions():
    again = found(pair(40, prompt=[1, 1, 1, *range(2, 39)], judge=["j"] * 40))
    assert again["duplicates"].sentence.startswith("1 row with the same judge, prompt, pair")
    assert "1 of 1 times" in again["contradictions"].sentence


@pytest.mark.parametrize("role", ["judge", "prompt", "cluster"])
def test_votes_that_share_a_level(role):
    one = found(pair(40, **{role: ["only"] * 40}))
    assert one[f"one-{role}"].sentence == f"1 {role}: nothing here says what another would give"
    large = found(pair(60, **{role: ["big"] * 31 + [f"l{i}" for i in range(29)]}))
    assert large[f"largest-{role}"].sentence.startswith(f'51.7% of the votes are of one {role}, "big"')
    assert f"few-{role}s" in found(pair(40, **{role: [i % 19 for i in range(40)]}))
    shared = found(pair(40, **{role: [i // 2 for i in range(40)]}))
    assert {code: one.severity for code, one in shared.items()} == {f"dependence-{role}": "note"}
    assert (
        "would be 2.0 times that of independent ones, 2.0 times for a single pair"
        in next(iter(shared.values())).sentence
    )


def test_the_order_shown():
    flat = found(pair(400), order="model_a")["order-effect"]
    assert flat.severity == "note"
    assert "50.0% of 400 decisive votes (95% interval 45.0% to 55.0% if votes" in flat.sentence
    tilted = pair(400, winner=["a"] * 240 + ["b"] * 160)
    assert found(tilted, order="model_a")["order-effect"].severity == "warning"
    assert "written-first" not in found(tilted)  # of two systems in one order the side is the system
    turned = pair(400, "y", "x", winner=["a"] * 240 + ["b"] * 160)
    both = found(pl.concat([tilted, turned]))["written-first"]
    assert both.sentence.startswith("the model in column model_a won 60.0% of 800")
    assert "written-first" not in found(tilted, order="model_a")


def test_exact_interval_of_a_share():
    # R 4.2.2: binom.test(7, 20)$conf.int  0.1539092 0.5921885
    assert share_interval(Sides(7, 20, 0)) == pytest.approx((0.35, 0.1539092, 0.5921885), abs=1e-6)
    share, low, high = share_interval(Sides(0, 0, 3))
    assert math.isnan(share)
    assert (low, high) == (0, 1)


def test_judges_of_one_side_and_models_against_themselves():
    constant = found(pair(40, winner=["a"] * 10 + ["a", "b"] * 15, judge=["left"] * 10 + ["fair"] * 30))
    assert constant["constant-judges"].sentence.startswith("1 judge always chose the same side")
    assert '("left"), 25.0% of the votes' in constant["constant-judges"].sentence
    selves = pl.concat([pair(40), pair(1, "x", "x")])
    assert found(selves)["itself"].sentence == "1 row compared a model with itself and is left out"


def test_errors_come_first():
    facts = read_votes(pair(2, winner=["tie", None], judge=["j", "j"]), announce=False).describe()
    severities = [one.severity for one in vote_findings(facts)]
    assert severities == sorted(severities, key=("error", "warning", "note").index)


def listed_for(frame, **options):
    facts = read_votes(pl.DataFrame(frame), announce=False, **options).describe()
    return {one.name: one for one in vote_analyses(facts)}


def test_a_pilot_needs_thirty_decisive_votes():
    few, enough = (listed_for(pair(n))[MARGINS] for n in (29, 30))
    assert (few.possible, enough.possible) == (False, True)
    assert few.reason == "no pair has 30 decisive votes, the fewest of a pilot; the most is 29"
    assert few.fix == "ask for 1 more decisive vote on one pair"
    assert enough.reason == "1 of 1 pair with 30 decisive votes or more"


def test_ties_are_not_decisive():
    tied = pair(60).with_columns(winner=pl.Series(["a", "tie"] * 30))
    assert listed_for(tied)[MARGINS].possible
    assert not listed_for(tied[:58])[MARGINS].possible


def test_margins_over_pairs_need_two_well_sampled_pairs():
    one = pl.concat([pair(200), pair(199, b="z")])
    assert listed_for(one)[SPREAD].reason == "1 pair with 200 decisive votes or more"
    assert not listed_for(one)[SPREAD].possible
    assert listed_for(pl.concat([one, pair(1, b="z")]))[SPREAD].possible


def test_ratings_need_models_that_votes_connect():
    apart = listed_for(pl.concat([pair(4), pair(4, "u", "v"), pair(2, "v", "w")]))[RATINGS]
    assert not apart.possible
    assert apart.reason == '2 groups of models that no vote connects: "u" and "v" and 1 more | "x" and "y"'
    assert apart.fix == 'compare "u" with "x", or rate each group alone'
    linked = listed_for(pl.concat([pair(4), pair(4, "y", "z")]))[RATINGS]
    assert (linked.possible, linked.reason) == (True, "3 models, all connected by votes")
    ahead = listed_for(pl.concat([pair(4), pair(1, "z", "x")]))[RATINGS]
    assert ahead.possible
    assert "never lost to, or never beat" in ahead.reason
    assert listed_for(pair(4))[RATINGS].reason == "2 models: the margin of their pair says it all"


@pytest.mark.parametrize("role", ["prompt", "judge", "cluster"])
def test_clustered_errors_need_twenty_clusters(role):
    assert listed_for(pair(40))[clustered_by(role)].fix == f'name it: {role}="..."'
    few = listed_for(pair(40, **{role: [i % 19 for i in range(40)]}))[clustered_by(role)]
    assert (few.possible, few.reason) == (False, f"19 {role}s: too few to tell how much they differ")
    enough = listed_for(pair(40, **{role: [i % 20 for i in range(40)]}))[clustered_by(role)]
    assert (enough.possible, enough.reason) == (True, f"20 {role}s of 2.0 votes on average, 2 at most")
    alone = listed_for(pair(40, **{role: list(range(40))}))[clustered_by(role)]
    assert alone.reason.endswith("each has one vote, so that nothing is clustered")


def test_allocation_needs_two_types_with_decisive_votes():
    assert not listed_for(pair(4))[ALLOCATION].possible
    types = pair(4, prompt_type=["p", "p", "q", "q"])
    assert listed_for(types)[ALLOCATION].possible
    tied = types.with_columns(winner=pl.Series(["a", "b", "tie", None]))
    assert listed_for(tied)[ALLOCATION].reason == "1 prompt type with decisive votes"
    assert not listed_for(tied)[ALLOCATION].possible


def test_order_and_time():
    bare = listed_for(pair(2))
    assert (bare[ORDER].possible, bare[STABILITY].possible) == (False, False)
    assert listed_for(pair(2), order="model_a")[ORDER].reason == "2 decisive votes with a known order"
    assert not listed_for(pair(2, shown_first=[None, None]))[ORDER].possible
    times = listed_for(pair(2, time=["2024-01-01", "2024-02-01"]))[STABILITY]
    assert times.reason == "2 distinct times, from 2024-01-01T00:00:00+00:00 to 2024-02-01T00:00:00+00:00"
    assert times.possible
    assert not listed_for(pair(2, time=[5, 5]))[STABILITY].possible


def test_agreement_needs_two_judges_on_one_prompt():
    assert listed_for(pair(2, judge=["j", "k"]))[AGREEMENT].reason == "no column has the role prompt"
    alone = listed_for(pair(2, judge=["j", "k"], prompt=[1, 2]))[AGREEMENT]
    assert (alone.possible, alone.reason) == (False, "0 combinations of prompt and pair judged by 2 judges or more")
    assert listed_for(pair(2, judge=["j", "k"], prompt=[1, 1]))[AGREEMENT].possible
