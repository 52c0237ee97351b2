from __future__ import annotations

from functools import cache

import pytest
import studies
from charts import drawn, spec

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.draw.marks import MOST_ROWS
from quorate.reporting.page import Page
from quorate.reporting.pages.judgments.page import page, stated
from quorate.reporting.paper.record import Record, checklist

NAMES = ("verdict", "sources", "next", "judges", "panel", "single", "checks", "health", "people")
MOST = {"means": MOST_ROWS**2, "frontier": 2000, "flagged": 20 + 20 * 61, "panel-rankings": 2000, "panel-bias": 2000}
TITLED = ("intervals", "components", "per-judgment", "what-if", "single")


@cache
def page_of(name: str) -> Page:
    """The page of a shape, made once."""
    return page(studies.made(name), Record({})).whole


@pytest.fixture(params=studies.ALL)
def made(request) -> Page:
    """The page of each shape in turn."""
    return page_of(request.param)


@pytest.mark.parametrize("name", studies.ALL)
def test_sections_come_in_order(name):
    found = tuple(section.name for section in page_of(name).sections)
    analysis = studies.made(name)
    there = {"panel": analysis.several("judge"), "checks": bool(analysis.diagnosis.checks)}
    assert found == tuple(one for one in NAMES if there.get(one, True))


def test_every_figure_has_its_numbers_and_a_name_of_its_own(made):
    assert all(figure.rows for figure in made.figures)
    assert len({figure.name for figure in made.figures}) == len(made.figures)


def test_every_chart_is_valid_and_small_and_has_its_finding(made):
    for figure in made.figures:
        if figure.chart is not None:
            assert 0 < len(drawn(figure)) <= MOST.get(figure.name, MOST_ROWS), figure.name
            assert figure.caption.finding, figure.name


def test_the_whole_story_of_the_demo():
    assert [figure.name for figure in page_of("demo").figures] == [
        "intervals",
        "components",
        "per-judgment",
        "what-if",
        "effects-judge",
        "effects-prompt",
        "means",
        "leave-one-out",
        "categories",
        "panel-sharings",
        "single",
        "checks",
        "thirds",
        "missing-judge",
        "missing-prompt",
        "statuses",
        "missing-bounds",
        "crossings",
        "support",
        "flagged",
        "flagged-scores",
    ]


@pytest.mark.parametrize("name", TITLED)
def test_axes_have_titles(name):
    figure = next(figure for figure in page_of("demo").figures if figure.name == name)
    assert any(layer["encoding"].get("x", {}).get("title") for layer in spec(figure)["layer"])


def test_captions_say_level_and_n():
    captions = {figure.name: " ".join(figure.caption.lines) for figure in page_of("demo").figures}
    for name in ("intervals", "components", "categories", "effects-judge"):
        assert "95%" in captions[name]
        assert "n = 1,773 judgments (60 items, 5 prompts, 3 judges, 12 categories)" in captions[name]


def test_a_title_is_the_file_or_the_kind_of_frame(table, tmp_path):
    path = tmp_path / "scores.csv"
    table().write_csv(path)
    assert page(analyze_judgments(q.read(path, announce=False)), Record({})).title == "scores.csv"
    assert page_of("demo").title == "Judgments from a polars frame"


def test_the_checklist_counts_what_is_missing(demo):
    figure = stated(checklist(demo))
    assert figure.caption.finding == "11 of 16 items of the reporting checklist are missing"
    assert len(figure.rows) == 16


@pytest.mark.slow
def test_caveats_are_those_of_the_mean_then_those_of_the_panel(shape):
    own, found = shape("panel, incomplete").caveats, page_of("panel, incomplete").caveats
    assert found[: len(own)] == tuple(caveat.sentence for caveat in own)
    assert [sentence.partition(":")[0] for sentence in found[len(own) :]] == [
        "panel of judges, system 0 and 2 more systems"
    ] * 2
    assert len(set(found)) == len(found)


def test_prompts_of_the_record_are_shown_with_their_labels(demo):
    record = Record({"system_prompt": "Be fair.", "prompts": {"a": "Rate it.", "b": "Grade it."}})
    shown = (("system prompt", "Be fair."), ("a", "Rate it."), ("b", "Grade it."))
    assert page(demo, record).prompts == shown
