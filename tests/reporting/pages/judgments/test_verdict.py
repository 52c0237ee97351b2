from __future__ import annotations

import pytest
from charts import drawn

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.pages.judgments.page import intervals
from quorate.reporting.report import page_of


def test_intervals_are_naive_panel_population(demo):
    rows = {row["interval"]: row for row in intervals(demo).rows}
    assert list(rows) == ["naive", "this setup", "others like it"]
    assert rows["this setup"]["se"] == demo.fit.mean.se
    assert (rows["naive"]["low"], rows["naive"]["n"]) == (demo.naive.overall.low, 1773)


def test_the_name_of_the_only_interval(shape):
    assert [row["interval"] for row in intervals(shape("one judge")).rows] == ["naive", "this setup"]
    assert [row["interval"] for row in intervals(shape("items only")).rows] == ["naive", "this setup"]


def test_the_finding_on_the_naive_interval_is_the_ratio_of_widths(demo):
    ratio = demo.setup.half_width / ((demo.naive.overall.high - demo.naive.overall.low) / 2)
    finding = intervals(demo).caption.finding
    assert finding == f"The naive interval is {ratio:.1f} times too narrow with these 5 prompts and 3 judges"


@pytest.mark.parametrize(
    ("name", "scope"), [("one judge", ", with these 2 prompts, with this judge only"), ("items only", "")]
)
def test_whom_the_interval_speaks_for(shape, name, scope):
    assert intervals(shape(name)).caption.lines[1] == f"This setup speaks for items like these{scope}."


def test_points_are_the_numbers_of_the_table(demo):
    figure = intervals(demo)
    assert {row["interval"]: row["mean"] for row in drawn(figure)} == {r["interval"]: r["mean"] for r in figure.rows}


def test_a_mean_is_not_shown_beyond_the_scores(table):
    tiny = analyze_judgments(q.read(table(items=2, judges=2, prompts=0, replicates=1)))
    scores, rows = tiny.support.facts.scores, drawn(intervals(tiny))
    assert any(row["beyond_high"] for row in rows)
    assert all(scores.low <= row["shown_low"] <= row["shown_high"] <= scores.high for row in rows)


def test_the_answer_comes_first_and_what_is_not_there_is_said(demo, shape):
    assert page_of(demo).sentence.startswith(demo.answer.sentence)
    assert "2 prompts cannot tell how other prompts differ" in page_of(shape("one judge")).sentence
