from __future__ import annotations

import pytest

import quorate as q
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.verdict_report import methods, verdict_page


@pytest.mark.parametrize("name", ["page.html", "page.md", "page.json"])
def test_both_kinds_are_written(ballots, rated, hostile, tmp_path, name):
    for found in (q.compare(ballots(hostile), *hostile[:2]), q.compare(rated(), "system 0", "system 1", margin=0.1)):
        text = q.report(found, tmp_path / name, charts=tmp_path / "charts").read_text(encoding="utf-8")
        assert str(found.outcome.value) in text
        assert "<script>alert" not in text or name.endswith(".json")
    assert {one.name for one in (tmp_path / "charts").iterdir()} == {"verdict.svg", "sources.svg"}


def test_what_is_said_around_the_figures(rated):
    said = verdict_page(q.compare(rated(), "system 0", "system 2", margin=0.1), None, Provenance()).said
    assert said["title"] == "system 0 against system 2"
    assert said["tiles"][0]["value"] == "better"
    assert said["provenance"]["options"] == "level 0.95, power 0.9, margin 0.1"


def test_methods_of_scores(rated):
    said = methods(q.compare(rated(), "system 0", "system 2", margin=0.1))
    assert "by 160 pairs of scores on 40 items, paired in shared cells" in said
    assert "Equivalence is a difference below 0.1 either way" in said
    joint = methods(q.compare(rated(), "system 0", "system 2", method="joint"))
    assert "by 320 scores on 40 items, by one model for the scores of both" in joint


def test_methods_of_votes(ballots):
    assert "by 60 votes (ties were left out; exact tests)" in methods(q.compare(ballots(), "a", "b"))
    assert "No margin of equivalence was stated." in methods(q.compare(ballots(), "a", "b"))
