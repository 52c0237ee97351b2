from __future__ import annotations

import io

import polars as pl
import pytest
from rich.console import Console

import quorate as q
from quorate.analysis.agreement import AgreementView
from quorate.cli import agree_parts
from quorate.errors import InvalidInput

OPTIONS = {"model_a": "model_a", "model_b": "model_b", "winner": "winner", "wins": None, "outcomes": None}
OPTIONS |= {"roles": None, "status": None, "score": "score", "facets": None, "object_": "item", "nested": None}
OPTIONS |= {"fixed": None, "missing": None}


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
    judged, people = agree_parts.sources(votes, None, None, "person", OPTIONS)
    assert (judged.wins("x", "y"), people.wins("x", "y")) == (1, 0)
    assert agree_parts.sources(votes, None, ["ann"], None, OPTIONS)[1] == ["ann"]
    assert agree_parts.sources(votes, None, None, None, OPTIONS)[1] is None
    judged, people = agree_parts.sources(scores, votes, None, None, OPTIONS)
    assert isinstance(judged, q.Judgments)
    assert people.wins("x", "y") == 1
    judged, people = agree_parts.sources(votes, votes, None, "person", OPTIONS)
    assert (judged.wins("x", "y"), people.wins("x", "y")) == (1, 0)
    with pytest.raises(InvalidInput, match="give one"):
        agree_parts.sources(votes, votes, ["ann"], None, OPTIONS)


def test_scores_need_no_people(votes, scores):
    judged, people = agree_parts.either(scores, None, None, None, OPTIONS)
    assert isinstance(judged, q.Judgments)
    assert people is None
    assert isinstance(agree_parts.either(votes, None, None, None, OPTIONS)[0], q.Votes)


def test_long_tables_are_cut_and_all_battles_come_first(monkeypatch):
    monkeypatch.setattr(agree_parts, "MOST_ROWS", 6)
    rows = [(f"p{i}", j, f"t{i % 4}", "xy"[i % (j + 1) == 0], "xy"[i % 3 == 0]) for i in range(40) for j in (1, 2)]
    frame = pl.DataFrame(rows, schema=["prompt", "judge", "topic", "winner", "people"], orient="row")
    frame = frame.with_columns(model_a=pl.lit("x"), model_b=pl.lit("y"))
    judged, people = (
        q.read_votes(frame, winner=name, prompt_type="topic", announce=False) for name in ("winner", "people")
    )
    view = AgreementView(q.agreement(judged, people, each="judge", by="prompt_type", resamples=100))
    out = Console(file=io.StringIO(), width=80)
    agree_parts.show(out, view)
    said = out.file.getvalue()
    assert "And 24 more rows; --report and --json have all." in " ".join(said.split())
    assert " t0 " not in said  # the six rows of all battles come first
