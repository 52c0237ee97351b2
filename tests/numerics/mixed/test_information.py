from __future__ import annotations

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed.information import (
    adjustment,
    bounds,
    cell_weights,
    component_df,
    covariance,
    identify,
    information,
    null_point,
    quadratic_forms,
    variance_parts,
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
    found = weights(drawn.problem, solve(drawn.problem, drawn.theta), contrast)
    got = squares(drawn.problem, found)
    close(got, [w @ a @ w for a in drawn.dense.structures])
    assert got @ drawn.theta == pytest.approx(contrast @ drawn.dense.beta_covariance(drawn.theta) @ contrast, rel=1e-9)
    close(cell_weights(drawn.problem, found), w)


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


@pytest.mark.wide(2)
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


# Many contrasts at once, against dense matrices over rows.


@pytest.mark.wide(2)
@given(seed=SEEDS)
@few
def test_parts_of_many_contrasts_are_those_of_dense_matrices(kind, model, seed):
    drawn = model(kind, seed)
    contrasts = drawn.rng.normal(size=(5, drawn.dense.x.shape[1]))
    half = drawn.rng.normal(size=(len(drawn.theta), len(drawn.theta)))
    solved = solve(drawn.problem, drawn.theta)
    got = variance_parts(drawn.problem, solved, contrasts, half @ half.T)
    for contrast, own, added in zip(contrasts, *got, strict=True):
        w = drawn.dense.weights(drawn.theta, contrast)
        np.testing.assert_allclose(own, [w @ a @ w for a in drawn.dense.structures], rtol=1e-7, atol=1e-9)
        wanted = drawn.dense.adjustment(drawn.theta, contrast, half @ half.T)
        np.testing.assert_allclose(added, wanted, rtol=1e-7, atol=1e-9)


@given(seed=SEEDS)
@few
def test_parts_of_many_contrasts_are_those_of_each(kind, model, seed):
    """Also where some components are not estimated, whose rows of the covariance are zero."""
    drawn = model(kind, seed)
    contrasts = drawn.rng.normal(size=(3, drawn.dense.x.shape[1]))
    half = drawn.rng.normal(size=(len(drawn.theta), len(drawn.theta)))
    half[::2] = 0.0
    solved = solve(drawn.problem, drawn.theta)
    got = variance_parts(drawn.problem, solved, contrasts, half @ half.T)
    own = [squares(drawn.problem, weights(drawn.problem, solved, contrast)) for contrast in contrasts]
    np.testing.assert_allclose(got.squares, own, rtol=1e-10, atol=1e-12)
    added = [adjustment(drawn.problem, solved, contrast, half @ half.T) for contrast in contrasts]
    # ``P`` is ``V^-1`` less nearly all of it: rounding that is left is of what ``V^-1`` alone would add.
    inverse, whole = np.linalg.inv(drawn.dense.v(drawn.theta)), []
    for contrast in contrasts:
        sides = np.array([a @ drawn.dense.weights(drawn.theta, contrast) for a in drawn.dense.structures])
        whole.append(2 * np.sum(np.abs(half @ half.T * (sides @ inverse @ sides.T))))
    assert np.all(np.abs(got.added - added) <= 1e-10 * np.abs(added) + 1e-12 * np.maximum(whole, 1))


def overlap(terms, x):
    """``G_st = tr(Q A_s Q A_t)`` from the levels of every term; the residual comes last."""
    q = np.eye(len(x)) - x @ np.linalg.pinv(x)
    structures = [q @ np.equal.outer(levels, levels) for levels in terms] + [q]
    return np.array([[np.sum(a * b.T) for b in structures] for a in structures])


def crossed(*sizes):
    return [axis.ravel() for axis in np.meshgrid(*map(np.arange, sizes), indexing="ij")]


ITEM, JUDGE, _ = crossed(4, 3, 2)
ONE = np.ones((24, 1))


def test_a_crossed_design_tells_everything_apart():
    found = identify(overlap([ITEM, JUDGE, ITEM * 3 + JUDGE], ONE), 24)
    assert found.absorbed == ()
    assert found.classes == ((0,), (1,), (2,), (3,))
    assert found.null.shape == (0, 4)
    assert 1 <= found.condition < 100
    assert found.estimable(np.array([1.0, 2.0, 3.0, 4.0]))


def test_terms_with_nothing_left_are_absorbed():
    fixed = np.column_stack([np.ones(24), JUDGE == 1, JUDGE == 2]).astype(float)
    found = identify(overlap([ITEM, JUDGE, np.zeros(24)], fixed), 24)
    assert found.absorbed == (1, 2)
    assert found.classes == ((0,), (3,))
    assert not found.estimable(np.array([1.0, 1.0, 0.0, 1.0]))
    assert found.estimable(np.array([1.0, 0.0, 0.0, 1.0]))


def test_equal_structures_are_one_class_represented_by_its_last_member():
    found = identify(overlap([ITEM, ITEM * 2, np.arange(24)], ONE), 24)
    assert found.classes == ((0, 1), (2, 3))
    assert found.representatives == (1, 3)
    assert found.estimable(np.array([2.0, 2.0, 5.0, 5.0]))
    assert not found.estimable(np.array([2.0, 1.0, 5.0, 5.0]))


def test_other_flat_directions_are_printed_with_few_components():
    """Two levels of a main effect cannot be told from a constant difference between the halves of a table."""
    half = np.arange(24) // 12
    quarter = np.arange(24) // 6
    first = np.where(half == 0, quarter, 4)  # the quarters of the first half, the second half as one
    second = np.where(half == 1, quarter, 4)
    g = overlap([first, second, quarter, half], ONE)
    found = identify(g, 24)
    space = found.null_space()
    assert len(space) == len(g) - np.linalg.matrix_rank(g / np.sqrt(np.outer(np.diag(g), np.diag(g))), tol=1e-8)
    np.testing.assert_allclose(g @ space.T, 0, atol=1e-6)
    assert len(found.null) == 1
    np.testing.assert_allclose(np.abs(found.null).max(axis=1), 1)


@given(seed=st.integers(0, 10**6))
def test_flat_directions_are_those_along_which_no_projected_structure_changes(seed):
    rng = np.random.default_rng(seed)
    terms = [rng.integers(0, rng.integers(1, 5), 12) for _ in range(4)]
    terms += [terms[0] * 10 + terms[1], terms[int(rng.integers(4))].copy()]
    x = np.column_stack([np.ones(12), rng.integers(0, 2, 12)]).astype(float)
    found = identify(overlap(terms, x), 12)
    q = np.eye(12) - x @ np.linalg.pinv(x)
    structures = np.array([q @ np.equal.outer(t, t) @ q for t in terms] + [q]).reshape(len(terms) + 1, -1)
    np.testing.assert_allclose(found.null_space() @ structures, 0, atol=1e-5)
    assert len(found.null_space()) == len(structures) - np.linalg.matrix_rank(structures, tol=1e-6)


def test_the_matrix_of_the_engine_says_the_same(model):
    drawn = model("nested", 4)
    g = 2 * information(drawn.problem, solve(drawn.problem, null_point(drawn.problem), reml=True))
    found = identify(g, drawn.problem.n_rows)
    space = found.null_space()
    projected = np.array(
        [
            (drawn.dense.p(null_point(drawn.problem)) @ a @ drawn.dense.p(null_point(drawn.problem))).ravel()
            for a in drawn.dense.structures[:-1]  # the replicate is also seen inside cells
        ]
    )
    assert len(space) == len(projected) - np.linalg.matrix_rank(projected, tol=1e-8)


def test_bounds_are_the_range_over_non_negative_splits():
    """item + judge = 3 in any split: twice the item and once the judge is between 3 and 6."""
    space = np.array([[1.0, -1.0, 0.0]])
    assert bounds(np.array([2.0, 1.0, 1.0]), np.array([1.0, 2.0, 5.0]), space) == pytest.approx((8.0, 11.0))


@pytest.mark.parametrize("seed", range(12))
def test_bounds_along_directions_apart_are_those_of_a_linear_programme(seed):
    """Two directions that share no component; added to one another the same ones share all."""
    rng = np.random.default_rng(seed)
    space = np.zeros((2, 6))
    space[0, :3], space[1, 3:] = rng.normal(size=(2, 3))
    theta, coefficients = rng.uniform(0, 2, 6), rng.normal(size=6)
    mixed = np.array([[1.0, 1.0], [1.0, -1.0]]) @ space
    assert bounds(coefficients, theta, space) == pytest.approx(bounds(coefficients, theta, mixed))


def test_an_absorbed_component_has_no_upper_bound():
    low, high = bounds(np.array([1.0, 1.0]), np.array([2.0, 0.0]), np.array([[0.0, 1.0]]))
    assert low == pytest.approx(2.0)
    assert high == np.inf


def test_bounds_of_what_can_be_estimated_are_its_value():
    space = np.array([[1.0, -1.0]])
    assert bounds(np.array([3.0, 3.0]), np.array([1.0, 2.0]), space) == pytest.approx((9.0, 9.0))


def test_nearly_equal_terms_raise_the_condition_number():
    other = ITEM.copy()
    other[0] = 1
    apart = identify(overlap([ITEM, JUDGE], ONE), 24).condition
    assert identify(overlap([ITEM, other], ONE), 24).condition > 3 * apart


def test_components_of_which_rounding_leaves_no_information_have_no_covariance(monkeypatch):
    """As the residual of data that the terms nearly fit has; warnings are errors."""
    monkeypatch.setattr("quorate.numerics.mixed.information.information", lambda *_: np.diag([4.0, -0.02, 5.0]))
    shape = type("Shape", (), {"n_components": 3})()
    np.testing.assert_allclose(covariance(shape, None, [0, 1, 2]), np.diag([0.25, 0, 0.2]), atol=1e-12)
