from __future__ import annotations

import math

import polars as pl
import pytest

import quorate as q
from quorate.analysis.judgments import analyze_judgments, of_fit
from quorate.errors import InvalidInput
from quorate.estimate.components.robustness import leave_one_out


def test_the_numbers_are_the_fit_s(demo):
    assert demo.setup.value == demo.others.value == demo.fit.mean.value
    assert demo.others.se == demo.fit.mean_for(judge="population", prompt="population").se
    low, high = demo.fit.mean.at(0.95).ends
    assert (demo.readings[0].low, demo.readings[0].high) == (low, high)


def test_the_sentence_holds_both_views_and_the_naive_interval(demo):
    ends = " to ".join(f"{end:.3f}" for end in demo.setup.ends)
    assert demo.sentence.startswith(f"Mean 6.870; 95% interval {ends} with these 5 prompts and 3 judges, ")
    assert " for prompts and judges like these. " in demo.sentence
    assert demo.sentence.endswith("times too narrow.")


def test_sources_are_the_shares_of_the_headline(analysis):
    shares = [source.share for source in analysis.sources]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    assert {source.component: source.share for source in analysis.sources}.items() <= analysis.widest.shares.items()
    assert sum(source.se**2 for source in analysis.sources) == pytest.approx(analysis.widest.basis.plain)


def test_caveats_are_said_once(analysis):
    assert len(set(analysis.caveats)) == len(analysis.caveats)
    assert set(analysis.fit.caveats) <= set(analysis.caveats)


def test_the_caveats_of_either_view_and_of_the_naive_interval_are_said(table):
    two = analyze_judgments(q.read(table(judges=2), announce=False))
    assert set(two.setup.caveats) <= set(two.caveats)
    few = (pl.col("judge") == "judge 0") | pl.col("item").is_in(["item 1", "item 2"])
    shifted = (
        table(items=40, judges=2).filter(few).with_columns(score=pl.col("score") + 9 * (pl.col("judge") == "judge 1"))
    )
    found = analyze_judgments(q.read(shifted, announce=False))
    assert [one.code for one in found.naive.caveats] == ["unequal-weights"]
    assert set(found.naive.caveats) <= set(found.caveats)


def test_purchases_lower_the_standard_error_and_have_a_price(demo):
    assert demo.purchases
    assert all(one.change < 0 and one.more_cost == pytest.approx(0.002 * one.more_calls) for one in demo.purchases)


def test_a_half_width_that_is_too_small_is_not_met(demo):
    assert not demo.answer.met
    assert demo.answer.half_width == demo.setup.at(0.95).half_width
    assert "Asked for an interval of ±0.050; it is ±0.140: not enough." in demo.answer.sentence
    assert demo.purchases[0].label in demo.answer.sentence


def test_a_generous_half_width_is_met(demo):
    answer = analyze_judgments(demo.judgments, half_width=5.0).answer
    assert answer.met
    assert answer.sentence.endswith("enough.")


def test_nothing_asked_nothing_answered(shape):
    assert shape("balanced").answer is None


def test_judges_and_prompts_are_compared(demo):
    assert set(demo.effects) == {"judge", "prompt"}
    assert demo.means.mean.shape == (3, 5)
    assert [part.level for part in demo.leave_one_out] == ["judge-a", "judge-b", "judge-c"]
    assert len(demo.by_category) == 12


def test_with_one_judge_there_is_nothing_to_leave_out(shape):
    found = shape("one judge")
    assert (found.leave_one_out, found.by_category, found.means, set(found.effects)) == ((), (), None, {"prompt"})


def test_many_levels_are_not_refitted_one_by_one(shape):
    found = shape("many levels")
    assert found.leave_one_out == ()
    assert len(found.effects["prompt"]) == 51


def test_parts_are_fitted_with_the_options_of_the_whole(shape):
    options = {"random": ["item", "prompt"], "method": "ml", "residual_by": "judge"}
    judgments = shape("balanced").judgments
    found = analyze_judgments(judgments, **options)
    expected = [part.estimate.se for part in leave_one_out(judgments, "judge", **options)]
    assert [part.estimate.se for part in found.leave_one_out] == expected


def test_effects_that_cannot_be_told_say_why(table):
    found = analyze_judgments(q.read(table()), random=["item"])
    assert set(found.effects) == {"judge"}
    assert 'no term "prompt"' in found.effects_reasons["prompt"]


def test_a_fit_can_be_analysed(demo):
    found = of_fit(demo.fit)
    assert found.setup.se == demo.setup.se
    assert found.level == 0.95


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"level": 1.0}, "level: must lie"),
        ({"half_width": 0.0}, "half_width: must be"),
        ({"price": -1.0}, "price: must be"),
    ],
)
def test_bad_options(demo, option, message):
    with pytest.raises(InvalidInput, match=message):
        analyze_judgments(demo.judgments, **option)


def test_what_is_unbounded_or_unknown_is_null_in_json(demo):
    by_name = {one["name"]: one for one in demo.to_dict()["components"]}
    assert math.isnan(next(c.se for c in demo.fit.components if c.name == "judge"))
    assert by_name["judge"]["se"] is None


def test_a_tenth_of_the_items_is_flagged_but_5_at_least(demo, shape):
    assert len(demo.flags.flags) == 6
    assert len(shape("balanced").flags.flags) == 5
    assert demo.flags_reason == ""


def test_why_nothing_is_flagged_is_said(table):
    found = analyze_judgments(
        q.read(table(judges=0, prompts=0, replicates=3).unique("item").drop("replicate"), announce=False)
    )
    assert found.flags is None
    assert found.flags_reason == "no item was judged twice, so there is no spread to compare"


@pytest.mark.parametrize("price", [None, 0.0])
def test_without_a_price_designs_are_compared_by_judgments(shape, price):
    found = analyze_judgments(shape("balanced").judgments, price=price)
    assert not found.priced


def test_the_panel_of_judges_is_there_with_two_judges_or_the_reason(shape, demo):
    assert demo.judge_panel is demo.judge_panel
    assert demo.judge_panel.panel.sentence.startswith("judge-a (+0.221) is lenient")
    assert demo.judge_panel_reason == ""
    assert shape("panel, gap").judge_panel is None
    assert "has scored nothing of system" in shape("panel, gap").judge_panel_reason


def test_a_study_without_a_price_has_a_panel_without_one(shape):
    found = shape("panel, one response").judge_panel.panel
    assert all(one.projection.cost is None for several in found.sharings.values() for one in several)


def test_targets_are_those_of_every_part(demo):
    found = q.analyze(demo.judgments, targets={"judge": "panel", "item": "finite"})
    assert found.others is None
    assert found.widest.target["judge"] == "panel"
    assert found.widest.se < demo.setup.se
    assert {part.estimate.target["item"] for part in found.leave_one_out} == {"finite"}
    assert found.what_if[0].projection.targets["judge"] == "panel"
