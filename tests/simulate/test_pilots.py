"""Pilots cut from a full table: the cuts, the choices and what they cost, each counted again by hand."""

from __future__ import annotations

import numpy as np
import pytest
from calibration.pilots import cut, pilot_study

import quorate as q
from quorate.errors import InvalidInput, NotEstimable

pytestmark = pytest.mark.calibration  # what it uses, and nothing else does

SIZES = {"item": 40, "prompt": 5, "judge": 3}
LIMITS = {"items": range(5, 101, 5), "prompts": range(1, 6), "judges": [3], "replicates": [1, 2]}
LAYOUTS = ("factorial", "cyclic", "latin")
BUDGETS = [120, 400]
RUNS = 4


@pytest.fixture(scope="module")
def full(judged):
    return judged(SIZES, replicates=2, seed=3, fixed=("judge",))


@pytest.fixture(scope="module")
def study(full):
    return pilot_study(full, budgets=BUDGETS, items=10, prompts=3, runs=RUNS, limits=LIMITS, rng=4)


def test_a_cut_keeps_all_judgments_of_the_levels_it_draws(full):
    pilot = cut(full, {"item": 10, "prompt": 3}, np.random.default_rng(1))
    assert (pilot.n_levels("item"), pilot.n_levels("prompt"), pilot.n_levels("judge")) == (10, 3, 3)
    kept = {name: np.isin(full.facet(name).levels, pilot.facet(name).levels) for name in full.names}
    mask = np.all([kept[name][full.column(name)] for name in full.names], axis=0)
    assert pilot.n_answers == full.n[mask].sum() == 10 * 3 * 3 * 2
    np.testing.assert_array_equal(pilot.mean, full.mean[mask])


def test_responses_are_cut_as_levels_of_their_own(judged):
    import polars as pl

    rows = [(i, r, m, float(i + r * m)) for i in range(6) for r in range(4) for m in range(2)]
    frame = pl.DataFrame(rows, schema=["question", "response", "judge", "score"], orient="row")
    table = q.read(frame, facets={"item": "response", "judge": "judge"}, nested={"item": "question"})
    pilot = cut(table, {"item": 7}, np.random.default_rng(1))
    assert pilot.n_levels("item") == 7
    assert pilot.n_answers == 14


@pytest.mark.slow
def test_a_pilot_of_everything_chooses_as_the_full_table(full):
    study = pilot_study(full, budgets=BUDGETS, items=40, prompts=None, runs=2, limits=LIMITS)
    assert (study.unfitted, study.ordered) == (0, 1.0)
    for choice in study.choices:
        assert (choice.exact, choice.alike, choice.close, choice.undecided) == (1.0, 1.0, 1.0, 0)
        assert choice.loss == pytest.approx(0, abs=1e-9)
        assert choice.optimism == pytest.approx(0, abs=1e-9)
        assert choice.correlation == pytest.approx(1)


@pytest.mark.parametrize("position", range(len(BUDGETS)))
def test_choices_are_those_of_optimize(full, study, position):
    options = {"budget": BUDGETS[position], "limits": LIMITS}
    best, fit, rng = q.plan(q.decompose(full), **options).plan, q.decompose(full), np.random.default_rng(4)
    loss, optimism, exact, alike = [], [], [], []
    for _ in range(RUNS):
        plan = q.plan(q.decompose(cut(full, {"item": 10, "prompt": 3}, rng)), **options).plan
        counts = {"items": plan.design["item"], "prompts": plan.design["prompt"]}
        truth = q.project(fit, **counts, judges=3, replicates=plan.design["replicate"], layout=plan.layout)
        loss.append(truth.se / best.se - 1)
        optimism.append(1 - plan.se / truth.se)
        exact.append((plan.design, plan.layout) == (best.design, best.layout))
        alike.append(({**plan.design, "item": 0}, plan.layout) == ({**best.design, "item": 0}, best.layout))
    choice = study.choices[position]
    assert choice.best == best
    assert (choice.exact, choice.alike) == (np.mean(exact), np.mean(alike))
    assert choice.close == np.mean(np.array(loss) <= 0.01)
    assert choice.loss == pytest.approx(np.mean(loss))
    assert choice.loss_high == pytest.approx(np.quantile(loss, 0.95))
    assert choice.optimism == pytest.approx(np.mean(optimism))


def test_some_pilots_choose_otherwise(study):
    assert 0 < study.choices[1].exact < 1
    assert 0 < study.choices[1].loss < study.choices[1].loss_high


def test_strategies_are_all_combinations_but_for_items(study):
    # 5 prompts x 2 replicates crossed or with judges in turn; latin with 2 to 5 prompts (with 1 it is cyclic).
    assert study.choices[1].strategies == 5 * 2 + 5 * 2 + 4 * 2


@pytest.mark.slow
def test_the_order_of_the_two_largest_components(full, study):
    fit, rng = q.decompose(full), np.random.default_rng(4)
    ordered = sorted(fit.components, key=lambda c: -c.variance)[:2]
    names, right = tuple(c.name for c in ordered), []
    for _ in range(RUNS):
        found = q.decompose(cut(full, {"item": 10, "prompt": 3}, rng)).variances
        right.append(found[names[0]] > found[names[1]])
    assert study.largest == names
    assert study.ordered == np.mean(right)


@pytest.mark.slow
def test_pilots_that_cannot_be_fitted_are_counted(full):
    study = pilot_study(full, budgets=[400], items=1, runs=3, limits=LIMITS)
    choice = study.choices[0]
    assert (study.unfitted, study.ordered, choice.undecided) == (3, 0.0, 0)
    assert (choice.exact, choice.alike, choice.close) == (0.0, 0.0, 0.0)
    assert np.isnan([choice.loss, choice.loss_high, choice.correlation, choice.optimism]).all()


@pytest.mark.slow
def test_pilots_that_cannot_decide_are_counted(full):
    study = pilot_study(full, budgets=[400], items=10, judges=1, runs=3, limits=LIMITS, layouts=("factorial",))
    assert (study.unfitted, study.choices[0].undecided, study.choices[0].close) == (0, 3, 0.0)


@pytest.mark.slow
def test_the_same_pilots_every_time(full, study):
    again = pilot_study(full, budgets=BUDGETS, items=10, prompts=3, runs=RUNS, limits=LIMITS, rng=4)
    assert again == study
    few = {"budgets": [400], "items": 10, "runs": 3, "limits": LIMITS}
    assert pilot_study(full, **few) == pilot_study(full, **few) != pilot_study(full, **few, rng=5)


@pytest.mark.slow
def test_prices_and_limits_of_the_full_table_are_the_default(full):
    study = pilot_study(full, budgets=[50.0], items=10, runs=2, prices={"call": 0.1, "item": 0.5})
    best = q.plan(q.decompose(full), budget=50.0, prices={"call": 0.1, "item": 0.5}).plan
    assert study.choices[0].best == best
    assert best.cost <= 50.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": 41}, "item: a pilot of 41 cannot be cut from a table of 40"),
        ({"prompts": 0}, "prompt: at least 1 is needed, got 0"),
        ({"runs": 0}, "runs: at least 1 is needed, got 0"),
        ({"budgets": [5]}, "budgets: 5 buys no design within the limits; the cheapest costs 15"),
    ],
)
def test_refusals(full, options, message):
    with pytest.raises(InvalidInput, match=message):
        pilot_study(full, **{"budgets": [400], "limits": {"items": [15], "prompts": [1], "replicates": [1]}} | options)


def test_a_full_table_that_decides_nothing_is_refused(judged):
    table = judged({"item": 10, "prompt": 3, "judge": 1}, fixed=("judge",))
    with pytest.raises(NotEstimable, match="the full table determines the variance of no design"):
        pilot_study(table, budgets=[400], items=5, runs=2, limits={"items": [10], "judges": [2]})


def test_a_frame_is_refused():
    with pytest.raises(InvalidInput, match="read it first"):
        pilot_study({"score": [1]}, budgets=[10])


@pytest.mark.slow
def test_groups_of_items_are_as_many_as_in_the_full_table(simulate):
    frame = simulate({"topic": 8, "item": 5, "judge": 2}, seed=2)
    facets = {"item": "item", "judge": "judge"}
    frame = frame.with_columns(item=frame["topic"] + frame["item"])
    full = q.read(frame, facets=facets, nested={"item": "topic"})
    best = pilot_study(full, budgets=[100], items=12, prompts=None, runs=3, limits={"items": [20, 40]}).choices[0].best
    limits = {"items": [20, 40], "categories": 8}
    assert best == q.plan(q.decompose(full), budget=100, limits=limits).plan
    assert best.groups == {"topic": 8}


def test_grids_that_every_pilot_would_take_too_long_over_are_refused(full):
    limits = {"items": range(1, 100_001), "prompts": range(1, 6), "replicates": range(1, 6)}
    with pytest.raises(InvalidInput, match="designs are more than the 1,000,000 that every pilot can go through"):
        pilot_study(full, budgets=[400], limits=limits)
