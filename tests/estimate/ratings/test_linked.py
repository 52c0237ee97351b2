from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.estimate.ratings.counts import Unrated, linked, tally, unrated_words
from quorate.numerics.ratings.existence import strongly_connected


def votes_of(rows):
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row")
    return q.read_votes(frame, wins=("a", "b"), announce=False)


CORE = [("x", "y", 3, 2), ("y", "z", 3, 2)]


def test_where_others_stand_directly_and_through_others():
    chain = [("best", "good", 2, 0), ("good", "x", 4, 0), ("z", "bad", 5, 0), ("best", "odd", 1, 0)]
    rows, others = linked(votes_of(CORE + chain), ties=True)
    assert rows.sum() == 2 * len(CORE)
    places = {one.system: one.place for one in others}
    assert places == {"best": "above all", "good": "above all", "bad": "below all", "odd": "not linked"}
    assert {one.system: one.votes for one in others}["best"] == 3


def test_the_larger_part_is_rated_and_of_equal_ones_that_with_more_votes():
    rows = [("a", "b", 2, 1), ("c", "d", 20, 10)]
    assert {one.system for one in linked(votes_of(rows), ties=True)[1]} == {"a", "b"}


def test_nobody_is_left_out_where_all_or_none_can_be_rated():
    for rows in (CORE, [("x", "y", 3, 0), ("y", "z", 2, 0)]):
        kept, others = linked(votes_of(rows), ties=True)
        assert kept.all()
        assert not others


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 2), st.integers(0, 2)), min_size=2))
def test_what_is_left_can_be_rated(rows):
    named = [(f"s{a}", f"s{(a + step) % 6}", won, lost) for a, step, won, lost in rows if won + lost]
    if not named:
        return
    counts = tally(votes_of(named), "half", None, position=False, linked_only=True)
    if counts.unrated:
        assert strongly_connected(counts.design, counts.counts[..., None])[0]
        assert len(counts.systems) + len(counts.unrated) == len({name for a, b, *_ in named for name in (a, b)})


def test_words():
    assert unrated_words([]) == ""
    many = [Unrated(f"s{i}", "below all", 3) for i in range(7)]
    assert unrated_words(many) == (
        "Without a finite rating: s0, s1, s2, s3, s4 and 2 more, below all of these, against whom they never won."
    )


def test_systems_that_never_met_the_others_may_stand_anywhere():
    island = [(f"{a}2", f"{b}2", 30, 20) for a, b in (("x", "y"), ("y", "z"))]
    found = q.rank(votes_of([("x", "y", 300, 100), ("y", "z", 300, 100), ("x", "z", 300, 100), *island]))
    assert found.ranks.low.tolist() == [1, 2, 3]
    assert found.ranks.high.tolist() == [4, 5, 6]
    assert found.sentence.startswith("x leads 6 systems, not surely ahead of x2, y2 and z2")
    assert max(found.best.values()) < 0.98


def test_a_system_that_never_lost_has_a_group_of_its_own():
    found = q.rank(votes_of([("x", "y", 300, 100), ("best", "x", 30, 0), ("best", "y", 30, 0)]))
    assert found.groups == (("best",), ("x",), ("y",))
    assert found.group.tolist() == [2, 3]
