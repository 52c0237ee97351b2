from __future__ import annotations

import json

import pytest

import quorate as q
from quorate.reporting.report import page_of, write

STUDIES = ["tee.safety", "tee.frontier", "cyclic.table1", "lee.tables"]


@pytest.fixture(scope="module")
def page():
    return page_of(q.reproduce(STUDIES))


def test_a_section_for_every_paper_with_its_figures_redrawn(page):
    assert [section.name for section in page.sections] == ["errata", "tee", "cyclic", "lee"]
    assert [figure.name for figure in page.figures] == [
        *("tee-safety", "safety-shares", "tee-frontier", "frontier", "tee-ours"),
        *("cyclic-table1", "biases", "lee-tables", "sample-size"),
    ]
    assert page.sections[0].text[0].startswith("E3: ")
    assert page.sections[1].title == "Messing (2026)"
    assert page.seed == 1


def test_the_table_has_every_published_figure_with_its_verdict(page):
    [figures] = [one for one in page.figures if one.name == "lee-tables"]
    rows = {row["figure"]: row for row in figures.rows}
    assert rows["worked example, margin .06 (section 3.5)"]["verdict"] == "agrees"
    assert rows["code, power 0.9 (appendix D.8)"]["verdict"] == "disagrees: erratum E3"
    assert rows["1051 judgments, ICC 0.01 (Table 3)"]["ours"] == "unattainable"


def test_charts_are_drawn(page):
    for figure in page.figures:
        if figure.chart is not None:
            assert json.dumps(figure.chart()["layer"]), figure.name


@pytest.mark.parametrize("ending", ["md", "json"])
def test_it_is_written(page, ending, tmp_path):
    text = write(page, tmp_path / f"page.{ending}").read_text(encoding="utf-8")
    assert "Messing (2026)" in text or ending == "json"
    assert "E3" in text


def test_what_files_are_needed_for_is_folded():
    page = page_of(q.reproduce(["tee.pilot"]))
    [figure] = page.figures
    assert figure.folded
    assert figure.caption.lines[0].startswith("Needs data/processed/pilot_vs_full_likert_cot.csv of the replication")
    assert {row["verdict"] for row in figure.rows} == {"cannot be recomputed"}
