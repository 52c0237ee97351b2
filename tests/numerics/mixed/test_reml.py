from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

import quorate as q
from quorate.errors import NotConverged
from quorate.numerics.mixed.patterns import Cells
from quorate.numerics.mixed.problem import Problem, WithinCells
from quorate.numerics.mixed.reml import Dense, Point, bounded_step, bounded_steps, evaluate, minimise, traces
from quorate.numerics.mixed.solved import solve

SEEDS = st.integers(0, 10**6)


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max())


@given(seed=SEEDS)
@few
def test_the_criterion_and_what_follows_from_it_are_those_of_dense_matrices(kind, model, seed):
    """Second derivatives are the average information."""
    drawn = model(kind, seed)
    point, dense, theta = evaluate(drawn.problem, drawn.theta), drawn.dense, drawn.theta
    assert point.criterion == pytest.approx(dense.criterion(theta), rel=1e-10)
    close(point.gradient, dense.gradient(theta))
    close(point.hessian, dense.average_information(theta))
    close(traces(drawn.problem, solve(drawn.problem, theta)), dense.traces(theta))


@pytest.mark.wide(2)
@given(seed=SEEDS)
@few
def test_gradient_is_the_slope_of_the_criterion(kind, model, seed):
    drawn = model(kind, seed)
    theta = np.maximum(drawn.theta, 0.1)
    slope = np.zeros_like(theta)
    for t, step in enumerate(np.diag(1e-5 * theta)):
        up, down = (evaluate(drawn.problem, point).criterion for point in (theta + step, theta - step))
        slope[t] = (up - down) / (2 * step[t])
    np.testing.assert_allclose(evaluate(drawn.problem, theta).gradient, slope, rtol=1e-5, atol=1e-5)


@given(seed=SEEDS)
@few
def test_fixed_effects_and_predictions(kind, model, seed):
    drawn = model(kind, seed)
    point, dense, theta = evaluate(drawn.problem, drawn.theta), drawn.dense, drawn.theta
    p = dense.x.shape[1]
    beta = dense.beta_covariance(theta) @ dense.x.T @ np.linalg.solve(dense.v(theta), dense.y)
    close(point.effects[:p], beta)
    close(point.solved.dense.b[:p, :p], dense.beta_covariance(theta))
    first = drawn.problem.n_within
    residual = dense.p(theta) @ dense.y
    wanted = [
        theta[first + t] * np.bincount(levels, residual) for t, levels in enumerate(drawn.cells.shared.T)
    ]  # best linear unbiased predictions: G Z' P y
    np.testing.assert_allclose(point.effects[p:], np.concatenate([*wanted, []]), atol=1e-8)


def test_ml_can_take_traces_without_the_fixed_effects(model):
    drawn = model("ml", 3)
    projected = traces(drawn.problem, solve(drawn.problem, drawn.theta, reml=True))
    close(projected, [np.sum(drawn.dense.p(drawn.theta) * a) for a in drawn.dense.structures])


def test_collapsing_replicates_leaves_the_likelihood_alone():
    """One row per cell and a chi-square inside cells, against one row per judgment."""
    rng = np.random.default_rng(5)
    item, judge = (axis.ravel() for axis in np.meshgrid(np.arange(5), np.arange(3), indexing="ij"))
    n = rng.integers(1, 5, len(item))
    cell = np.repeat(np.arange(len(item)), n)
    rows = rng.normal(size=len(cell))
    mean = np.bincount(cell, rows) / n
    ss, df = np.sum((rows - mean[cell]) ** 2), float(len(rows) - len(n))
    x = np.column_stack([np.ones(len(item)), judge == 1, judge == 2]).astype(float)
    cells = Cells(
        y=mean,
        block=item,
        position=judge * 10 + n,
        attribute=np.zeros_like(item),
        x=x,
        within=np.zeros((len(item), 1), dtype=np.int64),
        shared=np.zeros((len(item), 0), dtype=np.int64),
        noise=np.column_stack([np.ones(len(n)), 1 / n]),
    )
    inside = WithinCells(np.array([0.0, ss]), np.array([0.0, df]), float(np.log(n).sum()))
    item_variance, cell_variance, replicate_variance = theta = np.array([0.7, 0.3, 0.5])
    v = item_variance * np.equal.outer(item[cell], item[cell]) + cell_variance * np.equal.outer(cell, cell)
    v += replicate_variance * np.eye(len(cell))
    xr = x[cell]
    inner = xr.T @ np.linalg.solve(v, xr)
    residual = rows - xr @ np.linalg.solve(inner, xr.T @ np.linalg.solve(v, rows))
    wanted = np.linalg.slogdet(v).logabsdet + residual @ np.linalg.solve(v, residual)
    for reml in (True, False):
        free = len(rows) - (3 if reml else 0)
        extra = np.linalg.slogdet(inner).logabsdet if reml else 0.0
        got = evaluate(Problem(cells, inside, reml=reml), theta).criterion
        assert got == pytest.approx(wanted + extra + free * np.log(2 * np.pi), rel=1e-12)


@pytest.mark.parametrize("kind", ["no replicates", "crossed"])
def test_a_point_without_variance_of_replicates_is_singular_even_where_cells_vary(model, kind):
    drawn = model(kind, 1)
    with pytest.raises(np.linalg.LinAlgError):
        evaluate(drawn.problem, np.append(drawn.theta[:-1], 0.0))


def test_the_trace_of_every_residual_component_may_follow_from_the_others(model):
    """The largest one does; here each of them in turn."""
    drawn = model("strata", 4)
    for r in range(4):
        theta = drawn.theta.copy()
        theta[len(theta) - 4 + r] = 3.0
        close(traces(drawn.problem, solve(drawn.problem, theta)), drawn.dense.traces(theta))


def test_the_criterion_is_smooth_where_the_noise_is_tiny(model):
    """Rounding errors grow with the ratio of the variances, not with its square."""
    drawn = model("crossed", 2)
    theta = np.where(np.arange(len(drawn.theta)) < len(drawn.theta) - 2, 1.0, 1e-6)
    rng = np.random.default_rng(1)
    steps = 1 + 1e-13 * rng.normal(size=(20, len(theta)))
    points = [evaluate(drawn.problem, theta * step) for step in steps]
    criteria = np.array([point.criterion for point in points])
    assert np.std(criteria) < 1e-11 * np.abs(criteria).mean()
    gradients = np.array([point.gradient * theta for point in points])
    assert np.std(gradients, axis=0).max() < 1e-8 * np.abs(gradients).max()


@pytest.mark.wide(2)
@pytest.mark.parametrize("method", ["reml", "ml"])
@pytest.mark.parametrize("by", [None, "judge"])
def test_a_dense_criterion_is_that_of_patterns(method, by):
    rng = np.random.default_rng(2)
    item, prompt, judge, replicate = (at.ravel() for at in np.indices((4, 3, 2, 2)))
    score = rng.normal(size=len(item)) + item + (2 * judge + 1) * rng.normal(size=len(item))
    columns = {"item": item, "prompt": prompt, "judge": judge, "replicate": replicate, "score": score}
    frame = pl.DataFrame(columns).filter(pl.Series(rng.random(len(item)) < 0.8))
    fit = q.decompose(q.read(frame, fixed=["judge"], announce=False), method=method, residual_by=by)
    problem, kept = fit.assembled.problem, np.array(fit.identified.representatives)
    theta = np.exp(rng.normal(size=(5, len(kept))))
    theta[:2, 0] = 0.0
    found = Dense(problem.few, problem, kept).evaluate(theta)
    for at, place in enumerate(theta):
        full = np.zeros(problem.n_components)
        full[kept] = place
        point = evaluate(problem, full)
        assert found.criterion[at] == pytest.approx(point.criterion, rel=1e-10)
        np.testing.assert_allclose(found.gradient[at], point.gradient[kept], rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(found.hessian[at], point.hessian[np.ix_(kept, kept)], rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(found.effects[at], point.effects[: problem.p], rtol=1e-8, atol=1e-8)


def test_places_without_noise_have_no_criterion():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"item": [0, 0, 1, 1, 2, 2], "judge": [0, 1] * 3, "score": rng.normal(size=6)})
    fit = q.decompose(q.read(frame, announce=False))
    problem, kept = fit.assembled.problem, np.array(fit.identified.representatives)
    theta = np.ones((2, len(kept)))
    theta[1, -1] = 0.0
    assert np.isfinite(Dense(problem.few, problem, kept).evaluate(theta).criterion).tolist() == [True, False]


def point(criterion, gradient, hessian) -> Point:
    return Point(float(criterion), np.asarray(gradient), np.asarray(hessian), None, np.zeros(0))


class Recorder:
    """A criterion that remembers every value it gave."""

    def __init__(self, criterion):
        self.criterion = criterion
        self.values = []

    def __call__(self, theta):
        found = self.criterion(theta)
        self.values.append(found.criterion)
        return found


def quadratic(a, b):
    """``|A theta - b|^2``."""
    return lambda theta: point(np.sum((a @ theta - b) ** 2), 2 * a.T @ (a @ theta - b), 2 * a.T @ a)


@given(seed=SEEDS)
def test_a_quadratic_with_bounds_is_solved_as_scipy_does(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(9, 5)), rng.normal(size=9)
    start = rng.uniform(0.1, 2, 5)
    found = minimise(quadratic(a, b), start)
    np.testing.assert_allclose(found.theta, nnls(a, b)[0], atol=1e-6)
    assert found.point.criterion == pytest.approx(nnls(a, b)[1] ** 2, rel=1e-9)


@given(seed=SEEDS)
def test_one_step_solves_the_quadratic_model_inside_the_bounds(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(9, 5)) * rng.uniform(0.01, 100, 5), rng.normal(size=9)
    theta = rng.uniform(0, 1, 5) * (rng.random(5) < 0.7)
    at = quadratic(a, b)(theta)
    reached = theta + bounded_step(at.gradient, at.hessian, theta, 0.0)
    np.testing.assert_allclose(a @ reached, a @ nnls(a, b)[0], atol=1e-6)
    assert reached.min() >= -1e-12


@pytest.mark.parametrize("least", [0.0, 1e-3])
def test_steps_of_many_searches_are_those_of_each(least):
    rng = np.random.default_rng(4)
    for components in (1, 2, 5):
        root = rng.normal(size=(30, components, components + 1))
        hessian = root @ root.swapaxes(1, 2) * 10 ** rng.uniform(-3, 3, (30, 1, 1))
        hessian[0], hessian[1] = 0.0, -hessian[1]
        gradient = rng.normal(size=(30, components))
        gradient[:2] *= 1e-9
        theta, damping = np.maximum(rng.normal(size=(30, components)), least), rng.choice([0.0, 0.25, 100.0], 30)
        each = [bounded_step(*one, least) for one in zip(gradient, hessian, theta, damping.tolist(), strict=True)]
        assert bounded_steps(gradient, hessian, theta, damping, least) == pytest.approx(np.array(each), rel=1e-9)


def test_damping_shortens_a_step():
    gradient, hessian, theta = np.array([-1.0, -2.0]), np.eye(2), np.ones(2)
    lengths = [np.linalg.norm(bounded_step(gradient, hessian, theta, damping)) for damping in (0.0, 1.0, 10.0)]
    assert lengths[0] > lengths[1] > lengths[2]


def test_a_component_at_the_bound_with_an_outward_slope_stays():
    step = bounded_step(np.array([3.0, -1.0]), np.eye(2), np.array([0.0, 1.0]), 0.0)
    np.testing.assert_allclose(step, [0.0, 1.0], atol=1e-9)


def test_a_component_leaves_the_bound_where_the_slope_points_inward():
    step = bounded_step(np.array([-3.0, -1.0]), np.eye(2), np.array([0.0, 1.0]), 0.0)
    np.testing.assert_allclose(step, [3.0, 1.0], atol=1e-9)


def chi_square(theta):
    """``sum_k df log theta + ss / theta``: steep near zero, and not convex far out."""
    if theta.min() <= 0:
        raise np.linalg.LinAlgError
    df, ss = np.array([3.0, 40.0]), np.array([1e-4, 80.0])
    return point(df @ np.log(theta) + np.sum(ss / theta), df / theta - ss / theta**2, np.diag(ss / theta**3))


def test_it_finds_its_way_back_from_steps_that_overshoot():
    recorder = Recorder(chi_square)
    found = minimise(recorder, np.array([5.0, 0.01]))
    np.testing.assert_allclose(found.theta, [1e-4 / 3, 2.0], rtol=1e-4)
    assert found.point.criterion == pytest.approx(min(recorder.values), abs=1e-9)
    assert found.evaluations > len(recorder.values)  # some steps led to where there is no value


@pytest.mark.wide(2)
@given(seed=SEEDS)
@few
def test_it_never_ends_above_any_point_it_saw(kind, model, seed):
    drawn = model(kind, seed)
    start = np.maximum(drawn.theta, 0.1)
    recorder = Recorder(lambda theta: evaluate(drawn.problem, theta))
    found = minimise(recorder, start)
    assert found.point.criterion <= min(recorder.values) + 1e-8
    gradient, free = found.point.gradient, found.theta > 0
    assert np.abs(gradient[free] * found.theta[free]).max() < 1e-3
    assert (gradient[~free] > -1e-3).all()


def test_no_convergence_carries_the_best_point():
    with pytest.raises(NotConverged, match="after 3 evaluations") as stopped:
        minimise(chi_square, np.array([5.0, 0.01]), most=3)
    partial = stopped.value.partial
    assert partial.point.criterion <= chi_square(np.array([5.0, 0.01])).criterion
    assert partial.evaluations == 3


def test_a_criterion_without_a_minimum_is_not_converged():
    def falling(theta):
        return point(-theta.sum(), -np.ones(2), 1e-3 * np.eye(2))

    with pytest.raises(NotConverged):
        minimise(falling, np.ones(2), most=20)


def test_rounding_errors_that_hide_the_last_step_are_no_failure():
    """The criterion is known to 1e-5 only, and a first value was luckily low; its derivatives are exact."""
    exact = quadratic(np.eye(2), np.array([1.0, 2.0]))

    def noisy(theta):
        found, first = exact(theta), bool(theta[0] == 1.001)
        return point(found.criterion + (0.0 if first else 1e-5), found.gradient, found.hessian)

    assert minimise(noisy, np.array([1.001, 2.001])).theta == pytest.approx([1, 2], abs=2e-3)


def test_a_search_whose_criterion_no_longer_falls_ends_there():
    """A step promises 5e-9, more than the tolerance, and rounding has swallowed it."""
    found = minimise(lambda _: point(1e4, np.array([1e-4]), np.eye(1)), np.ones(1), tolerance=1e-13)
    assert found.evaluations == 2
    assert found.theta == pytest.approx(1 - 1e-4)


def test_curvature_that_is_rounding_errors_is_none():
    """Scores that the means fit exactly leave an average information of rounding errors, of either sign."""
    hessian = np.array([[-4.4e-48, -7.0e-48], [-1.46e-47, -2.34e-47]])
    for sign in (1.0, -1.0):
        for curved in (hessian, -np.full((2, 2), 1e-40), np.zeros((2, 2))):
            step = bounded_step(np.array([2.6, 2.8]), sign * curved, np.array([0.04, 0.7]), 0.0)
            np.testing.assert_array_equal(step, [-0.04, -0.7])
