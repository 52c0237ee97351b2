from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.ratings import RatingsView
from quorate.reporting import ratings_tables as tables


@pytest.fixture
def view(ballots):
    return RatingsView(q.rank(ballots()))


def test_one_row_per_system(view):
    first, *_, last = tables.ranking(view)
    found = view.found
    assert (first["rank"], first["group"], first["system"]) == ("1", 1, "a")
    assert last["rank"] == "3"
    assert first["low"] < first["rating"] < first["high"]
    assert first["rating"] == pytest.approx(found.rating[0])
    assert first["share"] == found.best["a"]


def test_ranks_chosen_beforehand_are_never_wider(ballots):
    rows = tables.ranks(RatingsView(q.rank(ballots(tuple("abcdefgh"), each=30))))
    assert [row["place"] for row in rows] == list(range(1, 9))
    assert all(row["low"] <= row["own_low"] <= row["own_high"] <= row["high"] for row in rows)
    assert any(row["low"] < row["high"] for row in rows)


def test_pairs_that_are_told_apart(view):
    assert [(row["better"], row["worse"]) for row in tables.pairs(view)] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert tables.pairs(RatingsView(q.rank(view.found and _even()))) == []


def _even():
    import polars as pl

    frame = pl.DataFrame({"model_a": ["x", "x", "y"], "model_b": ["y", "z", "z"], "a": [5, 5, 5], "b": [5, 5, 5]})
    return q.read_votes(frame, wins=("a", "b"), announce=False)


def test_groups_name_their_systems(view):
    assert tables.groups(view) == [
        {"group": number, "systems": 1, "which": name} for number, name in enumerate("abc", 1)
    ]


def test_facts(view, rated):
    said = {row["what"]: row["value"] for row in tables.facts(view)}
    assert (said["systems"], said["votes"], said["of them told apart"]) == (3, 180, 3)
    scores = {row["what"]: row["value"] for row in tables.facts(RatingsView(q.rank(rated())))}
    assert (scores["scores"], scores["levels of judge"]) == (480, 4)
