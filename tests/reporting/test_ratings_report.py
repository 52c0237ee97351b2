from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.ratings import RatingsView
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.ratings_report import methods, ratings_page


@pytest.mark.parametrize("name", ["page.html", "page.md", "page.json"])
def test_a_leaderboard_is_written(ballots, hostile, tmp_path, name):
    path = q.report(q.rank(ballots(hostile, each=40)), tmp_path / name, charts=tmp_path / "charts")
    text = path.read_text(encoding="utf-8")
    assert "Leaderboard from votes" in text
    assert "<script>alert" not in text or name.endswith(".json")
    assert {one.name for one in (tmp_path / "charts").iterdir()} == {"leaderboard.svg", "ranks.svg", "pairs.svg"}


def test_what_is_said_around_the_figures(ballots):
    votes = ballots()
    said = ratings_page(RatingsView(q.rank(votes), votes), Provenance("quorate rank v.csv", None, "simulated")).said
    assert said["sentence"].startswith("a is first of 3 systems")
    assert [tile["value"] for tile in said["tiles"]] == ["100%", "3", "3"]
    assert said["note"] == "simulated"
    assert said["provenance"]["command"] == "quorate rank v.csv"
    assert said["provenance"]["seed"] == "1"
    assert "for_a" in said["provenance"]["columns"]


def test_methods_say_how_votes_were_taken(ballots):
    votes = ballots()
    assert "sandwich intervals and take votes as independent" in methods(RatingsView(q.rank(votes)))
    assert "with a ridge of 1" in methods(RatingsView(q.rank(votes, regularisation=1)))
    assert "ties left out" in methods(RatingsView(q.rank(votes, ties="drop")))


def test_methods_say_what_scores_stand_for(rated):
    said = methods(RatingsView(q.rank(rated())))
    assert "(item: levels like these; judge: levels like these)" in said
    assert "these levels only" in methods(RatingsView(q.rank(rated(), targets={"judge": "panel"})))


def test_a_record_is_refused(ballots, tmp_path):
    with pytest.raises(q.InvalidInput, match="has no checklist"):
        q.report(q.rank(ballots()), tmp_path / "page.html", record={})
