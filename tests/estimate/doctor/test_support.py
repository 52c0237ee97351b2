from __future__ import annotations

import json
import time

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.doctor.support import doctor, propose, support_of
from quorate.estimate.doctor.vote_findings import MARGINS, ORDER, clustered_by
from quorate.table.facts import profile
from quorate.table.read_votes import read_votes


def floors(support):
    return {one.facet: one for one in support.floors}


def test_a_default_fit_that_is_there_gives_the_same(judged):
    judgments = judged({"item": 12, "prompt": 3, "judge": 2})
    assert support_of(judgments, q.decompose(judgments)).to_dict() == doctor(judgments).to_dict()


def test_a_pilot_at_its_floors(judged):
    support = doctor(judged({"item": 30, "prompt": 3, "judge": 2}, replicates=3))
    assert support.ok
    assert {one.facet: (one.levels, one.floor, one.met) for one in support.floors} == {
        "item": (30, 30, True),
        "prompt": (3, 3, True),
        "judge": (2, 2, True),
        "replicate": (3, 3, True),
    }
    assert floors(support)["prompt"].sentence == "3 prompts: enough for a pilot (3)"


def test_a_pilot_below_its_floors(judged):
    support = doctor(judged({"item": 29, "prompt": 2, "judge": 1}, replicates=2))
    assert support.ok
    assert not any(one.met for one in support.floors)
    assert floors(support)["item"].sentence.startswith("29 items: a pilot needs 30; fewer leave every component")
    assert floors(support)["replicate"].sentence.startswith("2 answers per cell: a pilot needs 3")


def test_a_facet_without_a_column_counts_as_one(judged):
    got = floors(doctor(judged({"item": 30, "judge": 2})))["prompt"]
    assert (got.levels, got.met) == (1, False)
    assert got.sentence.startswith("no facet has the role prompt: it counts as 1, a pilot needs 3")


@pytest.mark.slow
def test_facets_by_other_names_have_floors_of_their_own(shared):
    facets = {"person": "Person", "task": "Task", "rater": "Rater"}
    data = shared / "data" / "gtheory_brennan_3_2.parquet"
    support = doctor(q.read(data, score="Score", facets=facets, object="person", nested={"rater": "task"}, fixed=()))
    assert {name: one.met for name, one in floors(support).items()} == {
        "person": False,
        "task": True,
        "rater": True,
        "replicate": False,
    }
    assert support.analysis("analysis of variance").possible


def test_only_answered_levels_count(simulate):
    frame = simulate({"item": 31, "judge": 2})
    gone = frame["item"].is_in(["item0000", "item0001"])
    frame = frame.with_columns(score=pl.when(gone).then(None).otherwise(pl.col("score")))
    support = doctor(q.read(frame, facets={"item": "item", "judge": "judge"}))
    assert floors(support)["item"].levels == 29
    assert next(one.code for one in support.findings if one.severity == "warning") == "missing"


def test_errors_are_not_ok():
    rows = {"item": [1, 1, 2], "judge": list("xxx"), "replicate": [1, 1, 1], "score": [1, 2, 3]}
    support = doctor(q.read(pl.DataFrame(rows)))
    assert not support.ok
    assert support.findings[0].code == "duplicates"
    assert not support.analysis("variance components").possible


def test_no_usable_score_at_all():
    rows = {"item": [1, 1, 2], "category": list("aab"), "judge": list("xyx"), "score": ["N/A"] * 3}
    support = doctor(q.read(pl.DataFrame(rows), nested={"item": "category"}, missing=["N/A"]))
    assert not support.ok
    assert support.analysis("variance components").reason == "no judgment has a usable score (3 missing)"
    json.dumps(support.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_the_dictionary_is_plain(judged):
    support = doctor(judged({"item": 8, "prompt": 3, "judge": 2}, keep=0.8))
    plain = json.loads(json.dumps(support.to_dict(), allow_nan=False))
    assert plain.keys() == {"ok", "facts", "analyses", "floors", "findings", "notes"}
    assert plain["facts"]["object"] == "item"
    assert {one["name"] for one in plain["analyses"]} == {one.name for one in support.analyses}
    with pytest.raises(KeyError):
        support.analysis("comparison")


@pytest.mark.slow
def test_missing_picks_of_real_judges(shared):
    """The data's own description: 48% unparsed, and more so for some judges."""
    frame = pl.read_parquet(shared / "data" / "judge_100rep_picks.parquet")
    frame = frame.with_columns(score=(pl.col("pick").cast(pl.String) == "A").cast(pl.Int8))
    facets = {name: name for name in ("item", "judge", "temperature", "replicate")}
    support = doctor(q.read(frame, facets=facets))
    codes = [one.code for one in support.findings]
    assert codes.count("missing-differs") == 3
    assert "39,522 of 82,500 judgments (47.9%)" in support.findings[codes.index("missing")].sentence
    assert support.ok


def pair(n, **columns):
    return pl.DataFrame({"model_a": ["x"] * n, "model_b": ["y"] * n, "winner": ["a", "b"] * (n // 2), **columns})


def test_ok_needs_one_pair_with_a_margin():
    assert doctor(read_votes(pair(30), announce=False)).ok
    few = doctor(read_votes(pair(28), announce=False))
    assert not few.ok
    assert not few.analysis(MARGINS).possible
    assert few.finding("few-votes") is not None
    assert few.finding("constant-judges") is None


def test_sentences_are_one_line_whatever_the_labels():
    nasty = pl.DataFrame(
        {
            "model_a": ["<script>\n", "a\r\nb", "c"] * 20,
            "model_b": ["q\u2028", "<script>\n", "d\n"] * 20,
            "winner": ["a", "b", None] * 20,
            "judge": ["\n" * 3 + "j"] * 60,
        }
    )
    support = doctor(read_votes(nasty, announce=False))
    texts = [one.sentence for one in support.findings] + [one.reason + one.fix for one in support.analyses]
    assert not [text for text in texts if len(text.splitlines()) > 1]


def test_many_models_take_seconds():
    codes = range(10_000)
    frame = pl.DataFrame({"model_a": [f"m{i}" for i in codes], "model_b": [f"m{i + 1}" for i in codes], "winner": "a"})
    started = time.process_time()
    support = doctor(read_votes(frame, announce=False))
    assert time.process_time() - started < 2
    assert len(support.facts.pairs.labels) == 10_000
    assert not support.analysis(MARGINS).possible


@pytest.mark.slow
def test_wmt15(shared):
    votes = read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False)
    started = time.process_time()
    support = doctor(votes.within("prompt_type"))
    assert time.process_time() - started < 3
    assert support.ok
    assert support.analysis(MARGINS).reason == "723 of 724 pairs with 30 decisive votes or more"
    assert support.analysis(clustered_by("cluster")).possible
    assert not support.analysis(ORDER).possible
    assert len(support.facts.graph.components) == 10
    assert {"not-connected", "contradictions", "dependence-cluster"} <= {one.code for one in support.findings}


PUBLISHED = {
    "arena_human_vs_llm_judges": ("votes", {"winner": "judge_winner"}),
    "baseball_bt": ("votes", {"wins": ("home.wins", "away.wins")}),
    "gtheory_brennan_3_2": ("scores", {"facets": {"item": "Person"}}),
    "gtheory_rajaratnam_2": ("scores", {"facets": {"Person": "Person", "Subtest": "Subtest"}}),
    "icehockey_bt": ("votes", {"winner": "result", "outcomes": {"a": 1, "b": 0, "tie": 0.5}}),
    "judge_100rep_picks": ("scores", {"score": "pick", "labels": True}),
    "lme4_cake": ("scores", {"score": "angle", "facets": {"temperature": "temperature", "item": "recipe"}}),
    "lme4_dyestuff": ("scores", {"score": "Yield", "facets": {"item": "Batch"}}),
    "lme4_dyestuff2": ("scores", {"score": "Yield", "facets": {"item": "Batch"}}),
    "lme4_pastes": ("scores", {"score": "strength", "facets": {"item": "sample"}}),
    "lme4_penicillin": ("scores", {"score": "diameter", "facets": {"item": "sample", "plate": "plate"}}),
}
TOO_FEW = {"baseball_bt": "no pair has 30 decisive votes", "icehockey_bt": "no pair has 30 decisive votes"}


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables(shared, name):
    found = propose(shared / "data" / f"{name}.parquet")
    assert (found.kind, dict(found.options)) == PUBLISHED[name]
    assert found.problem.startswith(TOO_FEW.get(name, "")) if name in TOO_FEW else not found.problem
    named = "sample is named so, and has levels that come back (6): what is measured"  # beside 24 plates
    assert (named in found.reasons) == (name == "lme4_penicillin")


def test_a_key_that_a_column_completes_is_tried():
    """Rows repeat (item, judge) once for each criterion; the length of a response tells rows apart too, by accident."""
    rows = [(i, j, c, 100 + 7 * i + 3 * j + k) for i in range(8) for j in range(3) for k, c in enumerate("pq")]
    frame = pl.DataFrame(rows, schema=["item", "judge", "aspect", "len_response"], orient="row")
    frame = frame.with_columns(score=pl.Series(np.arange(len(rows)) % 5))
    found = propose(frame)
    assert found.options == {"facets": {"aspect": "aspect"}, "fixed": ("judge", "aspect")}
    assert "with aspect the key tells every row apart; without, 24 rows repeat one" in found.reasons
    assert "recognise=True" in found.python


def test_columns_side_by_side(tmp_path):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"id": [f"q{i}" for i in range(20)], "words": rng.integers(50, 900, 20)})
    frame = frame.with_columns(**{name: pl.Series(rng.integers(1, 6, 20)) for name in ("gpt", "claude", "amber")})
    path = tmp_path / "wide.csv"
    frame.write_csv(path)
    found = propose(path)
    assert found.options == {"wide": {"judge": ("gpt", "claude", "amber")}, "facets": {"item": "id"}}
    table = q.read(path, recognise=True, announce=False, **found.options)
    assert (table.n_answers, table.facet("judge").levels) == (60, ("amber", "claude", "gpt"))


def test_words_are_read_as_a_share():
    frame = pl.DataFrame({"item": [1, 1, 2, 2], "judge": list("xyxy"), "verdict": ["yes", "no", "yes", "unsure"]})
    found = propose(frame)
    assert found.options == {"score": "verdict", "labels": True}
    assert "read as labels" in found.reasons[0]


@pytest.mark.parametrize(
    "columns",
    [{"a": ["x"], "b": ["y"]}, {"time": [1.5, 2.5]}, {"a": [None, None]}, {"x": ["same", "same"], "y": [1, 1]}],
)
def test_nothing_is_proposed_of_nothing(columns):
    found = propose(pl.DataFrame(columns))
    assert found.kind is None or found.problem


def test_a_table_that_is_plain_needs_no_options():
    frame = pl.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 5]})
    found = propose(frame)
    assert (found.options, found.problem) == ({}, "")
    assert propose(frame.lazy()).options == {}


def test_a_lazy_frame_of_many_rows_is_not_brought_into_memory(monkeypatch):
    monkeypatch.setattr(profile, "MOST_COLLECTED", 5)
    with pytest.raises(InvalidInput, match="a lazy frame of 6 rows is not looked at"):
        propose(pl.DataFrame({"item": [1, 1, 2, 2, 3, 3], "score": [1, 2, 2, 4, 3, 5]}).lazy())


def test_counted_from_scratch_by_name_and_by_content():
    """Sides that share labels, a result of 1, 0 and .5, and fixtures of names that say nothing."""
    rng = np.random.default_rng(3)
    names = [f"team{i}" for i in range(6)]
    pairs = [(a, b) for a in names for b in names if a != b] * 4
    frame = pl.DataFrame(pairs, schema=["host", "guest"], orient="row").with_columns(
        res=pl.Series(rng.choice([0.0, 0.5, 1.0], len(pairs)))
    )
    found = propose(frame)
    assert found.kind == "votes"
    assert found.options == {
        "model_a": "host",
        "model_b": "guest",
        "winner": "res",
        "outcomes": {"a": 1, "b": 0, "tie": 0.5},
    }


def test_a_file_is_read_once_for_all_tries(tmp_path, monkeypatch):
    path = tmp_path / "w.csv"
    frame = pl.DataFrame({"id": [f"q{i}" for i in range(24)]})
    frame.with_columns(a=pl.col("id").str.len_chars(), b=pl.Series([1, 2, 3, 4] * 6)).write_csv(path)

    def opened(*_):
        raise AssertionError

    monkeypatch.setattr("quorate.table.read_scores.opened", opened)
    assert propose(path).kind == "scores"


@pytest.mark.wide(3)
@pytest.mark.parametrize(
    ("score", "options"),
    [
        (["good", "poor", "fair", "n/a"], {"missing": ("n/a",)}),
        (["1", "2", "3", "N/A"], {"missing": ("N/A",)}),
        (["poor", "good"], {"numbers": {"poor": 1, "good": 3}}),
        (["red", "blue"], {"labels": True}),
        (["red", "blue", "green"], {"labels": True}),
        (["agree", "strongly agree", "disagree", "neutral"], {}),
        (["80%", "90%"], {}),
    ],
)
def test_scores_in_words(score, options):
    frame = pl.DataFrame({"item": [i // 2 for i in range(48)], "judge": list("xy") * 24})
    found = propose(frame.with_columns(score=pl.Series([score[(i * i + i // 5) % len(score)] for i in range(48)])))
    assert (found.options, found.problem) == (options, "")


def test_what_is_proposed_can_be_analysed():
    """Temperatures that go with judges leave no mean of both: they are left out, or what stands in the way is said."""
    rng = np.random.default_rng(3)
    asked = [("x", 0.0), ("x", 1.0), ("y", 0.5), ("z", 0.7)]
    rows = [(i, judge, t, float(rng.normal(i))) for i in range(8) for judge, t in asked for _ in range(2)]
    table = pl.DataFrame(rows, schema=["item", "judge", "temperature", "score"], orient="row")
    found = propose(table)
    assert found.options
    assert not found.problem
    assert q.analyze(q.read(table, recognise=True, announce=False, **found.options)).sentence
