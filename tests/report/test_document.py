from __future__ import annotations

import quorate as q
from quorate.report.document import Provenance, provenance, sections, title
from quorate.report.summary import analyze

NAMES = ("verdict", "sources", "next", "judges", "single", "health")


def test_sections_come_in_order(analysis):
    assert tuple(section.name for section in sections(analysis)) == NAMES


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
        "what-if",
        "effects-judge",
        "effects-prompt",
        "means",
        "leave-one-out",
        "categories",
        "single",
        "missing-judge",
        "missing-prompt",
        "statuses",
        "crossings",
        "support",
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
    text = " ".join(sections(demo)[5].text)
    assert "900 cells with 0 to 2 answers each; unbalanced." in text
    assert "27 of 1,800 judgments" in text


def test_what_is_needed_to_do_it_again(table, tmp_path):
    path = tmp_path / "scores.csv"
    table().write_csv(path)
    analysis = analyze(q.read(path))
    found = provenance(analysis, Provenance("quorate analyze scores.csv", 7))
    assert title(analysis) == "scores.csv"
    assert found["SHA-256 of the input"] == analysis.judgments.source.sha256
    assert found["software"] == f"quorate {q.__version__}"
    assert (found["command"], found["seed"]) == ("quorate analyze scores.csv", "7")
    assert found["estimator"].startswith("REML, criterion ")


def test_a_frame_has_no_file(demo):
    assert title(demo) == "Judgments from a polars frame"
    assert provenance(demo, Provenance())["seed"] == "no random numbers were used"
