from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.mixed.solved import lower_inverses, scaled_inverse, spd_inverse


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
