from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from tables import scores_table

import quorate as q
from quorate.analysis import views as of_views
from quorate.analysis.judgments import analyze_judgments, contributions, of_fit
from quorate.analysis.views import answer, needed
from quorate.analysis.words import number
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput
from quorate.estimate.components.robustness import leave_one_out
from quorate.estimate.means.mean import readings
from quorate.wording import decimals


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


@pytest.mark.wide(3)
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
    assert demo.answer.half_width == demo.widest.half_width
    assert (
        "Asked for an interval of ±0.050; it is ±0.488 for prompts and judges like these: not enough."
        in demo.answer.sentence
    )
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


@pytest.mark.slow
def test_many_levels_are_not_refitted_one_by_one(shape):
    found = shape("many levels")
    assert found.leave_one_out == ()
    assert len(found.effects["prompt"]) == 51


@pytest.mark.slow
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


@pytest.mark.slow
def test_targets_are_those_of_every_part(demo):
    found = q.analyze(demo.judgments, targets={"judge": "panel", "item": "finite"})
    assert found.others is None
    assert found.widest.target["judge"] == "panel"
    assert found.widest.se < demo.setup.se
    assert {part.estimate.target["item"] for part in found.leave_one_out} == {"finite"}
    assert found.what_if[0].projection.targets["judge"] == "panel"


def test_they_add_up_to_the_variance_of_the_mean(analysis):
    found = contributions(analysis.fit, analysis.widest)
    assert sum(one.se**2 for one in found) == pytest.approx(analysis.widest.basis.plain)
    assert sum(one.share for one in found) == pytest.approx(1)


def test_weight_times_variance_is_the_part(shape):
    estimate = shape("balanced").others
    for one in contributions(shape("balanced").fit, estimate):
        if one.fitted.kind == "random":
            assert one.weight * one.fitted.variance == pytest.approx(one.share * estimate.basis.plain)


def test_weights_of_a_balanced_study_are_one_over_levels(shape):
    found = {one.component: one.weight for one in contributions(shape("balanced").fit, shape("balanced").others)}
    assert found["judge"] == pytest.approx(1 / 3)
    assert found["item:judge"] == pytest.approx(1 / 36)
    assert found["replicate"] == pytest.approx(1 / 144)


def test_a_component_at_zero_is_kept_with_its_interval(shape):
    found = contributions(shape("balanced").fit, shape("balanced").others)
    zero = [one for one in found if one.fitted.variance == 0]
    assert zero
    assert all(one.se == 0 and one.low == 0 and one.high > 0 for one in zero)


def test_fixed_judges_are_left_out_for_the_panel(shape):
    names = {one.component for one in contributions(shape("balanced").fit, shape("balanced").setup)}
    assert "judge" not in names


def test_an_index_has_no_interval(shape):
    fit = shape("balanced").fit
    found = {one.component: one for one in contributions(fit, fit.mean_for(judge="sensitivity"))}
    assert np.isnan([found["judge"].low, found["judge"].high]).all()


def test_the_interval_of_three_drawn_judges_is_chi_square_on_two_degrees(shape):
    fit = shape("balanced").fit
    levels = fit.assembled.fixed.levels["judge"] @ fit.beta
    one = next(c for c in contributions(fit, shape("balanced").others) if c.component == "judge")
    upper = 2 * np.var(levels, ddof=1) / 0.0506356159685798  # R: qchisq(.025, 2)
    noise = np.var(levels, ddof=1) - one.se**2 * 3
    assert one.high**2 * 3 == pytest.approx(upper - noise)


def test_judges_fixed_or_random_have_the_same_two_readings(shape):
    for name in ("balanced", "random judges"):
        fit = shape(name).fit
        found = readings(fit)
        assert found.setup.ends == fit.mean.ends
        assert found.others.target["judge"] == "population"
        assert found.others.half_width > found.setup.half_width


def test_one_judge_says_nothing_about_others(shape):
    found = readings(shape("one judge").fit)
    assert "1 judge says nothing about other judges: three would" in found.reason
    assert readings(shape("items only").fit).others is None


def test_judges_absorbed_by_a_fixed_facet_stand_for_themselves(table):
    frame = table(prompts=0).with_columns(language=pl.col("judge").str.replace("judge", "language"))
    facets = {"item": "item", "judge": "judge", "language": "language"}
    fit = q.decompose(q.read(frame, facets=facets, fixed=["language"]), random=["item", "judge"])
    found = readings(fit)
    assert found.setup.se == fit.mean.se


def test_enough_is_said(demo):
    half = demo.widest.half_width
    found = answer(demo.widest, 0.95, 2 * half, demo.purchases)
    assert found.met
    assert found.half_width == half
    assert found.sentence.endswith(f"it is ±{number(half, decimals(half / 2))}: enough.")


def test_not_enough_says_what_buys_most(demo):
    found = answer(demo.widest, 0.95, demo.widest.half_width / 2, demo.purchases)
    assert not found.met
    assert f"this buys most: {demo.purchases[0].label} (" in found.sentence


def test_nothing_to_buy_is_no_advice(demo):
    assert answer(demo.widest, 0.95, demo.widest.half_width / 2, ()).sentence.endswith("not enough.")


def test_unequal_limits_are_both_said():
    rows = {"item": [i // 4 for i in range(80)], "judge": list("abcd") * 20}
    score = [float(i % 19 > 0) for i in range(80)]
    mean = q.decompose(q.read(pl.DataFrame(rows | {"score": score}), announce=False)).mean
    low, high = mean.ends
    places = decimals(0.01 / 2)
    shown = (
        f"it is {number(low, places)} to {number(high, places)}, half of which is {number((high - low) / 2, places)}"
    )
    assert shown in answer(mean, 0.95, 0.01, ()).sentence


def test_a_target_of_judges_holds_in_both(shape):
    found = readings(shape("random judges").fit, {"judge": q.pool(20)})
    assert found.setup.target["judge"] == q.pool(20)
    assert found.others is None or found.others.target["judge"] == q.pool(20)


def test_other_targets_hold_in_both_views(shape):
    found = readings(shape("balanced").fit, {"item": "finite"})
    assert found.setup.target["item"] == found.others.target["item"] == "finite"


def shares(share, marks=1, step=1):
    """Twenty items by two judges under two prompts."""
    rng = np.random.default_rng(5)
    rows = [
        (f"i{i}", f"j{j}", f"p{p}", int(rng.binomial(marks, share + 0.04 * (i % 3) - 0.04)) * step)
        for i in range(20) for j in range(2) for p in range(2)
    ]  # fmt: skip
    return scores_table(rows, "item judge prompt score")


@pytest.mark.parametrize(
    ("share", "marks", "step", "link"),
    [(0.9, 1, 1, "logit"), (0.5, 1, 1, None), (0.1, 4, 1, "ordinal"), (0.5, 4, 1, None), (0.9, 4, 25, None)],
)
def test_scores_that_need_it(share, marks, step, link):
    assert needed(shares(share, marks, step)) == link


def test_an_analysis_has_it_unasked_and_not_where_it_is_not_wanted():
    found = q.analyze(shares(0.85))
    assert found.latent.link == "logit"
    assert found.to_dict()["latent"]["rank_correlation"] == pytest.approx(found.latent.rank_correlation)
    assert q.analyze(shares(0.85), link="identity").latent is None
    assert q.analyze(shares(0.5), link="ordinal").latent.link == "ordinal"
    assert q.analyze(shares(0.5)).latent is None


def test_what_cannot_be_had():
    with pytest.raises(InvalidInput, match="link: must be one of identity, logit, ordinal"):
        q.analyze(shares(0.5), link="probit")
    with pytest.raises(InvalidInput, match='"logit" is for scores of two values'):
        q.analyze(shares(0.5, 4), link="logit")
    by_judge = q.analyze(shares(0.85), link="logit", residual_by="judge")
    assert by_judge.latent is None
    assert "residual variances here are by level" in by_judge.latent_reason


def test_a_check_that_is_left_out_names_how_to_ask_for_it(monkeypatch):
    monkeypatch.setattr(of_views, "MOST_CELLS", 10)
    found = q.analyze(shares(0.85))
    assert found.latent is None
    assert found.latent_reason.endswith('cells are many to check unasked (up to 10 are); ask for it with link="logit"')
    assert in_options(found.latent_reason).endswith("ask for it with --link logit")
    assert q.analyze(shares(0.85), link="logit").latent.link == "logit"
