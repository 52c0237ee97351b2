from __future__ import annotations

from functools import cache

import pytest
import studies
from charts import drawn, spec
from tables import scores_table

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.reporting.draw.marks import MOST_ROWS
from quorate.reporting.page import Page
from quorate.reporting.pages.judgments import phrases
from quorate.reporting.pages.judgments.page import (
    changed,
    components,
    intervals,
    page,
    per_judgment,
    purchases_section,
    stated,
    what_if,
)
from quorate.reporting.pages.judgments.people import effects
from quorate.reporting.paper.record import Record, checklist
from quorate.reporting.paper.writeup import writeup
from quorate.reporting.report import page_of as verdict_page_of

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


@pytest.mark.wide(2)
@pytest.mark.parametrize("name", studies.ALL)
def test_sections_come_in_order(name):
    found = tuple(section.name for section in page_of(name).sections)
    analysis = studies.made(name)
    there = {"panel": analysis.several("judge"), "checks": bool(analysis.diagnosis.checks)}
    assert found == tuple(one for one in NAMES if there.get(one, True))


def test_every_figure_has_its_numbers_and_a_name_of_its_own(made):
    assert all(figure.rows for figure in made.figures)
    assert len({figure.name for figure in made.figures}) == len(made.figures)


@pytest.mark.wide(2)
def test_every_chart_is_valid_and_small_and_has_its_finding(made):
    for figure in made.figures:
        if figure.chart is not None:
            assert 0 < len(drawn(figure)) <= MOST.get(figure.name, MOST_ROWS), figure.name
            assert figure.caption.finding, figure.name


def test_the_whole_story_of_the_demo():
    assert [figure.name for figure in page_of("demo").figures] == [
        *("intervals", "components", "per-judgment", "what-if", "effects-judge", "effects-prompt", "means"),
        *("leave-one-out", "categories", "panel-sharings", "single", "checks", "thirds", "missing-judge"),
        *("missing-prompt", "statuses", "missing-bounds", "crossings", "support", "flagged", "flagged-scores"),
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


@pytest.mark.slow
def test_a_title_is_the_file_or_the_kind_of_frame(table, tmp_path):
    path = tmp_path / "scores.csv"
    table().write_csv(path)
    assert page(analyze_judgments(q.read(path, announce=False)), Record({})).title == "scores.csv"
    assert page_of("demo").title == "Judgments from a polars frame"


def test_between_items_that_were_only_run_again_lies_the_choice_of_items():
    """A cell is an item there, and what differs between cells is no noise of a judgment."""
    rows = [(item, trial, int(trial >= item % 4 * 2 % 5)) for item in range(20) for trial in range(4)]
    found = analyze_judgments(scores_table(rows, "item trial score"))
    figure = components(found)
    assert figure.caption.finding.endswith("of the uncertainty comes from the choice of items: add items")
    assert [row["source"] for row in figure.rows] == ["item", "noise of one judgment"]
    assert "Its random effects are item and replicate." in writeup(found).paragraph
    assert "comes from item." in writeup(found).paragraph


def test_the_checklist_counts_what_is_missing(demo):
    figure = stated(checklist(demo))
    assert figure.caption.finding == "11 of 16 items of the reporting checklist are missing"
    assert len(figure.rows) == 16


@pytest.mark.slow
def test_caveats_of_the_mean_and_of_the_panel_stand_by_their_weight(shape):
    own, found = shape("panel, incomplete").caveats, page_of("panel, incomplete").caveats
    panel = "panel of judges, system 0 and 2 more systems: "
    assert {one for one in found if not one.startswith(panel)} == {caveat.sentence for caveat in own}
    starts = ("only the sums ", f"{panel}18 items: ", "estimated at zero: ", f"{panel}left out so that ")
    assert len(found) == len(starts)
    assert all(map(str.startswith, found, starts))


def test_prompts_of_the_record_are_shown_with_their_labels(demo):
    record = Record({"system_prompt": "Be fair.", "prompts": {"a": "Rate it.", "b": "Grade it."}})
    shown = (("system prompt", "Be fair."), ("a", "Rate it."), ("b", "Grade it."))
    assert page(demo, record).prompts == shown


def test_axes_have_units(demo):
    assert phrases.axis(demo) == "score (score units)"
    assert phrases.axis(demo, "mean of") == "mean of score (score units)"


def test_the_size_of_a_study_names_every_facet(demo):
    assert phrases.size(demo) == "n = 1,773 judgments (60 items, 5 prompts, 3 judges, 12 categories)"


def test_rows_beyond_those_drawn_are_counted():
    assert phrases.more(range(50)) == ()
    assert phrases.more(range(55)) == ("And 5 more: the table has all.",)


def test_a_sentence_starts_with_a_capital():
    assert phrases.capital("no item was judged twice") == "No item was judged twice"


def test_what_if_names_the_facet_that_changes(demo):
    base, *changes = demo.what_if
    named = {one.label: changed(base.projection, one.projection) for one in changes if one.projection}
    assert changed(base.projection, base.projection) == ""
    assert named["double the items"] == "item"
    assert named["one more judge"] == "judge"
    assert named["one replicate only"] == "replicate"
    assert named["one judge per item, in turn"] == "judge"


def test_what_buys_most(demo):
    best = demo.purchases[0]
    assert what_if(demo).caption.finding == (
        f"Studies of 1,773 judgments like this find ±0.41; {best.label} takes off {-best.change:.0%} "
        f"for {best.more_calls:,} more"
    )


@pytest.mark.wide(3)
def test_the_judgments_at_hand_give_the_standard_error_of_the_headline(analysis):
    if analysis.what_if:
        first = analysis.what_if[0].projection
        assert first.se == analysis.widest.se
        assert first.calls == analysis.judgments.rows.sum()


def test_no_two_changes_share_a_place(demo):
    """One row of the chart for each, whatever their intervals."""
    rows = [row for row in drawn(what_if(demo)) if "change" in row]
    assert len({row["change"] for row in rows}) == len(rows) == sum(one.projection is not None for one in demo.what_if)
    assert [row["half"] for row in rows] == sorted(row["half"] for row in rows)


def test_designs_that_cannot_be_projected_are_named_with_the_reason(shape):
    found = shape("two judges, no replicates")
    assert "Not known: one more replicate. This design weighs" in " ".join(purchases_section(found).text)
    row = next(row for row in what_if(found).rows if row["half"] is None and row["change"] == "one more replicate")
    assert row["calls"] is None


def test_without_a_price_that_is_said(shape):
    assert "No price per call" in " ".join(purchases_section(shape("items only")).text)


@pytest.mark.wide(3)
def test_components_are_sorted_and_hold_the_fitted_variance(analysis):
    rows = components(analysis).rows
    assert [row["share_of_variance"] for row in rows] == sorted((r["share_of_variance"] for r in rows), reverse=True)
    fitted = {one.name: one.variance for one in analysis.fit.components}
    assert all(fitted[row["component"]] == row["variance"] for row in rows if row["component"] in fitted)
    assert [row["estimated_at_zero"] for row in rows] == [row["variance"] <= 0 or row["se"] == 0 for row in rows]


def test_shares_of_one_judgment_sum_to_one(analysis):
    assert sum(row["share_of_variance"] for row in per_judgment(analysis).rows) == pytest.approx(1)


def test_the_largest_source_is_named(demo):
    assert components(demo).caption.finding == "65% of the uncertainty comes from the choice of judges: add judges"
    assert per_judgment(demo).caption.finding == "34% of the variance of one judgment comes from item × judge"


@pytest.mark.slow
def test_a_component_at_zero_is_at_the_boundary(shape):
    rows = drawn(components(shape("balanced")))
    assert rows[-1]["text"] == "estimated at zero, the boundary"
    assert rows[0]["text"].startswith(f"{rows[0]['share_of_variance']:.0%} · add ")


def test_a_facet_has_one_colour_in_all_figures(demo):
    component = next(row for row in drawn(components(demo)) if row["component"] == "judge")
    assert {row["colour"] for row in drawn(effects(demo, "judge"))} == {component["colour"]}


def test_an_interval_beyond_the_axis_ends_in_an_arrow(demo):
    judge = next(row for row in drawn(components(demo)) if row["component"] == "judge")
    assert judge["beyond_high"]
    assert judge["shown_high"] < judge["high"]


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


@pytest.mark.slow
def test_a_mean_is_not_shown_beyond_the_scores(table):
    tiny = analyze_judgments(q.read(table(items=2, judges=2, prompts=0, replicates=1)))
    scores, rows = tiny.support.facts.scores, drawn(intervals(tiny))
    assert any(row["beyond_high"] for row in rows)
    assert all(scores.low <= row["shown_low"] <= row["shown_high"] <= scores.high for row in rows)


def test_the_answer_comes_first_and_what_is_not_there_is_said(demo, shape):
    assert verdict_page_of(demo).sentence.startswith(demo.answer.sentence)
    assert "2 prompts cannot tell how other prompts differ" in verdict_page_of(shape("one judge")).sentence
