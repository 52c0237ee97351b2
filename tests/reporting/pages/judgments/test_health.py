from __future__ import annotations

import polars as pl
from charts import contrast, drawn

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.judgments.diagnosis import crossings, health_section, missing, statuses, support


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
