from __future__ import annotations

import pytest
from tests.estimate.ratings.test_corrected_ratings import frame, labelled

import quorate as q
from quorate.reporting.pages.people.corrected import ratings_page


@pytest.fixture(scope="module")
def found():
    votes = q.read_votes(labelled(frame(400), 120), announce=False)
    return q.agreement.corrected_ratings(votes, "person", strata="prompt_type")


def test_people_and_judges_stand_beside_the_board(found):
    made = ratings_page(found)
    figures = {figure.name: figure for figure in made.figures}
    assert list(figures)[:2] == ["sides", "judge-weights"]
    assert {"leaderboard", "ranks", "gaps"} <= set(figures)
    assert [row["people"] for row in figures["sides"].rows] == [row["people"] for row in found.rows()]
    assert figures["sides"].caption.finding == f"The judges make 120 labels worth {found.effective:,.0f}"
    assert [row["stratum"] for row in figures["judge-weights"].rows] == ["chat", "chat", "code", "code"]
    assert [row["labels"] for row in figures["gaps"].rows] == [
        one.labels for one in q.agreement.plan_board_labels(found).gaps
    ]
    assert len(figures["sides"].chart()["layer"]) >= 2
    assert "every prompt_type has its own weights" in made.methods
    assert made.sentence == found.sentence
    facts = {row["what"]: row["value"] for row in made.facts.rows}
    assert (facts["battles that people voted on"], facts["battles of judges alone"]) == (120, 280)
