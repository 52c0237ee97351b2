from __future__ import annotations

import quorate as q
from quorate.analysis.judgments import analyze_judgments
from quorate.analysis.panel import LEAST_P
from quorate.analysis.words import p_value
from quorate.reporting.pages.panel.page import MOST_NAMED, lenience, paragraphs


def text_of(analysis) -> str:
    return " ".join(paragraphs(analysis.judge_panel))


def test_who_is_off_comes_first(shape):
    first = next(paragraphs(shape("panel, one system").judge_panel))
    assert first.startswith("judge 0 (+0.")
    assert "is lenient" in first
    assert first.endswith("; all 4 judges looked at together (Holm), 95%.")


def test_many_judges_are_counted_not_named(table):
    view = analyze_judgments(q.read(table(items=60, judges=20, prompts=0), announce=False)).judge_panel
    text = lenience(view)
    assert "judges are lenient, most of all judge" in text
    assert text.count("(+") + text.count("(-") <= MOST_NAMED + 1


def test_the_test_is_the_adjusted_one(shape):
    test = shape("panel, one system").judge_panel.panel.crossed["all"].judge_test
    text, p = text_of(shape("panel, one system")), p_value(test.p_adjusted, LEAST_P)
    assert f"The judges differ: F(3, 87) = {test.f:.1f}, {p}, against item × judge" in text
    assert "As published" not in text


def test_where_the_models_disagree_the_published_test_stands_beside_and_is_explained(shape):
    text = text_of(shape("panel, interaction"))
    assert "As published, with item × judge pooled into the residual, the test would be F(3, 357) = " in text
    assert "judges differ by item: who is strict on one is lenient on another" in text


def test_tests_that_contradict_each_other_stand_side_by_side(panel_table):
    frame = panel_table(items=12, systems=1, generations=8, interaction=1.2, seed=2)
    analysis = analyze_judgments(q.read(frame, announce=False))
    found = analysis.judge_panel.panel.crossed["all"]
    assert "judge effect" in found.differs
    pooled, apart = (p_value(p, LEAST_P) for p in (found.paper_test.p, found.judge_test.p_adjusted))
    assert f"{pooled}, and {apart} with it set apart" in text_of(analysis)


def test_panels_that_are_not_crossed_are_tested_by_their_items(demo):
    test = demo.judge_panel.panel.bias.joint
    numbers = f"F(2, {test.df2:.4g}) = {test.statistic:.2f}, {p_value(test.p, LEAST_P)}"
    assert f"The judges differ: {numbers}, over items." in text_of(demo)


def test_with_several_systems_judges_are_tested_on_average_one_at_a_time_and_for_depending_on_the_system(shape):
    text = text_of(shape("panel"))
    assert ", averaged over the systems." in text
    assert "Taken one at a time, the judges differ on 3 of 3 systems (largest p " in text
    assert "The judges' biases depend on the system: F(6, 24) = " in text


def test_sure_reversals_are_named_first(shape):
    text = text_of(shape("panel"))
    assert "GPT puts Qwen above GPT (sure)" in text
    assert text.index("(sure)") < text.index("(possible)") if "(possible)" in text else True


def test_no_reversal_is_said(panel_table):
    view = analyze_judgments(q.read(panel_table(), announce=False)).judge_panel
    assert "No judge alone would reverse the order of any two systems." in list(paragraphs(view))


def test_reasons_are_given_where_they_would_be_missed_only(shape):
    assert "no judge has the name of a system" in text_of(shape("panel, one response"))
    assert "Studies were not redrawn from these scores: no two responses" in text_of(shape("panel, incomplete"))
    assert "Not shown" not in text_of(shape("panel, one system")) + text_of(shape("panel"))


def test_too_few_items_for_a_cycle_are_said(panel_table):
    few = panel_table(items=4, judges=6, systems=1, generations=1)
    text = text_of(analyze_judgments(q.read(few, announce=False)))
    assert "Not shown, ways to share the calls out: layout: 'cyclic' takes 6 turns" in text


def test_no_sentence_prints_a_p_of_zero(analysis):
    if analysis.judge_panel is not None:
        assert "p = 0," not in text_of(analysis)
