from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.means.targets import Pool, default_targets, is_grouping, resolve


@pytest.fixture(scope="module")
def fit(simulate):
    frame = simulate({"item": 12, "prompt": 3, "judge": 3}, seed=1)
    frame = frame.with_columns(category=pl.col("item").str.slice(-1).cast(pl.Int64) % 3)
    return q.decompose(q.read(frame, facets={n: n for n in ("item", "prompt", "judge")}, nested={"item": "category"}))


def test_defaults_are_population_for_random_and_panel_for_fixed_facets(fit):
    assert default_targets(fit) == {
        "item": "population",
        "prompt": "population",
        "judge": "panel",
        "category": "population",
    }


def test_a_facet_that_shows_no_variance_stands_for_itself(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 1, "judge": 3}))
    assert default_targets(fit)["prompt"] == "panel"


def test_a_covariate_stands_for_itself(simulate):
    frame = simulate({"item": 8, "order": 2})
    fit = q.decompose(q.read(frame, facets={"item": "item", "order": "order"}), covariates=["order"])
    assert default_targets(fit)["order"] == "panel"


@pytest.mark.parametrize("target", ["population", q.pool(20)])
def test_a_covariate_stands_for_nothing_else(simulate, target):
    frame = simulate({"item": 8, "order": 2})
    fit = q.decompose(q.read(frame, facets={"item": "item", "order": "order"}), covariates=["order"])
    with pytest.raises(InvalidInput, match="order: a covariate stands for its own levels"):
        fit.mean_for(order=target)


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
