from __future__ import annotations

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed.information import (
    adjustment,
    cell_weights,
    component_df,
    covariance,
    information,
    null_point,
    quadratic_forms,
    weights,
)
from quorate.numerics.mixed.patterns import Cells
from quorate.numerics.mixed.problem import Problem, WithinCells
from quorate.numerics.mixed.reml import squares
from quorate.numerics.mixed.solved import solve

SEEDS = st.integers(0, 10**6)


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max())


@given(seed=SEEDS)
@few
def test_expected_information(kind, model, seed):
    drawn = model(kind, seed)
    close(information(drawn.problem, solve(drawn.problem, drawn.theta)), drawn.dense.information(drawn.theta))


@pytest.mark.parametrize("kind", ["crossed", "ml", "one pattern", "no replicates", "strata", "nested", "covariate"])
@given(seed=SEEDS)
@few
def test_at_the_null_point_information_is_overlap_of_the_terms(kind, model, seed):
    """``2 I_st = ||Z_s' Q Z_t||^2`` over raw rows, with ``Q`` the projection off the fixed effects."""
    drawn = model(kind, seed)
    theta = null_point(drawn.problem)
    n = np.round(1 / (drawn.cells.noise @ theta[-drawn.problem.n_residual :])).astype(int)
    raw = np.repeat(np.arange(len(n)), n)
    q = np.eye(len(raw)) - drawn.dense.x[raw] @ np.linalg.pinv(drawn.dense.x[raw])
    random = slice(drawn.problem.n_within + drawn.problem.n_shared)
    rows = [q @ a[np.ix_(raw, raw)] for a in drawn.dense.structures[random]]
    wanted = np.array([[np.sum(a * b.T) for b in rows] for a in rows])
    got = 2 * information(drawn.problem, solve(drawn.problem, theta, reml=True))
    np.testing.assert_allclose(got[random, random], wanted, rtol=1e-8, atol=1e-8)


@given(seed=SEEDS)
@few
def test_quadratic_forms_start_the_search_from_moments(kind, model, seed):
    drawn = model(kind, seed)
    theta = null_point(drawn.problem)
    e = drawn.dense.p(theta) @ drawn.dense.y
    wanted = np.array([e @ a @ e for a in drawn.dense.structures])
    wanted[-drawn.problem.n_residual :] += drawn.problem.replicates.ss
    close(quadratic_forms(drawn.problem, solve(drawn.problem, theta, reml=True)), wanted)


@given(seed=SEEDS)
@few
def test_weights_of_an_estimate(kind, model, seed):
    drawn = model(kind, seed)
    contrast = drawn.rng.normal(size=drawn.dense.x.shape[1])
    w = drawn.dense.weights(drawn.theta, contrast)
    np.testing.assert_allclose(drawn.dense.x.T @ w, contrast, atol=1e-9)
    got = squares(drawn.problem, weights(drawn.problem, solve(drawn.problem, drawn.theta), contrast))
    close(got, [w @ a @ w for a in drawn.dense.structures])
    assert got @ drawn.theta == pytest.approx(contrast @ drawn.dense.beta_covariance(drawn.theta) @ contrast, rel=1e-9)


def test_weights_of_a_contrast_are_found_once_and_those_of_the_last_one_kept(kind, model):
    drawn = model(kind, 1)
    solved = solve(drawn.problem, drawn.theta)
    one, other = drawn.rng.normal(size=(2, drawn.dense.x.shape[1]))
    first = weights(drawn.problem, solved, one)
    assert weights(drawn.problem, solved, one.copy()) is first
    for contrast in (other, one):
        found = weights(drawn.problem, solved, contrast)
        close(cell_weights(drawn.problem, found), drawn.dense.weights(drawn.theta, contrast))
        assert len(solved.weights) == 1


@given(seed=SEEDS)
@few
def test_weights_of_cells(kind, model, seed):
    drawn = model(kind, seed)
    contrast = drawn.rng.normal(size=drawn.dense.x.shape[1])
    solved = solve(drawn.problem, drawn.theta)
    got = cell_weights(drawn.problem, weights(drawn.problem, solved, contrast))
    close(got, drawn.dense.weights(drawn.theta, contrast))


@given(seed=SEEDS)
@few
def test_covariance_is_the_inverse_of_the_information(kind, model, seed):
    drawn = model(kind, seed)
    kept = np.flatnonzero(np.diag(drawn.dense.information(drawn.theta)) > 1e-6)
    got = covariance(drawn.problem, solve(drawn.problem, drawn.theta), list(kept))[np.ix_(kept, kept)]
    inside = drawn.dense.information(drawn.theta)[np.ix_(kept, kept)]
    np.testing.assert_allclose(inside @ got @ inside, inside, rtol=1e-6, atol=1e-6 * np.abs(inside).max())


def test_degrees_of_freedom_of_a_component_are_those_of_its_mean_square(model):
    """7 items, 3 prompts and 2 fixed judges, all crossed: 6 for the item, 12 for item:prompt, 2 for the prompt."""
    drawn = model("no replicates", 0)
    kept = [0, 1, 2, 4, 5, 6]  # not the category: two of them, nested above the items
    theta = np.array([0.5, 0.3, 0.2, 0.0, 0.4, 0.1, 0.6])
    got = [component_df(drawn.problem, theta, kept, t) for t in kept]
    np.testing.assert_allclose(got, [6, 12, 6, 2, 2, 12], rtol=1e-3)


@given(seed=SEEDS)
@few
def test_kenward_roger_adjustment(kind, model, seed):
    drawn = model(kind, seed)
    contrast = drawn.rng.normal(size=drawn.dense.x.shape[1])
    half = drawn.rng.normal(size=(len(drawn.theta), len(drawn.theta)))
    covariance = half @ half.T
    got = adjustment(drawn.problem, solve(drawn.problem, drawn.theta), contrast, covariance)
    assert got == pytest.approx(drawn.dense.adjustment(drawn.theta, contrast, covariance), rel=1e-7, abs=1e-9)


def test_balanced_data_need_no_adjustment(model):
    drawn = model("one pattern", 0)
    covariance = np.eye(len(drawn.theta))
    contrast = np.array([1.0, 0.5])
    assert adjustment(drawn.problem, solve(drawn.problem, drawn.theta), contrast, covariance) < 1e-12


def one_column(n, **residual):
    cells = len(n)
    empty = np.zeros((cells, 0), dtype=np.int64)
    noise, df = residual["noise"], residual["df"]
    design = Cells(np.arange(cells) * 1.0, np.arange(cells), n, n * 0, np.ones((cells, 1)), empty, empty, noise)
    return Problem(design, WithinCells(df.astype(float), df, 0.0))


def test_null_point_makes_raw_rows_uncorrelated_with_variance_one():
    n = np.array([1, 2, 3, 4])
    problem = one_column(n, noise=np.column_stack([np.ones(4), 1 / n]), df=np.array([0.0, 6.0]))
    assert null_point(problem).tolist() == [0.0, 1.0]


def test_null_point_where_one_stratum_has_no_replicates():
    n = np.array([1, 1, 3, 4])
    at = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    problem = one_column(n, noise=np.hstack([at, at / n[:, None]]), df=np.array([0.0, 0.0, 0.0, 5.0]))
    theta = null_point(problem)
    np.testing.assert_allclose(np.hstack([at, at / n[:, None]]) @ theta, 1 / n)
