from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tables import votes_table

import quorate as q
from quorate.estimate.ratings.corrected_ratings import board_of

NAMES = np.array(["s0", "s1", "s2", "s3"])


def frame(battles=900, seed=1, favour=1.5):
    """Votes of a person and of two judges on every battle, one of whom favours s2; prompts are battles."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, battles)
    b = (a + rng.integers(1, 4, battles)) % 4
    lead = np.linspace(0.9, -0.9, 4)[a] - np.linspace(0.9, -0.9, 4)[b] + rng.logistic(size=battles)
    kind = np.where(np.arange(battles) % 3, "chat", "code")
    said = {
        "person": lead,
        "fair": lead + 0.8 * rng.logistic(size=battles),
        "fan": lead + favour * ((a == 2) * 1.0 - (b == 2)) + 0.8 * rng.logistic(size=battles),
    }
    base = {"prompt": np.arange(battles), "prompt_type": kind, "model_a": NAMES[a], "model_b": NAMES[b]}
    tables = []
    for who, x in said.items():
        winner = np.where(np.abs(x) < 0.3, "tie", np.where(x > 0, "model_a", "model_b"))
        tables.append(pl.DataFrame({**base, "judge": [who] * battles, "winner": winner}))
    return pl.concat(tables)


def labelled(table, n=200):
    """The votes of judges, and those of the person on the first ``n`` prompts, which are in no order."""
    return table.filter((pl.col("judge") != "person") | (pl.col("prompt") < n))


@pytest.fixture(scope="module")
def table():
    return frame()


@pytest.fixture(scope="module")
def found(table):
    return q.agreement.corrected_ratings(q.read_votes(labelled(table), announce=False), "person")


def test_judges_correct_and_help(table, found):
    people = q.rank(q.read_votes(table.filter(pl.col("judge") == "person"), announce=False), cluster=())
    gap = found.ratings.difference("s1", "s2")
    low, high = gap.ends
    assert low < people.difference("s1", "s2").value < high
    assert 1.1 * found.labels < found.effective < len(table) / 3
    assert (found.labels, found.predictions) == (200, 700)
    assert found.ratings.systems[0] == "s0"
    bias = dict(zip(found.ratings.systems, found.bias, strict=True))
    assert max(bias, key=bias.get) == "s2"
    assert (found.ratings.se < found.people.se[[found.people.systems.index(s) for s in found.ratings.systems]]).all()


def test_people_alone_are_those_of_rank(table, found):
    votes = q.read_votes(labelled(table).filter(pl.col("judge") == "person"), announce=False)
    alone = q.rank(votes, cluster=())
    assert found.people.systems == alone.systems
    np.testing.assert_allclose(found.people.rating, alone.rating, atol=1e-8)
    np.testing.assert_allclose(found.people.se, alone.se, rtol=0.02)  # rank takes light votes by their part of all
    unused = q.agreement.corrected_ratings(q.read_votes(labelled(table), announce=False), "person", tuning=0.0)
    np.testing.assert_allclose(unused.ratings.rating, alone.rating, atol=1e-8)
    np.testing.assert_allclose(unused.ratings.se, found.people.se, rtol=1e-8)
    assert "judges-do-not-help" in {one.code for one in unused.caveats}


def test_where_every_battle_is_labelled_it_is_bradley_terry(table):
    whole = q.agreement.corrected_ratings(q.read_votes(table, announce=False), "person", ties="half")
    alone = q.rank(q.read_votes(table.filter(pl.col("judge") == "person"), announce=False), ties="half", cluster=())
    assert whole.predictions == 0
    np.testing.assert_allclose(whole.ratings.rating, alone.rating, atol=1e-8)


def test_two_systems_agree_with_the_corrected_win_rate(table):
    some = labelled(table).filter(pl.col("model_a").is_in(["s0", "s1"]) & pl.col("model_b").is_in(["s0", "s1"]))
    votes = q.read_votes(some.filter(pl.col("judge") != "fan"), announce=False)
    board = q.agreement.corrected_ratings(votes, "person", ties="half")
    rate = q.agreement.corrected(votes, "person", "s0", "s1", cluster=())
    assert board.ratings.probability("s0", "s1").value == pytest.approx(rate.value, abs=1e-8)
    assert board.effective == pytest.approx(rate.labels * (rate.people_se / rate.se) ** 2, rel=0.1)


def test_strata_have_weights_of_their_own_and_chances_count(table):
    rng = np.random.default_rng(2)
    chance = pl.when(pl.col("prompt_type") == "code").then(0.5).otherwise(0.2)
    kept = rng.random(900) < np.where(np.arange(900) % 3, 0.2, 0.5)
    some = table.with_columns(chance=chance).filter(
        (pl.col("judge") != "person") | pl.col("prompt").is_in(np.flatnonzero(kept).tolist())
    )
    votes = q.read_votes(some, announce=False, facets={"chance": "chance"})
    by = q.agreement.corrected_ratings(votes, "person", strata="prompt_type")
    assert [(one.stratum, one.judge) for one in by.weights] == [
        (kind, judge) for kind in ("chat", "code") for judge in ("fair", "fan")
    ]
    weighted = q.agreement.corrected_ratings(votes, "person", sampling_probability="chance")
    plain = q.agreement.corrected_ratings(votes, "person")
    near, far = (np.abs(by.people.rating - one.people.rating).max() for one in (weighted, plain))
    assert near < far


def test_persons_prompts_and_several_people_of_one_battle(table):
    rng = np.random.default_rng(3)
    people = labelled(table).filter(pl.col("judge") == "person")
    names = rng.choice(["ann", "bob", "cid", "dan", "eva", "fay"], len(people))
    again = people.with_columns(judge=pl.Series(names), prompt=pl.col("prompt") // 2)
    judges = table.filter(pl.col("judge") != "person").with_columns(prompt=pl.col("prompt") // 2)
    both = [q.read_votes(one, announce=False) for one in (judges, pl.concat([again, again.head(9)]))]
    found = q.agreement.corrected_ratings(*both)
    assert found.ratings.cluster == ("prompt", "judge")
    assert found.ratings.clusters[1] == 6
    assert "few-clusters" in {one.code for one in found.caveats}
    assert q.agreement.corrected_ratings(*both, cluster=()).ratings.cluster == ()


def test_what_is_said_of_few_labels_and_of_labels_that_are_not_like_the_rest(table):
    few = q.agreement.corrected_ratings(q.read_votes(labelled(table, 40), announce=False), "person")
    assert "few-labels-of-systems" in {one.code for one in few.caveats}
    fan = table.filter(pl.col("judge") == "fan")
    side = pl.when(pl.col("winner") == "model_a").then(pl.col("model_a")).otherwise(pl.col("model_b"))
    liked = fan.filter(side == "s2")["prompt"].to_list()[:100]
    chosen = table.filter((pl.col("judge") != "person") | pl.col("prompt").is_in(liked) | (pl.col("prompt") < 90))
    biased = q.agreement.corrected_ratings(q.read_votes(chosen, announce=False), "person")
    assert "labels-unlike-the-rest" in {one.code for one in biased.caveats}


def test_what_is_refused(table):
    votes = q.read_votes(labelled(table), announce=False)
    for options, message in (
        ({"tuning": 2}, "tuning: must be from 0 to 1"),
        ({"ties": "no"}, "ties: must be one of"),
        ({"key": "topic"}, "key: no topic says which votes are of one battle"),
        ({"cluster": "topic"}, 'no facet "topic"'),
        ({"sampling_probability": "prompt_type"}, "sampling_probability: every label needs a chance"),
        ({"strata": "judge"}, "judge: every battle needs one"),
    ):
        with pytest.raises(q.QuorateError, match=message):
            q.agreement.corrected_ratings(votes, "person", **options)
    elsewhere = labelled(table).filter(pl.col("judge") == "person").with_columns(prompt=pl.col("prompt") + 10_000)
    other = q.read_votes(elsewhere, announce=False)
    with pytest.raises(q.NotEstimable, match="no battle that people voted on was judged"):
        q.agreement.corrected_ratings(votes, other)
    with pytest.raises(q.InvalidInput, match="judged: ratings come from votes"):
        q.agreement.corrected_ratings(q.read(pl.DataFrame({"item": [1, 2], "score": [1, 2]}), announce=False), "person")
    rows = [(i, "x", "y", "x" if i else "y") for i in range(4)]
    rows = [(*row, "person") for row in rows] + [(i, "x", "y", "y" if i < 4 else "x", "llm") for i in range(24)]
    against = pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner", "judge"], orient="row")
    with pytest.raises(q.NotConverged, match="no finite ratings"):
        q.agreement.corrected_ratings(q.read_votes(against, announce=False), "person", tuning=1.0)


ROWS = [
    ("p1", "llm", "x", "y", "x"),
    ("p1", "llm", "y", "x", "x"),
    ("p1", "ann", "y", "x", "y"),
    ("p1", "bob", "x", "y", "x"),
    ("p2", "llm", "x", "y", "tie"),
    ("p2", "ann", "x", "y", "x"),
    ("p3", "llm", "x", "y", "y"),
    ("p3", "lee", "x", "y", "x"),
    ("p4", "ann", "x", "y", "x"),
]


def votes(*judges):
    rows = [row for row in ROWS if row[1] in judges]
    return votes_table(rows, "prompt judge model_a model_b winner")


@pytest.fixture
def board():
    options = {"ties": "half", "key": "prompt", "strata": None, "chance": None, "pooled": False}
    return board_of(votes("llm", "lee"), votes("ann", "bob"), **options)


def test_votes_are_matched_by_battle_whatever_side_they_were_written_on(board):
    (lee, llm), (lee_other, llm_other) = board.battles.said, board.battles.others
    assert board.judges == ("lee", "llm")
    assert board.unpredicted == 1
    # Two people share the first battle; the two votes of the judge on it are one.
    assert board.battles.share.tolist() == [0.5, 0.5, 1.0]
    assert board.battles.people.toarray().tolist() == [[0, 0.5, 0], [0.5, 0, 0], [1, 0, 0]]
    assert llm.toarray().tolist() == [[0.5, 0, 0], [0.5, 0, 0], [0, 0, 1]]
    assert not lee.toarray().any()
    assert (lee_other.toarray().tolist(), llm_other.toarray().tolist()) == ([[1, 0, 0]], [[0, 1, 0]])
    assert board.judged.tolist() == [1.5, 0.5, 1.0]
    assert board.labels.tolist() == [2, 2]


def test_every_labelled_battle_stands_for_others(board):
    assert board.battles.worth.tolist() == [1.5, 1.5, 1.5]
    assert board.battles.beyond.tolist() == [0.5, 0.5, 0.5]
    clustered, names, counts = board.clustered(("judge", "prompt"), by_default=True)
    assert (names, counts) == (("judge",), (2,))
    own, others = clustered.battles.clusters[0]
    assert len(np.unique(own)) == 2
    assert not set(own) & set(others)


@pytest.fixture(scope="module")
def corrected():
    return q.agreement.corrected_ratings(q.read_votes(labelled(frame(400, favour=4), 120), announce=False), "person")


def test_rows_have_people_and_judges_beside_the_board(corrected):
    rows = corrected.rows()
    people = {row["system"]: row for row in corrected.people.rows()}
    for at, row in enumerate(rows):
        assert row["people"] == people[row["system"]]["rating"]
        assert row["judges"] == corrected.judges[at]
    assert sum(row["labels"] for row in rows) == 2 * corrected.labels
    json.dumps(corrected.to_dict(), allow_nan=False)
    assert len(corrected.to_frame()) == len(corrected) == 4
    assert f"120 battles that people voted on are worth {corrected.effective:,.0f}" in corrected.sentence


def test_whom_judges_favour(corrected):
    bias = dict(zip(corrected.ratings.systems, corrected.bias, strict=True))
    assert corrected.favoured.startswith(f"Judges alone rate s2 {bias['s2']:.2f} too high")
    assert corrected.elo().favoured.split()[4].isdigit()
    unsure = replace(corrected, level=1 - 1e-12)
    assert unsure.favoured == ""
    assert replace(corrected, judges=(float("nan"),) * 4).favoured == ""


def test_points_move_all_three(corrected):
    points = corrected.elo(system="s0")
    assert points.ratings.rating[0] == pytest.approx(1000)
    scale = 400 / np.log(10)
    np.testing.assert_allclose(points.bias, scale * np.array(corrected.bias), rtol=1e-9)
    first, other = (one.people.difference("s0", "s1").value for one in (points, corrected))
    assert first == pytest.approx(scale * other)
