from __future__ import annotations

import re

import pytest

from quorate.analysis.designs import in_words
from quorate.reporting import captions, tables


def test_the_finding_on_the_naive_interval_is_the_ratio_of_widths(demo):
    ratio = demo.population.half_width() / ((demo.naive.overall.high - demo.naive.overall.low) / 2)
    assert (
        captions.intervals(demo).finding == f"The naive interval is {ratio:.1f} times too narrow for judges like these"
    )


def test_every_caption_says_level_and_n(demo):
    named = (captions.intervals, captions.components, captions.by_category)
    for caption in (*(make(demo) for make in named), captions.effects(demo, "judge")):
        text = " ".join(caption.lines)
        assert "95%" in text
        assert "n = 1,773 judgments (60 items, 5 prompts, 3 judges, 12 categories)" in text


def test_the_largest_source_is_named(demo):
    assert captions.components(demo).finding == "55% of the uncertainty comes from the choice of judges: add judges"
    assert captions.per_judgment(demo).finding == "36% of the variance of one judgment comes from item × judge"


def test_a_component_at_zero_is_at_the_boundary(shape):
    rows = tables.components(shape("balanced"))
    assert captions.component(rows[-1]) == "estimated at zero, the boundary"
    assert captions.component(rows[0]).startswith(f"{rows[0]['share_of_variance']:.0%} · add ")


def test_what_buys_most(demo):
    best = demo.purchases[0]
    assert captions.what_if(demo).finding == (
        f"1,773 judgments give a standard error of 0.14; {best.label} takes off {-best.change:.0%} "
        f"for {best.more_calls:,} more"
    )


def test_the_judgments_at_hand_give_the_standard_error_of_the_headline(analysis):
    if analysis.what_if:
        first = analysis.what_if[0].projection
        assert first.se == analysis.headline.se
        assert first.calls == analysis.judgments.rows.sum()


def test_who_stands_apart(demo):
    assert captions.effects(demo, "judge").finding == "judge-a scores 0.221 above the mean of the judges"


def test_nobody_stands_apart(table):
    import quorate as q
    from quorate.analysis.judgments import analyze_judgments

    quiet = table(items=4, judges=2, prompts=0, replicates=1, seed=4)
    caption = captions.effects(analyze_judgments(q.read(quiet)), "judge")
    assert caption.finding == "No judge stands apart: every interval holds the mean of the judges"


def test_ends_of_means_categories_and_parts(demo):
    assert captions.means(demo).finding == "Means run from 6.61 (judge-c, prompt-4) to 7.21 (judge-a, prompt-5)"
    assert captions.by_category(demo).finding == "Categories run from 6.43 (category-02) to 7.34 (category-04)"
    assert captions.leave_one_out(demo).finding == "Without judge-a the mean moves most, by -0.11"


def test_how_many_configurations_would_have_missed(demo):
    misses = sum(one.misses for one in demo.naive.single)
    assert captions.single(demo).finding == f"{misses} of 15 single configurations would have missed the mean of all"


def test_the_range_of_missing_shares(demo):
    assert captions.missing(demo, "judge").finding.startswith("0.8% to 1.8% of the judgments have no usable score")


def test_hidden_rows_are_counted(shape):
    many = shape("many levels")
    assert "And 5 more: the table has all." in captions.effects(many, "judge").lines
    assert re.match(r"And 2,755 more: evenly spaced", captions.single(many).lines[-1])


@pytest.mark.parametrize(("name", "scope"), [("one judge", "items and prompts"), ("items only", "items")])
def test_whom_the_interval_speaks_for(shape, name, scope):
    assert captions.intervals(shape(name)).lines[1] == f"Speaks for {scope} like these."


def test_axes_have_units(demo):
    assert captions.axis(demo) == "mean of score (score units)"
    assert captions.se_axis(demo) == "standard error of the mean of score (score units)"
    assert captions.effect_axis(demo) == "difference in score (score units)"


def plans(demo, **changes):
    """The demo with another optimum."""
    from dataclasses import replace
    from types import SimpleNamespace

    best = demo.optimum
    names = ("own", "same_cost", "same_se", "candidates", "plan")
    changed = replace(demo)
    changed.__dict__["_optimum"] = (SimpleNamespace(**{name: getattr(best, name) for name in names} | changes), "")
    return changed


def test_the_finding_of_the_frontier_is_what_is_saved_or_gained(demo):
    from dataclasses import replace

    best = demo.optimum
    saved = 1 - best.same_se.cost / best.own.cost
    assert captions.frontier(demo).finding == (
        f"One prompt and judge per item in turn: the same precision for {1 - saved:.0%} of the price"
    )
    gained = plans(demo, same_cost=replace(best.own, se=0.63 * best.own.se, layout="latin"), same_se=best.own)
    assert captions.frontier(gained).finding == (
        "One prompt and judge per item in turn: 37% lower standard error at the same price"
    )


def test_a_study_that_nothing_beats_is_said_to_be_so(demo):
    alike = plans(demo, same_cost=demo.optimum.own, same_se=demo.optimum.own)
    assert captions.frontier(alike).finding == "No design within reach is better than the study as it is, at its price"
    none = plans(demo, same_cost=None, same_se=None)
    assert captions.frontier(none).finding == captions.frontier(alike).finding


def test_both_designs_are_spelled_out(demo):
    said = " ".join(captions.frontier(demo).lines)
    assert f"Cheapest as precise: {in_words(demo.optimum.same_se)}." in said
    assert f"of {demo.optimum.candidates:,} designs within reach, for judges like these" in said


def test_the_worst_item_and_its_scores_are_named(demo):
    first = demo.flags.flags[0]
    assert captions.flagged(demo).finding.endswith(
        f"{first.labels['item']} most, scored {first.lowest:.4g} to {first.highest:.4g}"
    )
    assert "over prompts and judges" in captions.flagged(demo).lines[0]


def test_gaps_in_the_crossing_are_the_finding(table):
    import polars as pl

    import quorate as q
    from quorate.analysis.judgments import analyze_judgments

    frame = table(items=10).filter(~((pl.col("judge") == "judge 0") & (pl.col("prompt") == "prompt 1")))
    caption = captions.crossings(analyze_judgments(q.read(frame, announce=False)))
    assert caption.finding == "Prompts and judges are crossed in part: 83.3% of the pairs occur"
    assert (
        captions.crossings(analyze_judgments(q.read(table(), announce=False))).finding
        == "All facets are crossed completely"
    )


def test_an_item_whose_name_is_a_number_is_called_an_item(table):
    import polars as pl

    import quorate as q
    from quorate.analysis.judgments import analyze_judgments

    frame = table(items=30).with_columns(item=pl.col("item").str.slice(5))
    apart = pl.when((pl.col("item") == "7") & (pl.col("judge") == "judge 0")).then(9.0).otherwise(0.0)
    found = analyze_judgments(q.read(frame.with_columns(score=pl.col("score") + apart), announce=False))
    assert "; item 7 most, scored " in captions.flagged(found).finding
