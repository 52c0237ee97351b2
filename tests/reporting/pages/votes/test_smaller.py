from __future__ import annotations

from quorate.analysis.replay import replay_pair, replay_pairs
from quorate.reporting.report import page_of


def test_how_often_smaller_studies_are_wrong(between):
    page = page_of(replay_pairs(between(300, 200), [50]))
    assert {row["n"] for row in page.figures[0].rows} == {50}
    assert page.sentence.startswith("Verdicts of smaller studies against all votes")


def test_ways_to_spend_votes_over_types(between):
    votes = between(200, 100, prompt_type=[f"t{i % 4}" for i in range(300)])
    page = page_of(replay_pair(votes, "x", "y", [100]))
    assert {row["test"] for row in page.figures[0].rows} >= {"proportional", "two-stage"}
    assert "by chance" in page.sections[0].text[0]
