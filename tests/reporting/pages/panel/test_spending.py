from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from charts import drawn, marks_of, spec

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.panel.spending import sharings, strategies


@pytest.fixture
def view(shape):
    """A panel with two responses to every item."""
    return shape("panel").judge_panel


def test_strategies_have_the_exact_value_the_redrawn_one_and_the_one_for_items_like_these(view):
    rows = strategies(view).rows
    own = [row for row in rows if row["system"] == "GPT"]
    assert rows[: len(own)] == own
    assert len(own) == 9
    for row in own:
        assert row["redrawn"] == pytest.approx(row["se"], abs=5 * row["error"])
        assert row["se"] < row["half_like_these"]
    assert all(row["se"] is None and row["half_like_these"] > 0 for row in rows[9:])


def test_the_gain_of_cycling_is_that_of_the_exact_variances(view):
    figure = strategies(view)
    se = {row["strategy"]: row["se"] for row in figure.rows if row["calls"] == 4 and row["se"]}
    assert f"{1 - se['cyclic'] / se['all judges']:.0%} below that of all judges" in figure.caption.finding
    assert f"{1 - se['cyclic'] / se['random judge']:.0%} below that of random ones" in figure.caption.finding
    text = " ".join(figure.caption.lines)
    assert "They agree: " in text
    assert f"about {math.sqrt(2) - 1:.0%} larger" in text
    assert "Drawn: GPT, which the panel puts first; the table has every system." in text


def test_strategies_are_lines_on_log_axes_with_redrawn_studies_and_their_error(view):
    figure = strategies(view)
    layers = spec(figure)["layer"]
    assert marks_of(figure) == ["line", "rule", "point"]
    assert {layer["encoding"][axis]["scale"]["type"] for layer in layers for axis in "xy"} == {"log"}
    assert layers[0]["encoding"]["y"]["title"] == "standard error of the mean of score (score units)"
    rows = drawn(figure)
    assert {row["system"] for row in rows} == {"GPT"}
    assert len(rows) == 9
    assert all(row["high"] - row["low"] == pytest.approx(2 * row["error"]) for row in rows)


def test_without_redrawn_studies_the_projection_is_drawn_and_said_to_be_one(shape):
    figure = strategies(shape("panel, incomplete").judge_panel)
    assert marks_of(figure) == ["line", "point"]
    assert {layer["encoding"]["y"]["field"] for layer in spec(figure)["layer"]} == {"half_like_these"}
    text = " ".join(figure.caption.lines)
    assert "as projected from the fitted components" in text
    assert "redrawn" not in text


def test_all_judges_ahead_of_a_cycle_is_said_to_be_no_reason_to_prefer_them():
    from quorate.simulate.strategies import simulated_scores

    x = simulated_scores(12, 2, gamma=(0.3, 0.0, -0.3), eps=1.0, rng=3).x
    rows = [
        {"item": i, "generation": g, "judge": f"j{j}", "score": float(x[i, g, j])}
        for i in range(12)
        for g in range(2)
        for j in range(3)
    ]
    figure = strategies(analyze_judgments(q.read(pl.DataFrame(rows), announce=False)).judge_panel)
    se = {row["strategy"]: row["se"] for row in figure.rows if row["calls"] == 3}
    assert se["cyclic"] > se["all judges"]
    assert "not below that of all judges" in figure.caption.finding
    assert "take the two as equal" in " ".join(figure.caption.lines)


def test_sharings_compare_one_judge_in_turn_with_all(shape):
    view = shape("panel, one response").judge_panel
    figure = sharings(view)
    assert [row["system"] for row in figure.rows] == [name for name in view.order for _ in range(4)]
    assert [row["calls"] for row in figure.rows[:4]] == [90, 30, 30, 90]
    assert np.argmin([row["half"] for row in figure.rows[:4]]) == 3
    finding = figure.caption.finding
    assert finding.startswith("System 0: with these judges, one for each item in turn finds ±")
    assert "for 30 calls; every judge ±" in finding
