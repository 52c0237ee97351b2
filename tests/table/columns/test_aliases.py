"""Names that say the same role in both kinds of table."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.table.columns.aliases import JUDGES, STATUSES


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
