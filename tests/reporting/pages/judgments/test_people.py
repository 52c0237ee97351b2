from __future__ import annotations

import re
from dataclasses import replace

import duckdb
import polars as pl
import pytest
from charts import drawn

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.draw.marks import MOST_ROWS
from quorate.reporting.pages.judgments.people import (
    BINS,
    MOST_ENDS,
    by_category,
    conditions,
    effects,
    flagged,
    flagged_scores,
    judges_section,
    leave_one_out,
    literal,
    means,
    people_section,
    single,
    single_section,
    where,
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


@pytest.mark.slow
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


LABELS = (
    "it's",
    '"',
    "'; DROP TABLE t; --",
    "two\nlines",
    "\u202eflip",
    "مرحبا",
    "=1+1",
    "%_\\",
    "tab\there",
    " ",
    "12",
)


@pytest.mark.parametrize("label", LABELS)
def test_a_condition_selects_the_rows_of_its_label_and_no_others(label):
    column = 'item "id"'
    frame = pl.DataFrame({column: [*LABELS, "other"], "score": range(len(LABELS) + 1)})
    judgments = q.read(frame, facets={"item": column})
    condition = where(judgments, {"item": label})
    found = duckdb.from_arrow(frame.to_arrow()).filter(condition).fetchall()
    assert [row[0] for row in found] == [label]
    assert condition.isprintable()


def test_numbers_and_what_has_no_label_are_found():
    frame = pl.DataFrame({"item": [1, 2, 3], "judge": ["x", None, "y"], "score": [1, 2, 3]})
    judgments = q.read(frame, facets={"item": "item", "judge": "judge"})
    relation = duckdb.from_arrow(frame.to_arrow())
    assert relation.filter(where(judgments, {"item": "2"})).fetchall() == [(2, None, 2)]
    absent = next(level for level in judgments.facet("judge").levels if level not in "xy")
    assert relation.filter(where(judgments, {"item": "2", "judge": absent})).fetchall() == [(2, None, 2)]


def test_an_empty_text_is_an_empty_text():
    assert literal("") == "''"


def test_effects_come_highest_first_and_who_stands_apart_is_named(demo):
    figure = effects(demo, "judge")
    assert [row["level"] for row in figure.rows] == ["judge-a", "judge-b", "judge-c"]
    assert figure.rows[0]["effect"] == demo.effects["judge"][0].effect
    assert figure.caption.finding == "judge-a scores 0.221 above the mean of the judges"


def test_nobody_stands_apart(table):
    quiet = table(items=4, judges=2, prompts=0, replicates=1, seed=4)
    figure = effects(analyze_judgments(q.read(quiet)), "judge")
    assert figure.caption.finding == "No judge stands apart: every interval holds the mean of the judges"


def test_means_are_those_of_the_cells(demo):
    figure = means(demo)
    rows = {(row["row"], row["column"]): row["mean"] for row in figure.rows}
    assert rows["judge-b", "prompt-2"] == demo.means.mean[1, 1]
    assert len(rows) == 15
    assert figure.caption.finding == "Means run from 6.610 (judge-c, prompt-4) to 7.206 (judge-a, prompt-5)"


def test_leaving_one_out_changes_the_mean(demo):
    figure = leave_one_out(demo)
    assert figure.rows[0]["change"] == pytest.approx(demo.leave_one_out[0].estimate.value - demo.setup.value)
    assert figure.caption.finding == "Without judge-a the mean moves most, by -0.110"


def test_categories_run_from_the_lowest_to_the_highest(demo):
    figure = by_category(demo)
    assert len(figure.rows) == 12
    assert figure.caption.finding == "Categories run from 6.431 (category-02) to 7.338 (category-04)"


def test_a_part_without_an_estimate_says_why(table):
    alone = pl.when(pl.col("item") == "item 0").then(pl.lit("alone")).otherwise(pl.lit("rest"))
    figure = by_category(analyze_judgments(q.read(table().with_columns(category=alone))))
    rows = {row["level"]: row for row in figure.rows}
    assert rows["alone"]["mean"] is None
    assert rows["alone"]["why_not"]
    assert rows["rest"]["why_not"] == ""


@pytest.mark.slow
def test_many_levels_are_never_one_mark_each(shape):
    many = shape("many levels")
    assert len(drawn(effects(many, "judge"))) == MOST_ROWS
    assert len(drawn(means(many))) == MOST_ROWS**2
    assert "And 5 more: the table has all." in effects(many, "judge").caption.lines


def test_many_judges_are_not_left_out_in_silence(shape):
    assert "The mean without each judge is left out: more than 50" in " ".join(
        judges_section(shape("many levels")).text
    )


def test_nothing_to_compare_is_said(shape):
    assert "nothing to compare" in " ".join(judges_section(shape("items only")).text)


def test_long_labels_on_an_axis_can_be_told_apart_and_read_in_full(table):
    start = "vendor/a-model-with-a-very-long-name-that-goes-on-and-on-and-on"
    names = tuple(f"{start}/{end}" for end in ("2026-thinking", "2026-fast", "2025"))
    rows = drawn(effects(analyze_judgments(q.read(table(prompts=0, labels=names), announce=False)), "judge"))
    assert len({row["level"] for row in rows}) == 3
    assert max(len(row["level"]) for row in rows) <= 2 * 34  # in two lines
    assert {row["in_full"] for row in rows} == set(names)


def test_single_configurations_come_by_their_mean(demo):
    rows = single(demo).rows
    assert len(rows) == 15
    assert sum(row["naive_misses"] for row in rows) == sum(one.misses for one in demo.naive.single)
    assert [row["mean"] for row in rows] == sorted(row["mean"] for row in rows)


def test_configurations_are_named_by_what_differs(shape):
    assert {row["configuration"] for row in single(shape("one judge")).rows} == {"prompt 0", "prompt 1"}


def test_how_many_configurations_would_have_missed(demo):
    misses = sum(one.misses for one in demo.naive.single)
    finding = f"{misses} of 15 single configurations would have missed the mean of all"
    assert single(demo).caption.finding == finding


def test_of_many_evenly_spaced_ones_are_shown(shape):
    figure = single(shape("many levels"))
    assert len(drawn(figure)) == MOST_ROWS
    assert re.match(r"And 2,755 more: evenly spaced", figure.caption.lines[-1])


def test_one_configuration_is_said(shape):
    assert "one configuration" in " ".join(single_section(shape("items only")).text)
