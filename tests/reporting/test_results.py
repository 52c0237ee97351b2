from __future__ import annotations

import pytest
from quorate.reporting.results import Sourced, page_of

import quorate as q
from quorate.reporting.reproduce import Provenance


@pytest.mark.parametrize(
    "kind", ["ratings", "leaderboard", "votes", "scores", "gaming", "agreement", "agreement alone"]
)
def test_every_result_has_its_page(ballots, rated, surface, agreed, kind):
    made = {
        "ratings": lambda: (q.rank(ballots()), "leaderboard"),
        "leaderboard": lambda: (q.rank(rated()), "leaderboard"),
        "votes": lambda: (q.compare(ballots(), "a", "b"), "verdict"),
        "scores": lambda: (q.compare(rated(), "system 0", "system 1"), "verdict"),
        "gaming": lambda: (surface(), "prizes"),
        "agreement": lambda: (agreed(), "agreement"),
        "agreement alone": lambda: (agreed().found, "agreement"),
    }
    result, first = made[kind]()
    page = page_of(result, Provenance())
    assert page.sections[0].name == first
    assert page.content["sentence"] == result.sentence
    assert "input" not in page.said["provenance"]


def test_a_table_is_named(ballots):
    votes = ballots()
    page = page_of(Sourced(q.rank(votes), votes), Provenance())
    assert page.said["provenance"]["input"] == "polars frame"
