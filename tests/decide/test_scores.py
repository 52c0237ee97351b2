import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest
from tables import scores_table

import quorate as q
from quorate.decide.outcome import Outcome
from quorate.decide.scores import score_step, studies_like, verdict_of_scores
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.differences.difference import difference
from quorate.numerics.distributions import normal_cdf
from quorate.planning.search.optimize import studies_of_plan

SIZES = {"item": 30, "judge": 5, "prompt": 3, "system": 2}
A, B = "system0000", "system0001"
FEW = {"items": [30, 100, 300, 1000], "judges": [3, 5, 10, 20, 40], "prompts": [3, 6, 12], "replicates": [1]}
"""Sizes of a next study: a search within them is quick."""


def shifted(judgments, difference):
    """The same with the mean of the first system so much above that of the second."""
    first = judgments.column("system") == 0
    gap = judgments.mean[first].mean() - judgments.mean[~first].mean()
    return replace(judgments, mean=judgments.mean + np.where(first, difference - gap, 0.0))


@pytest.fixture(scope="module")
def apart(judged):
    """Two systems that clearly differ."""
    return shifted(judged(SIZES, fixed=(), sd={"judge:system": 0.1, "prompt:system": 0.1}), 3.0)


@pytest.fixture(scope="module")
def alike(judged):
    """Two systems that hardly differ, judged by few judges who favour one or the other."""
    return shifted(judged(SIZES, fixed=(), sd={"judge:system": 0.3, "prompt:system": 0.1}), 0.2)


def test_a_clear_difference_is_better_or_worse(apart):
    better, worse = verdict_of_scores(apart, A, B), verdict_of_scores(apart, B, A)
    assert (better.outcome, worse.outcome) == (Outcome.BETTER, Outcome.WORSE)
    assert (better.exit_code, worse.exit_code) == (0, 2)
    assert better.next_step is None
    assert better.sentence.startswith(f"{better.a} is better than {better.b}: {better.a} scores")
    assert "with these 5 judges and 3 prompts" in better.sentence
    assert "For judges and prompts like these: better" in better.sentence
    assert better.rankable
    assert better.difference.value == pytest.approx(-worse.difference.value)
    assert better.error_rate == pytest.approx(0.05)


def test_no_difference_is_undecided_with_a_next_step(alike):
    drawn = {"judge": "population", "prompt": "population"}
    found = verdict_of_scores(alike, A, B, limits=FEW, targets=drawn)
    assert found.outcome is Outcome.UNDECIDED
    assert found.exit_code == 2
    assert found.detectable > 3 * found.difference.se
    assert found.next_step.se < found.difference.se
    assert found.caveats[-1].code == "beyond-the-study"
    for part in ("Undecided whether", "no sign that they are alike", "A new study of", "Not rankable with more items"):
        assert part in found.sentence
    assert not found.rankable
    assert found.common_se < found.difference.se


def test_systems_are_rankable_where_judges_differ_by_less_than_they_do_though_items_leave_it_open(judged):
    sd = {"judge:system": 0.05, "prompt:system": 0.05, "item:system": 1.5}
    table, drawn = judged(SIZES, fixed=(), sd=sd), {"judge": "population", "prompt": "population"}
    se = difference(table, A, B, targets=drawn).se
    found = verdict_of_scores(shifted(table, 1.3 * se), A, B, limits={"items": [30]}, targets=drawn)
    common = sum(found.difference.estimate.beyond_items.values())
    assert (found.spread, found.common_se) == pytest.approx((np.sqrt(0.69) * se, np.sqrt(common)))
    assert 0 < found.common_se < found.spread < se
    assert found.rankable


def test_equivalence_needs_a_margin_and_is_said_with_its_interval(alike):
    found = verdict_of_scores(alike, A, B, margin=2.0)
    assert found.outcome is Outcome.EQUIVALENT
    assert found.exit_code == 0
    assert "This rests on the 90% interval" in found.sentence
    low, high = found.difference.equivalence_interval(0.05).ends
    assert -2.0 < low < high < 2.0
    said = found.to_dict()
    assert (said["equivalence_low"], said["equivalence_high"], said["outcome"]) == (low, high, "equivalent")


def test_a_small_difference_within_the_margin_is_equivalent_and_said_to_be_real(apart):
    found = verdict_of_scores(apart, A, B, margin=50.0)
    assert found.outcome is Outcome.EQUIVALENT
    assert "is real but that small" in found.sentence


def test_a_claim_decides_the_exit_code(alike, apart):
    assert verdict_of_scores(alike, A, B, margin=2.0, claim="better").exit_code == 2
    assert verdict_of_scores(alike, A, B, margin=2.0, claim="not worse").exit_code == 0
    assert verdict_of_scores(apart, B, A, margin=0.1, claim="not worse").exit_code == 2
    assert verdict_of_scores(apart, A, B, claim="better").exit_code == 0


@pytest.mark.slow
def test_this_panel_is_said(judged):
    found = verdict_of_scores(shifted(judged(SIZES), 0.1), A, B)
    assert "with these 5 judges and 3 prompts" in found.sentence
    assert "For judges and prompts like these: " in found.sentence


def test_without_pairs_it_says_so(alike):
    item, system = alike.column("item"), alike.column("system")
    own = shifted(alike.keep((item < 15) == (system == 0)), 0.4)
    found = verdict_of_scores(own, A, B, limits=FEW)
    assert "30 items, not paired, with these 5 judges and 3 prompts" in found.sentence
    assert "for each system" in found.sentence
    assert "No study within the limits" in verdict_of_scores(own, A, B, limits={"items": [20, 40]}).sentence


def test_items_that_both_have_are_counted_where_others_are_of_one(alike):
    item, system = alike.column("item"), alike.column("system")
    found = verdict_of_scores(alike.keep((item < 20) | (system == 0)), A, B)
    assert found.difference.shared_items == 20
    assert "30 items, both judged on 20 of them, with" in found.sentence


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"margin": -0.5}, InvalidInput, "margin: must be above 0"),
        ({"margin": 0}, InvalidInput, "margin"),
        ({"level": 0.4}, InvalidInput, "level"),
        ({"power": 1.0}, InvalidInput, "power"),
        ({"claim": "equivalent"}, InvalidInput, "within a margin; state it"),
        ({"claim": "best"}, InvalidInput, "claim: must be one of"),
        ({"system": "model"}, UnknownTerm, 'no facet "model"'),
        ({"prices": {"cal": 1}}, InvalidInput, "prices: cal is unknown"),
        ({"targets": {"judge": "panels"}}, InvalidInput, "the target must be one of"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(alike, options, error, words):
    with pytest.raises(error, match=words) as caught:
        verdict_of_scores(alike, A, B, **options)
    assert "\n" not in str(caught.value)


def test_one_item_is_refused(alike):
    with pytest.raises(NotEstimable, match="1 item"):
        verdict_of_scores(alike.only("item", "item0003"), A, B, method="paired")


# Few sizes to choose from: a search within them is quick.
FEW_STEP = {"items": [30, 100, 300, 1000], "judges": [3, 5, 10, 20, 40], "prompts": [3, 6, 12], "replicates": [1]}
NULL = {"system": 0.0, "judge:system": 0.2, "prompt:system": 0.1}


@pytest.fixture(scope="module")
def found(judged):
    drawn = {"judge": "population", "prompt": "population"}
    return difference(judged(SIZES, fixed=(), sd=NULL, replicates=2), A, B, targets=drawn)


def test_the_step_has_the_power_that_it_promises(found):
    step = score_step(found, margin=None, alpha=0.05, power=0.9, limits=FEW_STEP)
    law = studies_of_plan(step.plan)
    assert law.finds(abs(found.value), 0.05) >= 0.9
    assert step.toward == "difference"
    assert step.calls == step.plan.cost
    assert step.cost is None
    assert (step.se, step.df) == (pytest.approx(law.se), pytest.approx(law.df))
    assert json.loads(json.dumps(step.to_dict()))["sentence"] == step.sentence


@pytest.mark.slow
def test_judgments_are_paid_for_either_system_and_items_once(found):
    prices = {"call": 0.01, "item": 1.0}
    step = score_step(found, margin=None, alpha=0.05, power=0.9, prices=prices, limits=FEW_STEP)
    assert step.cost == pytest.approx(0.01 * step.calls + step.design["item"])
    assert f"for {step.cost:,.2f}" in step.sentence
    by_judge = {"judge": {f"judge{i}": 0.02 for i in range(12)}}
    dear = score_step(found, margin=None, alpha=0.05, power=0.3, prices=by_judge)
    assert dear.cost == pytest.approx(0.02 * dear.calls)
    assert dear.design["judge"] <= 12


def test_equivalence_is_the_goal_where_it_is_cheaper(found):
    margin = 4 * abs(found.value) + 2 * found.se
    limits = {"items": [30, 300], "judges": [5, 20], "prompts": [3, 12], "replicates": [1]}
    step = score_step(found, margin=margin, alpha=0.05, power=0.9, limits=limits)
    assert step.toward == "equivalence"
    assert studies_of_plan(step.plan).shows_equal(abs(found.value), margin, 0.05) >= 0.9
    assert "would show equivalence" in step.sentence


@pytest.mark.parametrize(("judges", "said"), [(9, []), (10, ["beyond-the-study"])])
def test_twice_the_judges_that_were_seen_are_far_more_and_a_small_budget_has_its_own_power(found, judges, said):
    limits = {"items": [30], "judges": [judges], "prompts": [3], "replicates": [1]}
    options = {"limits": limits, "layouts": ("factorial",), "budget": 30 * 3 * judges * 2}
    step = score_step(found, margin=None, alpha=0.05, power=0.1, **options)
    assert [one.code for one in step.caveats] == said
    assert step.budget_power == pytest.approx(studies_of_plan(step.plan).finds(abs(found.value), 0.05))


def test_limits_that_hold_no_such_design_give_none(found):
    assert score_step(found, margin=None, alpha=0.05, power=0.9, limits={"items": [20, 30]}) is None


@pytest.mark.slow
def test_far_more_judges_than_were_seen_is_said(found):
    step = score_step(found, margin=None, alpha=0.05, power=0.99, limits=FEW_STEP)
    assert [one.code for one in step.caveats] == ["beyond-the-study"]


@pytest.mark.slow
def test_a_panel_stays_as_it_is(judged):
    own = difference(judged(SIZES, sd=NULL), A, B)
    step = score_step(own, margin=None, alpha=0.05, power=0.5)
    assert step.design["judge"] == 5


@pytest.mark.slow
def test_items_of_each_system_are_counted_for_each(judged):
    judgments = judged(SIZES, fixed=(), sd=NULL)
    apart = judgments.keep((judgments.column("item") < 15) == (judgments.column("system") == 0))
    own = difference(apart, A, B)
    step = score_step(own, margin=None, alpha=0.05, power=0.3, prices={"call": 1.0, "item": 1.0}, limits=FEW_STEP)
    assert own.method == "joint"
    assert not step.paired
    assert step.cost == pytest.approx(step.calls + 2 * step.design["item"])
    assert "for each system" in step.sentence


@pytest.mark.slow
def test_one_model_of_shared_items_plans_pairs_as_the_pairs_do(judged):
    judgments = judged(SIZES, fixed=(), sd=NULL, replicates=2)
    joint = difference(judgments, A, B, method="joint")
    paired = difference(judgments, A, B)
    one, two = (score_step(own, margin=None, alpha=0.05, power=0.8, limits=FEW_STEP) for own in (joint, paired))
    assert one.paired
    assert one.calls == pytest.approx(two.calls, rel=0.1)


@pytest.mark.slow
def test_repeats_are_not_planned_where_nothing_was_repeated(judged):
    judgments = judged({"item": 40, "system": 2}, fixed=(), sd={"system": 0.2})
    for method in ("paired", "joint"):
        own = difference(judgments, A, B, method=method)
        assert score_step(own, margin=None, alpha=0.05, power=0.5).design["replicate"] == 1


@pytest.mark.slow
def test_one_level_of_what_is_drawn_is_never_planned(judged):
    table = judged({**SIZES, "prompt": 3}, fixed=(), sd={"system": 0.5, "prompt:system": 0.0})
    few = difference(table, A, B, targets={"judge": "population", "prompt": "population"})
    step = score_step(
        few, margin=None, alpha=0.05, power=0.3, limits={**FEW_STEP, "judges": [1, 2, 5, 20], "prompts": [1, 3, 40]}
    )
    assert min(step.design[name] for name in ("judge", "prompt")) >= 3
    assert studies_of_plan(step.plan).se == pytest.approx(step.se)


def test_limits_to_one_level_of_what_is_drawn_are_refused_in_one_line(found, judged):
    words = r"limits: one prompt shows nothing of how others differ; allow 2 or more, or .*\"prompt\": \"panel\""
    for limits in ({"items": [400], "prompt": [1]}, {"items": [400], "prompts": 1}):
        with pytest.raises(InvalidInput, match=words):
            score_step(found, margin=None, alpha=0.05, power=0.5, limits=limits)
    some = score_step(
        found, margin=None, alpha=0.05, power=0.5, limits={"items": [400], "prompts": [1, 9], "judge": 20}
    )
    assert some.design["prompt"] == 9
    for target in ("panel", "finite"):
        own = difference(judged(SIZES, sd=NULL), A, B, targets={"prompt": target})
        one = score_step(own, margin=None, alpha=0.05, power=0.3, limits={"items": [900], "prompts": 1})
        assert one.design["prompt"] == 1


def test_one_judge_with_a_price_buys_no_study_of_judges_like_these(found):
    assert score_step(found, margin=None, alpha=0.05, power=0.5, prices={"judge": {"x": 0.1}}) is None


@pytest.mark.slow
def test_what_limits_do_not_name_stays_as_it_is_in_one_model_too(judged):
    judgments = judged(SIZES, fixed=(), sd=NULL)
    apart = judgments.keep((judgments.column("item") < 15) == (judgments.column("system") == 0))
    step = score_step(difference(apart, A, B), margin=None, alpha=0.05, power=0.1, limits={"items": [50, 3000]})
    assert (step.design["judge"], step.design["prompt"]) == (5, 3)


def test_a_step_without_common_items_adds_the_variances_of_both():
    rng = np.random.default_rng(5)
    score = [*rng.normal(0, 0.5, 100), *rng.normal(0.5, 2, 20)]
    rows = {"system": ["a"] * 100 + ["b"] * 20, "item": range(120), "score": score}
    own = difference(q.read(pl.DataFrame(rows), announce=False), "a", "b")
    step = score_step(own, margin=None, alpha=0.05, power=0.5)
    both = np.var(score[:100], ddof=1) + np.var(score[100:], ddof=1)
    assert step.se == pytest.approx(np.sqrt(both / step.design["item"]))


@pytest.mark.slow
def test_a_budget_says_what_its_best_study_sees(found):
    """Without prices a budget is of judgments of both systems; with them, of money."""
    options = {"margin": None, "alpha": 0.05, "power": 0.9, "limits": FEW_STEP}
    free = score_step(found, **options)
    assert free.affordable is None
    assert "budget" not in free.sentence
    enough, little = (score_step(found, **options, budget=n) for n in (free.calls, free.calls / 3))
    assert enough.affordable
    assert enough.budget_power >= 0.9
    assert enough.seen_by_budget <= abs(found.value) * (1 + 1e-6)
    assert f"The budget of {free.calls:,} is enough for that" in enough.sentence
    assert not little.affordable
    assert little.budget_power < 0.9
    assert little.seen_by_budget > abs(found.value)
    assert "is not enough: it would see a difference of" in little.sentence
    assert json.loads(json.dumps(little.to_dict()))["seen_by_budget"] == little.seen_by_budget
    priced = score_step(found, **options, prices={"call": 0.5}, budget=free.calls / 6)
    assert (priced.affordable, priced.seen_by_budget) == (False, pytest.approx(little.seen_by_budget))
    assert priced.cost == pytest.approx(0.5 * priced.calls)


@pytest.mark.slow
def test_a_budget_toward_equivalence(found):
    options = {"margin": 4 * abs(found.value) + 2 * found.se, "alpha": 0.05, "power": 0.9, "limits": FEW_STEP}
    whole = score_step(found, **options)
    assert whole.toward == "equivalence"
    enough, little = (score_step(found, **options, budget=whole.calls * part) for part in (1.0, 0.5))
    assert enough.alike_by_budget >= abs(found.value) * (1 - 1e-6)
    assert little.budget_power < 0.9
    assert little.alike_by_budget is None or little.alike_by_budget < abs(found.value)
    assert "show equivalence with a chance of" in little.sentence


def test_a_budget_that_buys_no_study(found):
    step = score_step(found, margin=None, alpha=0.05, power=0.9, budget=1.0, limits=FEW_STEP)
    assert (step.budget_power, step.seen_by_budget, step.affordable) == (0.0, None, False)
    assert "it would see no difference" in step.sentence


@pytest.mark.wide(1)
@pytest.mark.parametrize("limits", [None, {"items": [20, 40], "judges": [4, 8]}])
def test_a_facet_of_one_level_is_no_hindrance(limits):
    """A column that never varies, such as the one prompt, changes nothing of what would decide."""
    rng = np.random.default_rng(9)
    rows = [
        (system, f"i{i}", f"j{j}", "p0", 5 + item + judge + rng.normal())
        for system in "xy"
        for i, item in enumerate(rng.normal(size=15))
        for j, judge in enumerate(rng.normal(size=8) / 2)
        if rng.random() > 0.4
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "judge", "prompt", "score"], orient="row")
    own, without = (
        q.compare(q.read(given, announce=False), "x", "y", method="joint", limits=limits)
        for given in (frame, frame.drop("prompt"))
    )
    assert own.difference.value == pytest.approx(without.difference.value)
    assert own.sentence.partition(".")[0] == without.sentence.partition(".")[0]


DRAWN = {"judge": "population", "prompt": "population"}


def found_of_studies(judged, targets=DRAWN, **options):
    return difference(judged(SIZES, fixed=(), **options), "system0000", "system0001", targets=targets)


def test_studies_like_this_setup_are_those_of_the_paired_t(judged):
    own = found_of_studies(judged, targets=None)
    law = studies_like(own)
    assert (law.se, law.df) == pytest.approx((own.se, 29))
    drawn = found_of_studies(judged)
    assert studies_like(drawn).se == pytest.approx(drawn.se)


@pytest.mark.slow
def test_the_same_design_as_a_plan_is_the_same_study(judged):
    own = found_of_studies(judged, replicates=2)
    law = studies_of_plan(q.project(own.fit))
    assert law.se == pytest.approx(own.fit.mean_for(**DRAWN).basis.plain ** 0.5)
    assert law.df == pytest.approx(29)
    assert len(law.drawn) == 2


def test_more_judges_find_more(judged):
    own = found_of_studies(judged)
    few, many = (studies_of_plan(q.project(own.fit, judges=n)) for n in (3, 12))
    assert many.detectable(0.05, 0.9) < few.detectable(0.05, 0.9)


@pytest.mark.parametrize("prompts", [1, 2])
def test_a_plan_of_too_few_levels_of_what_is_drawn_is_refused(judged, prompts):
    plan = q.project(found_of_studies(judged).fit, items=80, judges=5, prompts=prompts)
    with pytest.raises(NotEstimable, match="prompt: a study of fewer than 3 levels says nothing of others"):
        studies_of_plan(plan)


# A comparison as a gate: what is claimed, passed or failed, and the items that changed.


NEW = [1] * 70 + [1] * 14 + [0] * 5 + [0] * 11
OLD = [1] * 70 + [0] * 14 + [1] * 5 + [0] * 11


def read(new=NEW, old=OLD, **more):
    rows = {"system": ["new"] * len(new) + ["old"] * len(old), "item": [*range(len(new)), *range(len(old))]}
    return q.read(pl.DataFrame(rows | {"score": new + old} | more), announce=False)


def test_a_claim_passes_or_fails():
    passed = q.compare(read(), "new", "old", claim="not worse", margin=0.05)
    assert passed.exit_code == 0
    assert passed.sentence.startswith(
        "PASS: new is shown to be less than 0.05 worse than old. new is better than old: "
    )
    assert q.compare(read(), "new", "old", claim="better").sentence.startswith(
        "PASS: new is better than old: new scores "
    )
    failed = q.compare(read(), "old", "new", claim="better")
    assert failed.exit_code == 2
    assert failed.sentence.startswith("FAIL: old is not shown to be better than new. ")
    assert (
        "Their means are 0.840 and 0.750; on items new won 14, lost 5 and tied 81"
        in q.compare(read(), "new", "old").sentence
    )


def test_numbers_have_two_digits_of_half_the_half_width():
    """20 and 15 of 30: the interval is .28 wide, a fourth of that .07."""
    found = q.compare(read([1] * 20 + [0] * 10, [1] * 15 + [0] * 15), "new", "old")
    assert "new scores 0.167 more on average" in found.sentence


def test_items_won_and_lost_with_mcnemars_test():
    """14 against 5 discordant items: R, mcnemar.exact, p = 0.06357."""
    found = q.compare(read(), "new", "old").difference
    assert found.items_won == (14, 5, 81)
    assert found.mcnemar == pytest.approx(binomtest(14, 19).pvalue)
    assert found.mcnemar == pytest.approx(0.06357, abs=1e-5)
    assert [one.gap for one in found.changed(7)] == [-1] * 5 + [1, 1]
    assert {one.item for one in found.changed(5)} == {"84", "85", "86", "87", "88"}
    assert difference(read([0.5, 1, 0.25], [0.25, 0.5, 0.5]), "new", "old").mcnemar is None


def test_what_pairing_gained():
    hard = [9.0, 2.0, 5.0, 7.0, 1.0, 6.0]
    new, old = [x + d for x, d in zip(hard, (1, 0.8, 1.1, 0.9, 1.2, 1.0), strict=True)], hard
    found = q.compare(read(new, old), "new", "old")
    both = pl.DataFrame({"new": new, "old": old})
    apart = both["new"].var() + both["old"].var()
    assert found.difference.pairing_gain == pytest.approx((apart / (both["new"] - both["old"]).var()) ** 0.5)
    assert "without pairs the interval would be " in found.sentence


def test_two_files_are_compared_in_their_order_and_a_claim_names_its_system(tmp_path):
    for name, scores in (("old", OLD), ("new", NEW)):
        pl.DataFrame({"item": range(100), "score": scores}).write_csv(tmp_path / f"{name}.csv")
    found = q.compare(tmp_path / "old.csv", tmp_path / "new.csv", claim="better")
    assert (found.a, found.supported) == ("old", False)
    with pytest.raises(InvalidInput, match='"better" is claimed of one system, not of whichever is ahead'):
        q.compare(read(), claim="better")


def test_the_action_runs_what_the_page_runs():
    """The command of the GitHub Action is the one of the page, whose blocks run."""
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "gate.md").read_text(encoding="utf-8")
    shell = page.split("```bash\n")[1].splitlines()[0]
    action = page.split("```yaml\n")[1].split("```")[0]
    assert f"- run: {shell}\n" in action
    assert [line.strip() for line in action.splitlines() if "report" not in line][-2:] == [
        '- run: cat verdict.md >> "$GITHUB_STEP_SUMMARY"', "if: always()"
    ]  # fmt: skip


@pytest.mark.parametrize(("won", "lost", "n"), [(3, 5, 60), (0, 9, 400), (7, 5, 400)])
def test_passes_and_fails_within_a_margin_are_tested_by_their_scores(won, lost, n):
    """By the score at the likeliest shares that differ by the margin (Tango 1998), found by search."""
    new, old = [1] * won + [0] * (n - won), [0] * won + [1] * lost + [0] * (n - won - lost)
    found, margin = difference(read(new, old), "new", "old"), 0.05

    def tail(more, less):
        share = np.linspace(1e-9, (1 - margin) / 2 - 1e-9, 200_001)  # of less, where more is that and the margin
        fit = more * np.log(share + margin) + less * np.log(share) + (n - more - less) * np.log(1 - 2 * share - margin)
        at = share[fit.argmax()]
        return normal_cdf((more - less - n * margin) / np.sqrt(n * (2 * at + margin - margin**2)))

    assert found.p_equivalence(margin) == pytest.approx(max(tail(won, lost), tail(lost, won)), abs=1e-4)
    low, high = found.equivalence_interval(found.p_equivalence(margin)).ends
    assert max(-low, high) == pytest.approx(margin)


def test_no_failure_in_fifty_does_not_show_that_none_in_thirty_is_worse():
    one_better = [1] + [0] * 49
    assert not q.compare(read(one_better, [0] * 50), "new", "old", claim="not worse", margin=0.03).supported
    assert q.compare(read(one_better * 6, [0] * 300), "new", "old", claim="not worse", margin=0.03).supported


def test_judges_in_turn_who_cannot_be_told_from_single_judgments_are_no_part_of_the_next_study():
    """Each item of each system has one of three judges, another one of the other system."""
    rng = np.random.default_rng(5)
    item = rng.normal(size=12)
    rows = [
        (i, system, f"j{(i + s) % 3}", item[i] + 0.2 * s + 0.3 * ((i + s) % 3) + 0.4 * rng.normal())
        for s, system in enumerate("xy")
        for i in range(12)
    ]
    table = scores_table(rows, "item system judge score")
    found = q.compare(table, "y", "x")
    assert found.outcome == "undecided"
    assert found.next_step is not None
    assert set(found.next_step.plan.design) == {"item", "replicate"}
    assert q.compare(table, "y", "x", targets={"judge": "population"}).next_step is None
