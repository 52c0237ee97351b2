from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.means.targets import drawn_too
from quorate.planning.designs.names import PARTIAL
from quorate.planning.search.whatif import AS_IT_IS, EVERY_CELL, WhatIf, as_it_is, best_purchases, own_layout, what_if


def for_others(fit, **targets):
    """The mean that plans are for."""
    return fit.mean_for(**drawn_too(fit, targets))


@pytest.fixture(scope="module")
def fit(judged):
    return q.decompose(judged({"item": 24, "prompt": 3, "judge": 2}, replicates=2, seed=3))


@pytest.fixture(scope="module")
def rows(fit):
    return {row.label: row for row in what_if(fit, prices={"call": 0.1})}


@pytest.mark.slow
def test_the_first_row_is_the_design_as_it_is(fit):
    first = what_if(fit)[0]
    assert first.label == AS_IT_IS
    assert first.projection.se == for_others(fit).se
    assert (first.change, first.more_calls, first.more_cost) == (0.0, 0, None)


@pytest.fixture(scope="module")
def gappy(simulate):
    """Half of the cells of 24 x 3 x 2, and 5 rows without a score."""
    frame = simulate({"item": 24, "prompt": 3, "judge": 2}, replicates=2, seed=3).sample(fraction=0.5, seed=1)
    frame = frame.with_columns(score=pl.when(pl.int_range(pl.len()) < 5).then(None).otherwise("score"))
    return q.decompose(q.read(frame, facets={name: name for name in ("item", "prompt", "judge", "replicate")}))


def test_a_study_with_gaps_is_shown_as_it_is(gappy):
    first = as_it_is(gappy, prices={"call": 0.1}, targets={"judge": "population"})
    estimate = for_others(gappy, judge="population")
    assert (first.se, first.shares, first.targets) == (estimate.se, estimate.shares, estimate.target)
    assert (gappy.judgments.n_answers, first.calls, first.cost) == (139, 144, pytest.approx(14.4))
    assert first.design == {"item": 24, "prompt": 3, "judge": 2, "replicate": 1}
    assert what_if(gappy, targets={"judge": "population"})[0].projection.se == first.se


def test_the_price_of_the_study_as_it_is_by_judge(gappy):
    assert as_it_is(gappy, prices={"judge": {"a": 0.1, "b": 0.3}}).cost == pytest.approx(144 * 0.2)
    assert as_it_is(gappy, prices={"item": 1.0}).cost is None


def test_filling_the_gaps_is_the_first_change(simulate, fit, rows):
    whole = simulate({"item": 24, "prompt": 3, "judge": 2}, seed=3)
    some = q.decompose(q.read(whole.sample(fraction=0.6, seed=1), facets={n: n for n in ("item", "prompt", "judge")}))
    filled = what_if(some)[1]
    assert (filled.label, filled.projection.calls, filled.more_calls) == (EVERY_CELL, 144, 144 - 86)
    base = as_it_is(some)
    assert filled.change == pytest.approx(q.project(some).half_width / base.half_width - 1)
    assert base.found_half_width == for_others(some).half_width
    assert filled.change < 0
    assert EVERY_CELL not in rows


def test_a_mean_that_is_not_estimable_is_refused(judged):
    fit = q.decompose(judged({"item": 24, "prompt": 3, "judge": 2}, seed=3))
    with pytest.raises(NotEstimable):
        what_if(fit, targets=dict.fromkeys(("item", "prompt", "judge"), "finite"))


def test_groups_are_doubled_with_their_items(simulate):
    frame = simulate({"item": 24, "judge": 2}, replicates=2, seed=3)
    group = (pl.col("item").str.slice(-4).cast(pl.Int64) % 6).cast(pl.String)
    frame = frame.with_columns(category=group, score=pl.col("score") + 3 * group.cast(pl.Float64))
    names = ("item", "judge", "category", "replicate")
    fit = q.decompose(q.read(frame, facets={n: n for n in names}, nested={"item": "category"}, fixed=("judge",)))
    rows = {row.label: row for row in what_if(fit)}
    both = rows["double the categories and items"]
    assert both.projection.se == pytest.approx(q.project(fit, items=48, categories=12).se)
    assert both.change < rows["double the items"].change < 0
    assert both.more_calls == 96


def test_changes_to_every_facet(rows):
    assert set(rows) == {
        AS_IT_IS,
        "double the items",
        "half the items",
        "one more prompt",
        "two more prompts",
        "one prompt only",
        "one more judge",
        "two more judges",
        "one judge only",
        "one more replicate",
        "one replicate only",
        "one judge per item, in turn",
        "one prompt and judge per item, in turn",
    }


@pytest.mark.parametrize(
    ("label", "options", "more"),
    [
        ("double the items", {"items": 48}, 288),
        ("half the items", {"items": 12}, -144),
        ("two more prompts", {"prompts": 5}, 192),
        ("one more replicate", {"replicates": 3}, 144),
        ("one judge per item, in turn", {"layout": "cyclic"}, -144),
        ("one prompt and judge per item, in turn", {"layout": "latin"}, -240),
    ],
)
def test_each_row_is_a_projection(fit, rows, label, options, more):
    row, wanted = rows[label], q.project(fit, **options)
    assert row.projection.se == pytest.approx(wanted.se)
    assert row.change == pytest.approx(wanted.half_width / q.project(fit).half_width - 1)
    assert row.more_calls == more
    assert row.more_cost == pytest.approx(0.1 * more)


def test_targets_are_passed_on(fit):
    first = what_if(fit, targets={"item": "finite"})[0]
    assert first.projection.se == pytest.approx(fit.mean_for(item="finite").se, rel=1e-8)


def test_what_the_data_cannot_tell_is_shown_as_unknown(judged):
    """No cell was judged twice: what a second answer would do is not known."""
    rows = {row.label: row for row in what_if(q.decompose(judged({"item": 24, "prompt": 3, "judge": 2}, seed=3)))}
    unknown = rows["one more replicate"]
    assert unknown.projection is None
    assert math.isnan(unknown.change)
    assert "cell, replicate" in unknown.reason
    assert rows["double the items"].reason == ""


def test_layouts_that_need_more_items_are_left_out(judged):
    fit = q.decompose(judged({"item": 5, "prompt": 3, "judge": 3}, replicates=2, seed=3))
    labels = {row.label for row in what_if(fit)}
    assert "one prompt and judge per item, in turn" not in labels
    assert "one judge per item, in turn" in labels


def test_best_purchases_buy_most_variance_per_call(fit):
    rows = what_if(fit)
    best = best_purchases(rows, most=2)
    assert len(best) == 2
    gain = {r.label: (1 - (1 + r.change) ** 2) / r.more_calls for r in rows if r.projection and r.more_calls > 0}
    assert [row.label for row in best] == sorted(gain, key=gain.get, reverse=True)[:2]


def test_purchases_are_ranked_by_variance_not_by_standard_error(rows):
    """60% off the standard error for 10 calls takes 84% of the variance; 10% off for 2 calls takes 19%."""
    any_ = rows["double the items"].projection
    large, small = (WhatIf(f"{change}", any_, change, calls, None) for change, calls in ((-0.6, 10), (-0.1, 2)))
    assert best_purchases((large, small)) == (small, large)


def test_changes_that_cost_nothing_or_bring_nothing_are_no_purchases(fit):
    best = best_purchases(what_if(fit), most=50)
    assert all(row.more_calls > 0 and row.change < -0.005 for row in best)
    assert "one more replicate" not in {row.label for row in best}


@pytest.mark.parametrize(("shift", "layout"), [(lambda i: i % 3, "cyclic"), (lambda i: i // 3 % 3, "latin")])
def test_a_fractional_study_is_changed_within_its_own_layout(shift, layout):
    rng = np.random.default_rng(5)
    rows = [(i, i % 3, v, rng.normal()) for i in range(36) for v in ([shift(i)] if layout == "latin" else range(3))]
    frame = pl.DataFrame(rows, schema=["item", "judge", "prompt", "score"], orient="row")
    fit = q.decompose(q.read(frame, facets={c: c for c in ("item", "judge", "prompt")}))
    assert own_layout(fit) == layout
    rows = {row.label: row for row in what_if(fit)}
    assert rows[AS_IT_IS].projection.layout == layout
    assert rows[AS_IT_IS].projection.se == pytest.approx(for_others(fit).se, rel=1e-6)
    assert rows["double the items"].change < 0
    assert rows["every judge for every item"].projection is None


def test_changes_are_projected_for_the_targets_asked_for(fit):
    rows = {row.label: row for row in what_if(fit, targets={"prompt": "panel"})}
    wanted = q.project(fit, items=48, targets={"prompt": "panel"})
    assert rows["double the items"].projection.se == pytest.approx(wanted.se)
    assert wanted.se != pytest.approx(q.project(fit, items=48).se)


def test_of_two_judges_that_stand_for_others_a_third_is_what_to_buy(fit):
    """Two have no interval, so no other change has one; the third brings it."""
    rows = what_if(fit, targets={"judge": "population"})
    assert rows[0].projection.half_width == math.inf
    assert {row.label for row in rows[1:] if row.projection is not None} == {"one more judge", "two more judges"}
    assert best_purchases(rows)[0].label == "one more judge"


def test_changes_to_a_study_with_gaps_keep_their_share(simulate):
    """3 of 10 judges for each item: one more judge is asked as often as the others, and not about everything."""
    whole = simulate({"item": 40, "judge": 10}, seed=3)
    code = pl.col("judge").rank("dense").cast(pl.Int64) + 3 * pl.col("item").rank("dense").cast(pl.Int64)
    fit = q.decompose(q.read(whole.filter(code % 10 < 3), facets={name: name for name in ("item", "judge")}))
    targets = {"judge": "population"}
    rows = {row.label: row for row in what_if(fit, prices={"call": 0.5, "item": 2.0}, targets=targets)}
    base, more, double = (rows[label] for label in (AS_IT_IS, "one more judge", "double the items"))
    assert (base.projection.calls, more.more_calls, double.more_calls) == (120, 12, 120)
    assert [row.projection.to_dict()["layout"] for row in (base, more, rows[EVERY_CELL])] == [
        PARTIAL,
        PARTIAL,
        "factorial",
    ]
    assert more.more_cost == pytest.approx(6.0)
    assert double.more_cost == pytest.approx(60.0 + 80.0)
    plain = for_others(fit, **targets).basis.plain
    wanted = {name: share * plain for name, share in base.projection.shares.items()}
    assert more.projection.shares["judge"] * more.projection.variance == pytest.approx(wanted["judge"] * 10 / 11)
    assert double.projection.shares["item"] * double.projection.variance == pytest.approx(wanted["item"] / 2)
    assert rows[EVERY_CELL].more_calls == 280
    assert rows["one judge only"].projection is None
    assert "fewer than three levels" in rows["one judge only"].reason


def test_groups_of_unequal_size_weigh_as_they_do_in_the_mean(simulate):
    """20, 2 and 2 items: more of them do no harm, and twice of each group halves what groups bring."""
    frame = simulate({"item": 24, "judge": 2}, replicates=2, seed=3)
    number = pl.col("item").rank("dense")
    group = pl.when(number <= 20).then(0).when(number <= 22).then(1).otherwise(2)
    frame = frame.with_columns(category=group.cast(pl.String), score=pl.col("score") + 3 * group)
    names = ("item", "judge", "category", "replicate")
    fit = q.decompose(q.read(frame, facets={n: n for n in names}, nested={"item": "category"}, fixed=("judge",)))
    rows = {row.label: row.projection for row in what_if(fit)}
    base, items, both = (rows[label] for label in (AS_IT_IS, "double the items", "double the categories and items"))
    assert items.half_width < base.half_width
    brought = [plan.shares["category"] * plan.variance for plan in (base, items, both)]
    assert brought[1] == pytest.approx(brought[0], rel=0.06)  # as it is counts half of the noise in the means of groups
    assert brought[2] == pytest.approx(brought[0] / 2, rel=0.06)


@pytest.fixture(scope="module")
def uneven(simulate):
    """6 judges of 40 items in a third of the cells, the first of them in all: what they bring is not a sixth each."""
    whole = simulate({"item": 40, "judge": 6}, seed=3)
    first = pl.col("judge") == pl.col("judge").min()
    frame = pl.concat([whole.filter(first), whole.filter(~first).sample(fraction=0.2, seed=1)])
    return q.decompose(q.read(frame, facets={name: name for name in ("item", "judge")}))


def test_more_items_leave_what_judges_bring_as_uneven_as_it_is(uneven):
    rows = {row.label: row.projection for row in what_if(uneven, targets={"judge": "population"})}
    plans = (rows[AS_IT_IS], rows["double the items"], rows[EVERY_CELL])
    base, double, filled = (plan.shares["judge"] * plan.variance for plan in plans)
    assert double == pytest.approx(filled, rel=1e-9)
    assert double == pytest.approx(base * for_others(uneven, judge="population").basis.plain / plans[0].variance)


def test_a_change_to_a_study_with_gaps_costs_its_own_calls_alone(uneven):
    """By call or by judge, with its items on top; where no price of a call is known, neither is that of a change."""
    one, each, none = (
        {row.label: row for row in what_if(uneven, prices={**prices, "item": 2.0})}["double the items"]
        for prices in ({"call": 0.5}, {"judge": dict.fromkeys("abcdef", 0.5)}, {})
    )
    assert one.more_calls == 80
    assert one.more_cost == pytest.approx(80 * 0.5 + 40 * 2.0)
    assert each.more_cost == pytest.approx(one.more_cost)
    assert (none.more_cost, none.projection.cost) == (None, None)
