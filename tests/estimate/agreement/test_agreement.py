"""Agreement with people: by hand, against the exact bootstrap, and on real votes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import scores_table, votes_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.agreement.agreement import agreement
from quorate.estimate.agreement.battles import Battles
from quorate.estimate.agreement.leaderboards import compare_leaderboards
from quorate.numerics.correlation import williams
from quorate.numerics.votes.binomial import clopper_pearson


def votes_of(winners, judge="llm", topics=None):
    frame = {"prompt": [f"p{i:04d}" for i in range(len(winners))], "model_a": "x", "model_b": "y", "winner": winners}
    frame |= {"judge": judge, "topic": topics or ["t"] * len(winners)}
    return q.read_votes(pl.DataFrame(frame), prompt_type="topic", announce=False)


PEOPLE = ["x", "x", "y", "tie", "tie", "y"]
ONE = ["x", "y", "y", "tie", "x", "tie"]
TWO = ["x", "x", "y", "x", "x", "x"]


def test_overall_counts_ties_and_decisive_leaves_them_out():
    found = agreement({"one": votes_of(ONE), "two": votes_of(TWO)}, votes_of(PEOPLE), resamples=100)
    rates = {(one.pipeline, one.kind): (one.n, one.value) for one in found.rates}
    assert rates == {
        ("one", "overall"): (6, 0.5),
        ("one", "decisive"): (3, pytest.approx(2 / 3)),
        ("two", "overall"): (6, 0.5),
        ("two", "decisive"): (4, 0.75),
    }
    assert found.ties == {"one": pytest.approx(1 / 3), "two": 0}
    assert found.human_ties == {"one": pytest.approx(1 / 3), "two": pytest.approx(1 / 3)}


def test_differences_are_on_the_same_battles():
    found = agreement({"one": votes_of(ONE), "two": votes_of(TWO)}, votes_of(PEOPLE), resamples=100)
    overall, decisive = found.differences
    assert (overall.n, overall.value, overall.p) == (6, 0, 1)
    assert (decisive.n, decisive.first_value, decisive.second_value) == (3, pytest.approx(2 / 3), 1)
    assert decisive.low < 0 <= decisive.high


def test_a_difference_that_no_battle_shows_has_no_interval():
    found = agreement({"one": votes_of(ONE), "two": votes_of(ONE)}, votes_of(PEOPLE), resamples=100)
    assert all(one.value == 0 and np.isnan(one.low) and one.p == 1 for one in found.differences)
    assert found.to_dict()["differences"][0]["low"] is None


@pytest.mark.slow
def test_the_interval_is_the_normal_one_in_large_samples():
    rng = np.random.default_rng(1)
    n = 3000
    people = rng.choice(["x", "y"], n)
    one, two = (np.where(rng.random(n) < right, people, "x") for right in (0.7, 0.6))
    topics = [f"t{i % 3}" for i in range(n)]
    human = votes_of(people, topics=topics)
    found = agreement({"one": votes_of(one), "two": votes_of(two)}, human, by="prompt_type", rng=1)
    overall = found.differences[0]
    gain = (one == people).astype(float) - (two == people)
    half = 1.96 * gain.std() / np.sqrt(n)
    assert (overall.low, overall.high) == pytest.approx((gain.mean() - half, gain.mean() + half), abs=0.12 * half)
    assert [one.category for one in found.differences[::2]] == ["all", "t0", "t1", "t2"]
    parts = [one.n for one in found.rates if one.pipeline == "one" and one.kind == "overall"]
    assert parts == [n, 1000, 1000, 1000]


def test_scores_of_responses_and_their_calibration():
    """Half-point rule: ties everywhere; as many ties as people have, it agrees with them everywhere."""
    gaps = [0.4, 0.3, -0.4, 0.1, -0.1, -0.3]
    rows = [(f"p{i:04d}", s, "llm", 3 + (gap if s == "x" else 0)) for i, gap in enumerate(gaps) for s in "xy"]
    scores = scores_table(
        rows, "item system judge score", facets={"item": "item", "system": "system", "judge": "judge"}
    )
    human = votes_of(PEOPLE)
    with pytest.raises(
        InvalidInput, match=r"threshold: half a point is for scales such as 1 to 5, got scores from 2.6"
    ):
        agreement(scores, human)
    assert agreement(scores, human, threshold=0.5, resamples=100).rate("judges").value == pytest.approx(1 / 3)
    found = agreement(scores, human, calibrated=True, threshold=0.5, resamples=100)
    assert found.rate("judges").value == 1
    assert found.ties["judges"] == pytest.approx(found.human_ties["judges"])
    assert found.thresholds["judges"] == pytest.approx(0.3)


def test_every_judge_is_a_pipeline_and_people_a_level():
    rows = [
        (p, judge, "x", "y", w) for judge, said in (("a", ONE), ("b", TWO), ("h", PEOPLE)) for p, w in enumerate(said)
    ]
    found = agreement(votes_table(rows, "prompt judge model_a model_b winner"), "h", each="judge", resamples=100)
    assert list(found.ties) == ["judges", "a", "b"]
    assert found.rate("a", "decisive").n == 3
    assert "of 6 battles as people do" in found.sentence
    assert found.to_frame().shape == (6, 8)
    assert len(found.differences) == 6
    with pytest.raises(UnknownTerm):
        found.rate("c")


def test_ties_are_counted_and_calibrated_on_the_battles_of_both():
    """Votes of ten judges: the labelled battles are close, the many others are not."""
    rng = np.random.default_rng(0)
    rows = [
        (f"p{i:04d}", f"j{j}", "x", "y", "x" if rng.random() < (0.5 if i < 100 else 0.95) else "y")
        for i in range(300)
        for j in range(10)
    ]
    judged, human = (
        votes_table(rows, "prompt judge model_a model_b winner"),
        votes_of(rng.choice(["x", "y", "tie"], 100)),
    )
    found = agreement(judged, human, calibrated=True, resamples=100)
    alone = agreement(judged.keep(np.arange(3000) < 1000), human, calibrated=True, resamples=100)
    assert found.ties == alone.ties
    assert found.thresholds == alone.thresholds
    assert found.human_ties == alone.human_ties
    assert found.ties["judges"] == pytest.approx(found.human_ties["judges"], abs=0.13)


@pytest.mark.slow
def test_the_bootstrap_draws_within_categories():
    """In one category only the first pipeline is right, in the other only the second: the difference is certain."""
    people, topics = ["x"] * 40, ["s"] * 20 + ["t"] * 20
    one, two = ["x"] * 20 + ["y"] * 20, ["y"] * 20 + ["x"] * 20
    human = votes_of(people, topics=topics)
    for by, width in (("prompt_type", 0.0), (None, 0.3)):
        found = agreement({"one": votes_of(one), "two": votes_of(two)}, human, by=by, resamples=200).differences[0]
        assert found.high - found.low >= width
        assert (found.low == found.high == 0) == (by is not None)


@pytest.mark.slow
@given(st.lists(st.tuples(*[st.sampled_from(["x", "y", "tie"])] * 3), min_size=1, max_size=20))
def test_exchanging_pipelines_changes_the_sign(rows):
    people, one, two = ([row[k] for row in rows] for k in range(3))
    human = votes_of(people)
    first, second = (
        agreement({a: votes_of(one if a == "one" else two) for a in order}, human, resamples=100, rng=1).differences
        for order in (("one", "two"), ("two", "one"))
    )
    for a, b in zip(first, second, strict=True):
        assert a.n == b.n
        assert a.p == pytest.approx(b.p)
        assert np.isnan(a.value) or a.value == pytest.approx(-b.value)


@pytest.mark.parametrize(
    ("judged", "options", "message"),
    [
        ("votes", {"level": 0}, "level: must lie between 0 and 1"),
        ("votes", {"resamples": 10}, "resamples: must be a whole number of at least 100"),
        ("votes", {"resamples": float("nan")}, "resamples: must be a whole number of at least 100"),
        ("votes", {"resamples": 100.5}, "resamples: must be a whole number of at least 100"),
        ("votes", {"each": "judge", "by": "judge", "threshold": -1}, "threshold: must be at least 0"),
        ({}, {}, "judged: at least one pipeline is needed"),
        ({"one": "path.csv"}, {}, "judged: one must be what"),
        (
            Battles((("p0000", "x", "y"),), np.array([0.5]), 0.05, False),
            {"each": "judge"},
            "each: judges has one verdict",
        ),
    ],
)
def test_what_is_refused(judged, options, message):
    table = votes_of(ONE) if judged == "votes" else judged
    with pytest.raises(InvalidInput, match=message):
        agreement(table, votes_of(PEOPLE), **options)


def test_tables_that_do_not_meet():
    other = votes_of(ONE).keep(np.zeros(6, bool) | (np.arange(6) == 0))
    human = votes_of(PEOPLE).keep(np.arange(6) > 0)
    with pytest.raises(NotEstimable, match="judges: no battle was decided by it and by people"):
        agreement(other, human)
    with pytest.raises(InvalidInput, match="human: votes of people are needed"):
        agreement({"one": votes_of(ONE)}, "llm")


@pytest.mark.slow
def test_real_votes_of_people_and_two_judges(shared):
    """877 battles of Claude: gpt-5.2 and gpt-4o-mini against people, each and both together."""
    path = shared / "data" / "arena_human_vs_llm_judges.parquet"
    people = q.read_votes(path, winner="human_winner", prompt="item", announce=False).only("judge", "gpt-5.2")
    judges = q.read_votes(path, winner="judge_winner", prompt="item", announce=False)
    found = agreement(judges, people, each="judge", rng=1)
    rows = pl.read_parquet(path).with_columns(pl.col(pl.Categorical).cast(pl.String)).drop_nulls("judge_winner")
    for judge in ("gpt-5.2", "gpt-4o-mini"):
        own = rows.filter(pl.col("judge") == judge)
        right = float((own["judge_winner"] == own["human_winner"]).mean())
        assert found.rate(judge).value == pytest.approx(right)
    assert found.ties["judges"] > 0.2
    for one, two in pairwise(found.rates):
        if one.pipeline == two.pipeline != "judges":
            assert one.value == two.value  # neither people nor single judges tie here


def test_several_battles_of_a_prompt_are_a_cluster():
    """Ten prompts, three pairs of models each; whole prompts are right or wrong."""
    pairs = [("x", "y"), ("x", "z"), ("y", "z")]
    rows = [(f"p{i}", a, b, "model_a", "model_a" if i % 3 else "model_b") for i in range(10) for a, b in pairs]
    people, judged = (
        votes_table(rows, "prompt model_a model_b people winner", winner=name) for name in ("people", "winner")
    )
    found = agreement({"one": judged, "same": people}, people, resamples=100)
    rate, difference = found.rate("one"), found.differences[0]
    assert (rate.n, rate.clusters, rate.value) == (30, 10, 0.6)
    assert rate.high - rate.low == pytest.approx(0.6, abs=0.05)  # of 30 single battles .36
    assert (difference.clusters, difference.p) == (10, pytest.approx(0.0368, abs=1e-3))
    assert difference.low < difference.value < difference.high
    assert found.cluster == "prompt"
    assert "of 30 battles in 10 clusters by prompt as people do" in found.sentence
    assert [one.code for one in found.caveats] == ["few-clusters"]
    assert found.to_dict()["caveats"][0]["code"] == "few-clusters"


def test_annotators_as_clusters():
    rows = [(f"p{i}", "x", "y", "xy"[i % 2], f"ann{i // 10}", "xy"[(i // 10) % 2]) for i in range(60)]
    people, judged = (
        votes_table(rows, "prompt model_a model_b winner judge said", winner=name) for name in ("winner", "said")
    )
    plain, by_person = (agreement(judged, people, cluster=name, resamples=100) for name in (None, "judge"))
    assert (plain.cluster, plain.rate("judges").clusters, plain.caveats) == (None, None, ())
    assert by_person.rate("judges").clusters == 6
    with pytest.raises(UnknownTerm):
        agreement(judged, people, cluster="colour")


@pytest.mark.slow
def test_sentences_of_one_segment_are_alike(shared):
    """Translations: one annotator against all others; many pairs of systems on one sentence."""
    rows = pl.read_parquet(shared / "data" / "wmt15_human_pairwise.parquet").with_columns(
        pl.col(pl.Categorical).cast(pl.String)
    )
    votes = q.read_votes(rows.filter(pl.col("lang") == "fin-eng"), prompt="segment", announce=False)
    rate = agreement(votes, "judge29", resamples=100).rate("judges")
    assert (rate.n, rate.clusters) == (1292, 170)
    assert (rate.value, rate.low, rate.high) == pytest.approx((0.656, 0.552, 0.748), abs=1e-3)
    alone = [float(end) for end in clopper_pearson(round(rate.value * rate.n), rate.n, 0.95)]
    assert rate.high - rate.low > 3.5 * (alone[1] - alone[0])


SYSTEMS = [f"s{i}" for i in range(12)]


def board(values):
    return dict(zip(SYSTEMS, values, strict=True))


def test_correlations_of_scipy_and_williams_test():
    from scipy.stats import kendalltau, spearmanr

    rng = np.random.default_rng(1)
    truth = rng.normal(size=12)
    one, two = (truth + noise * rng.normal(size=12) for noise in (0.3, 1.0))
    found = compare_leaderboards(board(truth), {"one": board(one), "two": board(two)}, of="ranks")
    by_ratings = compare_leaderboards(board(truth), {"one": board(one), "two": board(two)})
    assert found.boards[0].spearman == pytest.approx(spearmanr(truth, one).statistic)
    assert found.boards[1].kendall == pytest.approx(kendalltau(truth, two).statistic)
    r = [spearmanr(*pair).statistic for pair in ((truth, one), (truth, two), (one, two))]
    assert found.differences[0].p == pytest.approx(float(williams(*r, 12).p))
    assert found.differences[0].difference == pytest.approx(r[0] - r[1])
    r = np.corrcoef([truth, one, two])
    assert by_ratings.boards[0].pearson == pytest.approx(r[0, 1])
    assert by_ratings.differences[0].p == pytest.approx(float(williams(r[0, 1], r[0, 2], r[1, 2], 12).p))


def test_the_order_of_the_systems_is_that_of_their_names():
    values = list(range(12))
    turned = dict(reversed(board(values).items()))
    assert compare_leaderboards(board(values), {"x": turned}).boards[0].spearman == 1


def test_two_boards_in_the_same_order_have_no_test():
    values = list(range(12))
    found = compare_leaderboards(board(values), {"x": board(values), "y": board(values)})
    assert np.isnan(found.differences[0].p)
    assert found.to_dict()["differences"][0]["p"] is None


def test_leaderboards_that_are_refused():
    values = board(range(12))
    with pytest.raises(NotEstimable, match="reference: 3 systems; at least 4"):
        compare_leaderboards({"a": 1, "b": 2, "c": 3}, {})
    with pytest.raises(InvalidInput, match='boards: x and the reference differ in "s0"'):
        compare_leaderboards(values, {"x": {k: v for k, v in values.items() if k != "s0"}})
    with pytest.raises(InvalidInput, match='of: must be one of ratings, ranks, got "tau"'):
        compare_leaderboards(values, {}, of="tau")
    with pytest.raises(InvalidInput, match='boards: x has no finite rating of "s3"'):
        compare_leaderboards(values, {"x": values | {"s3": np.nan}})


def test_cells_and_positions_are_found_where_they_are_asked():
    rows = [
        (f"p{i}", judge, turned, "xy"[(i + j) % 3 == 0], "xy"[i % 3 == 0])
        for i in range(30)
        for j, judge in enumerate(("a", "b"))
        for turned in (False, True)
    ]
    frame = pl.DataFrame(rows, schema=["prompt", "judge", "swapped", "winner", "people"], orient="row")
    frame = frame.with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"))
    judged, people = (q.read_votes(frame, winner=name, announce=False) for name in ("winner", "people"))
    both = agreement(judged, people, cells=["judge"], position=True, resamples=100, rng=1)
    alone = agreement(judged, people, resamples=100, rng=1)
    assert (alone.cells, alone.positions) == (None, ())
    assert replace(both, cells=None, positions=()).to_dict() == alone.to_dict()
    assert both.cells.roles == ("judge",)
    assert [one.judge for one in both.positions] == ["a", "b"]


@pytest.mark.parametrize("asked", [{"cells": ["judge"]}, {"position": True}])
def test_scores_have_no_cells_and_no_positions(asked):
    rows = [
        (f"p{i}", judge, system, float(i % 3 + s))
        for i in range(8)
        for judge in ("a", "b")
        for s, system in enumerate("xy")
    ]
    scores = scores_table(rows, "item judge system score")
    with pytest.raises(InvalidInput, match=f"{next(iter(asked))}: is for votes"):
        agreement(scores, ["b"], key="item", resamples=100, rng=1, **asked)
