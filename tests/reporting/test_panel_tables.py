from __future__ import annotations

import math

import numpy as np
import pytest

from quorate.analysis.panel import APART, PUBLISHED
from quorate.reporting import panel_tables as tables


def view_of(shape, name="panel"):
    return shape(name).judge_panel


def test_biases_are_those_of_the_panel_most_lenient_first(shape):
    view = view_of(shape)
    rows = tables.bias(view)
    overall = [row for row in rows if row["system"] == tables.ALL_SYSTEMS]
    assert overall[0]["judge"] == "GPT"
    assert overall[0]["verdict"] == "lenient"
    assert [row["bias"] for row in overall] == sorted((row["bias"] for row in overall), reverse=True)
    assert {row["judge"]: row["bias"] for row in overall} == {one.judge: one.bias for one in view.panel.bias.overall}
    assert len(rows) == 4 + 12


def test_tests_stand_beside_the_published_ones(shape):
    view = view_of(shape)
    for row, name in zip(tables.tests(view), view.order, strict=True):
        found = view.panel.crossed[name]
        assert (row["f"], row["f_published"]) == (found.judge_test.f, found.paper_test.f)
        assert (row["df"], row["df_error"], row["df_error_published"]) == (3, 87, 177)


def test_no_p_value_is_printed_as_zero(shape):
    rows = [*tables.bias(view_of(shape)), *tables.tests(view_of(shape)), *tables.preference(view_of(shape))]
    said = [row[name] for row in rows for name in ("p", "p_holm", "p_published") if name in row]
    assert said
    assert all(text.startswith("<") or float(text) > 0 for text in said)


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "< 1e-16"), (3e-17, "< 1e-16"), (2e-16, "2e-16"), (1.0, "1"), (math.nan, "not known")]
)
def test_p_values_as_text(p, text):
    assert tables.p_text(p) == text


def test_ranks_are_those_of_the_means(shape):
    rows = tables.rankings(view_of(shape))
    for judge in {row["judge"] for row in rows}:
        own = sorted((row for row in rows if row["judge"] == judge), key=lambda row: row["rank"])
        assert [row["mean"] for row in own] == sorted((row["mean"] for row in own), reverse=True)
    assert [row["moved"] for row in rows if row["judge"] == tables.PANEL] == [0, 0, 0]
    assert sum(row["moved"] for row in rows) == 0


def test_a_judge_who_turns_the_order_round_is_counted(shape):
    rows = {row["judge"]: row for row in tables.orders(view_of(shape))}
    assert rows[tables.PANEL]["order"] == "GPT > Qwen > Llama"
    assert rows["GPT"]["order"].startswith("Qwen > GPT")
    assert rows["GPT"]["other_first"]
    assert rows["GPT"]["surely_reversed"] == 1
    assert tables.reversals(view_of(shape))[0]["reversal"] == "sure"


def test_with_one_system_nothing_is_ranked(shape):
    view = view_of(shape, "panel, one system")
    assert tables.rankings(view) == tables.orders(view) == tables.reversals(view) == tables.preference(view) == []


def test_every_judge_that_is_a_system_has_a_row_on_itself(shape):
    rows = tables.preference(view_of(shape))
    assert {row["judge"] for row in rows} == {"GPT", "Llama", "Qwen"}
    assert all(row["low"] < row["effect"] < row["high"] for row in rows)


def test_components_are_there_where_the_models_disagree_only(shape):
    assert tables.components(view_of(shape, "panel, one system")) == []
    rows = tables.components(view_of(shape, "panel, interaction"))
    found = {(row["component"], row["model"]): row["variance"] for row in rows}
    assert found["item × judge", APART] == pytest.approx(1.44, rel=0.3)
    assert ("item × judge", PUBLISHED) not in found
    assert found["generation", PUBLISHED] < 0 < found["generation", APART]


def test_strategies_have_the_exact_value_the_redrawn_one_and_the_one_for_items_like_these(shape):
    view = view_of(shape)
    rows = tables.strategies(view)
    drawn = [row for row in rows if row["system"] == "GPT"]
    assert rows[: len(drawn)] == drawn
    assert len(drawn) == 9
    for row in drawn:
        assert row["redrawn"] == pytest.approx(row["se"], abs=5 * row["error"])
        assert row["se"] < row["se_like_these"]
    assert all(row["se"] is None and row["se_like_these"] > 0 for row in rows[9:])


def test_sharings_are_those_of_the_panel(shape):
    view = view_of(shape, "panel, one response")
    rows = tables.sharings(view)
    assert [row["system"] for row in rows] == [name for name in view.order for _ in range(4)]
    assert [row["calls"] for row in rows[:4]] == [90, 30, 30, 90]
    assert np.argmin([row["se"] for row in rows[:4]]) == 3


def test_hostile_labels_are_one_line_and_short(shape):
    view = view_of(shape, "panel, hostile labels")
    texts = [
        value
        for rows in (tables.bias(view), tables.orders(view), tables.reversals(view), tables.strategies(view))
        for row in rows
        for value in row.values()
        if isinstance(value, str)
    ]
    assert max(map(len, texts)) <= 302
    assert not any(c in text for text in texts for c in "\n\r\u2028\u202e\x00")
