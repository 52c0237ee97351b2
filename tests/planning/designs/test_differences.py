"""Designs of two systems: every judgment is one of both."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.differences.difference import difference
from quorate.planning.designs.dstudy import components_of_difference, of_difference
from quorate.planning.search.whatif import as_it_is, what_if

SIZES = {"item": 30, "judge": 4, "system": 2}
A, B = "system0000", "system0001"


@pytest.fixture(scope="module")
def pair(judged):
    return difference(judged(SIZES, fixed=()), A, B)


@pytest.fixture(scope="module")
def apart():
    """Two systems with items of their own."""
    rng = np.random.default_rng(2)
    rows = [(f"s{i % 2}", i, f"j{m}", u + rng.normal()) for i, u in enumerate(rng.normal(size=40)) for m in range(3)]
    return q.read(pl.DataFrame(rows, schema=["system", "item", "judge", "score"], orient="row"), announce=False)


def test_items_of_their_own_fixed_judges_and_no_replicates(apart):
    """The cell is then all there is of the judges; it is divided by them as well as by the items."""
    verdict = q.compare(apart, "s0", "s1", limits={"items": [20, 200], "judges": [3], "replicates": [1]})
    assert verdict.outcome.value == "undecided"
    assert [one.code for one in verdict.caveats].count("aliased") == 1
    same = q.project(components_of_difference(verdict.difference), items=20, judges=3)
    assert same.se == pytest.approx(verdict.difference.se, rel=1e-6)


def test_the_design_at_hand_is_the_comparison(pair):
    """Its standard error and interval are those of the difference, and a judgment is one of either system."""
    for found in (pair, pair.others):
        own = as_it_is(found, prices={"call": 0.5})
        assert own.found_half_width == found.estimate.half_width
        assert (own.calls, own.cost) == (240, 120.0)
        assert q.project(found).variance == pytest.approx(found.estimate.basis.plain, rel=1e-9)
    assert pair.others.estimate.target["judge"] == "population"


def test_changes_are_to_both_systems(pair):
    rows = {row.label: row for row in what_if(pair)}
    assert rows["double the items"].more_calls == 240
    assert rows["double the items"].change == pytest.approx(2**-0.5 - 1, abs=0.02)


def test_a_plan_of_a_difference_is_not_that_of_the_mean_over_both(judged, pair):
    """Items matter for a mean; for a difference they cancel where both systems find the same ones hard."""
    mean = q.plan(q.decompose(judged(SIZES, fixed=())), budget=240, targets={"judge": "panel"})
    of_both = q.plan(pair, budget=240)
    assert of_both.systems == (A, B)
    assert of_both.own.calls == 240
    assert of_both.plan.half_width <= of_both.own.half_width < mean.own.half_width
    assert of_both.plan.calls <= 240


def test_items_cost_once_where_both_are_judged_on_the_same(pair, apart):
    prices = {"call": 1.0, "item": 10.0}
    assert of_difference(pair).prices(prices) == {"call": 2.0, "item": 10.0}
    assert of_difference(difference(apart, "s0", "s1")).prices(prices) == {"call": 2.0, "item": 20.0}


def test_what_is_paid_for_is_kept_in_pairs(judged, pair):
    table = judged(SIZES, fixed=())
    plan = q.plan(pair, half_width=0.9 * pair.estimate.half_width, have=table).plan
    assert plan.reused == 240
    assert plan.cost == plan.calls - 240


def test_systems_without_common_cells_have_a_best_design_and_no_list_of_changes(apart):
    found = difference(apart, "s0", "s1")
    best = q.plan(found, budget=240)
    assert best.plan.calls <= 240
    assert q.project(found, items=20).se == pytest.approx(found.se, rel=1e-6)
    with pytest.raises(NotEstimable, match="changes to the study cannot be listed"):
        what_if(found)
    with pytest.raises(InvalidInput, match="not judged on the same cells"):
        q.plan(found, budget=240, have=apart)


def test_a_difference_says_what_facets_stand_for(pair):
    with pytest.raises(InvalidInput, match="targets: a difference says"):
        q.plan(pair, budget=240, targets={"judge": "panel"})
    with pytest.raises(InvalidInput, match="targets: a difference says"):
        q.project(pair, targets={"judge": "panel"})
