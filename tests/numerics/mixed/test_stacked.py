from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quorate.numerics.mixed.problem import Problem, Redraw
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.mixed.solved import Stacked

FEW = ("crossed", "ml", "one pattern", "nothing within", "nothing shared", "residual only", "nested", "covariate")


def equal_noise(model, kind, residual):
    """A model of the conftest with the same noise in every cell."""
    drawn = model(kind, 3)
    noise = np.tile([1.0, 0.5], (len(drawn.cells.y), 1)) if residual == 2 else np.ones((len(drawn.cells.y), 1))
    inside = replace(
        drawn.problem.replicates,
        ss=np.array([0.0, 31.0])[-residual:] * (residual == 2),
        df=np.array([0.0, 40.0])[-residual:] * (residual == 2),
    )
    problem = Problem(replace(drawn.cells, noise=noise), inside, reml=drawn.problem.reml)
    random = drawn.theta[: problem.n_components - residual]
    return problem, np.append(random, drawn.rng.uniform(0.2, 1, residual)), drawn.rng


@pytest.mark.parametrize("residual", [1, 2])
@pytest.mark.parametrize("kind", FEW)
def test_every_data_set_has_the_point_that_it_has_alone(model, kind, residual):
    problem, theta, rng = equal_noise(model, kind, residual)
    redraw = Redraw(problem, theta, rng.normal(size=problem.p))
    problems = [redraw.draw(rng) for _ in range(4)]
    stacked = Stacked(problem)
    where = theta * rng.uniform(0.5, 2, (4, len(theta)))
    together = stacked.evaluate(where, stacked.sums(problems))
    for i, one in enumerate(problems):
        alone = evaluate(one, where[i])
        assert together.criterion[i] == pytest.approx(alone.criterion, rel=1e-10)
        np.testing.assert_allclose(together.effects[i], alone.effects, atol=1e-9)
        np.testing.assert_allclose(together.gradient[i], alone.gradient, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(together.hessian[i], alone.hessian, rtol=1e-6, atol=1e-6)


def test_one_place_serves_all_data_sets(model):
    problem, theta, rng = equal_noise(model, "crossed", 2)
    redraw = Redraw(problem, theta, np.zeros(problem.p))
    stacked = Stacked(problem)
    sums = stacked.sums([redraw.draw(rng) for _ in range(3)])
    shared, repeated = stacked.evaluate(theta[None], sums), stacked.evaluate(np.tile(theta, (3, 1)), sums)
    for name in ("criterion", "gradient", "hessian", "effects"):
        np.testing.assert_allclose(getattr(shared, name), getattr(repeated, name), rtol=1e-9, atol=1e-9)


def test_no_noise_is_infinitely_bad_and_does_not_disturb_the_others(model):
    problem, theta, rng = equal_noise(model, "crossed", 2)
    stacked = Stacked(problem)
    sums = stacked.sums([Redraw(problem, theta, np.zeros(problem.p)).draw(rng)] * 2)
    none = np.where(np.arange(len(theta)) < len(theta) - 2, theta, 0.0)
    points = stacked.evaluate(np.array([none, theta]), sums)
    assert points.criterion[0] == np.inf
    assert points.criterion[1] == pytest.approx(stacked.evaluate(theta[None], sums).criterion[0])


def test_cells_with_unequal_noise_are_refused(model):
    assert not Stacked.applies(model("crossed", 1).problem)
    assert Stacked.applies(model("no replicates", 1).problem)


@pytest.mark.parametrize("kind", ["crossed", "one pattern", "nested"])
def test_tiny_noise_is_no_harder_together_than_alone(model, kind):
    """Rounding errors grow with the ratio of the variances, not with its square."""
    problem, theta, rng = equal_noise(model, kind, 2)
    theta = np.where(np.arange(len(theta)) < len(theta) - 2, np.maximum(theta, 0.1), 1e-6)
    problems = [Redraw(problem, theta, np.zeros(problem.p)).draw(rng) for _ in range(3)]
    stacked = Stacked(problem)
    together = stacked.evaluate(theta[None], stacked.sums(problems))
    for i, one in enumerate(problems):
        alone = evaluate(one, theta)
        assert together.criterion[i] == pytest.approx(alone.criterion, abs=1e-6)
        np.testing.assert_allclose(together.gradient[i] * theta, alone.gradient * theta, atol=1e-4)
        np.testing.assert_allclose(together.effects[i], alone.effects, atol=1e-8)
