from __future__ import annotations

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.numerics.mixed import moments
from quorate.numerics.mixed.information import quadratic_forms
from quorate.numerics.mixed.patterns import Cells
from quorate.numerics.mixed.problem import Problem, Redraw, Wishart, WithinCells, with_data
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.mixed.solved import solve

SEEDS = st.integers(0, 10**6)


@given(seed=SEEDS)
def test_values_of_levels_are_added_up_to_components(kind, model, seed):
    problem = model(kind, seed).problem
    theta = np.arange(1.0, problem.n_components + 1)
    within, shared, residual = problem.split(theta)
    total = problem.sums(within, shared, residual)
    columns = np.bincount(problem.units.column_term, minlength=problem.n_within)
    levels = np.bincount(problem.units.shared_term, minlength=problem.n_shared)
    counts = np.concatenate([columns, levels, np.ones(problem.n_residual)])
    assert total == pytest.approx(theta * counts)
    assert problem.largest_residual(theta) == problem.n_residual - 1


@pytest.mark.parametrize("at_once", [True, False])
@given(seed=st.integers(0, 10**6))
@few
def test_sums_over_parts_are_those_of_the_definition(kind, model, at_once, seed):
    """``W' D^-1 W - W' V_w^-1 W``, as a matrix and times a vector."""
    drawn = model(kind, seed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moments, "_LARGE", 1 << 40 if at_once else 0)
        patched.setattr(moments, "_PART", 1)
        patched.setattr(moments, "_STRETCH", 1)
        problem = Problem(drawn.cells, drawn.problem.replicates, reml=drawn.problem.reml)
        solved = solve(problem, drawn.theta)
        units = solved.mean_units
        total = units.sum(lambda part: part.h.T @ part.h)
        np.testing.assert_allclose(
            solved.products.g - total, solved.dense.c, atol=1e-10 * np.abs(solved.products.g).max()
        )
        vector = drawn.rng.normal(size=problem.moments.q)
        z = problem.of_mean_units(solved.half) @ solved.products.n.times(vector)[:, :, None]
        np.testing.assert_allclose(units.taken_out(z[:, :, 0]), total @ vector, atol=1e-9)
        assert sum(len(part) for part in units) == problem.moments.mean_units


DRAWS = 1500
KINDS = ("crossed", "nested", "strata", "ml")
"""Designs for what takes many draws: shared and nested terms, unequal noise, and no correction for fixed effects."""


def forms_of(problem, redraw, theta, rng, draws=DRAWS):
    """``y' P A_t P y`` of redrawn data, with the sums of squares inside cells."""
    solved = solve(problem, theta)
    return np.array([quadratic_forms(redraw.draw(rng), solved) for _ in range(draws)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_quadratic_forms_have_the_moments_that_the_model_gives_them(model, kind):
    """Means ``tr(P A_t)``, covariances ``2 tr(P A_s P A_t)`` by plain formulas over all cells: V as it should be."""
    drawn = model(kind, 4)
    problem, dense, theta = drawn.problem, drawn.dense, drawn.theta
    redraw = Redraw(problem, theta, drawn.rng.normal(size=problem.p))
    found = forms_of(problem, redraw, theta, np.random.default_rng(1))
    p = dense.p(theta)
    mean = np.array([np.sum(p * a) for a in dense.structures])
    spread = 2 * np.array([[np.sum((p @ a) * (p @ b).T) for b in dense.structures] for a in dense.structures])
    rest, at, df, _ = dense.residual(theta)
    mean[at] += rest * df
    spread[at, at] += 2 * rest**2 * df
    sd = np.sqrt(np.diag(spread))
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - mean), 4 * sd / np.sqrt(DRAWS))
    scaled = (np.cov(found.T) - spread) / np.outer(sd, sd)
    assert np.abs(scaled).max() < 0.35  # 4 standard errors of a variance on one degree of freedom


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_fixed_effects_have_the_covariance_that_the_model_gives_them(model, kind):
    drawn = model(kind, 5)
    problem, theta, beta = drawn.problem, drawn.theta, drawn.rng.normal(size=drawn.problem.p)
    redraw, rng = Redraw(problem, theta, beta), np.random.default_rng(2)
    found = np.array([evaluate(redraw.draw(rng), theta).effects[: problem.p] for _ in range(200)])
    wanted = drawn.dense.beta_covariance(theta)
    sd = np.sqrt(np.diag(wanted))
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - beta), 4 * sd / np.sqrt(200))
    assert np.abs((np.cov(found.T) - wanted) / np.outer(sd, sd)).max() < 0.25


def many_blocks(rng):
    """Forty blocks of two groups and three cells: contrast units are fewer than their degrees of freedom."""
    item, prompt = np.divmod(np.arange(120), 3)
    x = np.column_stack([np.ones(120), prompt == 1]).astype(float)
    within = np.column_stack([np.zeros(120, dtype=int), prompt])
    cells = Cells(
        rng.normal(size=120), item, prompt, item % 2, x, within[:, :1], prompt[:, None], np.column_stack([np.ones(120)])
    )
    return cells, WithinCells(np.zeros(1), np.zeros(1), 0.0)


@pytest.mark.slow
def test_redrawn_units_are_distributed_as_compressed_rows():
    """Rows drawn by their definition and then compressed, against units drawn as such: the same distribution."""
    rng = np.random.default_rng(7)
    cells, inside = many_blocks(rng)
    problem, theta, beta = Problem(cells, inside), np.array([0.8, 0.3, 0.5]), np.array([2.0, -1.0])
    assert len(problem.units.unit_pattern) == 2 + 3  # two groups, and as many contrast units as cells
    redraw, solved = Redraw(problem, theta, beta), solve(problem, theta)
    units = forms_of(problem, redraw, theta, rng, 600)
    rows = np.array([quadratic_forms(rows_drawn(cells, inside, theta, beta, rng), solved) for _ in range(600)])
    for t in range(len(theta)):
        assert stats.ks_2samp(units[:, t], rows[:, t]).pvalue > 0.01


def rows_drawn(cells, inside, theta, beta, rng):
    y = cells.x @ beta + np.sqrt(theta[0]) * rng.normal(size=40)[cells.block]
    y = y + np.sqrt(theta[1]) * rng.normal(size=3)[cells.shared[:, 0]] + np.sqrt(theta[2]) * rng.normal(size=len(y))
    return Problem(
        Cells(y, cells.block, cells.position, cells.attribute, cells.x, cells.within, cells.shared, cells.noise), inside
    )


def test_contrasts_of_blocks_have_the_covariance_of_their_cells_and_the_blocks_less_groups():
    problem = Problem(*many_blocks(np.random.default_rng(7)))
    (one,) = Redraw(problem, np.array([0.8, 0.3, 0.5]), np.zeros(2))._wishart
    np.testing.assert_allclose(one.root @ one.root.T, 0.8 + 0.5 * np.eye(3))
    assert one.df == 38


def test_a_wishart_has_its_mean_and_variance():
    rng = np.random.default_rng(3)
    v = np.array([[2.0, 0.5], [0.5, 1.0]])
    wishart = Wishart(np.arange(4), np.linalg.cholesky(v), 9.0)
    draws = np.array([(row := wishart.draw(rng).reshape(2, 2)).T @ row for _ in range(2000)])
    np.testing.assert_allclose(draws.mean(axis=0), 9 * v, rtol=0.06)
    np.testing.assert_allclose(draws.var(axis=0), 9 * (v**2 + np.outer(np.diag(v), np.diag(v))), rtol=0.17)


def test_new_data_leave_the_design_and_the_old_data_alone(model):
    problem = model("crossed", 1).problem
    y, ss = problem.units.y.copy(), problem.replicates.ss.copy()
    new = with_data(problem, y + 1, ss + 1)
    assert new.moments is problem.moments
    np.testing.assert_array_equal(problem.units.y, y)
    np.testing.assert_array_equal(problem.replicates.ss, ss)
    np.testing.assert_array_equal(new.units.y, y + 1)


def test_the_same_generator_draws_the_same_data(model):
    drawn = model("unique patterns", 2)
    redraw = Redraw(drawn.problem, drawn.theta, np.zeros(drawn.problem.p))
    first, again = (redraw.draw(np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first.units.y, again.units.y)
    np.testing.assert_array_equal(first.replicates.ss, again.replicates.ss)
