from __future__ import annotations

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from quorate.errors import NotConverged
from quorate.numerics.mixed.reml import Point, bounded_step, evaluate, minimise

SEEDS = st.integers(0, 10**6)


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
