"""Projections from fits."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decompose import marginal, scored
from quorate.estimate.means.mean import plain_mean
from quorate.estimate.means.targets import drawn_too
from quorate.numerics.inference import wilson_limits
from quorate.planning.designs.sources import Design, from_components, observed_counts
from quorate.planning.search.whatif import as_it_is

CROSSED = {"item": 12, "prompt": 4, "judge": 3, "temperature": 2}
NAMES = ("item", "prompt", "judge")


@pytest.fixture(scope="module")
def crossed(simulate):
    frame = simulate(CROSSED, replicates=2, seed=5)
    frame = frame.with_columns(category=pl.col("item").str.slice(-4).cast(pl.Int64) % 4)
    facets = {name: name for name in (*CROSSED, "replicate")}
    return q.decompose(q.read(frame, facets=facets, nested={"item": "category"}, fixed=("judge", "temperature")))


@pytest.fixture(scope="module")
def raters(simulate):
    frame = simulate({"person": 10, "task": 3, "rater": 4}, seed=2)
    facets = {name: name for name in ("person", "task", "rater")}
    return q.decompose(q.read(frame, facets=facets, object="person", nested={"rater": "task"}, fixed=()))


@pytest.fixture(scope="module")
def responses(simulate):
    frame = simulate({"item": 10, "response": 3, "judge": 4}, replicates=2, seed=3)
    facets = {name: name for name in ("item", "response", "judge", "replicate")}
    return q.decompose(q.read(frame, facets=facets, nested={"response": "item"}))


def grouped(simulate, *, nested, random=None):
    """Prompts written for one of three categories, or every prompt for every category."""
    frame = simulate({"item": 12, "prompt": 6, "judge": 2}, seed=4)
    group = pl.col("item").str.slice(-4).cast(pl.Int64) % 3
    frame = frame.with_columns(category=group)
    if nested:
        frame = frame.filter(pl.col("prompt").str.slice(-1).cast(pl.Int64) % 3 == group)
    parents = {"item": "category", **({"prompt": "category"} if nested else {})}
    return q.decompose(
        q.read(frame, facets={name: name for name in NAMES}, nested=parents, fixed=("judge",)), random=random
    )


def agree(fit, **targets):
    """The design of balanced data, projected, has the standard error that its components give the mean."""
    own = plain_mean(fit, drawn_too(fit, targets))
    assert q.project(fit, targets=targets).se == pytest.approx(own.se, rel=1e-8), targets


@pytest.mark.wide(6)
@pytest.mark.parametrize("judge", ["panel", "population", "sensitivity", q.pool(5)])
@pytest.mark.parametrize(
    "item", [{}, {"item": "finite"}, {"item": q.pool(30)}, {"category": "absorbed"}, {"category": "fixed"}]
)
def test_the_design_of_the_data_has_the_standard_error_of_the_mean(crossed, item, judge):
    agree(crossed, judge=judge, **item)


@pytest.mark.parametrize("target", ["panel", q.pool(4), q.pool(20)])
def test_targets_of_prompts_and_categories(crossed, target):
    agree(crossed, prompt=target)
    agree(crossed, category=target)


@pytest.mark.parametrize(
    "targets", [{}, {"task": "panel"}, {"rater": "panel"}, {"rater": q.pool(15)}, {"person": "finite"}]
)
def test_raters_nested_in_tasks(raters, targets):
    agree(raters, **targets)
    assert observed_counts(raters) == {"person": 10, "task": 3, "rater": 4}


@pytest.mark.parametrize(
    "targets", [{}, {"item": "finite"}, {"item": "finite", "response": "finite"}, {"response": q.pool(50)}]
)
def test_responses_nested_in_items(responses, targets):
    agree(responses, **targets)
    assert observed_counts(responses)["response"] == 3


@pytest.mark.wide(2)
@pytest.mark.parametrize("targets", [{}, {"item": "finite"}, {"prompt": q.pool(12)}, {"judge": "population"}])
def test_prompts_and_categories(simulate, targets):
    agree(grouped(simulate, nested=True), **targets)
    terms = ["category", "item", "prompt", "category:prompt", "item:prompt"]
    agree(grouped(simulate, nested=False, random=terms), **targets)


def test_residuals_by_level(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 3, "judge": 2}, replicates=2, seed=1), residual_by="judge")
    agree(fit)
    agree(fit, item="finite")


def test_anova_estimates_below_zero_count_as_zero(judged):
    sd = {"item": 0.0, "item:judge": 0.0, "prompt": 0.0, "cell": 0.0}
    fit = q.decompose(judged({"item": 5, "prompt": 3, "judge": 3}, replicates=4, sd=sd, seed=1), method="anova")
    assert min(fit.variances.values()) < 0
    agree(fit)
    assert min(q.project(fit).shares.values()) == 0.0


@pytest.mark.slow
def test_a_cyclic_study_projects_itself(simulate):
    frame = simulate({"item": 12, "prompt": 2, "judge": 3}, seed=1)
    turn = pl.col("item").str.slice(-4).cast(pl.Int64) % 3 == pl.col("judge").str.slice(-1).cast(pl.Int64)
    fit = q.decompose(q.read(frame.filter(turn), facets={name: name for name in NAMES}))
    own = plain_mean(fit, {"prompt": "population"})
    assert q.project(fit, layout="cyclic", targets={"judge": "panel", "prompt": "population"}).se == pytest.approx(
        own.se
    )
    with pytest.raises(NotEstimable, match=r"item, item:judge.* differently") as refused:
        q.project(fit)
    low, high = refused.value.bounds
    assert high == pytest.approx(plain_mean(fit, drawn_too(fit, {})).se, rel=1e-6)  # all of the sum in the item
    assert low < high


@pytest.mark.slow
def test_bounds_hold_whatever_the_truth(simulate):
    """The components of the crossed data give a standard error inside the range found from one judge per item."""
    whole = simulate({"item": 240, "prompt": 3, "judge": 3}, seed=7)
    turn = pl.col("item").str.slice(-4).cast(pl.Int64) % 3 == pl.col("judge").str.slice(-1).cast(pl.Int64)
    facets = {name: name for name in NAMES}
    crossed, cyclic = (q.decompose(q.read(frame, facets=facets)) for frame in (whole, whole.filter(turn)))
    with pytest.raises(NotEstimable) as refused:
        q.project(cyclic, items=500, prompts=30)
    low, high = refused.value.bounds
    assert 0.8 * low < q.project(crossed, items=500, prompts=30).se < 1.2 * high


def test_replicates_that_were_never_seen(judged):
    """Without a cell judged twice, a second answer may halve the residual or leave it as it is."""
    fit = q.decompose(judged({"item": 20, "prompt": 4, "judge": 3}, seed=3))
    once = q.project(fit)
    with pytest.raises(NotEstimable, match="cell, replicate differently") as refused:
        q.project(fit, replicates=2)
    low, high = refused.value.bounds
    assert high == pytest.approx(once.se, rel=1e-9)
    assert low**2 == pytest.approx(once.variance - fit.variance("cell") / 240 / 2, rel=1e-9)
    assert refused.value.names == {"cell", "replicate"}


def test_what_is_not_given_stays_as_in_the_data(crossed):
    got = q.project(crossed, judges=5)
    assert got.design == {"item": 12, "prompt": 4, "judge": 5, "temperature": 2, "replicate": 2}
    assert got.calls == 12 * 4 * 5 * 2 * 2


def test_a_larger_study_by_hand(crossed):
    v = crossed.variance
    sizes = {"items": 100, "prompts": 8, "judges": 6, "temperatures": 1, "replicates": 3, "categories": 10}
    got = q.project(crossed, **sizes, targets={"judge": "panel"})
    wanted = (
        v("item") / 100
        + v("category") / 10
        + v("prompt") / 8
        + v("item:prompt") / 800
        + v("item:judge") / 600
        + v("item:temperature") / 100
        + v("prompt:judge") / 48
        + v("prompt:temperature") / 8
        + v("cell") / 4800
        + v("replicate") / 14400
    )
    assert got.variance == pytest.approx(wanted, rel=1e-9)
    assert sum(got.shares.values()) == pytest.approx(1)


def test_other_items_names(raters):
    got = q.project(raters, items=50, levels={"rater": 2})
    assert got.design == {"person": 50, "task": 3, "rater": 2, "replicate": 1}
    assert got.calls == 50 * 3 * 2


def test_attributes_of_items_are_no_facets_of_a_design(simulate):
    frame = simulate({"item": 10, "order": 2, "judge": 3}, seed=1)
    frame = frame.with_columns(benchmark=pl.col("item").str.slice(-1).cast(pl.Int64) % 2)
    facets = {name: name for name in ("item", "order", "judge", "benchmark")}
    fit = q.decompose(q.read(frame, facets=facets), covariates=["benchmark", "order"])
    assert observed_counts(fit) == {"item": 10, "order": 2, "judge": 3}


def test_refusals(crossed, raters):
    with pytest.raises(UnknownTerm, match="annotator"):
        q.project(crossed, levels={"annotator": 2})
    with pytest.raises(UnknownTerm, match="category"):
        q.project(crossed, levels={"category": 2})
    with pytest.raises(InvalidInput, match="prompt: the target must be one of"):
        q.project(crossed, targets={"prompt": "sensitivity"})
    with pytest.raises(InvalidInput, match="a pool of 4 cannot hold the 6 levels"):
        q.project(crossed, prompts=6, targets={"prompt": q.pool(4)})
    with pytest.raises(InvalidInput, match="categories: nothing groups the persons here"):
        q.project(raters, categories=3)
    assert np.isfinite(q.project(raters).se)


SOURCE = q.components({"item": 1.0, "prompt": 0.1, "item:judge": 0.2}, sensitivity={"judge": 0.01})


def source(**targets):
    return from_components(SOURCE, Design(items=10, given={"prompt": 3, "judge": 2}, targets=targets))


def test_facets_stand_for_what_is_asked_of_them():
    found = source(prompt="panel")
    assert (found.targets["item"], found.targets["prompt"]) == ("population", "panel")
    assert found.targets["judge"] == "sensitivity"


def test_a_product_of_fixed_facets_is_divided_by_the_levels_of_all():
    jt = {"judge": 0.01, "temperature": 0.02, "judge:temperature": 0.11}
    found = q.components({"item": 0.25, "replicate": 0.16}, sensitivity=jt)
    both = q.project(found, items=50, judges=3, temperatures=2).variance
    assert both == pytest.approx(0.25 / 50 + 0.16 / 300 + 0.01 / 3 + 0.02 / 2 + 0.11 / 6)
    one = q.project(found, items=50, judges=3).variance  # at one temperature, which is a condition of the study
    assert one == pytest.approx(0.25 / 50 + 0.16 / 150 + 0.01 / 3)


# Plans from fits with a link.


DESIGN = {"items": 80, "prompts": 4}


@pytest.fixture(scope="module")
def fit():
    """Thirty items, five prompts, three judges: 0/1 scores from log odds."""
    rng = np.random.default_rng(4)
    odds = 1.2 + rng.normal(size=(30, 1, 1)) + 0.5 * rng.normal(size=(1, 5, 1)) + 0.5 * rng.normal(size=(30, 1, 3))
    odds = odds + np.array([-0.3, 0.0, 0.3])
    odds = np.broadcast_to(odds, (30, 5, 3))
    at = np.indices(odds.shape).reshape(3, -1)
    columns = dict(zip(("item", "prompt", "judge"), at, strict=True))
    columns |= {"score": (rng.random(odds.size) < 1 / (1 + np.exp(-odds.ravel()))).astype(int)}
    return q.decompose(q.read(pl.DataFrame(columns), announce=False), link="logit", method="pirls")


@pytest.mark.slow
def test_components_of_scores_add_up_to_the_variance_of_a_score(fit):
    """A share p has p (1 - p), whatever it varies with."""
    found, scores = scored(fit), marginal(fit)
    assert sum(found.variances.values()) == pytest.approx(np.mean(scores.means * (1 - scores.means)))
    assert scores.means.mean() == pytest.approx(fit.mean.value, abs=0.02)
    for name, value in found.variances.items():
        assert value == pytest.approx(fit.linear.variances[name], abs=0.03), name


@pytest.mark.slow
def test_the_interval_is_inside_the_scale(fit):
    plan = q.project(fit, **DESIGN)
    assert plan.variance == pytest.approx(q.project(scored(fit), **DESIGN, targets={"judge": "panel"}).variance)
    one = q.project(fit, items=3, prompts=3)
    assert one.half_width < 0.5
    assert q.project(fit, items=160, prompts=8).half_width < plan.half_width


def test_a_study_of_such_a_design_has_students_interval_within_zero_and_one(fit):
    plan, level = q.project(fit, **DESIGN), 0.975
    half = stats.t.ppf(level, plan.df) * plan.se * np.sqrt(stats.chi2.median(plan.df) / plan.df)
    low, high = wilson_limits(fit.mean.value, half, plan.calls, (0.0, 1.0))
    assert plan.half_width == pytest.approx((high - low) / 2, rel=0.005)


def test_the_best_design_is_searched_and_the_study_is_at_hand(fit):
    best = q.plan(fit, half_width=0.12, limits={"items": [40, 80, 160], "prompts": [4, 6]})
    assert best.plan.half_width <= 0.12
    assert as_it_is(fit).se == fit.mean.se
    assert as_it_is(fit).found_half_width == pytest.approx(fit.mean.half_width)
    with pytest.raises(InvalidInput, match="ranking: pilots are redrawn as scores that are numbers"):
        best.ranking(100)


def test_other_targets_are_refused_by_name(fit):
    with pytest.raises(InvalidInput, match="the mean of a fit with a link has judge=panel, got population"):
        q.project(fit, **DESIGN, targets={"judge": "population"})
    with pytest.raises(InvalidInput, match="has judge=panel, got population"):
        as_it_is(fit, targets={"judge": "population"})
    q.project(fit, **DESIGN, targets={"judge": "panel"})
