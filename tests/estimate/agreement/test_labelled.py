"""Judges and people, unit by unit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.agreement.labelled import people_apart, score_units, vote_units


@pytest.fixture
def votes():
    rows = [
        ("p1", "x", "y", "x", "llm", "u1"),
        ("p1", "y", "x", "y", "llm2", "u1"),
        ("p1", "x", "y", "y", "ann", "u1"),
        ("p2", "x", "z", "tie", "llm", "u2"),
        ("p3", "y", "z", "y", "llm", "u2"),
    ]
    columns = ["prompt", "model_a", "model_b", "winner", "judge", "cluster"]
    return q.read_votes(pl.DataFrame(rows, schema=columns, orient="row"), announce=False)


def test_people_may_be_levels_of_the_judge(votes):
    judges, people = people_apart(votes, "ann")
    assert judges.facet("judge").levels == ("llm", "llm2")
    assert people.facet("judge").levels == ("ann",)
    assert people_apart(votes, ["ann", "llm2"])[1].n == 2
    assert people_apart(judges, people) == (judges, people)


def test_shares_are_those_of_the_model_asked_for(votes):
    units = vote_units(people_apart(votes, "ann")[0], "prompt", "x", None, "cluster")
    assert units.keys == (("p1", "x", "y"), ("p2", "x", "z"))
    assert units.value.tolist() == [0.5, 0.5]
    assert units.cluster == ("u1", "u2")
    against = vote_units(votes, "prompt", "y", "x", None)
    assert against.keys == (("p1", "x", "y"),)
    assert against.value.tolist() == pytest.approx([2 / 3])
    assert vote_units(votes, "prompt", "y", "z", None).value.tolist() == [1.0]


def test_means_are_over_the_cells_of_an_item():
    rows = {"item": [1, 1, 2, 2], "judge": list("xyxy"), "score": [1.0, 2.0, None, None], "category": list("aabb")}
    units = score_units(q.read(pl.DataFrame(rows), announce=False), "category")
    assert units.value[0] == 1.5
    assert np.isnan(units.value[1])
    assert units.cluster == ("a", "b")


@pytest.mark.parametrize(
    ("human", "message"),
    [
        (3, "human: a table or names of judges are needed, got int"),
        (["ann", "llm", "llm2"], "human: judges and people are both needed, got 3 of 3"),
    ],
)
def test_what_is_refused(votes, human, message):
    with pytest.raises(InvalidInput, match=message):
        people_apart(votes, human)


def test_tables_and_names_that_do_not_fit(votes, judged):
    with pytest.raises(UnknownTerm):
        people_apart(votes, "someone")
    with pytest.raises(UnknownTerm):
        vote_units(votes, "prompt", "w", None, None)
    with pytest.raises(InvalidInput, match="human: expects Votes as judged is, got Judgments"):
        people_apart(votes, judged({"item": 3, "judge": 2}))
    with pytest.raises(
        InvalidInput, match=r"judged: expects what quorate\.read_votes or quorate.read returns, got str"
    ):
        people_apart("votes.csv", "ann")


def test_clusters_that_are_missing_or_vary_are_refused():
    rows = {"prompt": ["p", "p", "q"], "judge": list("abc"), "model_a": "x", "model_b": "y", "winner": list("xyx")}
    table = q.read_votes(
        pl.DataFrame({**rows, "source": ["s", "s", None]}), facets={"source": "source"}, announce=False
    )
    with pytest.raises(InvalidInput, match="cluster: 1 units have no source"):
        vote_units(table, "prompt", "x", None, "source")
    with pytest.raises(InvalidInput, match='judge: a battle has one, got "a" and "b"'):
        vote_units(table, "prompt", "x", None, "judge")
    scores = {"item": [1, 1, 2, 2], "judge": list("xyxy"), "score": [1.0, 2.0, 3.0, 2.0]}
    with pytest.raises(InvalidInput, match="cluster: a unit is in one, and judge varies within some"):
        score_units(q.read(pl.DataFrame(scores), announce=False), "judge")
