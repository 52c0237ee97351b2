from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import quorate as q
from quorate.estimate.components import assemble
from quorate.numerics.mixed.problem import Problem, Redraw
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.mixed.solved import Stacked, factored, lower_inverses, scaled_inverse, solve, spd_inverse
from quorate.simulate import write_demo


def test_a_cell_without_residual_variance_is_singular(tmp_path):
    problem = q.decompose(q.read(write_demo(tmp_path / "scores.csv"))).assembled.problem
    with pytest.raises(np.linalg.LinAlgError, match="without residual variance"):
        solve(problem, np.zeros(problem.n_components))


def test_there_is_no_inverse_of_what_was_not_inverted(tmp_path, monkeypatch):
    fit = q.decompose(q.read(write_demo(tmp_path / "scores.csv")))
    assert fit.point.solved.dense is fit.point.solved.levels
    monkeypatch.setattr(assemble, "MOST_INVERTED", 0)
    again = q.decompose(fit.judgments)
    with pytest.raises(TypeError, match="too large for its inverse"):
        _ = again.point.solved.dense
    for name, value in fit.variances.items():
        assert again.variances[name] == pytest.approx(value, rel=0.02, abs=1e-6)


ROOTS = (1.0, 0.5, 0.5, 0.25, 0.25)


def block(noise):
    """Two prompts by two judges of an item: columns item, prompts, judges; then a fixed contrast between judges."""
    z = np.array([[1, 1, 0, 1, 0], [1, 1, 0, 0, 1], [1, 0, 1, 1, 0], [1, 0, 1, 0, 1]], dtype=float)
    w = np.array([[1, 0], [1, 1], [1, 0], [1, 1]], dtype=float)
    return z.T @ z / noise, z.T @ w / noise, w.T @ w / noise


def exactly(k, gamma, n, g):
    """``(I + K Gamma)^-1`` and ``G - N' Gamma (I + K Gamma)^-1 N`` in rational numbers."""
    size = len(gamma)
    rows = [[Fraction(int(i == j)) + Fraction(k[i, j]) * Fraction(gamma[j]) for j in range(size)] for i in range(size)]
    wide = [row + [Fraction(int(i == j)) for j in range(size)] for i, row in enumerate(rows)]
    for i in range(size):
        wide[i] = [x / wide[i][i] for x in wide[i]]
        for other in range(size):
            if other != i:
                wide[other] = [x - wide[other][i] * y for x, y in zip(wide[other], wide[i], strict=True)]
    j = np.array([row[size:] for row in wide], dtype=object)
    n, g, gamma = (np.vectorize(Fraction, otypes=[object])(part) for part in (n, g, gamma))
    return j.astype(float), (g - n.T @ (gamma[:, None] * (j @ n))).astype(float)


@pytest.mark.parametrize("noise", [1.0, 2.0**-10, 2.0**-20, 2.0**-30])
@pytest.mark.parametrize("zero", [(), (0,), (1, 2), (3, 4), (0, 1, 2, 3, 4)])
def test_errors_grow_with_the_ratio_of_the_variances_not_with_its_square(noise, zero):
    gamma = np.array(ROOTS) ** 2
    gamma[list(zero)] = 0.0
    k, n, g = block(noise)
    j, c = exactly(k, gamma, n, g)
    got = factored(k[None], gamma)
    np.testing.assert_allclose(got.j[0], j, atol=1e-15 / noise * np.abs(j).max())
    half = got.half[0] @ n
    np.testing.assert_allclose(g - half.T @ half, c, atol=1e-14 * np.abs(g).max())
    assert got.log_det[0] == pytest.approx(np.linalg.slogdet(np.eye(5) + k * gamma).logabsdet, abs=1e-13 / noise)


def test_points_are_stacked():
    k = np.stack([block(1.0)[0], block(0.1)[0]])
    gamma = np.random.default_rng(1).uniform(0, 2, (3, 5)) * [1, 0, 1, 1, 1]
    many = factored(k, gamma)
    for i, one in enumerate(gamma):
        alone = factored(k, one)
        np.testing.assert_allclose(many.j[i], alone.j, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(many.half[i], alone.half, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(many.log_det[i], alone.log_det, rtol=1e-13)


@pytest.mark.parametrize(("patterns", "columns"), [(1, 300), (3, 300), (200, 20)])
def test_blocks_are_factored_some_at_a_time(patterns, columns):
    root = np.random.default_rng(1).normal(size=(patterns, columns, columns))
    k, gamma = root @ root.swapaxes(1, 2), np.linspace(0.1, 1, columns)
    got = factored(k, gamma)
    for place in (0, patterns - 1):
        alone = factored(k[[place]], gamma)
        np.testing.assert_allclose(got.j[place], alone.j[0], rtol=1e-12, atol=1e-14)
        wanted = np.linalg.slogdet(np.eye(columns) + k[place] * gamma).logabsdet
        assert got.log_det[place] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("size", [0, 1, 7, 250])
def test_inverse_and_log_determinant(size):
    x = np.random.default_rng(size).normal(size=(size + 5, size))
    matrix = x.T @ x
    inverse, log_det = spd_inverse(matrix)
    np.testing.assert_allclose(inverse @ matrix, np.eye(size), atol=1e-6)
    assert log_det == pytest.approx(np.linalg.slogdet(matrix)[1])


def test_levels_without_variance_are_left_out():
    x = np.random.default_rng(1).normal(size=(9, 4))
    c, scale = x.T @ x, np.array([1.0, 1.0, 0.0, 2.0])
    inverse, _ = scaled_inverse(c, scale, 2)
    kept = np.array([0, 1, 3])
    want = np.linalg.inv(c[np.ix_(kept, kept)] + np.diag([0, 0, 1 / 4]))
    np.testing.assert_allclose(inverse[np.ix_(kept, kept)], want, rtol=1e-10)
    assert not inverse[2].any()


def test_the_inverse_of_a_large_matrix_is_that_of_a_small_one():
    half = np.random.default_rng(2).normal(size=(300, 250))
    matrix = half.T @ half
    got, log_det = spd_inverse(matrix)
    np.testing.assert_allclose(got @ matrix, np.eye(250), atol=1e-9)
    np.testing.assert_array_equal(got, got.T)
    assert log_det == pytest.approx(np.linalg.slogdet(matrix).logabsdet, rel=1e-13)
    with pytest.raises(np.linalg.LinAlgError):
        spd_inverse(matrix - 1e4 * np.eye(250))


@pytest.mark.parametrize("size", [0, 1, 2, 5, 16, 23])
@pytest.mark.parametrize("stack", [(), (3,), (40,), (2, 30)])
def test_inverses_of_triangles_are_those_of_single_ones(size, stack):
    half = np.random.default_rng(size).normal(size=(*stack, size, size + 3))
    lower = np.linalg.cholesky(half @ half.swapaxes(-1, -2))
    found = lower_inverses(lower)
    np.testing.assert_allclose(found @ lower, np.broadcast_to(np.eye(size), lower.shape), atol=1e-11)
    np.testing.assert_allclose(np.triu(found, 1), 0, atol=1e-13)


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


@pytest.mark.wide(6)
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
