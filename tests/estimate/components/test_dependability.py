from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.dependability import UniverseScore, averages, dependability

SIZES = {"item": 12, "prompt": 3, "judge": 4}


@pytest.fixture(scope="module")
def brennan(shared):
    """Brennan (2001), table 3.2: 10 persons, 3 tasks, 4 raters nested in each task."""
    facets = {"person": "Person", "task": "Task", "rater": "Rater"}
    data = shared / "data" / "gtheory_brennan_3_2.parquet"
    return q.decompose(q.read(data, score="Score", facets=facets, object="person", nested={"rater": "task"}, fixed=()))


def test_raters_nested_in_tasks(brennan):
    """.4731 / (.4731 + .5596/3 + 2.3802/12) and with .3252/3 + .6475/12, from Brennan's analysis of variance."""
    found = dependability(brennan)
    assert found.levels == {"task": 3, "rater": 4, "replicate": 1}
    assert found.universe == pytest.approx(0.4731, abs=5e-5)
    assert found.relative_error == pytest.approx(0.5596 / 3 + 2.3802 / 12, abs=1e-4)
    assert found.absolute_error - found.relative_error == pytest.approx(0.3252 / 3 + 0.6475 / 12, abs=1e-4)
    assert found.generalizability == pytest.approx(0.551, abs=5e-4)
    assert found.phi == pytest.approx(0.464, abs=5e-4)


def test_other_numbers_of_levels(brennan):
    found = dependability(brennan, task=6, rater=2)
    assert found.relative_error == pytest.approx(0.5596 / 6 + 2.3802 / 12, abs=1e-4)
    assert found.absolute_error - found.relative_error == pytest.approx(0.3252 / 6 + 0.6475 / 12, abs=1e-4)


def test_a_fixed_facet_moves_its_interaction_to_the_universe_score(brennan):
    """Brennan (2001), chapter 4, tasks fixed: universe p + pt/3, relative pr:t/12, absolute adds r:t/12."""
    found = dependability(brennan, fixed=("task",))
    assert found.universe == pytest.approx(0.4731 + 0.5596 / 3, abs=1e-4)
    assert found.relative_error == pytest.approx(2.3802 / 12, abs=1e-4)
    assert found.absolute_error == pytest.approx((2.3802 + 0.6475) / 12, abs=1e-4)


def test_judges_fixed_by_default_and_generalised_on_request(judged):
    fit = q.decompose(judged(SIZES, replicates=2))
    v = fit.variances
    error = v["item:prompt"] / 3 + v["cell"] / 12 + v["replicate"] / 24
    panel, drawn = dependability(fit), dependability(fit, fixed=())
    assert panel.fixed == ("judge",)
    assert panel.universe == pytest.approx(v["item"] + v["item:judge"] / 4)
    assert panel.relative_error == pytest.approx(error)
    assert panel.absolute_error == pytest.approx(error + v["prompt"] / 3 + v["prompt:judge"] / 12)
    judge = fit.mean_for(judge="population")
    spread = judge.shares["judge"] * sum(part for part in parts_of(fit, judge).values())
    assert drawn.universe == pytest.approx(v["item"])
    assert drawn.relative_error == pytest.approx(error + v["item:judge"] / 4)
    assert drawn.absolute_error - drawn.relative_error == pytest.approx(
        v["prompt"] / 3 + v["prompt:judge"] / 12 + spread
    )
    assert panel.generalizability > drawn.generalizability > drawn.phi > 0


def parts_of(fit, estimate):
    """Parts of the variance of a mean, from one that is known: item/N."""
    whole = fit.variance("item") / 12 / estimate.shares["item"]
    return {name: share * whole for name, share in estimate.shares.items()}


def test_a_facet_that_groups_the_object_counts_to_the_universe_score(judged):
    frame_facets = {"item": "item", "prompt": "prompt"}
    judgments = judged({"item": 12, "prompt": 4}, replicates=2)
    groups = np.array([f"group{i % 3}" for i in range(12)])
    frame = pl.DataFrame(
        {
            "item": judgments.column("item"),
            "prompt": judgments.column("prompt"),
            "group": groups[judgments.column("item")],
            "score": judgments.mean + judgments.column("item") % 3,
        }
    )
    fit = q.decompose(q.read(frame, facets=frame_facets, nested={"item": "group"}, fixed=()))
    found = dependability(fit)
    assert found.universe == pytest.approx(fit.variance("item") + fit.variance("group"))
    assert found.n_objects == 12


def test_objects_that_meet_different_levels(judged):
    """Relative error is half the variance of the difference of two objects' errors, averaged over all pairs."""
    fit = q.decompose(judged(SIZES, keep=0.5, replicates=2, fixed=(), seed=6))
    item = fit.judgments.level_codes(["item"])
    of_cells = np.equal.outer(np.arange(12), item) / np.bincount(item)[:, None]
    noise = np.diag(fit.variance("replicate") / fit.judgments.n + fit.variance("cell"))
    error = of_cells @ noise @ of_cells.T
    for term in ("prompt", "judge", "item:prompt", "item:judge", "prompt:judge"):
        levels = fit.judgments.level_codes(term.split(":"))
        met = np.zeros((12, levels.max() + 1))
        met[item, levels] = 1
        met /= met.sum(axis=1, keepdims=True)
        error += fit.variance(term) * met @ met.T
    own, pairs = np.trace(error) / 12, (error.sum() - np.trace(error)) / (12 * 11)
    found = dependability(fit)
    assert found.absolute_error == pytest.approx(own, rel=0.01)  # replicates enter by their harmonic mean
    assert found.relative_error == pytest.approx(own - pairs, rel=0.01)


@pytest.mark.slow
def test_standard_errors_follow_from_the_covariance_of_the_components(judged):
    fit = q.decompose(judged(SIZES, replicates=2, fixed=()))
    found = dependability(fit)
    slopes = []
    for t, value in enumerate(fit.theta):
        moved = fit.theta.copy()
        moved[t] = value * (1 + 1e-6)
        slopes.append(
            (dependability(replace(fit, theta=moved)).phi - found.phi) / (value * 1e-6 * fit.assembled.scale**2)
        )
    assert found.phi_se == pytest.approx(np.sqrt(slopes @ fit.covariance @ slopes), rel=1e-4)


def test_more_levels_never_hurt(brennan):
    values = [dependability(brennan, task=task).phi for task in (1, 2, 3, 10, 1000)]
    assert values == sorted(values)
    assert dependability(brennan, task=1e9, rater=1e3).phi == pytest.approx(1, abs=1e-6)


def test_contributions_add_up(brennan):
    found = dependability(brennan)
    total = sum(one.variance for one in found.contributions)
    assert total == pytest.approx(found.universe + found.absolute_error)
    assert {one.component: one.kind for one in found.contributions} == {
        "person": "universe",
        "person:task": "relative",
        "cell + replicate": "relative",
        "task": "absolute",
        "rater": "absolute",
    }


def test_another_object(judged):
    fit = q.decompose(judged(SIZES, replicates=2, fixed=()))
    found = dependability(fit, "judge")
    assert found.object == "judge"
    assert found.universe == pytest.approx(fit.variance("judge"))
    assert set(found.levels) == {"item", "prompt", "replicate"}


def test_what_is_refused(judged):
    fit = q.decompose(judged(SIZES))
    with pytest.raises(InvalidInput, match='object: "judge" is fixed'):
        dependability(fit, "judge")
    with pytest.raises(InvalidInput, match="judge: its levels are fixed"):
        dependability(fit, judge=8)
    with pytest.raises(InvalidInput, match="prompt: at least 1 level is needed, got 0"):
        dependability(fit, prompt=0)
    with pytest.raises(UnknownTerm, match='no term "rater"'):
        dependability(fit, rater=2)
    with pytest.raises(UnknownTerm, match='no facet "rater"'):
        dependability(fit, fixed=("rater",))
    with pytest.raises(NotEstimable, match="cell and replicate apart"):
        dependability(fit, replicate=3)


def test_one_judge_cannot_be_generalised_from(judged):
    fit = q.decompose(judged({"item": 12, "prompt": 3, "judge": 1}))
    v = fit.variances
    assert dependability(fit).universe == pytest.approx(v["item + item:judge"])
    with pytest.raises(NotEstimable, match="which this design does not tell"):
        dependability(fit, fixed=())


def test_without_replicates_a_fixed_panel_leaves_cell_and_noise_together(judged):
    fit = q.decompose(judged({"item": 12, "judge": 3}))
    with pytest.raises(NotEstimable, match=r"no cell was judged twice; judge some again, or generalise .* fixed=\(\)"):
        dependability(fit)
    assert 0 < dependability(fit, fixed=()).phi < 1


@pytest.mark.slow
def test_standard_errors_do_not_jump_where_drawn_judges_show_no_variance(simulate):
    """Four fixed judges moved apart by hand until their means spread by just less and just more than their noise."""
    frame = simulate({"item": 20, "prompt": 3, "judge": 4}, sd={"prompt:judge": 0.5}, seed=2, replicates=2)
    level = pl.col("score") - pl.col("score").mean().over("judge")
    apart = pl.col("judge").rank("dense").cast(pl.Float64)

    def fitted(step):
        facets = {name: name for name in ("item", "prompt", "judge", "replicate")}
        return q.decompose(q.read(frame.with_columns(score=level + step * apart), facets=facets, announce=False))

    basis = fitted(1.0).mean_for(judge="population").basis
    step = np.sqrt(
        basis.drawn["judge"].noise
        @ np.maximum(basis.fit.theta, 0.0)
        * basis.fit.assembled.scale**2
        / basis.drawn["judge"].square
    )
    below, above = (dependability(fitted(share * step), fixed=()) for share in (0.9999, 1.0001))
    assert "judge" not in {one.component for one in below.contributions if one.variance > 0}
    assert "judge" in {one.component for one in above.contributions if one.variance > 0}
    assert below.phi_se == pytest.approx(above.phi_se, rel=0.002)


def test_of_components_without_data():
    """Brennan (2001), chapter 2: persons crossed with items, E rho2 = s2(p) / (s2(p) + s2(pi)/n), Phi with s2(i)/n."""
    given = q.components({"item": 0.5, "judge": 0.1, "item:judge": 0.4})
    found = q.scores.dependability(given, judge=4)
    assert found.generalizability == pytest.approx(0.5 / (0.5 + 0.4 / 4))
    assert found.phi == pytest.approx(0.5 / (0.5 + 0.4 / 4 + 0.1 / 4))
    fixed = q.scores.dependability(given, fixed=["judge"], judge=4)
    assert fixed.generalizability == 1
    with pytest.raises(q.QuorateError, match="judge: its levels are needed"):
        q.scores.dependability(given)


def crossed(replicates):
    cells = [(i, j, r) for i in range(6) for j in range(3) for r in range(replicates)]
    rows = {"item": [i for i, *_ in cells], "judge": [j for _, j, _ in cells], "replicate": [r for *_, r in cells]}
    score = [(7 * i + 3 * j * i + 5 * r) % 11 / 3 for i, j, r in cells]
    return q.decompose(q.read(pl.DataFrame({**rows, "score": score}), fixed=(), announce=False))


def test_each_component_is_divided_by_what_is_in_it():
    fit = crossed(2)
    left = averages(fit, {"judge": 4}, 3)
    assert left["item"] == 1
    assert left["judge"] == pytest.approx(1 / 4)
    assert left["replicate"] == pytest.approx(1 / 12)
    part = averages(fit, {"judge": 4}, 3, lambda facets: "judge" in facets, cell=False)
    assert (part["item"], part["replicate"]) == (0, 0)


def test_a_sum_of_what_is_averaged_differently_is_not_known():
    fit = crossed(1)
    assert averages(fit, {"judge": 4}, 1)
    with pytest.raises(NotEstimable, match="the data tell only this sum"):
        averages(fit, {"judge": 4}, 2)


CROSSED = {"item": 9, "prompt": 3, "judge": 3}


def test_levels_that_an_object_meets(judged):
    judgments = judged(CROSSED)
    item, prompt, judge = (judgments.column(name) for name in CROSSED)
    latin = q.decompose(judgments.keep((item + prompt + judge) % 3 == 0))
    assert UniverseScore(latin, "item", frozenset()).counts() == {"prompt": 3, "judge": 3, "replicate": 1}
    cyclic = q.decompose(judgments.keep(item % 3 == judge))
    assert UniverseScore(cyclic, "item", frozenset()).counts() == {"prompt": 3, "judge": 1, "replicate": 1}


def test_a_crossed_design_divides_by_the_product_of_levels(judged):
    study = UniverseScore(q.decompose(judged(CROSSED, replicates=2, fixed=())), "item", frozenset())
    rows = {name: study.coefficients(name, {}) for name in study.fit.assembled.names}
    expected = {
        "item": [1, 0, 0],
        "prompt": [0, 0, 1 / 3],
        "judge": [0, 0, 1 / 3],
        "item:prompt": [0, 1 / 3, 0],
        "item:judge": [0, 1 / 3, 0],
        "prompt:judge": [0, 0, 1 / 9],
        "cell": [0, 1 / 9, 0],
        "replicate": [0, 1 / 18, 0],
    }
    assert rows.keys() == expected.keys()
    for name, row in expected.items():
        np.testing.assert_allclose(rows[name], row, atol=1e-12)


def test_growth_divides_every_term_with_the_facet(judged):
    study = UniverseScore(q.decompose(judged(CROSSED, fixed=())), "item", frozenset())
    for name, factor in {"item": 1, "item:judge": 1, "item:prompt": 2, "cell": 2, "prompt": 2}.items():
        before, after = study.coefficients(name, {}), study.coefficients(name, {"prompt": 2.0})
        np.testing.assert_allclose(after * factor, before)


def test_what_objects_do_not_share_does_not_cancel(judged):
    """One judge per item, three items each: two of the eight other items share it."""
    judgments = judged(CROSSED, fixed=())
    cyclic = q.decompose(judgments.keep(judgments.column("item") % 3 == judgments.column("judge")))
    row = UniverseScore(cyclic, "item", frozenset()).coefficients("judge", {})
    np.testing.assert_allclose(row, [0, 1 - 2 / 8, 2 / 8])


def test_a_fixed_facet_that_every_object_meets_makes_no_error(judged):
    fit = q.decompose(judged(CROSSED))
    assert UniverseScore(fit, "item", frozenset({"judge"})).drawn({}) == []
    (drawn,) = UniverseScore(fit, "item", frozenset()).drawn({})
    assert drawn.name == "judge"
    assert drawn.df == 2
    np.testing.assert_allclose(drawn.row, [0, 0, 1 / 3])
    assert drawn.square == pytest.approx(np.var(fit.assembled.fixed.levels["judge"] @ fit.beta, ddof=1))
