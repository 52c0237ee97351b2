from __future__ import annotations

import quorate as q
from quorate.analysis.ratings import RatingsView
from quorate.reporting.ratings_section import ratings_facts, ratings_sections


def test_the_leaderboard_comes_first(ballots):
    first, second = ratings_sections(RatingsView(q.rank(ballots())))
    assert [figure.name for figure in first.figures] == ["leaderboard"]
    assert [figure.name for figure in second.figures] == ["ranks", "groups", "pairs"]
    assert first.text == ()


def test_without_a_sure_pair_there_is_no_grid(ballots):
    _, ranks = ratings_sections(RatingsView(q.rank(ballots(("a", "b"), 10, 0.2))))
    assert [figure.name for figure in ranks.figures] == ["ranks", "groups"]


def test_not_rankable_is_said(rated):
    first, _ = ratings_sections(RatingsView(q.rank(rated(gap=0.0, favour=0.6))))
    assert first.text[0].startswith("Not rankable: ")


def test_what_was_ranked(ballots):
    assert ratings_facts(RatingsView(q.rank(ballots()))).rows[0] == {"what": "systems", "value": 3}
