from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import quorate as q
from quorate.planning.search import optimum
from quorate.planning.search.optimum import contenders, precise, reached, redrawn, within

LIMITS = {"items": [20, 50, 100, 141], "prompts": [1, 3], "judges": [1, 3]}


@pytest.fixture(scope="module")
def best(safety):
    return q.plan(safety, budget=141, limits=LIMITS, own={"items": 141, "judges": 1})


def test_the_plan_is_of_the_frontier(best):
    assert best.plan in best.frontier
    assert (best.se, best.calls, best.cost) == (best.plan.se, best.plan.calls, best.plan.cost)


def test_designs_of_the_frontier_are_those_projected_one_by_one(safety):
    limits = {"items": range(6, 40, 9), "judges": [1, 3], "replicates": [1, 2]}
    frontier = q.plan(safety, budget=200, limits=limits, layouts=("factorial", "cyclic")).frontier
    assert {plan.layout for plan in frontier} == {"factorial", "cyclic"}
    for plan in frontier:
        counts = {"items": plan.design["item"], "judges": plan.design["judge"], "replicates": plan.design["replicate"]}
        one = q.project(safety, **counts, layout=plan.layout, prices={"call": 1.0})
        assert (plan.design, plan.calls, plan.cost, plan.groups) == (one.design, one.calls, one.cost, one.groups)
        assert plan.shares == pytest.approx(one.shares)
        assert (plan.se, plan.df, plan.half_width) == pytest.approx((one.se, one.df, one.half_width))


@pytest.mark.slow
def test_some_designs_along_a_long_frontier(safety):
    best = q.plan(safety, budget=141, limits={"items": range(1, 1000), "judges": 3})
    some = best.along(8)
    assert 4 <= len(some) <= 8
    assert best.plan in some
    assert (some[0].cost, some[-1].cost) == (best.frontier[0].cost, best.frontier[-1].cost)
    assert [plan.cost for plan in some] == sorted({plan.cost for plan in some})
    assert best.along(10**6) == best.frontier
    for most, plans in ((8, some), (10**6, best.frontier)):
        edge = best.edge(most)
        assert list(zip(edge.cost, edge.layout, strict=True)) == [(plan.cost, plan.layout) for plan in plans]
        np.testing.assert_allclose(edge.reach, [best.reach(plan) for plan in plans], rtol=1e-9)
    with pytest.raises(q.InvalidInput, match="most: at least 3 designs are needed"):
        best.along(2)
    found = best.to_dict()
    assert len(found["frontier"]) <= 500 < found["frontier_designs"] == len(best.frontier)


def test_a_budget_that_is_met_exactly_is_met(safety):
    """Rounding must not lose the third call at .1."""
    assert q.plan(safety, budget=0.3, prices={"call": 0.1}, limits={"items": [1, 2, 3]}).calls == 3


def test_places_on_the_frontier(best):
    found = best.searched.found
    assert within(found, found.frontier.cost[0] / 2) is None
    assert within(found, 1e9) == len(found.frontier.cost) - 1
    assert precise(found, 1e-9) is None
    assert precise(found, 1e9) == 0


def test_without_a_design_at_hand_there_is_nothing_to_compare(safety):
    best = q.plan(safety, budget=141, limits=LIMITS)
    assert (best.own, best.same_cost, best.same_se) == (None, None, None)


def test_published_components_carry_no_uncertainty(best):
    with pytest.raises(q.InvalidInput, match="ranking: published components carry no uncertainty"):
        best.ranking()


# How sure a choice is: the same figures from a plain loop over redrawn pilots.


LIMITS_RANKING = {"items": range(4, 61, 8), "prompts": [1, 2, 4], "judges": 3, "replicates": [1, 2]}
LAYOUTS = ("factorial", "cyclic")
BUDGET, DRAWS = 150, 100


@pytest.fixture(scope="module")
def fit(judged):
    table = judged({"item": 12, "prompt": 4, "judge": 3}, replicates=2, seed=5, fixed=("judge",), sd={"prompt": 0.5})
    return q.decompose(table)


@pytest.fixture(scope="module")
def ranked(fit):
    return q.plan(fit, budget=BUDGET, limits=LIMITS_RANKING, layouts=LAYOUTS)


def design_of(searched, kept, position):
    plan = searched.projection(kept, position)
    return plan.layout, dict(plan.design)


def test_contenders_come_by_variance_then_levels_once_each_and_no_more_than_are_looked_at(monkeypatch):
    """Prompts vary nothing, so that replicates are worth as much: 1 / items + 1 / calls."""
    source = q.components({"item": 1.0, "replicate": 1.0, "prompt": 0.0})
    limits = {"items": [10, 19, 20], "prompts": [1, 2, 3], "replicates": [1, 2, 3]}
    ranked = q.plan(source, budget=60, limits=limits, layouts=("factorial",))
    kept, _ = contenders(ranked)
    designs = [tuple(design_of(ranked.searched, kept, at)[1].values()) for at in range(len(kept.cost))]
    twenty, ten = [(20, 3, 1), (20, 1, 3), (20, 2, 1), (20, 1, 2), (20, 1, 1)], [(10, 3, 2), (10, 2, 3), (10, 2, 2)]
    assert designs == twenty + ten
    monkeypatch.setattr(optimum, "_MOST_STRATEGIES", 3)
    np.testing.assert_array_equal(contenders(ranked)[0].variance, kept.variance[:3])


def test_the_plan_comes_first_where_another_has_less_variance_and_a_wider_interval():
    source = q.components({"item": 0.2, "prompt": 0.05, "judge": 0.02, "replicate": 2.0})
    limits = {"items": range(2, 40, 3), "prompts": [1, 2, 3, 4], "judges": [1, 2, 3, 5]}
    ranked = q.plan(source, half_width=1.5, limits=limits)
    kept, _ = contenders(ranked)
    assert design_of(ranked.searched, kept, 0) == (ranked.plan.layout, dict(ranked.plan.design))
    assert kept.variance[1] < kept.variance[0]
    assert kept.cost.max() <= ranked.cost * (1 + 1e-9)


@pytest.mark.slow
def test_contenders_are_all_strategies_with_their_best_number_of_items(fit, ranked):
    kept, weights = contenders(ranked)
    values = np.array(list(ranked.searched.source.values.values()))
    np.testing.assert_allclose(values @ weights, kept.variance)
    wanted = {}
    for layout, items, prompts, replicates in product(LAYOUTS, LIMITS_RANKING["items"], [1, 2, 4], [1, 2]):
        plan = q.project(fit, items=items, prompts=prompts, judges=3, replicates=replicates, layout=layout)
        if plan.calls <= ranked.cost:
            key = (layout, prompts, replicates)
            wanted[key] = min(plan.variance, wanted.get(key, np.inf))
    np.testing.assert_allclose(kept.variance, sorted(wanted.values()))
    assert design_of(ranked.searched, kept, 0) == (ranked.plan.layout, dict(ranked.plan.design))


@pytest.mark.parametrize("target", ["panel", "sensitivity"])
def test_a_redrawn_pilot_that_is_the_pilot_is_worth_the_same(fit, target):
    options = {"limits": LIMITS_RANKING, "layouts": LAYOUTS, "targets": {"judge": target}}
    source = q.plan(fit, budget=BUDGET, **options).searched.source
    boot, rng = fit.bootstrap(DRAWS, rng=1), np.random.default_rng(1)
    theta = np.maximum(fit.theta, 0.0) * fit.assembled.scale**2
    same = replace(boot, theta=np.tile(theta, (DRAWS, 1)), beta=np.tile(fit.beta, (DRAWS, 1)))
    values = np.array(list(source.values.values()))
    assert ("judge" in source.values) == (target != "panel")
    np.testing.assert_allclose(redrawn(source, fit, same, rng), np.tile(values[:, None], DRAWS))


@pytest.mark.slow
def test_judges_that_stand_for_others_are_drawn_too(judged):
    """Their variance is that of new judges: right on average, and as spread as three draws make it."""
    table = judged({"item": 30, "prompt": 4, "judge": 3}, replicates=2, seed=5, fixed=("judge",), sd={"judge": 3.0})
    fit, rng = q.decompose(table), np.random.default_rng(1)
    source = q.plan(fit, budget=BUDGET, limits=LIMITS_RANKING, targets={"judge": "population"}).searched.source
    judge = redrawn(source, fit, fit.bootstrap(2000, rng=rng), rng)[list(source.values).index("judge")]
    own = source.values["judge"]
    assert judge.mean() == pytest.approx(own, rel=0.08)
    assert judge.std() == pytest.approx(own, rel=0.1)  # chi-square on 2 degrees of freedom


@pytest.mark.parametrize("target", [pytest.param("panel", marks=pytest.mark.slow), "population"])
def test_figures_of_a_plain_loop(fit, target):
    limits = {**LIMITS_RANKING, "replicates": 1}
    options = {"limits": limits, "layouts": LAYOUTS, "targets": {"judge": target}}
    goal = q.plan(fit, budget=BUDGET, **options).se
    ranked = q.plan(fit, target_se=goal, **options)
    found = ranked.ranking(DRAWS, rng=3)
    rng, searched = np.random.default_rng(3), ranked.searched
    boot = fit.bootstrap(DRAWS, rng=rng)
    kept, _ = contenders(ranked)
    plans = [design_of(searched, kept, position) for position in range(len(kept.cost))]
    at_hand = np.sqrt(kept.variance)
    levels = rng.normal(0, np.sqrt(searched.source.values.get("judge", 0.0)), (DRAWS, 3))
    levels += boot.level_means["judge"] - fit.assembled.fixed.levels["judge"] @ fit.beta
    means = fit.assembled.fixed.levels["judge"] @ fit.beta
    turned = np.var(means, ddof=1) * 2 / rng.chisquare(2, DRAWS) if target == "population" else np.zeros(DRAWS)
    same, loss, own = [], [], []
    for draw in range(DRAWS):
        random = {name: max(float(values[draw]), 0.0) for name, values in boot.components.items()}
        source = q.components(random)
        noise = sum(np.maximum(boot.theta[draw], 0) * fit.level_noise["judge"])
        judge = max(np.var(levels[draw], ddof=1) - noise, 0) / 3 if target == "population" else 0.0
        counts = [{"items": d["item"], "prompts": d["prompt"]} for _, d in plans]
        pairs = zip(plans, counts, strict=True)
        se = [np.sqrt(q.project(source, judges=3, layout=name, **c).variance + judge) for (name, _), c in pairs]
        chosen = int(np.argmin(se))
        same.append(se[0] <= se[chosen] * (1 + 1e-9))
        loss.append(0.0 if same[-1] else at_hand[chosen] / at_hand[0] - 1)
        likely = q.components(
            {
                name: float(boot.plausible[draw, members[-1]])
                for name, members in zip(boot.components, fit.identified.classes, strict=True)
            }
        )
        between = max(turned[draw] - boot.plausible[draw] @ fit.level_noise["judge"], 0) / 3
        spread = between if target == "population" else 0.0
        own.append(np.sqrt(q.project(likely, judges=3, layout=plans[0][0], **counts[0]).variance + spread))
    assert found.top == np.mean(same)
    assert found.within == np.mean(np.array(loss) <= 0.05)
    assert found.loss == pytest.approx(np.mean(loss))
    assert found.loss_high == pytest.approx(np.quantile(loss, 0.95))
    assert (found.se_low, found.se_high) == pytest.approx(tuple(np.quantile(own, [0.025, 0.975])))
    assert found.met == np.mean(np.array(own) <= goal)
    assert (found.strategies, found.draws, found.unconverged) == (len(plans), DRAWS, 0)
    assert at_hand[0] == pytest.approx(ranked.se)


def test_a_choice_may_be_sure_or_open(judged):
    """With prompts that vary much, more of them are bought for certain; where items and prompts balance, it is open."""
    sizes = {"item": 30, "prompt": 8, "judge": 3}
    limits = {"items": range(4, 61, 8), "prompts": range(1, 5), "judges": 3, "replicates": 1}
    tops = []
    for prompt in (3.0, 0.35):
        table = judged(sizes, replicates=2, seed=5, fixed=("judge",), sd={"prompt": prompt})
        tops.append(q.plan(q.decompose(table), budget=180, limits=limits, layouts=("factorial",)).ranking(100).top)
    assert tops[0] > 0.95
    assert tops[1] < 0.8


@pytest.mark.slow
def test_the_same_figures_every_time(ranked):
    assert ranked.ranking(DRAWS).to_dict() == pytest.approx(ranked.ranking(DRAWS).to_dict(), nan_ok=True)
    assert ranked.ranking(DRAWS, rng=1) != ranked.ranking(DRAWS, rng=2)
    assert np.isnan(ranked.ranking(DRAWS).met)


def test_the_plan_comes_first_however_the_search_was_cut(fit, monkeypatch):
    limits = {**LIMITS_RANKING, "replicates": 1}
    options = {"limits": limits, "layouts": LAYOUTS, "targets": {"judge": "population"}}
    whole = q.plan(fit, budget=BUDGET, **options)
    monkeypatch.setattr("quorate.planning.search.search._AT_ONCE", 7)
    parts = q.plan(fit, budget=BUDGET, **options)
    for ranked in (whole, parts):
        kept, _ = contenders(ranked)
        assert np.sqrt(kept.variance[0]) == pytest.approx(ranked.se)
    assert parts.ranking(DRAWS, rng=3).to_dict() == pytest.approx(whole.ranking(DRAWS, rng=3).to_dict(), nan_ok=True)


@pytest.mark.slow
def test_pilots_choose_by_the_interval_where_that_was_asked_for(fit):
    """The same half-widths as the plans themselves have, by a plain loop."""
    ranked = q.plan(fit, half_width=2.5, limits=LIMITS_RANKING, layouts=LAYOUTS, targets={"judge": "population"})
    kept, weights = contenders(ranked)
    values = np.array(list(ranked.searched.source.values.values()))[:, None]
    widths = reached(ranked, kept, weights, values)[:, 0]
    assert widths[0] == pytest.approx(ranked.plan.half_width)
    for position in range(0, len(widths), 3):
        assert widths[position] == pytest.approx(ranked.searched.projection(kept, position).half_width)
    sure = ranked.ranking(100, rng=1)
    assert 0 <= sure.met <= 1
    assert sure.loss_high >= 0
