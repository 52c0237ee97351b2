from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.planning.search.optimum import precise, within

LIMITS = {"items": [20, 50, 100, 141], "prompts": [1, 3], "judges": [1, 3]}


@pytest.fixture(scope="module")
def best(safety):
    return q.plan(safety, budget=141, limits=LIMITS, own={"items": 141, "judges": 1})


def test_the_plan_is_of_the_frontier(best):
    assert best.plan in best.frontier
    assert (best.se, best.calls, best.cost) == (best.plan.se, best.plan.calls, best.plan.cost)


def test_the_frontier_as_a_frame(best):
    frame = best.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["se"].to_list() == [plan.se for plan in best.frontier]
    assert {"cost", "calls", "layout", "per_item", "item", "judge", "prompt", "replicate"} <= set(frame.columns)


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
        assert plan.half_width == pytest.approx(one.half_width)


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
        np.testing.assert_allclose(edge.se, [plan.se for plan in plans], rtol=1e-12)
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
