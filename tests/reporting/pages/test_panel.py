from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from charts import contrast, drawn, marks_of, scale, spec
from tables import scores_table

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.analysis.panel import APART, LEAST_P, PUBLISHED, PanelAnalysis, promised
from quorate.analysis.words import p_value, significant
from quorate.planning.panel.screening import screen
from quorate.reporting.draw.marks import MOST_ROWS, palette
from quorate.reporting.pages.panel.biases import (
    ALL_SYSTEMS,
    COLOURS,
    PANEL,
    Series,
    axis,
    bias,
    headers,
    joint_tests,
    judges_alone,
    means_by_judge,
    orders,
    preference,
    rankings_by_judge,
)
from quorate.reporting.pages.panel.page import MOST_NAMED, components, lenience, page, panel_caveats, panel_section
from quorate.reporting.pages.panel.page import means as groups_means
from quorate.reporting.pages.panel.page import panels as groups_panels
from quorate.reporting.pages.panel.page import variances as groups_variances
from quorate.reporting.pages.panel.spending import sharings, strategies
from quorate.reporting.print.files import as_html
from quorate.reporting.report import page_of


@pytest.fixture
def view(shape):
    """A panel of four judges, three of which are systems."""
    return shape("panel").judge_panel


def test_every_system_has_rows_of_its_own_in_the_chart_of_means(view):
    rows = drawn(means_by_judge(view))
    assert {row["system"] for row in rows} == {*view.systems.values()}
    assert len({row["of"] for row in rows}) == len({(row["system"], row["speaks for"]) for row in rows}) > 2


@pytest.mark.slow
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


@pytest.mark.slow
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
    for row, (_, found) in zip(joint_tests(view).rows, view.crossed, strict=True):
        assert (row["f"], row["f_published"]) == (found.judge_test.f, found.paper_test.f)
        assert (row["df"], row["df_error"], row["df_error_published"]) == (3, 87, 177)


def test_no_p_value_is_printed_as_zero(view):
    rows = [*bias(view).rows, *joint_tests(view).rows, *preference(view).rows]
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


def test_axes_have_units(shape):
    assert axis(shape("panel").judge_panel, "mean of") == "mean of score (score units)"


def test_heads_name_the_level(shape):
    assert headers(shape("panel").judge_panel)["low"] == "low, 95%"


@pytest.mark.parametrize(
    ("names", "room", "columns"),
    [(("a" * 30, "b" * 30), 280, 1), (("a", "b", "c"), 280, 3), (("a" * 10,) * 4, 190, 2), (("a" * 10,) * 4, 280, 2)],
)
def test_legends_fit_a_narrow_page(names, room, columns):
    series = Series("system", names, ("#000000",) * len(names), ("circle",) * len(names), room)
    assert series.legend()["columns"] == columns


@pytest.mark.parametrize("colour", COLOURS)
def test_colours_of_systems_are_seen_on_white_and_on_black(colour):
    assert min(contrast(colour, page) for page in ("#ffffff", "#14181d")) >= 3


@pytest.fixture
def groups_view(shape):
    table = shape("panel").judge_panel.panel.judgments
    tiers = {name: "dear" if i < 2 else "cheap" for i, name in enumerate(table.facet("judge").levels)}
    return PanelAnalysis(q.judges(table, group=tiers, resamples=100))


def test_three_exhibits_of_groups_have_the_numbers_of_the_panel(groups_view):
    names = [figure.name for figure in page(groups_view).sections[0].figures]
    assert [name for name in names if "group" in name] == [
        "panel-groups",
        "panel-group-variances",
        "panel-group-panels",
    ]
    assert "Each group of judges was fitted by itself" in page(groups_view).methods
    means, variances, panels = (make(groups_view) for make in (groups_means, groups_variances, groups_panels))
    overall = {row["group"]: row["bias"] for row in means.rows if not row["system"]}
    assert overall == {one.judge: one.bias for one in groups_view.panel.group_bias.overall}
    first = groups_view.panel.groups[groups_view.order[0]]
    assert [row["se"] for row in variances.rows[:2]] == [one.se for one in first.variances]
    assert [row["precision"] for row in panels.rows[:4]] == [one.precision for one in first.panels]
    assert panels.caption.finding.startswith("For the same money, judges of ")
    for figure in (means, panels):
        assert drawn(figure)


def test_no_exhibits_without_groups(shape):
    view = shape("panel").judge_panel
    assert (groups_means(view), groups_variances(view), groups_panels(view)) == (None, None, None)


def test_components_are_there_where_the_models_disagree_only(shape):
    assert components(shape("panel, one system").judge_panel) is None
    rows = components(shape("panel, interaction").judge_panel).rows
    found = {(row["component"], row["model"]): row["variance"] for row in rows}
    assert found["item × judge", APART] == pytest.approx(1.44, rel=0.3)
    assert ("item × judge", PUBLISHED) not in found
    assert found["generation", PUBLISHED] < 0 < found["generation", APART]


def test_components_say_what_changes(shape):
    view = shape("panel, interaction").judge_panel
    caption, found = components(view).caption, promised(view.panel.crossed["all"])
    assert caption.finding.startswith("With item × judge set apart, the ")
    assert "n = 30 items × 4 generations × 4 judges" in caption.lines[0]
    published, apart = (significant(found[name]) for name in (PUBLISHED, APART))
    assert f"a standard error of {published} by the published model, of {apart} by the other." in caption.lines[1]


def test_components_are_side_by_side(shape):
    figure = components(shape("panel, interaction").judge_panel)
    assert scale(figure, "color")["domain"] == [APART, PUBLISHED]
    assert len(drawn(figure)) == len(figure.rows) == 9
    assert "squared" in next(layer["encoding"]["x"]["title"] for layer in spec(figure)["layer"][1:])


FIGURES = {
    "panel": ["bias", "means", "tests", "rankings", "orders", "reversals", "preference", "strategies"],
    "panel, one system": ["strategies"],
    "panel, interaction": ["components", "strategies"],
    "demo": ["sharings"],
    "panel, gap": [],
}


@pytest.mark.wide(2)
@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_those_that_have_something_to_say(shape, name):
    found = panel_section(shape(name))
    assert [figure.name.removeprefix("panel-") for figure in found.figures] == FIGURES[name]
    assert found.text


@pytest.mark.slow
def test_there_is_no_section_without_two_judges(shape):
    assert panel_section(shape("one judge")) is None
    assert panel_section(shape("items only")) is None


def test_why_judges_are_not_compared_is_said(shape):
    (line,) = panel_section(shape("panel, gap")).text
    assert line.startswith(
        "The judges are not compared as a panel: judge judge 0 has scored nothing of system system 1"
    )


def test_with_one_system_biases_are_drawn_where_effects_are_not(shape):
    changed = replace(shape("panel, one system"))
    changed.__dict__["_effects"] = ({}, {"judge": "absorbed"})
    figure = panel_section(changed).figures[0]
    assert figure.name == "panel-bias"
    assert figure.chart is not None
    assert all("system" not in row for row in figure.rows)


@pytest.mark.slow
def test_what_was_measured_again_and_again_is_folded(shape):
    folded = {figure.name: figure.folded for figure in panel_section(shape("panel, many")).figures}
    assert folded["panel-orders"]
    assert folded["panel-reversals"]
    assert folded["panel-sharings"]
    assert not folded["panel-bias"]


def test_caveats_name_the_panel_and_the_systems_they_are_about(shape):
    found = panel_caveats(shape("panel, incomplete"))
    assert [one.code for one in found] == ["incomplete-scenarios", "few-items"]
    assert found[0].sentence.startswith("panel of judges, system 0 and 2 more systems: left out so that every judge")


def test_caveats_on_components_are_said_where_components_are_shown(shape):
    assert [one.code for one in panel_caveats(shape("panel, interaction"))] == ["left-negative"]
    assert panel_caveats(shape("panel, one response")) == ()


@pytest.mark.slow
def test_caveats_that_are_said_already_are_not_repeated(panel_table):
    found = analyze_judgments(q.read(panel_table(items=10), announce=False))
    assert "few-items" in {one.code for one in found.caveats} ^ {one.code for one in panel_caveats(found)}


def test_levels_and_the_names_of_systems_are_in_the_heads(panel_table):
    frame = panel_table().rename({"system": "model"})
    roles = {"system": "model", "item": "item", "judge": "judge", "generation": "generation"}
    figure = panel_section(analyze_judgments(q.read(frame, facets=roles, announce=False), level=0.8)).figures[0]
    assert figure.headers["low"] == "low, 80%"


@pytest.mark.slow
def test_judges_and_systems_of_the_published_study_reproduce_its_biases():
    import polars as pl

    from quorate.simulate.demo import panel_table as published

    found = panel_section(analyze_judgments(q.read(pl.DataFrame(published()), announce=False)))
    bias = {(row["judge"], row["system"]): row["bias"] for row in found.figures[0].rows}
    assert bias["Qwen", "Qwen"] == pytest.approx(0.89, abs=0.005)
    assert bias["Qwen", "GPT"] == pytest.approx(-0.81, abs=0.005)
    assert "Qwen puts Qwen above GPT" in " ".join(found.text)


@pytest.mark.wide(1)
@pytest.mark.parametrize("name", ["panel", "panel, one system", "panel, incomplete"])
def test_a_panel_has_a_page_of_its_own(shape, name):
    view = shape(name).judge_panel
    made = page(view.panel)
    assert made.sentence == view.panel.sentence
    assert made.figures[0].name == "panel-bias"
    assert all(drawn(figure) for figure in made.figures if figure.chart)
    assert json.dumps(made.content(), allow_nan=False)
    assert made.facts.rows[0] == {"what": "judges", "value": len(view.panel.means.judges)}


def test_a_page_of_a_panel_is_what_report_writes(shape):
    panel = shape("panel").judge_panel.panel
    made = page_of(panel)
    assert made.title == page(panel).title == "Panel of judges, from a polars frame"
    assert "Greenhouse" in made.methods
    assert made.sentence == panel.sentence


def test_hostile_labels_are_one_line_and_short_where_they_are_printed(shape):
    out = as_html(page(shape("panel, hostile labels").judge_panel.panel))
    assert not any(c in out for c in "\u2028\u202e\x00")
    assert "<script>alert(1)" not in out


def text_of(analysis) -> str:
    return " ".join(panel_section(analysis).text)


def test_who_is_off_comes_first(shape):
    first = panel_section(shape("panel, one system")).text[0]
    assert first.startswith("judge 0 (+0.")
    assert "is lenient" in first
    assert first.endswith("; all 4 judges looked at together (Holm), 95%.")


def test_many_judges_are_counted_not_named(table):
    view = analyze_judgments(q.read(table(items=60, judges=20, prompts=0), announce=False)).judge_panel
    text = lenience(view)
    assert "judges are lenient, most of all judge" in text
    assert text.count("(+") + text.count("(-") <= MOST_NAMED + 1


def test_the_test_is_the_adjusted_one(shape):
    test = shape("panel, one system").judge_panel.panel.crossed["all"].judge_test
    text, p = text_of(shape("panel, one system")), p_value(test.p_adjusted, LEAST_P)
    assert f"The judges differ: F(3, 87) = {test.f:.1f}, {p}, against item × judge" in text
    assert "As published" not in text


def test_where_the_models_disagree_the_published_test_stands_beside_and_is_explained(shape):
    text = text_of(shape("panel, interaction"))
    assert "As published, with item × judge pooled into the residual, the test would be F(3, 357) = " in text
    assert "judges differ by item: who is strict on one is lenient on another" in text


def test_tests_that_contradict_each_other_stand_side_by_side(panel_table):
    frame = panel_table(items=12, systems=1, generations=8, interaction=1.2, seed=2)
    analysis = analyze_judgments(q.read(frame, announce=False))
    found = analysis.judge_panel.panel.crossed["all"]
    assert "judge effect" in found.differs
    pooled, apart = (p_value(p, LEAST_P) for p in (found.paper_test.p, found.judge_test.p_adjusted))
    assert f"{pooled}, and {apart} with it set apart" in text_of(analysis)


def test_panels_that_are_not_crossed_are_tested_by_their_items(demo):
    test = demo.judge_panel.panel.bias.joint
    numbers = f"F(2, {test.df2:.4g}) = {test.statistic:.2f}, {p_value(test.p, LEAST_P)}"
    assert f"The judges differ: {numbers}, over items." in text_of(demo)


def test_with_several_systems_judges_are_tested_on_average_one_at_a_time_and_for_depending_on_the_system(shape):
    text = text_of(shape("panel"))
    assert ", averaged over the systems." in text
    assert "Taken one at a time, the judges differ on 3 of 3 systems (largest p " in text
    assert "The judges' biases depend on the system: F(6, 24) = " in text


def test_sure_reversals_are_named_first(shape):
    text = text_of(shape("panel"))
    assert "GPT puts Qwen above GPT (sure)" in text
    assert text.index("(sure)") < text.index("(possible)") if "(possible)" in text else True


@pytest.mark.slow
def test_no_reversal_is_said(panel_table):
    analysis = analyze_judgments(q.read(panel_table(), announce=False))
    assert "No judge alone would reverse the order of any two systems." in panel_section(analysis).text


def test_reasons_are_given_where_they_would_be_missed_only(shape):
    assert "no judge has the name of a system" in text_of(shape("panel, one response"))
    assert "Studies were not redrawn from these scores: no two responses" in text_of(shape("panel, incomplete"))
    assert "Not shown" not in text_of(shape("panel, one system")) + text_of(shape("panel"))


def test_too_few_items_for_a_cycle_are_said(panel_table):
    few = panel_table(items=4, judges=6, systems=1, generations=1)
    text = text_of(analyze_judgments(q.read(few, announce=False)))
    assert "Not shown, ways to share the calls out: layout: 'cyclic' takes 6 turns" in text


@pytest.mark.wide(2)
def test_no_sentence_prints_a_p_of_zero(analysis):
    if analysis.judge_panel is not None:
        assert "p = 0," not in text_of(analysis)


@pytest.fixture
def rankings_view(shape):
    """A panel in which one judge turns the order round."""
    return shape("panel").judge_panel


def test_ranks_are_those_of_the_means(rankings_view):
    rows = rankings_by_judge(rankings_view, rankings_view.panel.reversals).rows
    for judge in {row["judge"] for row in rows}:
        own = sorted((row for row in rows if row["judge"] == judge), key=lambda row: row["rank"])
        assert [row["mean"] for row in own] == sorted((row["mean"] for row in own), reverse=True)
    assert [row["moved"] for row in rows if row["judge"] == PANEL] == [0, 0, 0]
    assert sum(row["moved"] for row in rows) == 0


def test_a_judge_who_turns_the_order_round_is_counted(rankings_view):
    rows = {row["judge"]: row for row in orders(rankings_view, rankings_view.panel.reversals).rows}
    assert rows[PANEL]["order"] == "GPT > Qwen > Llama"
    assert rows["GPT"]["order"].startswith("Qwen > GPT")
    assert rows["GPT"]["other_first"]
    assert rows["GPT"]["surely_reversed"] == 1
    assert judges_alone(rankings_view, rankings_view.panel.reversals).rows[0]["reversal"] == "sure"


def test_the_finding_on_rankings_is_who_would_put_another_first(rankings_view):
    finding = rankings_by_judge(rankings_view, rankings_view.panel.reversals).caption.finding
    assert finding == "GPT alone would put Qwen first, the panel GPT (sure)"


def test_one_test_of_all_judges_does_not_deny_who_is_strict():
    """Four judges score alike and noisily, one a little lower and always by the same."""
    rng = np.random.default_rng(13)
    noise = rng.normal(size=(12, 4))
    last = noise.mean(axis=1) - 0.5 + 0.1 * rng.normal(size=12)
    scores = np.column_stack([noise, last]) + np.arange(12)[:, None]
    rows = [(i, f"j{j}", scores[i, j]) for i, j in np.ndindex(scores.shape)]
    text = text_of(analyze_judgments(scores_table(rows, "item judge score")))
    assert "j4 (-0.358) is strict" in text
    assert "One test of all judges does not show that they differ: F(4, 44)" in text
    assert "are not shown to differ" not in text


def test_another_first_is_sure_only_if_that_pair_is_turned_round_for_sure():
    """The first judge has c a little above a, and far above b; the last has a and b equal."""
    means = np.array([[5.0, 4.0, 5.01], [5.0, 4.9, 4.0], [5.0, 5.0, 4.0]])
    scores = np.random.default_rng(2).normal(size=(40, 3, 3)) * 0.2
    scores += means - scores.mean(axis=0)
    rows = [(i, f"j{j}", "abc"[s], scores[i, j, s]) for i, j, s in np.ndindex(scores.shape)]
    view = analyze_judgments(scores_table(rows, "item judge system score")).judge_panel
    found = view.panel.reversals
    assert [(one.second, one.first, one.sure) for one in found.found] == [("c", "b", True), ("c", "a", False)]
    assert rankings_by_judge(view, found).caption.finding == "j0 alone would put c first, the panel a (possible)"
    by = {row["judge"]: row["order"] for row in orders(view, found).rows}
    assert (by["j0"], by["j1"], by["j2"]) == ("c > a > b", "a > b > c", "a = b > c")


def test_several_judges_who_would_put_another_first_are_counted(panel_table):
    frame = panel_table(judges=4, systems=4, labels=("a", "b", "c", "d"), own=2.0)
    several = analyze_judgments(q.read(frame, announce=False)).judge_panel
    most = "3 of 4 judges alone would put another system first than the panel"
    finding = rankings_by_judge(several, several.panel.reversals).caption.finding
    assert finding == f"{most}; 3 of them reverse an order for sure"


def test_reversals_are_counted_sure_and_possible(rankings_view):
    found = rankings_view.panel.reversals
    finding = judges_alone(rankings_view, found).caption.finding
    assert finding.endswith(f": {len(found.sure)} sure, {len(found.possible)} possible")


def test_a_system_has_the_same_colour_and_shape_in_every_chart(rankings_view):
    figures = bias(rankings_view), rankings_by_judge(rankings_view, rankings_view.panel.reversals)
    for channel in ("color", "shape"):
        both = [scale(figure, channel) for figure in figures]
        first, second = (dict(zip(one["domain"], one["range"], strict=True)) for one in both)
        assert second.items() <= first.items()
        assert len(set(first.values())) == 4


def test_many_systems_make_a_table_of_ranks(shape):
    many = shape("panel, many").judge_panel
    figure = rankings_by_judge(many, many.panel.reversals)
    assert marks_of(figure) == ["rect", "text"]
    assert len({row["across"] for row in drawn(figure)}) == 12
    assert "orange" in " ".join(figure.caption.lines)


@pytest.mark.parametrize("name", ["panel", "panel, many", "panel, hostile labels"])
def test_findings_are_one_line_and_not_too_long(shape, name):
    found = shape(name).judge_panel
    for exhibit in (rankings_by_judge, orders, judges_alone):
        figure = exhibit(found, found.panel.reversals)
        if figure is not None:
            assert len(figure.caption.finding) < 200


def test_who_is_chosen_and_what_else_the_money_buys(judged):
    found = screen(judged({"item": 24, "judge": 5}, seed=1), budget=60)
    page = page_of(found)
    panels, judges, frontier = page.figures
    assert panels.rows[0]["half"] == found.half_width
    assert {row["place"] for row in judges.rows} <= {"kept", "left out"}
    assert len(frontier.rows) == len(found.frontier)
    assert "resampled pilots" in page.sections[1].text[0]


@pytest.fixture
def spending_view(shape):
    """A panel with two responses to every item."""
    return shape("panel").judge_panel


def test_strategies_have_the_exact_value_the_redrawn_one_and_the_one_for_items_like_these(spending_view):
    rows = strategies(spending_view).rows
    own = [row for row in rows if row["system"] == "GPT"]
    assert rows[: len(own)] == own
    assert len(own) == 9
    for row in own:
        assert row["redrawn"] == pytest.approx(row["se"], abs=5 * row["error"])
        assert row["se"] < row["half_like_these"]
    assert all(row["se"] is None and row["half_like_these"] > 0 for row in rows[9:])


def test_the_gain_of_cycling_is_that_of_the_exact_variances(spending_view):
    figure = strategies(spending_view)
    se = {row["strategy"]: row["se"] for row in figure.rows if row["calls"] == 4 and row["se"]}
    assert f"{1 - se['cyclic'] / se['all judges']:.0%} below that of all judges" in figure.caption.finding
    assert f"{1 - se['cyclic'] / se['random judge']:.0%} below that of random ones" in figure.caption.finding
    text = " ".join(figure.caption.lines)
    assert "They agree: " in text
    assert f"about {math.sqrt(2) - 1:.0%} larger" in text
    assert "Drawn: GPT, which the panel puts first; the table has every system." in text


def test_strategies_are_lines_on_log_axes_with_redrawn_studies_and_their_error(spending_view):
    figure = strategies(spending_view)
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
