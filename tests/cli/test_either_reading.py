from __future__ import annotations

from pathlib import Path

import pytest

from quorate.cli import either_reading
from quorate.errors import InvalidInput
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

SCORES = {"score": "score", "facet": None, "object": "item", "nested": None, "fixed": None, "missing": None}
VOTES = {"model_a": "model_a", "model_b": "model_b", "winner": "winner", "wins": None, "outcome": None, "role": None}


@pytest.fixture
def both(tmp_path) -> Path:
    """A file that could be read either way."""
    path = tmp_path / "both.csv"
    path.write_text("item,model_a,model_b,winner,score\n1,x,y,model_a,3\n2,x,y,model_b,4\n")
    return path


def test_the_columns_say_what_it_is(both, scores):
    assert isinstance(either_reading.table_of(both, None, SCORES, VOTES), Votes)
    assert isinstance(either_reading.table_of(scores, None, SCORES, VOTES), Judgments)


def test_an_option_says_it_first(both, tmp_path):
    found = either_reading.table_of(both, None, {**SCORES, "facet": ["item=item"]}, VOTES)
    assert isinstance(found, Judgments)
    path = tmp_path / "other.csv"
    path.write_text("left,right,winner\nx,y,left\nx,y,right\n")
    names = {**VOTES, "model_a": "left", "model_b": "right", "outcome": ["a=left", "b=right"]}
    assert isinstance(either_reading.table_of(path, None, SCORES, names), Votes)


def test_options_of_both_contradict_each_other(both):
    with pytest.raises(InvalidInput, match="--score: for scores, and --model-a is for votes"):
        either_reading.table_of(both, None, {**SCORES, "score": "points"}, {**VOTES, "model_a": "left"})


def test_options_that_do_not_apply_are_refused():
    assert either_reading.refuse({"ties": None, "elo": False}, "for votes") == {}
    with pytest.raises(InvalidInput, match="--judge-price: for scores; leave it out"):
        either_reading.refuse({"judge_price": ["a=1"]}, "for scores")
    assert either_reading.given({"ties": None, "level": 0.9}) == {"level": 0.9}


def test_what_was_written_is_said_unless_quiet(both, tmp_path, capsys):
    from quorate.estimate.ratings.rank import rank

    table = either_reading.table_of(both, None, SCORES, VOTES)
    for quiet, said in ((False, True), (True, False)):
        page = tmp_path / "page.md"
        either_reading.write_files(rank(table), table, page, tmp_path / "charts", "svg", "quorate", quiet=quiet)
        assert ("Charts: 2 files" in capsys.readouterr().out) is said
    assert "- input: " in page.read_text(encoding="utf-8")
    either_reading.write_files(rank(table), table, None, None, "svg", None, quiet=False)
    assert capsys.readouterr().out == ""
