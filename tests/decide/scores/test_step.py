import json

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.scores import score_step
from quorate.errors import InvalidInput
from quorate.estimate.differences.difference import difference
from quorate.planning.search.optimize import studies_of_plan

# Few sizes to choose from: a search within them is quick.
FEW = {
    "items": [30, 100, 300, 1000],
    "judges": [3, 5, 10, 20, 40],
    "prompts": [3, 6, 12],
    "replicates": [1],
}
SIZES = {"item": 30, "judge": 5, "prompt": 3, "system": 2}
A, B = "system0000", "system0001"
NULL = {"system": 0.0, "judge:system": 0.2, "prompt:system": 0.1}


@pytest.fixture(scope="module")
def found(judged):
    drawn = {"judge": "population", "prompt": "population"}
    return difference(judged(SIZES, fixed=(), sd=NULL, replicates=2), A, B, targets=drawn)


def test_the_step_has_the_power_that_it_promises(found):
    step = score_step(found, margin=None, alpha=0.05, power=0.9, limits=FEW)
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
    step = score_step(found, margin=None, alpha=0.05, power=0.9, prices=prices, limits=FEW)
    assert step.cost == pytest.approx(0.01 * step.calls + step.design["item"])
    assert f"for {step.cost:,.2f}" in step.sentence
    by_judge = {"judge": {f"judge{i}": 0.02 for i in range(12)}}
    dear = score_step(found, margin=None, alpha=0.05, power=0.3, prices=by_judge)
    assert dear.cost == pytest.approx(0.02 * dear.calls)
    assert dear.design["judge"] <= 12


def test_equivalence_is_the_goal_where_it_is_cheaper(found):
    margin = 4 * abs(found.value) + 2 * found.se
    step = score_step(found, margin=margin, alpha=0.05, power=0.9, limits=FEW)
    assert step.toward == "equivalence"
    assert studies_of_plan(step.plan).shows_equal(abs(found.value), margin, 0.05) >= 0.9
    assert "would show equivalence" in step.sentence


def test_limits_that_hold_no_such_design_give_none(found):
    assert score_step(found, margin=None, alpha=0.05, power=0.9, limits={"items": [20, 30]}) is None


def test_far_more_judges_than_were_seen_is_said(found):
    step = score_step(found, margin=None, alpha=0.05, power=0.99, limits=FEW)
    assert [one.code for one in step.caveats] == ["beyond-the-study"]


@pytest.mark.slow
def test_a_panel_stays_as_it_is(judged):
    own = difference(judged(SIZES, sd=NULL), A, B)
    step = score_step(own, margin=None, alpha=0.05, power=0.5)
    assert step.design["judge"] == 5


def test_items_of_each_system_are_counted_for_each(judged):
    judgments = judged(SIZES, fixed=(), sd=NULL)
    apart = judgments.keep((judgments.column("item") < 15) == (judgments.column("system") == 0))
    own = difference(apart, A, B)
    step = score_step(own, margin=None, alpha=0.05, power=0.3, prices={"call": 1.0, "item": 1.0}, limits=FEW)
    assert own.method == "joint"
    assert not step.paired
    assert step.cost == pytest.approx(step.calls + 2 * step.design["item"])
    assert "for each system" in step.sentence


def test_one_model_of_shared_items_plans_pairs_as_the_pairs_do(judged):
    judgments = judged(SIZES, fixed=(), sd=NULL, replicates=2)
    joint = difference(judgments, A, B, method="joint")
    paired = difference(judgments, A, B)
    one, two = (score_step(own, margin=None, alpha=0.05, power=0.8, limits=FEW) for own in (joint, paired))
    assert one.paired
    assert one.calls == pytest.approx(two.calls, rel=0.1)


def test_repeats_are_not_planned_where_nothing_was_repeated(judged):
    judgments = judged({"item": 40, "system": 2}, fixed=(), sd={"system": 0.2})
    for method in ("paired", "joint"):
        own = difference(judgments, A, B, method=method)
        assert score_step(own, margin=None, alpha=0.05, power=0.5).design["replicate"] == 1


def test_one_level_of_what_is_drawn_is_never_planned(judged):
    table = judged({**SIZES, "prompt": 3}, fixed=(), sd={"system": 0.5, "prompt:system": 0.0})
    few = difference(table, A, B, targets={"judge": "population", "prompt": "population"})
    step = score_step(
        few, margin=None, alpha=0.05, power=0.3, limits={**FEW, "judges": [1, 2, 5, 20], "prompts": [1, 3, 40]}
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
    panel = difference(judged(SIZES, sd=NULL), A, B, targets={"prompt": "panel"})
    assert (
        score_step(panel, margin=None, alpha=0.05, power=0.3, limits={"items": [900], "prompts": 1}).design["prompt"]
        == 1
    )


def test_one_judge_with_a_price_buys_no_study_of_judges_like_these(found):
    assert score_step(found, margin=None, alpha=0.05, power=0.5, prices={"judge": {"x": 0.1}}) is None


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
    options = {"margin": None, "alpha": 0.05, "power": 0.9, "limits": FEW}
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
    options = {"margin": 4 * abs(found.value) + 2 * found.se, "alpha": 0.05, "power": 0.9, "limits": FEW}
    whole = score_step(found, **options)
    assert whole.toward == "equivalence"
    enough, little = (score_step(found, **options, budget=whole.calls * part) for part in (1.0, 0.5))
    assert enough.alike_by_budget >= abs(found.value) * (1 - 1e-6)
    assert little.budget_power < 0.9
    assert little.alike_by_budget is None or little.alike_by_budget < abs(found.value)
    assert "show equivalence with a chance of" in little.sentence


def test_a_budget_that_buys_no_study(found):
    step = score_step(found, margin=None, alpha=0.05, power=0.9, budget=1.0, limits=FEW)
    assert (step.budget_power, step.seen_by_budget, step.affordable) == (0.0, None, False)
    assert "it would see no difference" in step.sentence


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
