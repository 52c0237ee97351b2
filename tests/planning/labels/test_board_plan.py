from __future__ import annotations

import json

import pytest
from tests.estimate.ratings.test_corrected_ratings import frame, labelled

import quorate as q


@pytest.fixture(scope="module")
def board():
    return q.agreement.corrected_ratings(q.read_votes(labelled(frame(2000, favour=0.5), 300), announce=False), "person")


def test_labels_for_a_half_width_are_those_of_the_variance(board):
    now = [one.half_width for one in q.agreement.plan_board_labels(board).gaps]
    same = q.agreement.plan_board_labels(board, half_width=sum(now) / len(now))
    assert 0.5 * board.labels < min(one.labels for one in same.gaps) <= max(one.labels for one in same.gaps) < 900
    tight = q.agreement.plan_board_labels(board, half_width=0.2, units=20_000, price=0.5)
    for one in tight.gaps:
        assert one.labels < one.people
    alone = board.people.difference(tight.gaps[0].first, tight.gaps[0].second)
    needed = (1.96 * alone.se / 0.2) ** 2 * board.labels
    assert tight.gaps[0].people == pytest.approx(needed, rel=0.01)
    share = tight.explained
    assert tight.gaps[0].labels == pytest.approx((1 - share) / (1 / needed - share / 20_000), rel=0.01)
    assert (tight.more, tight.cost) == (tight.labels - 300, 0.5 * (tight.labels - 300))
    assert f"{tight.labels:,} labelled battles, {tight.more:,} more than now" in tight.sentence


def test_neighbours_are_told_apart_by_their_gaps(board):
    plan = q.agreement.plan_board_labels(board)
    by_gap = sorted(plan.gaps, key=lambda one: one.gap)
    assert by_gap[0].labels == plan.labels
    likelier = q.agreement.plan_board_labels(board, power=0.5)
    assert all(one.labels < other.labels for one, other in zip(likelier.gaps, plan.gaps, strict=True))
    found = q.agreement.plan_board_labels(board, margin=by_gap[0].gap)
    same = {(one.first, one.second): one.labels for one in found.gaps}
    assert same[by_gap[0].first, by_gap[0].second] == by_gap[0].labels
    assert json.loads(json.dumps(plan.to_dict()))["labels"] == plan.labels
    assert [row["labels"] for row in plan.rows()] == [one.labels for one in plan.gaps]


def test_no_number_is_enough_for_a_gap_of_next_to_nothing(board):
    plan = q.agreement.plan_board_labels(board, half_width=1e-9)
    assert plan.labels is plan.more is plan.cost is plan.people is None
    assert "no number of labels is enough; 0 of 3 gaps have enough" in plan.sentence


def test_what_is_refused(board):
    for options, message in (
        ({"half_width": 0}, "half_width: a number above 0"),
        ({"half_width": 1, "margin": 1}, "half_width: not with"),
        ({"units": 10}, "units: at least the 2,000 battles"),
        ({"price": -1}, "price: a finite amount"),
        ({"power": 0.01}, "power"),
    ):
        with pytest.raises(q.InvalidInput, match=message):
            q.agreement.plan_board_labels(board, **options)
