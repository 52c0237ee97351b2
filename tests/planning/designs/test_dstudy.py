from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import scores_table

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.differences.difference import difference
from quorate.planning.designs.dstudy import components_of_difference, of_difference
from quorate.planning.search.whatif import as_it_is, what_if

SAFETY = {"items": 141, "prompts": 5, "judges": 3, "temperatures": 3, "replicates": 8}


# Numbers of Messing (2026)


def test_safety_study(safety):
    got = q.project(safety, **SAFETY)
    assert got.variance == pytest.approx(0.000353969, abs=5e-10)
    assert got.se == pytest.approx(0.018814, abs=5e-7)
    assert 1.96 * got.se == pytest.approx(0.0369, abs=5e-5)  # the paper has the normal interval
    assert got.calls == 141 * 5 * 3 * 3 * 8
    shares = {name: round(100 * share, 1) for name, share in got.shares.items()}
    assert {name: shares[name] for name in ("judge", "item", "item:judge", "prompt:judge", "category")} == {
        "judge": 43.8,
        "item": 20.8,
        "item:judge": 16.7,
        "prompt:judge": 12.4,
        "category": 4.9,
    }


def test_safety_with_categories_drawn_or_fixed(safety):
    """Absorbed in the items, the published form; a sample of 12; or the mix as designed."""
    assert q.project(safety, **SAFETY, targets={"category": "absorbed"}).se == pytest.approx(0.018814, abs=5e-7)
    assert q.project(safety, **SAFETY, categories=12).se == pytest.approx(0.023221, abs=5e-7)
    assert q.project(safety, **SAFETY, targets={"category": "fixed"}).se == pytest.approx(0.018350, abs=5e-7)


@pytest.mark.parametrize(
    ("design", "se", "with_temperature"),
    [
        ((141, 1, 1, 1), 0.039091, 0.039135),
        ((141, 3, 3, 1), 0.019908, 0.019993),
        ((141, 5, 3, 8), 0.018840, 0.018930),
        ((50, 1, 2, 1), 0.035732, 0.035780),
    ],
)
def test_safety_frontier(safety, design, se, with_temperature):
    items, prompts, judges, replicates = design
    counts = {"items": items, "prompts": prompts, "judges": judges, "replicates": replicates}
    assert q.project(safety, **counts).se == pytest.approx(se, abs=5e-7)
    assert q.project(safety, **counts, temperatures=1).se == pytest.approx(with_temperature, abs=5e-7)


@pytest.mark.parametrize(
    ("prompts", "layout", "se", "with_temperature"),
    [(1, "cyclic", 0.0279, 0.02795), (3, "latin", 0.0251, 0.02520), (5, "latin", 0.0245, 0.02461)],
)
def test_safety_one_call_per_item(safety, prompts, layout, se, with_temperature):
    """Cycling judges, or prompts and judges: up to 37% below a single configuration at the same price."""
    got = q.project(safety, items=141, prompts=prompts, judges=3, layout=layout)
    assert got.calls == 141
    assert got.se == pytest.approx(se, abs=5e-5)
    one = q.project(safety, items=141, prompts=prompts, judges=3, layout=layout, temperatures=1).se
    assert one == pytest.approx(with_temperature, abs=5e-5)


def test_likert_ideology(ideology):
    got = q.project(ideology, items=150, prompts=5, judges=3, temperatures=3, replicates=3)
    shares = {name: round(100 * share, 1) for name, share in got.shares.items()}
    assert {
        name: shares[name] for name in ("judge", "item", "prompt:judge", "prompt", "item:judge", "item:prompt")
    } == {"judge": 54.4, "item": 26.9, "prompt:judge": 9.3, "prompt": 8.0, "item:judge": 0.7, "item:prompt": 0.6}


def test_one_judge_instead_of_three_by_the_same_equation(safety):
    """With the sensitivity of the judge throughout, 3.54e-4 becomes 8.72e-4, 146% more."""
    one = q.project(safety, **{**SAFETY, "judges": 1}).variance
    assert one == pytest.approx(8.72e-4, rel=1e-3)
    assert one / q.project(safety, **SAFETY).variance == pytest.approx(2.46, abs=0.01)


# Published components, the general form


def closed(v, s, n, p, m, r):
    """Equation 10: one temperature, categories absorbed."""
    return (
        (v["item"] + v["category"]) / n
        + v["prompt"] / p
        + s["judge"] / m
        + v["item:prompt"] / (n * p)
        + (v["item:judge"] + v["item:temperature"] * m) / (n * m)
        + v["prompt:judge"] / (p * m)
        + v["prompt:temperature"] / p
        + v["cell"] / (n * p * m)
        + v["replicate"] / (n * p * m * r)
    )


COUNT = st.integers(1, 12)


@given(n=st.integers(1, 300), p=COUNT, m=COUNT, r=COUNT)
def test_a_full_factorial_is_equation_10(safety, n, p, m, r):
    got = q.project(safety, items=n, prompts=p, judges=m, replicates=r)
    assert got.variance == pytest.approx(closed(safety.random, safety.sensitivity, n, p, m, r), rel=1e-12)
    assert got.calls == n * p * m * r


@given(n=st.integers(60, 300), p=st.integers(1, 5), m=COUNT, r=COUNT)
def test_more_levels_never_raise_the_standard_error(safety, n, p, m, r):
    base = q.project(safety, items=n, prompts=p, judges=m, replicates=r).se
    for more in ({"items": n + 1}, {"prompts": p + 1}, {"judges": m + 1}, {"replicates": r + 1}):
        assert q.project(safety, **{"items": n, "prompts": p, "judges": m, "replicates": r} | more).se <= base


@pytest.mark.slow
@given(n=st.integers(60, 200), p=st.integers(1, 5), m=st.integers(1, 6), layout=st.sampled_from(["cyclic", "latin"]))
def test_layouts_cost_less_and_know_less_than_the_factorial(safety, n, p, m, layout):
    counts = {"items": n, "prompts": p, "judges": m}
    whole, part = q.project(safety, **counts), q.project(safety, **counts, layout=layout)
    assert part.calls == n * (p if layout == "cyclic" else 1)
    assert part.se >= whole.se * (1 - 1e-12)
    for got in (whole, part):
        assert sum(got.shares.values()) == pytest.approx(1)
        assert min(got.shares.values()) >= 0


def test_cyclic_judges_by_hand(safety):
    """One judge per item: the item and its judge come together, the judges stay three."""
    v, s = safety.random, safety.sensitivity
    got = q.project(safety, items=141, prompts=2, judges=3, layout="cyclic")
    wanted = (v["item"] + v["category"] + v["item:judge"] + v["item:temperature"]) / 141
    wanted += v["prompt"] / 2 + s["judge"] / 3 + v["prompt:judge"] / 6 + v["prompt:temperature"] / 2
    wanted += (v["item:prompt"] + v["cell"] + v["replicate"]) / 282
    assert got.variance == pytest.approx(wanted, rel=1e-12)


def test_blocks_lie_between_cyclic_and_factorial(safety):
    counts = {"items": 120, "prompts": 2, "judges": 4}
    some = [q.project(safety, **counts, layout="blocks", per_item=k) for k in (1, 2, 3, 4)]
    assert [p.calls for p in some] == [240, 480, 720, 960]
    assert some[0].se == pytest.approx(q.project(safety, **counts, layout="cyclic").se)
    assert some[3].se == pytest.approx(q.project(safety, **counts).se)
    assert sorted((p.se for p in some), reverse=True) == [p.se for p in some]


def test_a_fixed_facet_that_is_not_given_is_a_condition_of_the_study(safety):
    got = q.project(safety, items=141, prompts=5)
    assert got.targets["judge"] == "panel"
    assert got.shares["judge"] == 0.0


def test_targets(safety):
    base = q.project(safety, **SAFETY)
    v = safety.random
    finite = q.project(safety, **SAFETY, targets={"item": "finite"})  # a finite set of items has its own categories
    assert base.variance - finite.variance == pytest.approx((v["item"] + v["category"]) / 141, rel=1e-9)
    panels = {"judge": "panel", "temperature": "panel"}
    both = q.project(safety, **SAFETY, targets={"item": "finite", **panels}).variance
    more = q.project(safety, **SAFETY, targets=panels).variance
    assert more - both == pytest.approx((v["item"] + v["category"]) / 141 + v["item:judge"] / 423, rel=1e-9)
    panel = q.project(safety, **SAFETY, targets={"judge": "panel"})
    assert base.variance - panel.variance == pytest.approx(safety.sensitivity["judge"] / 3, rel=1e-9)


@pytest.mark.parametrize("item", ["finite", "panel", q.pool(200)])
def test_finite_items_have_finite_categories(safety, item):
    dropped = q.project(safety, **SAFETY, categories=12, targets={"item": item})
    asked = q.project(safety, **SAFETY, categories=12, targets={"item": item, "category": "finite"})
    assert dropped.variance == pytest.approx(asked.variance)
    assert dropped.shares["category"] == 0


def test_a_pool_of_judges_has_the_finite_population_correction(safety):
    """sigma^2 / M (K - M) / (K - 1): nothing is left when the pool is used up, all of it for an endless one."""
    parts = {
        k: q.project(safety, items=141, judges=3, targets={"judge": q.pool(k)}).variance
        - q.project(safety, items=141, judges=3, targets={"judge": "panel"}).variance
        for k in (3, 5, 10**9)
    }
    s = safety.sensitivity["judge"]
    assert parts[3] == pytest.approx(0, abs=1e-15)
    assert parts[5] == pytest.approx(s / 3 * 2 / 4, rel=1e-9)
    assert parts[10**9] == pytest.approx(s / 3, rel=1e-6)


def test_interactions_of_categories():
    both = q.components({"item": 0.3, "category": 0.2, "prompt": 0.05, "category:prompt": 0.1})
    got = q.project(both, items=30, prompts=4, categories=5)
    assert got.variance == pytest.approx(0.3 / 30 + 0.2 / 5 + 0.05 / 4 + 0.1 / 20)
    absorbed = q.project(both, items=30, prompts=4)
    assert absorbed.variance == pytest.approx(0.3 / 30 + 0.2 / 30 + 0.05 / 4 + 0.1 / 120)


def test_other_facets_are_given_by_name():
    annotated = q.components({"item": 0.3, "annotator": 0.1, "item:annotator": 0.2})
    got = q.project(annotated, items=10, levels={"annotator": 4})
    assert got.variance == pytest.approx(0.03 + 0.025 + 0.005)
    assert got.design == {"item": 10, "annotator": 4, "replicate": 1}


def test_no_variance_has_no_shares():
    got = q.project(q.components({"item": 0.0}), items=10)
    assert got.se == 0.0
    assert math.isnan(got.shares["item"])


def test_price(safety):
    counts = {"items": 10, "prompts": 2, "judges": 2, "replicates": 3}
    assert q.project(safety, **counts).cost is None
    assert q.project(safety, **counts, prices={"call": 0.1, "item": 1.0}).cost == pytest.approx(12 + 10)
    assert q.project(safety, **counts, prices={"judge": {"cheap": 0.1}}).cost is None


def test_as_plain_values(safety):
    got = q.project(safety, items=10, judges=2, targets={"judge": q.pool(4)}, prices={"call": 1.0})
    out = got.to_dict()
    assert out["targets"]["judge"] == "pool of 4"
    assert out["design"]["judge"] == 2
    assert out["calls"] == out["cost"] == 20
    assert out["half_width_95"] == pytest.approx(got.half_width, rel=1e-12)


# Refusals


@pytest.mark.parametrize("name", ["items", "prompts", "judges", "temperatures", "replicates", "categories"])
def test_counts_that_are_none(safety, name):
    for count in (0, -1, 1.5, math.nan, math.inf, "3", True, np.float64(2.5)):
        with pytest.raises(InvalidInput, match="must be a whole number from 1"):
            q.project(safety, **{"items": 10, name: count})


def test_counts_of_any_integer_type(safety):
    assert q.project(safety, items=np.int32(10)).calls == 10


def test_items_are_needed_with_published_components(safety):
    with pytest.raises(InvalidInput, match="items: the number of items is needed"):
        q.project(safety, judges=3)


def test_facets_that_do_not_exist(safety):
    with pytest.raises(UnknownTerm, match="annotator"):
        q.project(safety, items=10, levels={"annotator": 3})
    with pytest.raises(UnknownTerm, match="annotator"):
        q.project(safety, items=10, targets={"annotator": "panel"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targets": {"prompt": "populaton"}}, "targets: prompt must be one of population, panel, finite or pool"),
        ({"targets": {"prompt": "sensitivity"}}, "targets: prompt must be one of"),
        ({"targets": {"judge": "population"}}, "a sensitivity of judge is known, not its population variance"),
        ({"targets": {"judge": "absorbed"}}, "targets: judge must be one of"),
        ({"judges": 3, "targets": {"judge": q.pool(2)}}, "a pool of 2 cannot hold the 3 levels"),
        ({"targets": {"category": "population"}}, "categories: how many are needed"),
        ({"levels": {"category": 3}}, "levels: category has an argument of its own; use categories="),
        ({"levels": {"item": 3}}, "levels: item has an argument of its own; use items="),
        ({"per_item": 2}, "per_item: is needed with"),
    ],
)
def test_options_that_do_not_fit(safety, options, message):
    with pytest.raises(InvalidInput, match=message):
        q.project(safety, items=10, **options)


def test_categories_where_there_is_no_such_component():
    with pytest.raises(InvalidInput, match="categories: there is no category component here"):
        q.project(q.components({"item": 0.1}), items=10, categories=3)


def test_what_is_no_fit_is_told(judged):
    with pytest.raises(InvalidInput, match="got Judgments; decompose it first"):
        q.project(judged({"item": 4, "judge": 2}))


@pytest.mark.parametrize("items", [10**30, 10**10])
def test_numbers_beyond_any_study_are_refused(safety, items):
    with pytest.raises(InvalidInput, match="items: must be a whole number from 1 to 1,000,000,000"):
        q.project(safety, items=items)


def test_a_billion_items_are_as_quick_as_ten(safety):
    plan = q.project(safety, items=10**9, judges=3, layout="cyclic")
    assert plan.calls == 10**9
    assert plan.variance == pytest.approx((4.653511507238085e-4 + 6.598746549346365e-4) / 3, rel=1e-6)


def test_categories_meet_no_more_judges_than_they_have_items():
    """20 items with one judge each make at most 20 pairs of category and judge."""
    both = q.components({"category:judge": 1.0, "item": 0.0})
    found = {n: q.project(both, items=n, judges=5, categories=12, layout="cyclic").variance for n in (20, 60, 600)}
    assert found == pytest.approx({20: 1 / 20, 60: 1 / 60, 600: 1 / 60})
    assert q.project(both, items=20, judges=5, categories=12).variance == pytest.approx(1 / 60)


def test_what_is_measured_cannot_be_assigned(simulate):
    frame = simulate({"prompt": 6, "judge": 3, "item": 4}, seed=1)
    fit = q.decompose(q.read(frame, facets={n: n for n in ("prompt", "judge", "item")}, object="judge", fixed=()))
    with pytest.raises(InvalidInput, match="'cyclic' assigns judges to what is measured, which is the judge here"):
        q.project(fit, layout="cyclic")
    assert q.plan(fit, budget=200).plan.layout == "factorial"


@pytest.mark.slow
def test_nested_prompts_are_paid_for_each_item(simulate):
    frame = simulate({"item": 10, "prompt": 3, "judge": 2}, seed=1)
    facets = {name: name for name in ("item", "prompt", "judge")}
    fit = q.decompose(q.read(frame, facets=facets, nested={"prompt": "item"}))
    plan = q.project(fit, items=20, prices={"call": 1.0, "prompt": 10.0})
    assert plan.cost == 20 * 3 * 2 + 20 * 3 * 10
    best = q.plan(fit, budget=1000, prices={"call": 1.0, "prompt": 10.0}, limits={"items": [10, 20]})
    assert best.own.cost == 60 + 300
    assert best.cost == 720


def test_categories_of_unequal_size_keep_their_sizes(simulate):
    """24, 3 and 3 items: fewer of them cannot help, and the design of the data has about the error of the mean."""
    frame = simulate({"item": 30, "judge": 3}, seed=4)
    number = pl.col("item").str.slice(-4).cast(pl.Int64)
    category = pl.when(number < 24).then(0).when(number < 27).then(1).otherwise(2)
    frame = frame.with_columns(category=category).with_columns(score=pl.col("score") + 2.0 * pl.col("category"))
    table = q.read(frame, facets={"item": "item", "judge": "judge"}, nested={"item": "category"}, fixed=("judge",))
    fit, panel = q.decompose(table), {"judge": "panel"}
    as_it_is, half = q.project(fit, targets=panel), q.project(fit, items=15, targets=panel)
    assert half.se > as_it_is.se
    assert as_it_is.variance == pytest.approx(fit.mean_for(category="population").basis.plain, rel=1e-9)
    assert as_it_is.shares["category"] * as_it_is.variance < (24**2 + 3**2 + 3**2) / 30**2 * fit.variance("category")
    three = q.project(fit, categories=3)
    assert three.shares["category"] * three.variance == pytest.approx(fit.variance("category") / 3)


def test_categories_of_a_design_may_be_unequal():
    """A mean weighs categories by their precision: as the inverse of .36 + .5 / items, whatever varies with judges."""
    source = q.components({"item": 0.4, "category": 0.3, "category:judge": 0.12, "cell": 0.2})
    sizes = {"math": 60, "code": 30, "chat": 10}
    design = {"items": 100, "judges": 2, "category_items": sizes}
    unequal = q.project(source, **design)
    precision = 1 / (0.36 + 0.5 / np.array(list(sizes.values())))
    weight = precision / precision.sum()
    assert unequal.groups == {"category": 3}
    assert unequal.variance == pytest.approx(1 / precision.sum())
    parts = {name: share * unequal.variance for name, share in unequal.shares.items()}
    assert parts["category"] == pytest.approx(0.3 * weight @ weight)
    assert parts["category:judge"] == pytest.approx(0.12 / 2 * weight @ weight)
    assert parts["item"] == pytest.approx(0.4 * np.sum(weight**2 / [60, 30, 10]))
    equal = q.project(source, items=100, judges=2, categories=3)
    assert q.project(source, items=100, judges=2, category_items=[1, 1, 1]).variance == pytest.approx(equal.variance)
    best = q.plan(source, budget=200, limits={"items": [50, 100], "judges": [1, 2]}, category_items=[60, 30, 10])
    assert best.plan.variance == pytest.approx(unequal.variance)
    asked = q.project(source, **design, category_shares={"chat": 0.2, "math": 0.5, "code": 0.3})
    assert asked.variance == pytest.approx(0.36 * 0.38 + 0.5 * (0.5**2 / 60 + 0.3**2 / 30 + 0.2**2 / 10))
    assert asked.se > unequal.se
    these = q.project(
        source, **design, category_shares={"chat": 0.2, "math": 0.5, "code": 0.3}, targets={"category": "finite"}
    )
    assert these.shares["category"] == 0


@pytest.mark.parametrize(
    ("items", "shares", "said"),
    [
        (None, [0.5, 0.5], "category_items must say how many"),
        ({"a": 3, "b": 6}, [0.5, 0.5], "name the categories here and in category_items"),
        ({"a": 3, "b": 6}, {"a": 0.5, "c": 0.5}, r"one for each of the categories \(a, b\), summing to 1"),
        ([3, 6], [0.5, 0.6], r"one for each of the categories \(2 of them\), summing to 1"),
    ],
)
def test_shares_of_categories_that_are_refused(items, shares, said):
    source = q.components({"item": 0.4, "category": 0.3})
    with pytest.raises(InvalidInput, match=said):
        q.project(source, items=9, category_items=items, category_shares=shares)


def test_sizes_of_categories_that_are_refused():
    source = q.components({"item": 0.4, "category": 0.3, "category:judge": 0.06, "cell": 0.2})
    for wrong in ([], [1, 0], "60", [math.inf], [True]):
        with pytest.raises(InvalidInput, match="category_items: a number above 0 for each category"):
            q.project(source, items=9, category_items=wrong)
    with pytest.raises(InvalidInput, match="leave categories out"):
        q.project(source, items=9, categories=2, category_items=[1, 2])
    with pytest.raises(InvalidInput, match="leave categories out"):
        q.plan(source, budget=9, limits={"items": [9], "categories": [2]}, category_items=[1, 2])


# Designs of two systems: every judgment is one of both.


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
    return scores_table(rows, "system item judge score")


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
