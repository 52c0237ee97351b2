from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import studies
from charts import contrast, drawn
from tables import scores_table

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.judgments.diagnosis import (
    MOST_POINTS,
    checks_section,
    crossings,
    health_section,
    missing,
    page,
    statuses,
    support,
)
from quorate.reporting.report import page_of


@pytest.fixture(scope="module")
def found(judged):
    judgments = judged({"item": 40, "prompt": 3, "judge": 4}, replicates=2)
    return q.diagnose(q.decompose(judgments), resamples=99)


def test_sections_and_figures(found):
    made = page(found)
    assert [section.name for section in made.sections] == ["checks", "residuals", "effects"]
    names = [figure.name for figure in made.figures]
    assert names[:3] == ["checks", "residuals", "thirds"]
    assert {"normal-item", "normal-item-judge", "normal-residual"} <= set(names)
    assert "Holm" in made.methods
    for figure in made.figures:
        assert figure.rows
        if figure.chart is not None:
            assert 0 < len(drawn(figure)) <= MOST_POINTS


def test_checks_are_rows_with_what_to_do(found):
    rows = page(found).figures[0].rows
    assert len(rows) == len(found.checks)
    assert all(row["meaning"] and row["remedy"] for row in rows)
    tested = [row["p"] for row in rows if row["p"] is not None and row["verdict"] != "stands out"]
    assert tested == sorted(tested)


def test_without_draws_there_are_no_effects(found):
    made = page(q.diagnose(found.fit, resamples=0))
    assert [section.name for section in made.sections] == ["checks", "residuals"]
    assert np.isnan([one.p for one in found.checks if one.verdict == "described"]).all()


def test_checks_of_the_demo():
    found = checks_section(studies.made("demo"))
    assert [figure.name for figure in found.figures] == ["checks", "thirds"]
    assert len(found.figures[0].rows) == len(studies.made("demo").diagnosis.checks)
    assert "quorate analyze --check" in found.text[-1]


def test_nothing_to_look_at_is_no_section():
    assert checks_section(studies.made("one judge")) is None or checks_section(studies.made("one judge")).figures


def test_what_is_missing(demo):
    figure = missing(demo, "judge")
    assert sum(row["without_score"] for row in figure.rows) == 27
    assert figure.rows[0]["share"] == max(row["share"] for row in figure.rows)
    assert {row["status"]: row["rows"] for row in statuses(demo).rows}["ok"] == 1773
    assert figure.caption.finding.startswith("0.8% to 1.8% of the judgments have no usable score")


def test_every_pair_of_facets_meets(demo):
    layouts = {(row["facet"], row["with"]): row["layout"] for row in crossings(demo).rows}
    assert layouts["item", "category"] == "nested"


def test_gaps_in_the_crossing_are_the_finding(table):
    frame = table(items=10).filter(~((pl.col("judge") == "judge 0") & (pl.col("prompt") == "prompt 1")))
    figure = crossings(analyze_judgments(q.read(frame, announce=False)))
    assert figure.caption.finding == "Prompts and judges are crossed in part: 83.3% of the pairs occur"
    whole = crossings(analyze_judgments(q.read(table(), announce=False)))
    assert whole.caption.finding == "All facets are crossed completely"


def test_every_pair_of_facets_is_drawn_and_its_words_can_be_read(shape):
    rows = drawn(crossings(shape("unbalanced")))
    assert len(rows) == 6
    assert {row["layout"]: row["text"] for row in rows}["nested"] == "item in category"
    assert all(contrast(row["colour"], row["ink"]) >= 4.5 for row in rows)


def test_support_puts_what_is_not_possible_first(demo):
    assert [row["possible"] for row in support(demo).rows] == sorted(one.possible for one in demo.support.analyses)


def test_health_says_what_is_missing_and_how_many_cells_there_are(demo):
    text = " ".join(health_section(demo).text)
    assert "900 cells with 0 to 2 answers each; unbalanced." in text
    assert "27 of 1,800 judgments" in text


def test_page_and_section_say_both_shares():
    rng = np.random.default_rng(6)
    rows = [
        (f"i{i}", f"j{j}", f"p{p}", int(rng.random() < 0.75 + 0.1 * j + 0.1 * (i % 2)))
        for i in range(20) for j in range(2) for p in range(2)
    ]  # fmt: skip
    table = scores_table(rows, "item judge prompt score")
    found = q.analyze(table)
    fit = found.latent
    (section,) = [one for one in page_of(found).whole.sections if one.name == "latent"]
    (figure,) = page_of(fit).sections[0].figures
    assert section.figures[0].rows == figure.rows
    assert {row["term"]: row["share"] for row in figure.rows} == {one.name: one.share for one in fit.components}
    assert figure.chart() is not None
    assert fit.sentence in section.text
