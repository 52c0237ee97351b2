from __future__ import annotations

import pytest
from charts import drawn, marks_of, scale

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.panel.biases import PANEL, bias, orders, rankings, reversals


@pytest.fixture
def view(shape):
    """A panel in which one judge turns the order round."""
    return shape("panel").judge_panel


def test_ranks_are_those_of_the_means(view):
    rows = rankings(view, view.panel.reversals).rows
    for judge in {row["judge"] for row in rows}:
        own = sorted((row for row in rows if row["judge"] == judge), key=lambda row: row["rank"])
        assert [row["mean"] for row in own] == sorted((row["mean"] for row in own), reverse=True)
    assert [row["moved"] for row in rows if row["judge"] == PANEL] == [0, 0, 0]
    assert sum(row["moved"] for row in rows) == 0


def test_a_judge_who_turns_the_order_round_is_counted(view):
    rows = {row["judge"]: row for row in orders(view, view.panel.reversals).rows}
    assert rows[PANEL]["order"] == "GPT > Qwen > Llama"
    assert rows["GPT"]["order"].startswith("Qwen > GPT")
    assert rows["GPT"]["other_first"]
    assert rows["GPT"]["surely_reversed"] == 1
    assert reversals(view, view.panel.reversals).rows[0]["reversal"] == "sure"


def test_the_finding_on_rankings_is_who_would_put_another_first(view):
    finding = rankings(view, view.panel.reversals).caption.finding
    assert finding == "GPT alone would put Qwen first, the panel GPT (sure)"


def test_several_judges_who_would_put_another_first_are_counted(panel_table):
    frame = panel_table(judges=4, systems=4, labels=("a", "b", "c", "d"), own=2.0)
    several = analyze_judgments(q.read(frame, announce=False)).judge_panel
    most = "3 of 4 judges alone would put another system first than the panel"
    finding = rankings(several, several.panel.reversals).caption.finding
    assert finding == f"{most}; 3 of them reverse an order for sure"


def test_reversals_are_counted_sure_and_possible(view):
    found = view.panel.reversals
    finding = reversals(view, found).caption.finding
    assert finding.endswith(f": {len(found.sure)} sure, {len(found.possible)} possible")


def test_a_system_has_the_same_colour_and_shape_in_every_chart(view):
    figures = bias(view), rankings(view, view.panel.reversals)
    for channel in ("color", "shape"):
        both = [scale(figure, channel) for figure in figures]
        first, second = (dict(zip(one["domain"], one["range"], strict=True)) for one in both)
        assert second.items() <= first.items()
        assert len(set(first.values())) == 4


def test_many_systems_make_a_table_of_ranks(shape):
    many = shape("panel, many").judge_panel
    figure = rankings(many, many.panel.reversals)
    assert marks_of(figure) == ["rect", "text"]
    assert len({row["across"] for row in drawn(figure)}) == 12
    assert "orange" in " ".join(figure.caption.lines)


@pytest.mark.parametrize("name", ["panel", "panel, many", "panel, hostile labels"])
def test_findings_are_one_line_and_not_too_long(shape, name):
    found = shape(name).judge_panel
    for exhibit in (rankings, orders, reversals):
        figure = exhibit(found, found.panel.reversals)
        if figure is not None:
            assert len(figure.caption.finding) < 200
