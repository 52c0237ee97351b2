"""Elimination against dense matrices."""

import numpy as np
import pytest
from numerics.links.small import dense, layout

from quorate.numerics.links.modes import Factor, Scaled

VARIANCE = np.array([1.0, 0.4, 0.3, 0.2])


@pytest.mark.parametrize("cells", [True, False])
def test_determinant_solution_leverage_and_traces(cells):
    laid, rng = layout(cells=cells), np.random.default_rng(1)
    variance = VARIANCE[: laid.n_terms]
    m, scaled = dense(laid, variance), Scaled(laid, variance)
    w, k = rng.uniform(0.1, 0.5, len(m)), rng.normal(size=(len(m), 2))
    information = k.T @ k * 5 + 9 * np.eye(2)
    factor = Factor(scaled, w, k, information)
    a = np.eye(m.shape[1]) + m.T @ (w[:, None] * m)
    assert factor.log_det == pytest.approx(np.linalg.slogdet(a)[1], rel=1e-12)

    y, f = rng.normal(size=(len(m), 1)), rng.normal(size=(2, 1))
    alone, _ = factor.solve(scaled.sums(y))
    assert scaled.rows(alone) == pytest.approx(m @ np.linalg.solve(a, m.T @ y), rel=1e-10)
    bordered = np.block([[a, m.T @ k], [k.T @ m, information]])
    both, fixed = factor.solve(scaled.sums(y), f)
    expected = np.linalg.solve(bordered, np.vstack([m.T @ y, f]))
    assert fixed == pytest.approx(expected[-2:], rel=1e-10)
    assert scaled.rows(both) == pytest.approx(m @ expected[:-2], rel=1e-10)

    h, traces = factor.leverage
    assert h == pytest.approx(np.diag(m @ np.linalg.solve(a, m.T)), rel=1e-10)
    p = np.diag(w) - (w[:, None] * m) @ np.linalg.solve(a, m.T * w)
    ends = np.cumsum([laid.within.max(axis=0) + 1][0].tolist() + (laid.shared.max(axis=0) + 1).tolist())
    whole = np.diag(m.T @ p @ m)
    parts = np.split(whole, [*ends, len(whole)] if cells else ends)[: laid.n_terms]
    assert traces == pytest.approx([part.sum() / v for part, v in zip(parts, variance, strict=True)], rel=1e-9)
