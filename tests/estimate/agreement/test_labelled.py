"""Judges and people, unit by unit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.agreement.agreement import agreement
from quorate.estimate.agreement.labelled import people_apart, pipelines_of, score_units, vote_units


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


WIDE = {
    "prompt": [1, 1, 2, 2, 3, 3],
    "model_a": "x",
    "model_b": "y",
    "judge": ["i", "j"] * 3,
    "category": ["c", "c", "d", "d", "c", "c"],
    "person": ["x", "x", "y", "y", None, None],
}


def test_labels_beside_several_judges_count_once():
    votes = q.read_votes(pl.DataFrame(WIDE), winner="person", prompt_type="category", announce=False)
    found = q.agreement.beside(votes)
    assert (votes.n, found.n, found.wins("x", "y"), found.wins("y", "x")) == (4, 2, 1, 1)
    assert found.names == ("prompt", "prompt_type")


def test_labels_that_differ_from_judge_to_judge_are_refused():
    frame = pl.DataFrame(WIDE | {"person": ["x", "y", "y", "y", None, None]})
    with pytest.raises(InvalidInput, match='people\'s votes on prompt "1" differ from judge to judge'):
        q.agreement.beside(q.read_votes(frame, winner="person", announce=False))
    one_judge = pl.DataFrame(WIDE | {"judge": "i", "person": ["x", "y", "y", "y", None, None]})
    assert q.agreement.beside(q.read_votes(one_judge, winner="person", announce=False)).n == 4


def test_labels_need_to_say_of_what():
    votes = q.read_votes(pl.DataFrame(WIDE).drop("prompt"), winner="person", announce=False)
    with pytest.raises(InvalidInput, match="no prompt says which votes are of one battle"):
        q.agreement.beside(votes)


def chosen_by(judges=("a", "b", "h")):
    rows = [
        (p, judge, variant, "x", "y", swapped, "x" if (p + len(variant) + swapped) % 2 else "y")
        for p in range(6)
        for judge in judges
        for variant in ("v", "ww")
        for swapped in (False, True)
    ]
    columns = ["prompt", "judge", "variant", "model_a", "model_b", "swapped", "winner"]
    return q.read_votes(pl.DataFrame(rows, schema=columns, orient="row"), facets={"variant": "variant"}, announce=False)


def test_single_cells_of_several_roles():
    found, people = pipelines_of(chosen_by(), "h", ("judge", "variant", "order"), "prompt")
    cells = [f"{judge}, {v}, {order}" for judge in "ab" for v in ("v", "ww") for order in ("as listed", "swapped")]
    assert list(found) == ["judges", *cells]
    assert [found[name].rows for name in cells] == [6] * 8
    assert set(found["a, v, swapped"].order) == {1}
    assert people.rows == 24
    assert list(pipelines_of({"all": chosen_by("ab")}, chosen_by("h"), "judge", "prompt")[0]) == [
        "all",
        "all, a",
        "all, b",
    ]


def test_cells_against_all_cells():
    found = agreement(chosen_by(), "h", each=["judge", "order"], resamples=100)
    pooled = [one for one in found.differences if one.first == "judges" and one.kind == "overall"]
    assert [one.second for one in pooled] == ["a, as listed", "a, swapped", "b, as listed", "b, swapped"]


def test_two_pipelines_of_one_name_are_refused():
    with pytest.raises(InvalidInput, match='each: two pipelines would be called "judges"; name the table'):
        agreement(chosen_by(("judges", "b", "h")), "h", each="judge")
