from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.reporting.draw import marks


def row(value: float, low: float, high: float) -> dict[str, float]:
    return {"mean": value, "low": low, "high": high}


def test_an_interval_inside_the_window_is_drawn_whole():
    found = marks.drawn(row(1, 0.5, 1.5), (0, 2), "#000000")
    assert (found["shown_low"], found["shown_high"], found["beyond_low"], found["beyond_high"]) == (
        0.5,
        1.5,
        False,
        False,
    )


def test_an_unbounded_interval_ends_in_an_arrow():
    found = marks.drawn(row(1, 0, math.inf), (0, 2), "#000000")
    assert (found["shown_low"], found["shown_high"], found["beyond_low"], found["beyond_high"]) == (0, 2, False, True)


@pytest.mark.parametrize("end", [None, math.nan])
def test_no_interval_is_not_drawn(end):
    found = marks.drawn(row(1, end, end), (0, 2), "#000000")
    assert (found["shown_low"], found["beyond_high"]) == (None, False)


finite = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(finite, st.floats(0, 1e6)), min_size=1, max_size=9))
def test_a_window_holds_every_point(points):
    rows = [row(value, value - half, value + half) for value, half in points]
    low, high = marks.around(rows, "mean")
    assert all(low < one["mean"] < high for one in rows)


def test_one_very_long_interval_does_not_squash_the_others():
    rows = [row(0, -1, 1), row(1, 0, 2), row(2, -1000, 1000)]
    low, high = marks.around(rows, "mean")
    assert -12 < low < high < 12


def test_points_without_intervals_have_a_window():
    assert marks.around([row(1, math.nan, math.nan)], "mean", 0.0) == pytest.approx((-0.06, 1.06))


@pytest.mark.parametrize(
    ("points", "highs", "top"),
    [([1, 2], [3, math.inf], 3.15), ([1], [100], 2.625), ([0], [4], 4.2), ([0], [math.inf], 1)],
)
def test_a_window_from_zero(points, highs, top):
    assert marks.from_zero(points, highs) == pytest.approx((0, top))


def test_a_pointer_shows_the_row_without_what_draws_it():
    rows = [{"level": "a", "n": 1200, "mean": 0.5, "colour": "#000000"}]
    encoding = marks.chart(rows, marks.labels("level"), step=20).parts["encoding"]
    assert [(one["field"], one.get("format")) for one in encoding["tooltip"]] == [
        ("level", None),
        ("n", ","),
        ("mean", ".4~r"),
    ]


def test_a_chart_has_as_many_rows_as_fit():
    rows = [{"x": float(i)} for i in range(-100, 101)]
    assert [r["x"] for r in marks.furthest(rows, "x")][::49] == [-100, 100]
    assert len(marks.spread(rows)) == marks.MOST_ROWS
    assert marks.spread(rows)[-1]["x"] == 100
    assert marks.spread(rows[:3]) == rows[:3]


def test_a_label_that_is_cut_and_one_that_is_not_are_both_there_in_full():
    rows = [{"judge": "j" * 60, "value": 1.0}, {"judge": "short", "value": 2.0}]
    values = marks.chart(rows, marks.labels("judge"), step=20).rows
    assert [row["in_full"] for row in values] == ["j" * 60, "short"]
    assert values[1]["judge"] == "short"
