from __future__ import annotations

import pytest

import quorate as q
from quorate.reporting import verdict_tables as tables


def test_shares_of_votes_and_differences_of_scores(ballots, rated):
    votes, scores = q.compare(ballots(), "a", "b"), q.compare(rated(), "system 0", "system 1")
    (row,) = tables.intervals(votes)
    assert row["value"] == pytest.approx(0.5 + votes.difference.value)
    assert (tables.centre(votes), tables.centre(scores)) == (0.5, 0.0)
    (row,) = tables.intervals(scores)
    assert (row["low"], row["high"]) == scores.difference.interval()


def test_the_interval_that_equivalence_rests_on(rated):
    rows = tables.intervals(q.compare(rated(), "system 0", "system 1", margin=0.1))
    assert [row["interval"] for row in rows] == ["95% interval", "90% interval, for equivalence"]
    assert rows[0]["low"] < rows[1]["low"]


def test_where_the_uncertainty_comes_from(rated):
    rows = tables.sources(q.compare(rated(favour=0.6), "system 0", "system 1"))
    assert rows[0]["source"] == "judge"
    assert sum(row["share_of_variance"] for row in rows) == pytest.approx(1)


def test_what_would_decide(ballots, rated):
    votes = tables.steps(q.compare(ballots(each=20, spread=0.2), "a", "b"))
    assert [set(row) for row in votes] == [{"study", "assumed", "votes"}] * 2
    open_ = q.compare(rated(gap=0.2, favour=0.05, judges=6), "system 0", "system 1", prices={"call": 0.5})
    said = {row["what"]: row["value"] for row in tables.steps(open_)}
    assert said["judgments of both"] == open_.next_step.calls
    assert {"items", "judges", "layout", "price", "chance"} <= set(said)
    assert tables.steps(q.compare(rated(), "system 0", "system 2")) == []


def test_facts(ballots, rated):
    said = {row["what"]: row["value"] for row in tables.facts(q.compare(ballots(), "a", "b", margin=0.05))}
    assert (said["votes that count"], said["outcome"]) == (60, "better")
    assert said["share of votes for the first, 95% interval"].startswith("73.3%, ")
    assert "p of a margin that large" in said
    said = {row["what"]: row["value"] for row in tables.facts(q.compare(rated(), "system 0", "system 1"))}
    assert (said["items"], said["method"]) == (40, "paired")
