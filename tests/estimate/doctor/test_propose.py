"""What a table may be, tried: real tables whose columns have names of their own, and small ones for each branch."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.doctor.support import propose

PUBLISHED = {
    "arena_human_vs_llm_judges": ("votes", {"winner": "judge_winner"}),
    "baseball_bt": ("votes", {"model_a": "home.team", "model_b": "away.team", "wins": ("home.wins", "away.wins")}),
    "gtheory_brennan_3_2": ("scores", {"facets": {"item": "Person"}}),
    "gtheory_rajaratnam_2": ("scores", {"facets": {"Person": "Person", "Subtest": "Subtest"}}),
    "icehockey_bt": ("votes", {"winner": "result", "outcomes": {"a": 1, "b": 0, "tie": 0.5}}),
    "judge_100rep_picks": ("scores", {"score": "pick", "labels": True}),
    "lme4_cake": ("scores", {"score": "angle", "facets": {"temperature": "temperature", "item": "recipe"}}),
    "lme4_dyestuff": ("scores", {"score": "Yield", "facets": {"item": "Batch"}}),
    "lme4_dyestuff2": ("scores", {"score": "Yield", "facets": {"item": "Batch"}}),
    "lme4_pastes": ("scores", {"score": "strength", "facets": {"item": "sample"}}),
    "lme4_penicillin": ("scores", {"score": "diameter", "facets": {"item": "plate", "sample": "sample"}}),
}
TOO_FEW = {"baseball_bt": "no pair has 30 decisive votes", "icehockey_bt": "no pair has 30 decisive votes"}


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables(shared, name):
    found = propose(shared / "data" / f"{name}.parquet")
    assert (found.kind, dict(found.options)) == PUBLISHED[name]
    assert found.problem.startswith(TOO_FEW.get(name, "")) if name in TOO_FEW else not found.problem


def test_a_key_that_a_column_completes_is_tried():
    """Rows repeat (item, judge) once for each criterion; the length of a response tells rows apart too, by accident."""
    rows = [(i, j, c, 100 + 7 * i + 3 * j + k) for i in range(8) for j in range(3) for k, c in enumerate("pq")]
    frame = pl.DataFrame(rows, schema=["item", "judge", "aspect", "len_response"], orient="row")
    frame = frame.with_columns(score=pl.Series(np.arange(len(rows)) % 5))
    found = propose(frame)
    assert found.options == {"facets": {"aspect": "aspect"}}
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
    with pytest.raises(InvalidInput, match="must be in memory"):
        propose(frame.lazy())


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


@pytest.mark.parametrize(
    ("score", "options"),
    [
        (["good", "poor", "fair", "n/a"], {"missing": ("n/a",)}),
        (["1", "2", "3", "N/A"], {"missing": ("N/A",)}),
        (["poor", "good"], {"numbers": {"poor": 1, "good": 3}}),
        (["red", "blue"], {"label": "red"}),
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
