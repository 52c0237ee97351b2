"""Names that say the same role in both kinds of table."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.table.columns.aliases import ASKED, EXAMPLES, JUDGES, SEGMENTS, SESSIONS, STATUSES


@pytest.mark.parametrize("name", [*JUDGES, "Rater ID"])
def test_who_judged_is_the_judge_of_scores_and_of_votes(name):
    scores = pl.DataFrame({"item": ["a", "b"], name: ["x", "y"], "score": [1, 2]})
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["tie", "m"], name: ["x", "y"]})
    for table in (q.read(scores, announce=False), q.read(votes, announce=False)):
        assert table.facet("judge").levels == ("x", "y")


@pytest.mark.parametrize("name", STATUSES)
def test_what_became_of_the_call(name):
    scores = pl.DataFrame({"item": ["a", "b"], "score": [1, 2], name: ["ok", "refused"]})
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["m", "m"], name: ["ok", "refused"]})
    assert q.read(scores, announce=False).n_answers == q.read(votes, announce=False).n == 1


@pytest.mark.parametrize("name", ["session", "session_id", "evaluation_session_id"])
def test_votes_of_a_sitting_are_a_cluster(name):
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["m", "m"], name: ["s", "t"]})
    assert q.read(votes, announce=False).facet("cluster").levels == ("s", "t")


@pytest.mark.parametrize("name", [*ASKED, *EXAMPLES, *SEGMENTS])
def test_what_is_asked_is_the_item_of_scores_and_the_prompt_of_votes(name):
    scores = pl.DataFrame({name: ["a", "b"], "score": [1, 2]})
    votes = pl.DataFrame({"model_a": ["m", "m"], "model_b": ["n", "n"], "winner": ["tie", "m"], name: ["a", "b"]})
    assert q.read(scores, announce=False).facet("item").levels == ("a", "b")
    assert q.read(votes, announce=False).facet("prompt").levels == ("a", "b")


def test_a_name_that_says_less_stands_back():
    votes = pl.DataFrame({"model_a": ["m"], "model_b": ["n"], "winner": ["m"], "prompt": ["p"], "sample_id": ["s"]})
    assert q.read(votes, announce=False).facet("prompt").levels == ("p",)
    scores = pl.DataFrame({"question_id": ["a", "b"], "segment_id": ["s", "t"], "score": [1, 2]})
    assert q.read(scores, announce=False).facet("item").levels == ("a", "b")


@pytest.mark.parametrize("name", SESSIONS)
def test_scores_of_a_sitting_are_hinted_at(name):
    scores = pl.DataFrame({"item": list("abcdefgh"), "score": range(8), name: [0, 1] * 4})
    told = f"{name} repeats as ids do: if scores of one resemble each other, name it (a facet, --facet {name}={name})"
    assert told in q.read(scores, announce=False).notes
