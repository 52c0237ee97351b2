"""Inverses of positive definite matrices, with their log-determinants."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats

_LARGE = 200
_STACK = 8
"""Matrices from which products of blocks of all of them are quicker than one after the other."""


def scaled_inverse(c: Floats, scale: Floats, p: int) -> tuple[Floats, float]:
    """``S (S C S + diag(0, I))^-1 S``, zero where ``S`` is, and the log-determinant of what is inverted."""
    active = np.flatnonzero(scale)
    s = scale[active]
    system = s[:, None] * (c if len(active) == len(c) else c[np.ix_(active, active)])
    system *= s
    shared = np.flatnonzero(active >= p)
    system[shared, shared] += 1
    inner, log_det = spd_inverse(system)
    inner *= s[:, None]
    inner *= s
    if len(active) == len(c):
        return inner, log_det
    out = np.zeros_like(c)
    out[np.ix_(active, active)] = inner
    return out, log_det


def spd_inverse(matrix: Floats) -> tuple[Floats, float]:
    """Inverse and log-determinant of a positive definite matrix.

    A large one by LAPACK's own inverse from the factor: a third of the time, once loading it is worth its while.
    """
    if matrix.shape[0] == 0:
        return matrix, 0.0
    if matrix.shape[0] <= _LARGE:
        lower = np.linalg.cholesky(matrix)
        half = np.linalg.inv(lower)
        return half.T @ half, 2 * float(np.sum(np.log(np.diag(lower))))
    from scipy.linalg import lapack

    factor, failed = lapack.dpotrf(matrix.T, lower=1, clean=0)
    if failed:
        raise np.linalg.LinAlgError("the coefficient matrix is singular")
    log_det = 2 * float(np.sum(np.log(np.diag(factor))))
    inverse = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    for start in range(0, len(inverse), 128):  # the upper triangle, in place, by blocks that fit the cache
        rows = slice(start, start + 128)
        block = np.tril(inverse[rows, rows])
        inverse[rows, rows] = block + np.tril(block, -1).T
        inverse[rows, rows.stop :] = inverse[rows.stop :, rows].T
    return inverse.T, log_det


def lower_inverses(lower: Floats) -> Floats:
    """Inverses of lower triangular matrices, shape (..., size, size); of many at a time by blocks that double.

    The inverse of ``[[A, 0], [C, B]]`` is ``[[A^-1, 0], [-B^-1 C A^-1, B^-1]]``.
    """
    size = lower.shape[-1]
    if lower.size < _STACK * size**2:
        return np.asarray(np.linalg.inv(lower), dtype=np.float64)
    out, diagonal, half = np.zeros_like(lower), np.arange(size), 1
    out[..., diagonal, diagonal] = 1 / lower[..., diagonal, diagonal]
    while half < size:
        for start in range(0, size - half, 2 * half):
            a, b = slice(start, start + half), slice(start + half, min(start + 2 * half, size))
            out[..., b, a] = -(out[..., b, b] @ (lower[..., b, a] @ out[..., a, a]))
        half *= 2
    return out
