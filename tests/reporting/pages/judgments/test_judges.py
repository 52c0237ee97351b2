from __future__ import annotations

import polars as pl
import pytest
from charts import drawn

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.draw.marks import MOST_ROWS
from quorate.reporting.pages.judgments.people import by_category, effects, judges_section, leave_one_out, means


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
    names = tuple(f"vendor/a-model-with-a-very-long-name/{end}" for end in ("2026-thinking", "2026-fast", "2025"))
    rows = drawn(effects(analyze_judgments(q.read(table(prompts=0, labels=names), announce=False)), "judge"))
    assert len({row["level"] for row in rows}) == 3
    assert max(len(row["level"]) for row in rows) <= 34
    assert {row["in_full"] for row in rows} == set(names)
