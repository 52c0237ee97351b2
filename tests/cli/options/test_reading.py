from __future__ import annotations

from pathlib import Path

import pytest

from quorate.cli.options.groups import Prices
from quorate.cli.options.reading import Reading, ScoreReading, VoteReading, ends, role_of, with_column
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.judgments import Judgments
from quorate.table.notes import left_unused, read_as
from quorate.table.votes import Votes


def test_every_option_reaches_the_reader(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("q,who,group,points,state\n1,a,g,3,ok\n1,b,g,-,ok\n2,a,h,5,ok\n2,b,h,4,refused\n")
    options = {"score": "points", "facet": ["question=q", "judge=who"], "object_": "question", "fixed": ""}
    found = ScoreReading(**options, nested=["question=group"], status="state", missing=["-"], scale="0,10").judgments(
        path
    )
    assert found.names == ("question", "judge", "group")
    assert (found.object, found.facet("question").parent) == ("question", "group")
    assert not any(facet.fixed for facet in found.facets)
    assert found.scale == (0.0, 10.0)
    assert {name: int(n.sum()) for name, n in found.status.items()} == {"ok": 2, "missing": 1, "refused": 1}


@pytest.mark.parametrize("scale", ["1,5", " 1, 5"])
def test_ends_of_a_scale(scale):
    assert ends(scale) == (1.0, 5.0)


@pytest.mark.parametrize("scale", ["5", "", "low,high", "1,2,3"])
def test_what_is_no_scale(scale):
    with pytest.raises(InvalidInput, match="--scale: expects the least and the greatest score, such as 1,5"):
        ends(scale)


def test_one_facet_leaves_the_others_recognised(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text("item,grader_name,variant,status,score\n1,a,p,ok,3\n1,b,q,refused,0\n2,a,q,ok,5\n2,b,p,ok,4\n")
    found = ScoreReading(facet=["judge=grader_name"]).judgments(path)
    assert found.names == ("item", "prompt", "judge")
    assert found.n_answers == 3
    assert "prompt = column variant" in found.notes
    left = ScoreReading(facet=["judge=grader_name", "prompt="], status="").judgments(path)
    assert (left.names, left.n_answers) == (("item", "judge"), 4)
    assert "not used: variant, status" in left.notes
    more = ScoreReading().judgments(path, also=("item", "grader_name"))
    assert more.names == ("item", "prompt", "grader_name")


def test_without_options_columns_are_recognised(scores):
    found = ScoreReading().judgments(scores)
    assert found.names == ("item", "prompt", "judge")
    assert [facet.name for facet in found.facets if facet.fixed] == ["judge"]


@pytest.fixture
def path(tmp_path):
    out = tmp_path / "votes.csv"
    out.write_text("model_a,model_b,winner,who,w\n" + "x,y,1,a,2\nx,y,2,b,1\n")
    return out


def test_roles_are_given_by_column(path):
    found = VoteReading(role=["judge=who", "count=w"]).votes(path)
    assert found.n == 3
    assert found.facet("judge").levels == ("a", "b")
    assert role_of("who", found) == role_of("judge", found) == "judge"
    assert role_of(None, found) is None
    with pytest.raises(UnknownTerm, match='no role "model"'):
        role_of("model", found)


def test_labels_of_one_meaning_add_up(path):
    found = VoteReading(outcome=["a=1", "tie=2"]).votes(path)
    assert (found.n_decisive, found.tie_share) == (1, 0.5)
    assert VoteReading(outcome=["missing=1", "missing=2"]).votes(path).n == 0


@pytest.mark.parametrize(("options", "said"), [({"role": ["judge"]}, "--role"), ({"outcome": ["tie"]}, "--outcome")])
def test_a_pair_without_a_value_is_refused(path, options, said):
    with pytest.raises(InvalidInput, match=f"{said}: expects a pair"):
        VoteReading(**options).votes(path)


@pytest.fixture
def both(tmp_path) -> Path:
    """A file that could be read either way."""
    path = tmp_path / "both.csv"
    path.write_text("item,model_a,model_b,winner,score\n1,x,y,model_a,3\n2,x,y,model_b,4\n")
    return path


def test_the_columns_say_what_it_is(both, scores):
    assert isinstance(Reading().table(both), Votes)
    assert isinstance(Reading().table(scores), Judgments)


def test_an_option_says_it_first(both, tmp_path):
    assert isinstance(Reading(facet=["item=item"]).table(both), Judgments)
    path = tmp_path / "other.csv"
    path.write_text("left,right,winner\nx,y,left\nx,y,right\n")
    assert isinstance(Reading(model_a="left", model_b="right", outcome=["a=left", "b=right"]).table(path), Votes)


def test_options_of_both_contradict_each_other(both):
    with pytest.raises(InvalidInput, match="--score: for scores, and --model-a is for votes"):
        Reading(score="points", model_a="left").table(both)


def test_options_of_the_other_kind_are_refused(both, scores):
    with pytest.raises(InvalidInput, match="--judge-price: for scores, and this file has votes; leave it out"):
        Reading().table(both, Prices(judge_price=["a=1"]))
    assert isinstance(Reading().table(scores, Prices(judge_price=["a=1"])), Judgments)


def test_a_column_that_is_used_otherwise_is_not_unused():
    notes = [read_as("judge", ["j"]), *left_unused(["human", "other"])]
    assert with_column(notes, "people", "human") == ["judge = column j", "people = column human", "not used: other"]
    assert with_column(left_unused(["human"]), "human", "human") == ["human = column human"]
    assert with_column(notes, "people", None) == notes
