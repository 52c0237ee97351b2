from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from charts import drawn

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.judgments.people import (
    BINS,
    MOST_ENDS,
    conditions,
    flagged,
    flagged_scores,
    people_section,
)


def test_flagged_items_have_their_spread_in_score_units_and_their_rows(demo):
    rows, found = flagged(demo, demo.flags).rows, demo.flags.flags
    assert [row["spread"] ** 2 for row in rows] == pytest.approx([one.variance for one in found])
    assert rows[0]["rows"] == conditions(demo)[0] == f"\"item_id\" = '{found[0].labels['item']}'"


def test_scores_of_flagged_items_are_those_of_their_cells(demo):
    first = demo.flags.flags[0]
    rows = [row for row in flagged_scores(demo, demo.flags).rows if row["item"] == first.labels["item"]]
    assert len(rows) == first.cells == 15
    assert sum(row["judgments"] for row in rows) == first.n
    assert [row["mean"] for row in rows] == sorted(row["mean"] for row in rows)
    assert (min(row["lowest"] for row in rows), max(row["highest"] for row in rows)) == (first.lowest, first.highest)


def test_of_many_configurations_both_ends_are_listed(shape):
    many = shape("many levels")
    assert len(flagged_scores(many, many.flags).rows) == 2 * MOST_ENDS * len(many.flags.flags)


@pytest.mark.parametrize("name", ["demo", "many levels", "hostile items"])
def test_every_configuration_of_a_flagged_item_is_in_the_picture(shape, name):
    analysis = shape(name)
    figure = flagged(analysis, replace(analysis.flags, between=1.0))
    dots = [row for row in drawn(figure) if "lowest" not in row]
    counts: dict[str, int] = {}
    for row in dots:
        counts[row["item"]] = counts.get(row["item"], 0) + row["configurations"]
    assert sorted(counts.values()) == sorted(one.cells for one in analysis.flags.flags)
    assert len(dots) <= (BINS + 1) * len(figure.rows)


def test_the_worst_item_and_its_scores_are_named(demo):
    first, caption = demo.flags.flags[0], flagged(demo, demo.flags).caption
    ends = f"{first.labels['item']} most, scored {first.lowest:.4g} to {first.highest:.4g}"
    assert caption.finding.endswith(ends)
    assert "over prompts and judges" in caption.lines[0]


def test_an_item_whose_name_is_a_number_is_called_an_item(table):
    frame = table(items=30).with_columns(item=pl.col("item").str.slice(5))
    apart = pl.when((pl.col("item") == "7") & (pl.col("judge") == "judge 0")).then(9.0).otherwise(0.0)
    found = analyze_judgments(q.read(frame.with_columns(score=pl.col("score") + apart), announce=False))
    assert "; item 7 most, scored " in flagged(found, found.flags).caption.finding


def test_items_to_send_to_people_can_be_found(demo):
    found = people_section(demo)
    main, scores = found.figures
    assert found.title == "Items to send to people"
    assert main.rows[0]["rows"] == f"\"item_id\" = '{main.rows[0]['item']}'"
    assert {row["item"] for row in scores.rows} == {row["item"] for row in main.rows}
    assert "they can agree on a mistake" in " ".join(found.text)


def test_items_that_differ_by_chance_alone_have_no_chart(demo):
    figure = flagged(demo, replace(demo.flags, between=0.0))
    assert figure.chart is None
    assert figure.folded
    assert figure.caption.finding == "The items do not differ in spread by more than chance"


def test_no_spread_is_said(demo):
    changed = replace(demo)
    changed.__dict__["_flags"] = (None, "no item was judged twice")
    assert people_section(changed).text == ("No item was judged twice.",)
