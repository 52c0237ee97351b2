from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.analysis import panel as panel_view
from quorate.analysis.judgments import analyze_judgments
from quorate.analysis.panel import APART, BUDGETS, PUBLISHED, REPETITIONS, promised, validations


def read(frame: pl.DataFrame) -> q.Judgments:
    return q.read(frame, announce=False)


def test_the_system_that_the_panel_puts_first_is_drawn(shape):
    view = shape("panel").judge_panel
    assert view.drawn == view.order[0] == view.panel.reversals.order[0] == "GPT"


def test_studies_are_redrawn_from_the_scores_of_that_system(shape):
    check = shape("panel").judge_panel.check
    assert (check.shape, check.repetitions) == ((30, 2, 4), REPETITIONS)
    assert {one.budget for one in check.checks} == {times * 4 for times in BUDGETS}
    assert check.agrees


def test_large_pools_are_not_redrawn_and_the_reason_says_so(shape, monkeypatch):
    found = analyze_judgments(shape("panel, one system").judgments)
    monkeypatch.setattr(panel_view, "MOST_REDRAWN", 30 * 4 - 1)
    assert found.judge_panel.check is None
    assert found.judge_panel.check_reason.startswith("30 items by 4 judges are many to redraw here")


def test_one_response_cannot_be_redrawn(shape):
    view = shape("panel, one response").judge_panel
    assert (view.drawn, view.check, view.check_reason) == (None, None, "")


@pytest.mark.slow
def test_responses_that_not_every_judge_scored_cannot_be_redrawn(shape):
    view = shape("panel, incomplete").judge_panel
    assert view.check is None
    assert view.check_reason == "no two responses to each item were scored by every judge"


@pytest.mark.parametrize("name", ["one judge", "items only"])
def test_no_panel_and_nothing_to_excuse_with_one_judge(shape, name):
    found = shape(name)
    assert (found.judge_panel, found.judge_panel_reason) == (None, "")


@pytest.mark.slow
def test_judges_by_another_name_are_no_panel(panel_table):
    frame = panel_table().rename({"judge": "rater"})
    roles = {name: name for name in ("item", "rater", "system", "generation")}
    assert analyze_judgments(q.read(frame, facets=roles, announce=False)).judge_panel is None


def test_very_large_studies_are_left_to_the_command_of_their_own(panel_table, monkeypatch):
    frame = panel_table()
    monkeypatch.setattr(panel_view, "MOST_CELLS", len(frame) - 1)
    assert "720 cells are too many to look at in a report" in analyze_judgments(read(frame)).judge_panel_reason


@pytest.mark.slow
def test_a_model_of_a_large_study_is_not_fitted_but_plain_means_are(panel_table, monkeypatch):
    frame = panel_table()
    monkeypatch.setattr(panel_view, "MOST_FITTED", 100)
    assert analyze_judgments(read(frame)).judge_panel.panel.means.reason == ""
    reason = analyze_judgments(read(frame.sample(fraction=0.9, seed=1))).judge_panel_reason
    assert reason.startswith("some answers are missing, so a model is needed, and 648 cells by 12 combinations")


def test_judgments_without_a_score_are_no_gap_for_nothing(panel_table, monkeypatch):
    """A cell that was asked and not answered makes the panel incomplete."""
    frame = panel_table().with_columns(score=pl.when(pl.col("item") != "item 3").then("score"))
    monkeypatch.setattr(panel_view, "MOST_FITTED", 100)
    assert analyze_judgments(read(frame)).judge_panel is not None
    one = panel_table().with_columns(score=pl.when(pl.int_range(pl.len()) != 5).then("score"))
    assert analyze_judgments(read(one)).judge_panel is None


@pytest.mark.slow
def test_level_and_price_are_those_of_the_analysis(shape):
    found = analyze_judgments(shape("panel, one response").judgments, level=0.8, price=0.01)
    assert found.judge_panel.panel.level == 0.8
    sharing = found.judge_panel.panel.sharings["system 0"][0].projection
    assert sharing.cost == pytest.approx(0.01 * sharing.calls)


def test_labels_can_be_told_apart(panel_table):
    labels = tuple(f"vendor/a-model-with-a-very-long-name-in-{year}" for year in (2024, 2025, 2026))
    view = analyze_judgments(read(panel_table(judges=3, labels=labels))).judge_panel
    for names in (view.judges, view.systems, view.short["judge"], view.short["system"]):
        assert tuple(names) == labels
        assert len(set(names.values())) == 3


def test_everything_is_json(shape):
    found = json.loads(json.dumps(shape("panel").judge_panel.to_dict(), allow_nan=False))
    assert np.isclose(sum(one["bias"] for one in found["bias"]["overall"]), 0)
    assert found["validation"]["system"] == "GPT"
    assert json.loads(json.dumps(shape("panel, one response").judge_panel.to_dict()))["validation"] is None


def test_many_systems_or_many_dots_are_many(shape):
    assert shape("panel, many").judge_panel.many
    assert not shape("panel, hostile labels").judge_panel.many
    assert not shape("panel").judge_panel.many


def test_there_are_as_many_colours_as_systems_told_apart():
    from quorate.reporting.pages.panel.biases import COLOURS, SHAPES

    assert len(set(COLOURS)) == len(set(SHAPES)) == panel_view.MOST_SYSTEMS


def test_what_cycling_is_promised_is_its_closed_form(shape):
    one = shape("panel, interaction").judge_panel.panel.crossed["all"]
    found = promised(one)
    apart = (one.separated.beta + one.separated.eps) / (one.n * one.k)
    assert found[APART] == pytest.approx(math.sqrt(apart))
    assert found[PUBLISHED] == pytest.approx(math.sqrt(one.paper.eps / (one.n * one.k)))
    assert found[PUBLISHED] > found[APART]


def test_every_system_is_redrawn_from_its_own_scores(shape, monkeypatch):
    drawn = []
    monkeypatch.setattr("quorate.simulate.strategies.validate_strategies", lambda table: drawn.append(table) or "done")
    panel = shape("panel").judge_panel.panel
    assert validations(panel) == dict.fromkeys(panel.means.systems, "done")
    assert [one.n_levels("system") for one in drawn] == [1, 1, 1]
    assert list(validations(shape("panel, one system").judge_panel.panel).values()) == ["done"]


def test_a_panel_says_what_it_is_in_a_notebook(shape):
    view = shape("panel").judge_panel
    assert view.sentence in repr(view) or repr(view).endswith("...)")
    assert [row["judge"] for row in view.rows()][:4] == [one.judge for one in view.panel.bias.overall]
    assert "<table>" in view._repr_html_()
