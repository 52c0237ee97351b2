from __future__ import annotations

import numpy as np
from examples import few
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.mixed.moments import CrossProducts

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
