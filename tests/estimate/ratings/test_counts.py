from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import votes_table

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.ratings.counts import Unrated, linked, refuse_unrated, tally, unrated_words
from quorate.numerics.ratings.existence import strongly_connected
from quorate.table.read_votes import read_votes

ROWS = [
    # model_a, model_b, winner, judge, first
    ("x", "y", "model_a", "j1", "x"),
    ("y", "x", "model_a", "j1", "x"),
    ("x", "y", "tie", "j2", "y"),
    ("y", "x", "tie (bothbad)", "j2", "y"),
    ("x", "z", "model_b", "j1", "x"),
    ("z", "x", "model_b", "j2", "x"),
    ("x", "z", None, "j2", "x"),
    ("y", "z", "model_a", "j2", "z"),
]


def votes_of(rows, **options):
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "judge", "first"], orient="row")
    return read_votes(frame, order="first", announce=False, **options)


@pytest.fixture
def votes():
    return votes_of(ROWS)


def test_votes_by_pair_and_outcome(votes):
    found = tally(votes, "davidson", None, position=False)
    assert found.systems == ("x", "y", "z")
    assert found.counts.tolist() == [[[1, 1, 2], [1, 1, 0], [1, 0, 0]]]
    assert (found.n, found.design.ties.name) == (7, "davidson")
    assert found.units.size.tolist() == found.counts.ravel().tolist()


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_ties_left_out_or_kept(votes, ties):
    found = tally(votes, ties, None, position=False)
    assert found.counts[0, :, 2].tolist() == ([2, 0, 0] if ties == "half" else [0, 0, 0])
    assert found.n == (7 if ties == "half" else 5)
    assert not found.design.tied


def test_votes_by_order(votes):
    found = tally(votes, "half", None, position=True)
    assert found.counts.tolist() == [[[1, 1, 0], [1, 1, 0], [0, 0, 0]], [[0, 0, 2], [0, 0, 0], [1, 0, 0]]]


def test_votes_by_weight(votes):
    weights = [2, 2, 1, 3, 1, 1, 5, 0.5]
    found = tally(votes, "half", weights, position=False)
    assert found.counts.tolist() == [[[2, 2, 4], [1, 1, 0], [0.5, 0, 0]]]
    assert found.units.size.sum() == found.n == 7


def test_an_order_must_be_known_of_every_vote(votes):
    gaps = votes_of([*ROWS, ("x", "y", "model_a", "j1", None)])
    with pytest.raises(NotEstimable, match="position: 1 votes do not say which system was shown first"):
        tally(gaps, "half", None, position=True)
    assert tally(votes_of([*ROWS, ("x", "y", None, "j1", None)]), "half", None, position=True).n == 7


def test_votes_must_decide_something(votes):
    with pytest.raises(NotEstimable, match="votes: none of 2 is for one of two systems"):
        tally(votes.keep(votes.outcome >= 2), "half", None, position=False)
    alone = votes.keep(np.arange(8) < 1)
    with pytest.raises(NotEstimable, match='compare "x"; ratings need two or more'):
        tally(type(alone)(("x",), *[np.zeros(0, dtype=np.int32)] * 3, np.zeros(0, dtype=bool)), "half", None, False)


def test_an_empty_table_compares_no_system(votes):
    with pytest.raises(NotEstimable, match="compare no system; ratings need two or more"):
        tally(votes.keep(np.zeros(8, dtype=bool)), "half", None, position=False)


def test_a_position_that_goes_with_the_pair():
    same = votes_of([(a, b, winner, judge, "x") for a, b, winner, judge, _ in ROWS if "x" in (a, b)])
    with pytest.raises(NotEstimable, match="position: places and pairs of systems go together"):
        refuse_unrated(tally(same, "half", None, position=True), shrunk=False)


def test_a_tie_parameter_without_a_finite_estimate():
    rows = [("x", "y", "model_a", "j", "x"), ("x", "z", "tie", "j", "x"), ("y", "z", "tie", "j", "y")]
    found = tally(votes_of(rows), "davidson", None, position=False)
    with pytest.raises(NotEstimable, match=r'give the tie parameter a finite estimate; use ties="half"'):
        refuse_unrated(found, shrunk=False)


def test_a_group_that_never_loses_is_named():
    ring = [("a", "b", "model_a"), ("b", "c", "model_a"), ("c", "a", "model_a")]
    many = [(x + i, y + i, w) for i in "12" for x, y, w in ring] + [("a1", "a2", "model_a")]
    found = tally(votes_of([(*row, "j", row[0]) for row in many]), "half", None, position=False)
    with pytest.raises(NotEstimable, match=r'"a1", "b1" and "c1" won every vote against the others.*leave them out'):
        refuse_unrated(found, shrunk=False)
    refuse_unrated(found, shrunk=True)


def voted(rows):
    return votes_table(rows, "model_a model_b a b", wins=("a", "b"))


CORE = [("x", "y", 3, 2), ("y", "z", 3, 2)]


def test_where_others_stand_directly_and_through_others():
    chain = [("best", "good", 2, 0), ("good", "x", 4, 0), ("z", "bad", 5, 0), ("best", "odd", 1, 0)]
    rows, others = linked(voted(CORE + chain), ties=True)
    assert rows.sum() == 2 * len(CORE)
    places = {one.system: one.place for one in others}
    assert places == {"best": "above all", "good": "above all", "bad": "below all", "odd": "not linked"}
    assert {one.system: one.votes for one in others}["best"] == 3


def test_the_larger_part_is_rated_and_of_equal_ones_that_with_more_votes():
    rows = [("a", "b", 2, 1), ("c", "d", 20, 10)]
    assert {one.system for one in linked(voted(rows), ties=True)[1]} == {"a", "b"}


def test_nobody_is_left_out_where_all_or_none_can_be_rated():
    for rows in (CORE, [("x", "y", 3, 0), ("y", "z", 2, 0)]):
        kept, others = linked(voted(rows), ties=True)
        assert kept.all()
        assert not others


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 2), st.integers(0, 2)), min_size=2))
def test_what_is_left_can_be_rated(rows):
    named = [(f"s{a}", f"s{(a + step) % 6}", won, lost) for a, step, won, lost in rows if won + lost]
    if not named:
        return
    counts = tally(voted(named), "half", None, position=False, linked_only=True)
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
    found = q.rank(voted([("x", "y", 300, 100), ("y", "z", 300, 100), ("x", "z", 300, 100), *island]))
    assert found.ranks.low.tolist() == [1, 2, 3]
    assert found.ranks.high.tolist() == [4, 5, 6]
    assert found.sentence.startswith("x is first of the 3 systems that wins link; 3 of 15 pairs")
    assert max(found.best.values()) < 0.98


def test_a_system_that_never_lost_has_a_group_of_its_own():
    found = q.rank(voted([("x", "y", 300, 100), ("best", "x", 30, 0), ("best", "y", 30, 0)]))
    assert found.groups == (("best",), ("x",), ("y",))
    assert found.group.tolist() == [2, 3]
