from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.means.targets import Pool, default_targets, distance, is_grouping, resolve, share


@pytest.fixture(scope="module")
def fit(simulate):
    frame = simulate({"item": 12, "prompt": 3, "judge": 3}, seed=1)
    frame = frame.with_columns(category=pl.col("item").str.slice(-1).cast(pl.Int64) % 3)
    return q.decompose(
        q.read(frame, facets={n: n for n in ("item", "prompt", "judge")}, nested={"item": "category"}, fixed=("judge",))
    )


def test_defaults_are_this_setup_with_other_items(fit):
    assert default_targets(fit) == {"item": "population", "prompt": "panel", "judge": "panel", "category": "population"}


def test_a_facet_that_shows_no_variance_stands_for_itself(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 1, "judge": 3}))
    assert default_targets(fit)["prompt"] == "panel"


@pytest.fixture(scope="module")
def of_two_systems(simulate):
    frame = simulate({"item": 20, "system": 2, "judge": 3}, seed=4)
    return frame.with_columns(score=pl.col("score") + 2.0 * (pl.col("system") == pl.col("system").min()))


def test_systems_stand_for_themselves_though_their_effects_are_random(of_two_systems):
    facets = {name: name for name in ("item", "system", "judge")}
    fit = q.decompose(q.read(of_two_systems, facets=facets))
    assert default_targets(fit)["system"] == "panel"
    assert fit.variances["system"] > 0
    chosen = q.decompose(q.read(of_two_systems, facets=facets, fixed=("judge", "system")))
    assert fit.mean.ends == pytest.approx(chosen.mean.ends, rel=1e-6)
    assert "few-levels" not in {one.code for one in fit.mean.caveats}
    like_these = fit.mean_for(system="population")
    assert like_these.half_width > 5 * fit.mean.half_width
    assert "few-levels" in {one.code for one in like_these.caveats}


def test_systems_that_are_rated_are_a_population(simulate):
    """Where they are the objects, as items are elsewhere, they are what the scores vary between."""
    frame = simulate({"system": 12, "judge": 3}, seed=4)
    fit = q.decompose(q.read(frame, facets={"system": "system", "judge": "judge"}, object="system"))
    assert default_targets(fit)["system"] == "population"


def test_a_covariate_stands_for_itself(simulate):
    frame = simulate({"item": 8, "order": 2})
    fit = q.decompose(q.read(frame, facets={"item": "item", "order": "order"}), covariates=["order"])
    assert default_targets(fit)["order"] == "panel"


@pytest.mark.parametrize("target", ["population", q.pool(20)])
def test_a_covariate_stands_for_nothing_else(simulate, target):
    frame = simulate({"item": 8, "moment": 2})
    fit = q.decompose(q.read(frame, facets={"item": "item", "moment": "moment"}), covariates=["moment"])
    with pytest.raises(InvalidInput, match="moment: a covariate stands for its own levels"):
        fit.mean_for(moment=target)


@pytest.mark.parametrize("target", ["finite", "panel", q.pool(40)])
def test_categories_are_finite_with_their_items(fit, target):
    assert resolve(fit, {"item": target})["category"] == "finite"
    assert resolve(fit, {"item": target, "category": "fixed"})["category"] == "fixed"


@pytest.mark.parametrize("category", ["population", "absorbed"])
@pytest.mark.parametrize("item", ["finite", q.pool(40)])
def test_finite_items_of_a_population_of_categories_are_refused(fit, item, category):
    with pytest.raises(InvalidInput, match=r"item: .* come with their category"):
        resolve(fit, {"item": item, "category": category})


def test_only_what_groups_items_is_grouping(fit):
    assert [name for name in fit.judgments.names if is_grouping(fit.judgments, name)] == ["category"]


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ({"item": "sensitivity"}, 'item: the target must be one of "population", "panel", "finite" or pool'),
        ({"prompt": "absorbed"}, "prompt: the target must be one of"),
        ({"judge": "everyone"}, "judge: .*\"sensitivity\" or pool.*got 'everyone'"),
        ({"judge": None}, "judge: the target must be one of"),
        ({"judge": 20}, "judge: the target must be one of"),
        ({"judge": q.pool(2)}, "judge: a pool of 2 cannot hold the 3 levels"),
    ],
)
def test_targets_that_do_not_fit_are_refused(fit, targets, message):
    with pytest.raises(InvalidInput, match=message):
        fit.mean_for(**targets)


def test_a_facet_that_does_not_exist(fit):
    with pytest.raises(UnknownTerm, match="annotator"):
        fit.mean_for(annotator="panel")


def test_pools():
    assert q.pool(20) == Pool(20)
    assert str(q.pool(20)) == "pool of 20"
    with pytest.raises(InvalidInput, match="at least 1, got 0"):
        q.pool(0)


ROWS = [("a", r, j) for r in range(1) for j in "xy"] + [("b", r, j) for r in range(3) for j in "xy"]


@pytest.fixture(scope="module")
def nested():
    """Item a with 1 response and item b with 3, two judges."""
    frame = pl.DataFrame(ROWS, schema=["item", "response", "judge"], orient="row")
    frame = frame.with_columns(score=pl.Series(np.arange(len(ROWS), dtype=float)))
    return q.read(frame, facets={c: c for c in ("item", "response", "judge")}, nested={"response": "item"})


def test_what_is_nested_shares_the_weight_of_its_parent(nested):
    assert share(nested, "item", "finite").tolist() == [1 / 2, 1 / 2]
    assert share(nested, "response", "finite") == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])


def test_a_group_weighs_as_its_objects_do():
    frame = pl.DataFrame({"item": list("abcd"), "topic": ["u", "u", "u", "v"], "score": [1.0, 2, 3, 5]})
    table = q.read(frame, facets={"item": "item"}, nested={"item": "topic"})
    assert share(table, "topic", "finite").tolist() == [3 / 4, 1 / 4]


def test_distance_is_zero_for_the_weights_of_the_target_itself(nested):
    weight = np.array([{"a": 1 / 2, "b": 1 / 6}[item] / 2 for item, _, _ in ROWS])
    targets = dict.fromkeys(nested.names, "finite")
    for facets in (["item"], ["response"], ["judge"], ["item", "judge"], ["response", "judge"]):
        assert distance(nested, facets, targets, weight) == 0.0


def test_distance_counts_levels_that_were_never_judged():
    frame = pl.DataFrame({"item": [0, 1, 2, 3], "judge": [0, 1, 0, 1], "score": [1.0, 2, 3, 5]})
    table = q.read(frame, facets={"item": "item", "judge": "judge"})
    weight = np.full(4, 1 / 4)
    targets = {"item": "finite", "judge": "panel"}
    by_hand = 4 * (1 / 4 - 1 / 8) ** 2 + 4 * (0 - 1 / 8) ** 2
    assert distance(table, ["item", "judge"], targets, weight) == pytest.approx(by_hand)


def test_distance_from_a_pool_counts_its_unseen_levels(nested):
    weight = np.full(len(ROWS), 1 / len(ROWS))
    targets = {"item": "finite", "response": "finite", "judge": q.pool(5)}
    assert distance(nested, ["judge"], targets, weight) == pytest.approx(2 * (1 / 2 - 1 / 5) ** 2 + 3 * (1 / 5) ** 2)


def test_distance_within_a_stratum_looks_at_its_cells_only(nested):
    weight = np.full(len(ROWS), 1 / len(ROWS))
    targets = dict.fromkeys(nested.names, "finite")
    whole = distance(nested, nested.names, targets, weight)
    parts = [distance(nested, nested.names, targets, weight, ("judge", level)) for level in "xy"]
    assert sum(parts) == pytest.approx(whole)


def test_an_absorbed_category_is_absorbed_in_its_interactions_too():
    rng = np.random.default_rng(3)
    items, judges = 24, 3
    rows = [(i, f"c{i % 4}", j) for i in range(items) for j in range(judges) for _ in range(2)]
    frame = pl.DataFrame(rows, schema=["item", "category", "judge"], orient="row")
    effect = rng.normal(size=(4, judges))
    score = [effect[i % 4, j] + rng.normal() for i, _, j in rows]
    table = q.read(
        frame.with_columns(score=pl.Series(score)),
        facets={"item": "item", "judge": "judge"},
        nested={"item": "category"},
    )
    fit = q.decompose(table, random=["category", "item", "item:judge", "category:judge"])
    absorbed = fit.mean_for(category="absorbed")
    part = absorbed.shares["judge:category"] * absorbed.basis.plain
    assert part == pytest.approx(fit.variance("category:judge") / (items * judges), rel=1e-6)
    plan = q.project(fit, targets={"category": "absorbed", "judge": "panel"})
    assert np.sqrt(absorbed.basis.plain) == pytest.approx(plan.se, rel=1e-6)
