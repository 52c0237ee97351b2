from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import quorate as q

COUNTS = [("a", "b", 60, 40), ("a", "c", 80, 20), ("b", "c", 55, 45), ("c", "d", 50, 50), ("b", "d", 60, 45)]


def board(times=1, counts=COUNTS, **options):
    rows = [(a, b, won * times, lost * times) for a, b, won, lost in counts]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "a", "b"], orient="row")
    return q.rank(q.read_votes(frame, wins=("a", "b"), announce=False), **options)


@pytest.fixture(scope="module")
def found():
    return board()


def test_gaps_are_those_of_differences_and_their_intervals_hold_for_three_pairs_of_neighbours(found):
    for pair in found.neighbours:
        gap = found.difference(pair.first, pair.second)
        half = t.ppf(1 - 0.05 / (2 * 3), gap.df) * gap.se
        assert (pair.gap, pair.low, pair.high) == pytest.approx((gap.value, gap.value - half, gap.value + half))
        assert pair.told_apart == (pair.low > 0)
        assert (pair.more == 0) == pair.told_apart


def test_with_the_votes_it_takes_the_gap_is_as_far_from_0_as_a_chance_of_09_asks(found):
    pair = min(found.neighbours, key=lambda one: one.votes)
    more = board(2000)  # votes that only scale: the gap stays, its standard error follows
    gap = more.difference(pair.first, pair.second)
    limit = t.ppf(1 - 0.05 / (2 * 3), gap.df)
    se = gap.se * np.sqrt(more.n / pair.votes)
    assert gap.value / se == pytest.approx(limit + 1.2816, rel=0.01)
    assert all(one.told_apart for one in board(4000).neighbours)


def test_in_points_gaps_are_larger_and_votes_the_same(found):
    for pair, points in zip(found.neighbours, found.elo().neighbours, strict=True):
        assert points.gap == pytest.approx(pair.gap * 400 / np.log(10))
        assert abs(points.votes - pair.votes) <= 1


def test_two_systems_are_told_apart_by_their_margin():
    (pair,) = board(counts=[("a", "b", 61, 40)]).neighbours
    assert pair.told_apart == (pair.low > 0)
    assert (pair.low, pair.high) == pytest.approx(board(counts=[("a", "b", 61, 40)]).difference("a", "b").ends)


def test_what_is_said(found):
    said = found.neighbours_words
    left = [pair for pair in found.neighbours if not pair.told_apart]
    assert said.startswith(f"{len(left)} of 3 pairs of neighbours are not told apart. Were gaps as estimated, ")
    assert f"{min(pair.more for pair in left):,} more votes would tell " in said
    assert board(4000).neighbours_words == ""
    even = board(counts=[("a", "b", 50, 50), ("b", "c", 50, 50), ("a", "c", 50, 50)])
    assert all(pair.votes is pair.more is None for pair in even.neighbours)
    assert "no number of votes would tell" in even.neighbours_words
    assert json.loads(json.dumps(found.to_dict()))["neighbours"] == [pair.to_row() for pair in found.neighbours]
