from __future__ import annotations

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed import moments
from quorate.numerics.mixed.information import information, null_point, quadratic_forms
from quorate.numerics.mixed.moments import CrossProducts, Sparsity, gram, less, scaled
from quorate.numerics.mixed.patterns import full
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.mixed.solved import solve

SEEDS = st.integers(0, 10**6)


def designs(units):
    """Within-block columns of every pattern cell, and fixed and shared columns of every mean-unit cell."""
    z = np.zeros((len(units.cell_pattern), len(units.column_term)))
    for term in units.column.T:
        z[np.arange(len(z)), term] = 1.0
    u = np.zeros((len(units.x), len(units.shared_term)))
    for term in units.shared.T:
        u[np.arange(len(u)), term] = 1.0
    scale = units.scale[units.cell_unit[: len(units.row)]]
    return z, np.hstack([units.x, u])[units.row] * scale[:, None]


@given(seed=SEEDS)
@few
def test_products_are_those_of_the_design_matrices(kind, model, seed):
    drawn = model(kind, seed)
    units = drawn.problem.units
    z, w = designs(units)
    weight = drawn.rng.uniform(0.5, 2, len(z))
    products = CrossProducts(units).products(weight)
    n = products.n.full().reshape(len(units.scale), z.shape[1], w.shape[1])
    mean_cells = units.cell_index[: len(units.row)]
    for p in range(len(units.count)):
        rows = units.cell_pattern == p
        np.testing.assert_allclose(products.k[p], (z[rows] * weight[rows, None]).T @ z[rows], atol=1e-12)
    for unit in range(len(units.scale)):
        rows = np.flatnonzero(units.cell_unit[: len(units.row)] == unit)
        left = z[mean_cells[rows]] * weight[mean_cells[rows], None]
        np.testing.assert_allclose(n[unit], left.T @ w[rows], atol=1e-10)
    np.testing.assert_allclose(products.g, (w * weight[mean_cells, None]).T @ w, atol=1e-10)


@given(seed=SEEDS)
@few
def test_from_cells_is_the_transpose_of_to_cells(kind, model, seed):
    drawn = model(kind, seed)
    moments = CrossProducts(drawn.problem.units)
    v = drawn.rng.normal(size=len(drawn.problem.units.y))
    z = drawn.rng.normal(size=(moments.n_units, moments.columns))
    w = drawn.rng.normal(size=moments.q)
    to_z, to_w = moments.from_cells(v)
    np.testing.assert_allclose(v @ moments.to_cells(z, w), np.sum(z * to_z) + w @ to_w, atol=1e-9)
    mean = len(drawn.problem.units.row)
    (whole,) = moments.stretches()
    parts = whole.per_term(z).sum(axis=0)
    parts[:mean] += moments.shared_columns(w).sum(axis=0)
    fixed = moments.to_cells(np.zeros_like(z), np.where(np.arange(moments.q) < moments.p, w, 0.0))
    np.testing.assert_allclose(moments.to_cells(z, w), parts + fixed, atol=1e-10)


@pytest.fixture(params=["dense", "sparse"])
def layout(request, monkeypatch):
    """3 units of 2 columns over 4 fixed and shared columns, with 9 values in 8 places."""
    if request.param == "sparse":
        monkeypatch.setattr(moments, "_LARGE", 0)
        monkeypatch.setattr(moments, "_WORTH", 0)
        monkeypatch.setattr(moments, "_SPARSE", 1)
    made = Sparsity(np.array([0, 3, 3, 6, 9, 14, 17, 20, 23]), 3, 2, 4)
    assert made.sparse == (request.param == "sparse")
    return made


WHOLE = np.array([[1, 0, 0, 5], [0, 0, 4, 0], [0, 5, 0, 0], [0, 0, 6, 0], [0, 7, 0, 0], [8, 0, 0, 9]], dtype=float)


@pytest.fixture
def filled(layout):
    return layout.fill(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9]))


def test_values_in_one_place_are_added(filled):
    assert full(filled).tolist() == WHOLE.tolist()


def test_every_unit_has_its_own_matrix(layout, filled):
    matrices = np.arange(12.0).reshape(3, 2, 2)
    got = full(layout.apply(matrices, filled))
    np.testing.assert_array_equal(got, np.vstack([matrices[u] @ WHOLE[2 * u : 2 * u + 2] for u in range(3)]))


def test_weighted_cross_products(monkeypatch, filled):
    monkeypatch.setattr(moments, "_FEW", 2)
    weight = np.array([0.0, 2, 0, 3, 4, 5])
    np.testing.assert_array_equal(gram(filled, filled, weight), WHOLE.T @ (weight[:, None] * WHOLE))
    assert not gram(filled, filled, np.zeros(6)).any()


def test_arithmetic(filled):
    factor = np.arange(6.0)
    np.testing.assert_array_equal(full(scaled(filled, factor)), factor[:, None] * WHOLE)
    np.testing.assert_array_equal(full(less(filled, scaled(filled, factor))), (1 - factor)[:, None] * WHOLE)
    np.testing.assert_array_equal(gram(filled, scaled(filled, factor)), WHOLE.T @ (factor[:, None] * WHOLE))


def test_few_or_large_rows_decide(monkeypatch):
    monkeypatch.setattr(moments, "_WORTH", 63)
    monkeypatch.setattr(moments, "_SPARSE", 8)
    assert not Sparsity(np.arange(64), 8, 2, 4).sparse, "no zeros"
    assert Sparsity(np.array([3, 3, 7]), 8, 2, 4).sparse, "one entry of 32 in every row of a unit"
    assert not Sparsity(np.array([3, 3, 7]), 7, 2, 4).sparse, "small"
    apart = np.array([3, 6, 9, 14])
    assert not Sparsity(apart, 8, 2, 4).sparse, (
        "columns of a unit differ in where they have entries: mixed they are four"
    )
    monkeypatch.setattr(moments, "_HUGE", 63)
    assert Sparsity(apart, 8, 2, 4).sparse, "huge: the smaller, though not the quicker"


@pytest.mark.parametrize("stored", ["sparse", "dense, a unit at a time"])
@given(seed=SEEDS)
@few
def test_designs_have_one_likelihood_however_their_rows_are_stored(kind, model, stored, seed):
    drawn = model(kind, seed)
    null = null_point(drawn.problem)
    wanted = evaluate(drawn.problem, drawn.theta), information(drawn.problem, solve(drawn.problem, drawn.theta))
    forms = quadratic_forms(drawn.problem, solve(drawn.problem, null))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moments, "_LARGE", -1)
        patched.setattr(moments, "_WORTH", -1)
        patched.setattr(moments, "_SPARSE", 0 if stored == "sparse" else np.inf)
        patched.setattr(moments, "_PART", 1)
        patched.setattr(moments, "_STRETCH", 1)
        problem = Problem(drawn.cells, drawn.problem.replicates, reml=drawn.problem.reml)
    sparsity, within = problem.moments.sparsity, kind not in {"nothing within", "residual only"}
    assert not within or sparsity.sparse == (stored == "sparse")
    assert not within or len(sparsity.slices) == (1 if sparsity.sparse else sparsity.units)
    point = evaluate(problem, drawn.theta)
    assert point.criterion == pytest.approx(wanted[0].criterion, rel=1e-12)
    for got, want in (
        (point.gradient, wanted[0].gradient),
        (point.hessian, wanted[0].hessian),
        (point.effects, wanted[0].effects),
        (information(problem, solve(problem, drawn.theta)), wanted[1]),
        (quadratic_forms(problem, solve(problem, null)), forms),
    ):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max(initial=1.0))
