from __future__ import annotations

import re

import pytest

from quorate.report import captions, tables


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
    from quorate.report.summary import analyze

    quiet = table(items=4, judges=2, prompts=0, replicates=1, seed=4)
    caption = captions.effects(analyze(q.read(quiet)), "judge")
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
