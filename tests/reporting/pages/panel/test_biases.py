from __future__ import annotations

import pytest
from charts import drawn, marks_of, scale

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.draw.marks import MOST_ROWS, palette
from quorate.reporting.pages.panel.biases import ALL_SYSTEMS, bias, preference, tests


@pytest.fixture
def view(shape):
    """A panel of four judges, three of which are systems."""
    return shape("panel").judge_panel


def test_biases_are_those_of_the_panel_most_lenient_first(view):
    rows = bias(view).rows
    overall = [row for row in rows if row["system"] == ALL_SYSTEMS]
    assert overall[0]["judge"] == "GPT"
    assert overall[0]["verdict"] == "lenient"
    assert [row["bias"] for row in overall] == sorted((row["bias"] for row in overall), reverse=True)
    assert {row["judge"]: row["bias"] for row in overall} == {one.judge: one.bias for one in view.panel.bias.overall}
    assert len(rows) == 4 + 12


def test_the_finding_on_biases_is_whose_depends_most_on_the_system(view):
    figure = bias(view)
    spans = {}
    for row in figure.rows:
        if row["system"] != ALL_SYSTEMS:
            spans.setdefault(row["judge"], []).append(row["bias"])
    assert max(spans, key=lambda judge: max(spans[judge]) - min(spans[judge])) == "GPT"
    assert figure.caption.finding.startswith("The bias of GPT differs by ")
    assert figure.caption.finding.endswith(f"from {min(spans['GPT']):+.2g} to {max(spans['GPT']):+.2g}")


def test_biases_that_do_not_depend_on_the_system_are_said_to_be_alike(panel_table):
    alike = analyze_judgments(q.read(panel_table(), announce=False)).judge_panel
    assert bias(alike).caption.finding.endswith("no bias is shown to depend on the system")


def test_captions_say_scope_level_and_n(view):
    text = " ".join(bias(view).caption.lines)
    assert "it says who differs, not who is right" in text
    assert "95% intervals" in text
    assert "n = 30 items" in text
    assert "without gold labels the two cannot be told apart" in " ".join(preference(view).caption.lines)


def test_a_model_is_named_with_its_reason(shape):
    caption = bias(shape("panel, incomplete").judge_panel).caption
    assert caption.lines[-1] == "By a model, because some answers are missing."


def test_points_are_the_numbers_of_the_table(view):
    points = {(row["judge"], row["system"]): row["bias"] for row in drawn(bias(view))}
    assert points == {(row["judge"], row["system"]): row["bias"] for row in bias(view).rows}


def test_many_systems_make_a_table_of_colours(shape):
    figure = bias(shape("panel, many").judge_panel)
    assert marks_of(figure) == ["rect", "text"]
    low, middle, high = scale(figure, "color")["domain"]
    assert (low, middle) == (-high, 0)
    assert max(len(row["across"]) for row in drawn(figure)) <= 14
    assert len({row["across"] for row in drawn(figure)}) == 12
    assert "orange" in " ".join(figure.caption.lines)
    assert "orange" not in " ".join(bias(shape("panel").judge_panel).caption.lines)


def test_judges_beyond_what_a_chart_shows_are_in_the_table(panel_table):
    many = panel_table(items=8, judges=60, systems=1, generations=1)
    figure = bias(analyze_judgments(q.read(many, announce=False)).judge_panel)
    assert len(drawn(figure)) == MOST_ROWS < len(figure.rows) == 60


def test_tests_stand_beside_the_published_ones(view):
    for row, (_, found) in zip(tests(view).rows, view.crossed, strict=True):
        assert (row["f"], row["f_published"]) == (found.judge_test.f, found.paper_test.f)
        assert (row["df"], row["df_error"], row["df_error_published"]) == (3, 87, 177)


def test_no_p_value_is_printed_as_zero(view):
    rows = [*bias(view).rows, *tests(view).rows, *preference(view).rows]
    texts = [row[name] for row in rows for name in ("p", "p_holm", "p_published") if name in row]
    assert texts
    assert all(text.startswith("<") or float(text) > 0 for text in texts)


def test_every_judge_that_is_a_system_has_a_row_on_itself(view):
    figure = preference(view)
    assert {row["judge"] for row in figure.rows} == {"GPT", "Llama", "Qwen"}
    assert all(row["low"] < row["effect"] < row["high"] for row in figure.rows)
    assert {row["colour"] for row in drawn(figure)} == {palette(["item", "judge", "system", "generation"])["judge"]}
    assert len(drawn(figure)) == 3


def test_a_preference_that_may_be_chance_is_said_to(view, panel_table):
    few = panel_table(items=6, labels=("a", "b", "c", "d"), seed=4)
    chance = analyze_judgments(q.read(few, announce=False)).judge_panel
    assert preference(chance).caption.finding.endswith(", which may be chance")
    assert preference(view).caption.finding.endswith(" lower than expected")
