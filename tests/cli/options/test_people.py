from __future__ import annotations

import pytest

import quorate as q
from quorate.cli.options.people import People
from quorate.cli.options.reading import Reading
from quorate.errors import InvalidInput


@pytest.fixture
def votes(tmp_path):
    out = tmp_path / "votes.csv"
    out.write_text("model_a,model_b,prompt,winner,person\nx,y,p,model_a,model_b\nx,y,q,model_b,model_b\n")
    return out


@pytest.fixture
def scores(tmp_path):
    out = tmp_path / "scores.csv"
    out.write_text("item,system,score\np,x,1\np,y,5\n")
    return out


def test_people_are_a_column_a_judge_or_a_file(votes, scores):
    judged, people = People(human_label="person").sources(votes, Reading(), "prompt")
    assert (judged.wins("x", "y"), people.wins("x", "y")) == (1, 0)
    assert People(human=["ann"]).sources(votes, Reading(), "prompt")[1] == ["ann"]
    assert People().sources(votes, Reading(), "prompt")[1] is None
    judged, people = People(people=votes).sources(scores, Reading(), "prompt")
    assert isinstance(judged, q.Judgments)
    assert people.wins("x", "y") == 1
    judged, people = People(people=votes, human_label="person").sources(votes, Reading(), "prompt")
    assert (judged.wins("x", "y"), people.wins("x", "y")) == (1, 0)
    with pytest.raises(InvalidInput, match="give one"):
        People(people=votes, human=["ann"])


def test_scores_need_no_people_unless_agreement_with_them_is_asked(votes, scores):
    judged, people = People().sources(scores, Reading(), "prompt")
    assert isinstance(judged, q.Judgments)
    assert people is None
    assert isinstance(People().sources(votes, Reading(), "prompt")[0], q.Votes)
    with pytest.raises(InvalidInput, match="--human: name the judges who are people"):
        People().sources(votes, Reading(), "prompt", needed=True)


def test_options_of_the_other_kind_are_refused(votes, scores):
    with pytest.raises(InvalidInput, match="--winner: for votes, and this file has scores; leave it out"):
        People().sources(scores, Reading(winner="person"), "prompt")
    with pytest.raises(InvalidInput, match="--missing: for scores, and this file has votes; leave it out"):
        People(human=["ann"]).sources(votes, Reading(missing=["x"]), "prompt")
