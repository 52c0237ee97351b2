from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quorate.numerics.mixed.solved import factored

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
