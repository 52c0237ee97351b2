from __future__ import annotations

import math

import pytest

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.analysis.panel import APART, PUBLISHED, promised
from quorate.analysis.words import significant
from quorate.reporting import panel_captions as captions
from quorate.reporting import panel_tables as tables


def view_of(shape, name="panel"):
    return shape(name).judge_panel


def test_the_finding_on_biases_is_whose_depends_most_on_the_system(shape):
    finding = captions.bias(view_of(shape)).finding
    spans = {}
    for row in tables.bias(view_of(shape)):
        if row["system"] != tables.ALL_SYSTEMS:
            spans.setdefault(row["judge"], []).append(row["bias"])
    assert max(spans, key=lambda judge: max(spans[judge]) - min(spans[judge])) == "GPT"
    assert finding.startswith("The bias of GPT differs by ")
    assert finding.endswith(f"from {min(spans['GPT']):+.2g} to {max(spans['GPT']):+.2g}")


def test_biases_that_do_not_depend_on_the_system_are_said_to_be_alike(panel_table):
    view = analyze_judgments(q.read(panel_table(), announce=False)).judge_panel
    assert captions.bias(view).finding.endswith("no bias is shown to depend on the system")


def test_captions_say_scope_level_and_n(shape):
    text = " ".join(captions.bias(view_of(shape)).lines)
    assert "it says who differs, not who is right" in text
    assert "95% intervals" in text
    assert "n = 30 items" in text
    assert "without gold labels the two cannot be told apart" in " ".join(captions.preference(view_of(shape)).lines)


def test_a_model_is_named_with_its_reason(shape):
    assert (
        captions.bias(view_of(shape, "panel, incomplete")).lines[-1] == "By a model, because some answers are missing."
    )


def test_the_finding_on_rankings_is_who_would_put_another_first(shape):
    assert captions.rankings(view_of(shape)).finding == "GPT alone would put Qwen first, the panel GPT (sure)"


def test_several_judges_who_would_put_another_first_are_counted(panel_table):
    frame = panel_table(judges=4, systems=4, labels=("a", "b", "c", "d"), own=2.0)
    view = analyze_judgments(q.read(frame, announce=False)).judge_panel
    finding = captions.rankings(view).finding
    assert (
        finding
        == "3 of 4 judges alone would put another system first than the panel; 3 of them reverse an order for sure"
    )


def test_reversals_are_counted_sure_and_possible(shape):
    found = view_of(shape).panel.reversals
    finding = captions.reversals(view_of(shape)).finding
    assert finding.endswith(f": {len(found.sure)} sure, {len(found.possible)} possible")


def test_a_preference_that_may_be_chance_is_said_to(shape, panel_table):
    labels = ("a", "b", "c", "d")
    chance = analyze_judgments(q.read(panel_table(items=6, labels=labels, seed=4), announce=False)).judge_panel
    assert captions.preference(chance).finding.endswith(", which may be chance")
    assert captions.preference(view_of(shape)).finding.endswith(" lower than expected")


def test_components_say_what_changes(shape):
    view = view_of(shape, "panel, interaction")
    caption = captions.components(view)
    found = promised(view.panel.crossed["all"])
    assert caption.finding.startswith("With item × judge set apart, the ")
    assert "n = 30 items × 4 generations × 4 judges" in caption.lines[0]
    published, apart = (significant(found[name]) for name in (PUBLISHED, APART))
    assert f"a standard error of {published} by the published model, of {apart} by the other." in caption.lines[1]


def test_the_gain_of_cycling_is_that_of_the_exact_variances(shape):
    view = view_of(shape)
    se = {row["strategy"]: row["se"] for row in tables.strategies(view) if row["calls"] == 4 and row["se"]}
    finding = captions.strategies(view).finding
    assert f"{1 - se['cyclic'] / se['all judges']:.0%} below that of all judges" in finding
    assert f"{1 - se['cyclic'] / se['random judge']:.0%} below that of random ones" in finding
    text = " ".join(captions.strategies(view).lines)
    assert "They agree: " in text
    assert f"about {math.sqrt(2) - 1:.0%} larger" in text
    assert "Drawn: GPT, which the panel puts first; the table has every system." in text


def test_without_redrawn_studies_the_projection_is_drawn_and_said_to_be_one(shape):
    text = " ".join(captions.strategies(view_of(shape, "panel, incomplete")).lines)
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
    import polars as pl

    view = analyze_judgments(q.read(pl.DataFrame(rows), announce=False)).judge_panel
    se = {row["strategy"]: row["se"] for row in tables.strategies(view) if row["calls"] == 3}
    assert se["cyclic"] > se["all judges"]
    assert "not below that of all judges" in captions.strategies(view).finding
    assert "take the two as equal" in " ".join(captions.strategies(view).lines)


def test_sharings_compare_one_judge_in_turn_with_all(shape):
    view = view_of(shape, "panel, one response")
    finding = captions.sharings(view).finding
    assert finding.startswith("System 0: one judge for each item in turn has a standard error of ")
    assert "for 30 calls; every judge" in finding


@pytest.mark.parametrize("name", ["panel", "panel, many", "panel, hostile labels", "panel, incomplete"])
def test_findings_are_one_line_and_not_too_long(shape, name):
    view = view_of(shape, name)
    for caption in (captions.bias, captions.tests, captions.rankings, captions.orders, captions.reversals):
        finding = caption(view).finding
        assert len(finding) < 200
        assert "\n" not in finding


def test_axes_have_units(shape):
    assert captions.score_axis(view_of(shape), "mean of") == "mean of score (score units)"


def test_tables_of_colours_say_how_to_read_them(shape):
    for caption in (captions.bias, captions.rankings):
        assert "orange" in " ".join(caption(view_of(shape, "panel, many")).lines)
        assert "orange" not in " ".join(caption(view_of(shape)).lines)
