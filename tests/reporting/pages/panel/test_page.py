from __future__ import annotations

import json
from dataclasses import replace

import pytest
from charts import drawn

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.panel.page import page, panel_caveats, panel_section
from quorate.reporting.print.files import as_html
from quorate.reporting.report import page_of

FIGURES = {
    "panel": ["bias", "means", "tests", "rankings", "orders", "reversals", "preference", "strategies"],
    "panel, one system": ["strategies"],
    "panel, interaction": ["components", "strategies"],
    "demo": ["sharings"],
    "panel, gap": [],
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_those_that_have_something_to_say(shape, name):
    found = panel_section(shape(name))
    assert [figure.name.removeprefix("panel-") for figure in found.figures] == FIGURES[name]
    assert found.text


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


def test_what_was_measured_again_and_again_is_folded(shape):
    folded = {figure.name: figure.folded for figure in panel_section(shape("panel, many")).figures}
    assert folded["panel-orders"]
    assert folded["panel-reversals"]
    assert folded["panel-sharings"]
    assert not folded["panel-bias"]


def test_caveats_name_the_panel_and_the_systems_they_are_about(shape):
    found = panel_caveats(shape("panel, incomplete"))
    assert [one.code for one in found] == ["incomplete-scenarios", "few-items"]
    assert found[0].sentence.startswith("panel of judges, system 0 and 2 more systems: left out to have as many")


def test_caveats_on_components_are_said_where_components_are_shown(shape):
    assert [one.code for one in panel_caveats(shape("panel, interaction"))] == ["left-negative"]
    assert panel_caveats(shape("panel, one response")) == ()


def test_caveats_that_are_said_already_are_not_repeated(panel_table):
    found = analyze_judgments(q.read(panel_table(items=10), announce=False))
    assert "few-items" in {one.code for one in found.caveats} ^ {one.code for one in panel_caveats(found)}


def test_levels_and_the_names_of_systems_are_in_the_heads(panel_table):
    frame = panel_table().rename({"system": "model"})
    roles = {"system": "model", "item": "item", "judge": "judge", "generation": "generation"}
    figure = panel_section(analyze_judgments(q.read(frame, facets=roles, announce=False), level=0.8)).figures[0]
    assert figure.headers["low"] == "low, 80%"


def test_judges_and_systems_of_the_published_study_reproduce_its_biases():
    import polars as pl

    from quorate.simulate.panel_demo import panel_table as published

    found = panel_section(analyze_judgments(q.read(pl.DataFrame(published()), announce=False)))
    bias = {(row["judge"], row["system"]): row["bias"] for row in found.figures[0].rows}
    assert bias["Qwen", "Qwen"] == pytest.approx(0.89, abs=0.005)
    assert bias["Qwen", "GPT"] == pytest.approx(-0.81, abs=0.005)
    assert "Qwen puts Qwen above GPT" in " ".join(found.text)


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
    assert "GPT puts Qwen above GPT" in as_html(made)


def test_hostile_labels_are_one_line_and_short_where_they_are_printed(shape):
    out = as_html(page(shape("panel, hostile labels").judge_panel.panel))
    assert not any(c in out for c in "\u2028\u202e\x00")
    assert "<script>alert(1)" not in out
