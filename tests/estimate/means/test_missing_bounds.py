from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, NotEstimable

SCORES = [1.0, 0.0, 1.0, 1.0, None, 0.0, None, 1.0]


def judged(scores, **columns):
    rows = {"item": list(range(len(scores) // 2)) * 2, "judge": ["x"] * (len(scores) // 2) + ["y"] * (len(scores) // 2)}
    return q.read(pl.DataFrame({**rows, **columns, "score": scores}), announce=False)


def test_bounds_by_hand():
    found = q.scores.missing_bounds(judged(SCORES))
    assert [(one.level, one.rows, one.missing) for one in found.levels] == [("all", 8, 2), ("x", 4, 0), ("y", 4, 2)]
    assert (found.overall.low, found.overall.high) == (0.5, 0.75)
    assert [(one.low, one.high) for one in found.levels[1:]] == [(0.75, 0.75), (0.25, 0.75)]
    assert (found.worst, found.best, found.of_scale) == (0, 1, True)
    assert found.unsettled == ()


def test_orders_that_missing_answers_could_reverse_are_named():
    found = q.scores.missing_bounds(judged([1.0, 0.0, 1.0, 0.0, 0.0, None, None, 1.0, *[0.0, 1.0] * 2][:8]))
    assert found.unsettled == ()
    found = q.scores.missing_bounds(judged([1.0, 1.0, 1.0, 0.0, None, None, 0.0, 1.0]), ["judge"])
    assert found.levels[2].high == 0.75
    found = q.scores.missing_bounds(judged([1.0, 1.0, 0.0, 0.0, None, None, 0.0, 0.0, *[0.0] * 0]))
    assert found.unsettled == ()
    found = q.scores.missing_bounds(judged([1.0, 0.0, 0.0, 0.0, None, None, 0.0, 0.0]))
    assert found.unsettled == (("judge", "x", "y"),)
    assert "could reverse 1 order of two levels" in found.sentence


def test_without_a_scale_the_scores_there_are_are_the_ends():
    found = q.scores.missing_bounds(judged([3.1, 6.2, None, 4.5]))
    assert (found.worst, found.best, found.of_scale) == (3.1, 6.2, False)
    wide = q.scores.missing_bounds(judged([3.1, 6.2, None, 4.5]), scale=(0, 10))
    assert wide.overall.low == pytest.approx((3.1 + 6.2 + 4.5) / 4)
    assert wide.of_scale


def test_a_score_beyond_the_scale_is_refused():
    with pytest.raises(InvalidInput, match=r"scale: from 0 to 0.5, and there are scores from 0 to 1"):
        q.scores.missing_bounds(judged(SCORES), scale=(0, 0.5))


def test_without_scores_there_are_no_bounds():
    with pytest.raises(NotEstimable, match="no usable score"):
        q.scores.missing_bounds(judged([None, None]))


@given(st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=8, max_size=8), st.lists(st.integers(1, 5)))
def test_whatever_was_missing_the_mean_is_within_the_bounds(scores, answers):
    scores = [1, 5, *scores]
    found = q.scores.missing_bounds(judged([None if one is None else float(one) for one in scores]), scale=(1, 5))
    filled = [(answers + [3] * 10)[i] if one is None else one for i, one in enumerate(scores)]
    assert found.overall.low - 1e-9 <= sum(filled) / len(filled) <= found.overall.high + 1e-9


def test_the_analysis_has_them_where_answers_are_missing(demo):
    assert demo.missing.overall.missing == 27
    assert demo.to_dict()["missing"]["worst"] == demo.missing.worst
