from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotConverged
from quorate.numerics.mixed import refit
from quorate.numerics.mixed.information import covariance
from quorate.numerics.mixed.problem import Redraw
from quorate.numerics.mixed.refit import Refitting, refits
from quorate.numerics.mixed.reml import Optimum, evaluate, minimise
from quorate.numerics.mixed.solved import solve

EQUAL = ("one pattern", "no replicates")


def all_of(problem):
    return np.arange(problem.n_components)


def drawn_from(model, kind, seed=3):
    drawn = model(kind, seed)
    return drawn.problem, np.where(drawn.theta > 0, drawn.theta, 0.1), drawn.rng.normal(size=drawn.problem.p)


def se(problem, theta):
    return np.sqrt(np.diag(covariance(problem, solve(problem, theta), list(all_of(problem)))))


def seeded(n=40, seed=1, **options):
    return {"n": n, "rng": np.random.default_rng(seed), **options}


@pytest.mark.wide(1)
@pytest.mark.parametrize("kind", EQUAL)
def test_draws_taken_together_have_the_estimates_they_have_alone(model, kind):
    problem, theta, beta = drawn_from(model, kind)
    args = (problem, all_of(problem), theta, beta)
    together, alone = (refits(*args, **seeded(15, tolerance=1e-13, stack=stack)) for stack in (True, False))
    assert together.converged.all()
    assert alone.converged.all()
    assert np.abs((together.theta - alone.theta) / se(problem, theta)).max() < 1e-4
    for name in ("beta", "shift", "scored"):
        np.testing.assert_allclose(getattr(together, name), getattr(alone, name), atol=1e-5)


@pytest.mark.wide(2)
def test_every_refit_is_where_a_search_from_elsewhere_ends(model, kind):
    problem, theta, beta = drawn_from(model, kind)
    found = refits(problem, all_of(problem), theta, beta, **seeded(2, tolerance=1e-13))
    rng = np.random.default_rng(1)
    redraw = Redraw(problem, theta, beta)
    for estimate in found.theta:
        data = redraw.draw(rng)
        search = minimise(lambda at, data=data: evaluate(data, at), 2 * theta + 0.1)
        assert evaluate(data, estimate).criterion == pytest.approx(search.point.criterion, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["unique patterns", *(pytest.param(one, marks=pytest.mark.slow) for one in ("strata", "ml"))]
)
def test_the_default_tolerance_is_far_inside_the_sampling_error(model, kind):
    problem, theta, beta = drawn_from(model, kind)
    args = (problem, all_of(problem), theta, beta)
    loose, tight = refits(*args, **seeded()), refits(*args, **seeded(tolerance=1e-13))
    assert np.abs((loose.theta - tight.theta) / se(problem, theta)).max() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", ["L", pytest.param("L-missing", marks=pytest.mark.slow)])
def test_the_default_tolerance_on_large_designs(shared, name):
    frame = pl.read_parquet(shared / "reference" / "simulated" / f"{name}.parquet")
    facets = {facet: facet for facet in ("item", "prompt", "judge", "temperature")}
    fit = q.decompose(q.read(frame, facets=facets, nested={"item": "category"}))
    problem = fit.assembled.problem
    args = (problem, np.array(fit.identified.representatives), fit.theta, fit.point.effects[: problem.p])
    n = 100 if name == "L" else 10
    loose, tight = refits(*args, **seeded(n)), refits(*args, **seeded(n, tolerance=1e-13))
    assert np.abs((loose.theta - tight.theta) / se(problem, fit.theta)).max() < 1e-3
    assert loose.converged.all()


@pytest.mark.slow
def test_one_scoring_step_is_unbiased(model):
    """Under REML, at the truth; its covariance is the inverse of the information."""
    problem, theta, beta = drawn_from(model, "one pattern")
    found = refits(problem, all_of(problem), theta, beta, **seeded(800))
    error = se(problem, theta)
    np.testing.assert_array_less(np.abs(found.scored.mean(axis=0) - theta), 4 * error / np.sqrt(800))
    np.testing.assert_allclose(found.scored.std(axis=0), error, rtol=0.15)
    assert found.scored.min() < 0 <= found.theta.min()


def test_the_shift_is_what_estimating_the_components_does_to_the_fixed_effects(model):
    """None where the data are balanced; at the true components the effects are those of generalised least squares."""
    problem, theta, beta = drawn_from(model, "unique patterns")
    found = refits(problem, all_of(problem), theta, beta, **seeded(3))
    rng = np.random.default_rng(1)
    redraw = Redraw(problem, theta, beta)
    plain = [evaluate(redraw.draw(rng), theta).effects[: problem.p] for _ in range(3)]
    np.testing.assert_allclose(found.beta - found.shift, plain, atol=1e-9)
    assert np.abs(found.shift).max() > 1e-4
    balanced, theta, beta = drawn_from(model, "one pattern")
    assert np.abs(refits(balanced, all_of(balanced), theta, beta, **seeded(3)).shift).max() < 1e-8


def test_components_that_are_not_kept_stay_at_zero(model, kind):
    problem, theta, beta = drawn_from(model, kind)
    dropped = 0 if problem.n_residual == 1 else problem.n_components - problem.n_residual
    kept = np.delete(all_of(problem), dropped)
    found = refits(problem, kept, np.where(all_of(problem) == dropped, 0.0, theta), beta, **seeded(4))
    assert not found.theta[:, dropped].any()
    assert found.theta[:, kept].any(axis=0).all()


@pytest.mark.slow
def test_the_first_draws_do_not_depend_on_how_many_follow(model):
    problem, theta, beta = drawn_from(model, "no replicates")
    args = (problem, all_of(problem), theta, beta)
    few, many = refits(*args, **seeded(5)), refits(*args, **seeded(300))
    np.testing.assert_allclose(few.theta, many.theta[:5], rtol=1e-6, atol=1e-9)


def test_a_refit_that_does_not_converge_is_counted_and_keeps_its_best_point(model, monkeypatch):
    problem, theta, beta = drawn_from(model, "crossed")

    def stopped(criterion, start, **_):
        raise NotConverged("stopped", Optimum(start, criterion(start), 1))

    monkeypatch.setattr(refit, "minimise", stopped)
    found = refits(problem, all_of(problem), theta, beta, **seeded(3))
    assert not found.converged.any()
    assert np.isfinite(found.theta).all()


@pytest.mark.slow
def test_a_failed_newton_step_is_left_to_the_damped_search(model, monkeypatch):
    """With no Newton step allowed every draw goes there, and the answers are the same."""
    problem, theta, beta = drawn_from(model, "no replicates")
    args = (problem, all_of(problem), theta, beta)
    steps = refits(*args, **seeded(10, tolerance=1e-13))
    monkeypatch.setattr(refit, "_MOST_STEPS", 0)
    damped = refits(*args, **seeded(10, tolerance=1e-13))
    assert damped.converged.all()
    np.testing.assert_allclose(damped.theta, steps.theta, atol=1e-4)


def test_a_component_drawn_at_zero_is_refitted_inside_the_bounds(model):
    problem, theta, beta = drawn_from(model, "no replicates")
    theta[0] = 0.0
    one = Refitting(problem, all_of(problem), theta, 1e-6)
    redraw, rng = Redraw(problem, theta, beta), np.random.default_rng(2)
    found = np.array([one.fit(redraw.draw(rng)).theta[0] for _ in range(20)])
    assert found.min() == 0
    assert 0.2 < np.mean(found[:, 0] == 0) < 0.9


def test_a_first_step_that_meets_a_bound_is_the_best_of_those_within(model):
    """The scoring step that leads a tenth beyond 0: it ends there, and the others solve their own equations."""
    problem, theta, _ = drawn_from(model, "no replicates")
    information = np.linalg.inv(covariance(problem, solve(problem, theta), list(all_of(problem))))
    beyond = 2 * 1.1 * theta[0] * information[:, 0]  # gradient of the deviance; the Hessian is twice the information
    others = theta[1:] - 0.1 * theta[0] * np.linalg.solve(information[1:, 1:], information[1:, 0])
    assert (others > theta[1:] / 10).all()
    found = Refitting(problem, all_of(problem), theta, 1e-6).first(beyond[None])[0]
    np.testing.assert_allclose(found, [0.0, *others], rtol=1e-6, atol=1e-9)


def test_data_sets_that_do_not_fit_a_stack_are_taken_one_by_one(model, monkeypatch):
    problem, theta, beta = drawn_from(model, "no replicates")
    args = (problem, all_of(problem), theta, beta)
    stacked = refits(*args, **seeded(4, tolerance=1e-13))
    monkeypatch.setattr(refit, "_STACK", 1)
    monkeypatch.setattr(refit, "Stacked", replace)  # would fail if it were called
    np.testing.assert_allclose(refits(*args, **seeded(4, tolerance=1e-13)).theta, stacked.theta, atol=1e-4)
