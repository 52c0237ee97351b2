from __future__ import annotations

import json

from quorate.reporting.result_page import SAME_EVERY_TIME, provenance_of, result_json, result_markdown, title_of
from quorate.reporting.results import page_of

import quorate as q
from quorate.reporting.print.charts import write_section_charts
from quorate.reporting.reproduce import Provenance


def test_the_same_page_in_every_format(ballots, tmp_path):
    made = page_of(q.rank(ballots()), Provenance(note="simulated"))
    text = result_markdown(made)
    assert text.startswith("# Leaderboard from votes\n\n> simulated\n\n**a is first of 3 systems")
    found = json.loads(result_json(made))
    assert (found["note"], found["systems"][0]["system"]) == ("simulated", "a")
    drawn = write_section_charts(made.sections, tmp_path, "png")
    assert [path.name for path in drawn] == ["leaderboard.png", "ranks.png", "pairs.png"]
    assert drawn[0].read_bytes().startswith(b"\x89PNG")


def test_the_title_is_the_file_where_there_is_one(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,model_a\n")
    assert title_of(q.read_votes(path, announce=False), "Votes") == "votes.csv"
    assert title_of(None, "Votes") == "Votes"


def test_a_frame_has_no_name(ballots):
    assert title_of(ballots(), "Votes") == "Votes, from a polars frame"


def test_where_it_comes_from(ballots):
    found = provenance_of(ballots(), Provenance("quorate rank --api-key sk-1", 7), 1, "level 0.95")
    assert (found["seed"], found["options"]) == ("7", "level 0.95")
    assert "sk-1" not in found["command"]
    assert found["SHA-256 of the input"] == "none: not read from a file"
    assert provenance_of(None, Provenance(), None, "")["seed"] == "no random numbers were used"
    assert provenance_of(None, Provenance(), SAME_EVERY_TIME, "")["seed"] == SAME_EVERY_TIME
    assert provenance_of(None, Provenance(seed=0), SAME_EVERY_TIME, "")["seed"] == "0"
