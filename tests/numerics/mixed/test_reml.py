from __future__ import annotations

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed.patterns import Cells
from quorate.numerics.mixed.problem import Problem, WithinCells
from quorate.numerics.mixed.reml import evaluate, traces
from quorate.numerics.mixed.solved import solve

SEEDS = st.integers(0, 10**6)


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max())


@given(seed=SEEDS)
@few
def test_criterion(kind, model, seed):
    drawn = model(kind, seed)
    assert evaluate(drawn.problem, drawn.theta).criterion == pytest.approx(
        drawn.dense.criterion(drawn.theta), rel=1e-10
    )


@given(seed=SEEDS)
@few
def test_gradient(kind, model, seed):
    drawn = model(kind, seed)
    close(evaluate(drawn.problem, drawn.theta).gradient, drawn.dense.gradient(drawn.theta))


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
def test_second_derivatives_are_the_average_information(kind, model, seed):
    drawn = model(kind, seed)
    close(evaluate(drawn.problem, drawn.theta).hessian, drawn.dense.average_information(drawn.theta))


@given(seed=SEEDS)
@few
def test_traces(kind, model, seed):
    drawn = model(kind, seed)
    close(traces(drawn.problem, solve(drawn.problem, drawn.theta)), drawn.dense.traces(drawn.theta))


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


def test_a_point_without_residual_variance_is_singular(model):
    drawn = model("no replicates", 1)
    with pytest.raises(np.linalg.LinAlgError):
        evaluate(drawn.problem, np.append(drawn.theta[:-1], 0.0))


def test_replicates_without_variance_are_singular_even_where_cells_vary(model):
    drawn = model("crossed", 1)
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
