from __future__ import annotations

from dataclasses import replace

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.document import caveats, reporting, sections, title
from quorate.reporting.paper.checklist import checklist

NAMES = ("verdict", "sources", "next", "judges", "panel", "single", "health", "people")


def named(analysis, name):
    return next(section for section in sections(analysis) if section.name == name)


def test_sections_come_in_order(analysis):
    found = tuple(section.name for section in sections(analysis))
    assert found == (NAMES if analysis.several("judge") else tuple(name for name in NAMES if name != "panel"))


def test_every_figure_has_its_numbers_and_a_name_of_its_own(analysis):
    figures = [figure for section in sections(analysis) for figure in section.figures]
    assert all(figure.rows for figure in figures)
    assert len({figure.name for figure in figures}) == len(figures)


def test_the_whole_story_of_the_demo(demo):
    figures = [figure.name for section in sections(demo) for figure in section.figures]
    assert figures == [
        "intervals",
        "components",
        "per-judgment",
        "frontier",
        "what-if",
        "effects-judge",
        "effects-prompt",
        "means",
        "leave-one-out",
        "categories",
        "panel-sharings",
        "single",
        "missing-judge",
        "missing-prompt",
        "statuses",
        "crossings",
        "support",
        "flagged",
        "flagged-scores",
    ]
    assert demo.answer.sentence in sections(demo)[0].text


def test_what_cannot_be_shown_is_said(shape):
    text = {section.name: " ".join(section.text) for section in sections(shape("items only"))}
    assert "no facet is the judge" in text["verdict"]
    assert "nothing to compare" in text["judges"]
    assert "one configuration" in text["single"]
    assert "No price per call" in text["next"]


def test_designs_that_cannot_be_projected_are_named_with_the_reason(shape):
    text = " ".join(sections(shape("two judges, no replicates"))[2].text)
    assert "Not known: one more replicate. This design weighs" in text


def test_many_judges_are_not_left_out_in_silence(shape):
    assert "The mean without each judge is left out: more than 50" in " ".join(sections(shape("many levels"))[3].text)


def test_health_says_what_is_missing_and_how_many_cells_there_are(demo):
    text = " ".join(named(demo, "health").text)
    assert "900 cells with 0 to 2 answers each; unbalanced." in text
    assert "27 of 1,800 judgments" in text


def test_a_title_is_the_file_or_the_kind_of_frame(demo, table, tmp_path):
    path = tmp_path / "scores.csv"
    table().write_csv(path)
    assert title(analyze_judgments(q.read(path, announce=False))) == "scores.csv"
    assert title(demo) == "Judgments from a polars frame"


def test_items_to_send_to_people_can_be_found(demo):
    section = named(demo, "people")
    flagged, scores = section.figures
    assert section.title == "Items to send to people"
    assert flagged.rows[0]["rows"] == f"\"item_id\" = '{flagged.rows[0]['item']}'"
    assert {row["item"] for row in scores.rows} == {row["item"] for row in flagged.rows}
    assert "they can agree on a mistake" in " ".join(section.text)


def test_items_that_differ_by_chance_alone_have_no_chart(demo):
    none = replace(demo.flags, between=0.0)
    changed = replace(demo)
    changed.__dict__["_flags"] = (none, "")
    flagged = named(changed, "people").figures[0]
    assert flagged.chart is None
    assert flagged.folded
    assert flagged.caption.finding == "The items do not differ in spread by more than chance"


def test_no_spread_is_said(demo):
    changed = replace(demo)
    changed.__dict__["_flags"] = (None, "no item was judged twice")
    assert named(changed, "people").text == ("No item was judged twice.",)


def test_the_checklist_counts_what_is_missing(demo):
    figure = reporting(checklist(demo))
    assert figure.caption.finding == "10 of 15 items of the reporting checklist are missing"
    assert len(figure.rows) == 15


def test_designs_that_were_not_compared_are_said(demo):
    changed = replace(demo)
    changed.__dict__["_optimum"] = (None, "only the sum is known")
    section = sections(changed)[2]
    assert [figure.name for figure in section.figures] == ["what-if"]
    assert "Designs within reach were not compared: only the sum is known." in section.text


def test_caveats_are_those_of_the_mean_then_those_of_the_panel(shape):
    found = shape("panel, incomplete")
    assert caveats(found)[: len(found.caveats)] == found.caveats
    assert [one.code for one in caveats(found)[len(found.caveats) :]] == ["incomplete-scenarios", "few-items"]
    assert len(set(caveats(found))) == len(caveats(found))
