"""The linear system of a problem at one point: what every solve with ``V(theta)`` needs.

Derivation and notation: ``docs/methods/reml.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.mixed.moments import Products
from quorate.numerics.mixed.patterns import Levels
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.rows import MeanUnits, gram
from quorate.numerics.mixed.sampled import SampledLevels

if TYPE_CHECKING:
    from quorate.numerics.mixed.reml import Projected


# Inverses of positive definite matrices, with their log-determinants.


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


# Random effects within blocks, eliminated by the Woodbury identity, with ``R = Gamma^(1/2)``.
#
# The symmetric ``I + R K R`` is factored, not ``I + K Gamma``: where the noise is small beside the effects, ``C`` from
# the unsymmetric inverse is wrong by the square of the ratio of their variances times the rounding error, and from the
# factor by the ratio itself.


_PART = 1 << 15
"""Entries of matrices that are factored together: a few copies of 256 kB fit the cache."""


@dataclass(frozen=True)
class Blocks:
    """What is needed of ``I + R K R = L L'`` for every pattern.

    Parameters
    ----------
    j : array, shape (..., columns, columns)
        ``(I + K Gamma)^-1``.
    half : array, shape (..., columns, columns)
        ``L^-1 R``, so that ``V_w^-1 = D^-1 - D^-1 Z half' half Z' D^-1``.
    log_det : array, shape (...)
        ``ln|I + K Gamma|``.
    """

    j: Floats
    half: Floats
    log_det: Floats


def factored(k: Floats, gamma: Floats) -> Blocks:
    """Factor ``I + R K R``; raises numpy.linalg.LinAlgError where that is not positive definite.

    Parameters
    ----------
    k : array, shape (patterns, columns, columns)
        Within-block columns with themselves.
    gamma : array, shape (..., columns)
        Variance of every column, none negative, the same for all patterns.
    """
    if k.ndim == 3 and gamma.ndim == 1 and k.size > 2 * _PART:
        step = max(_PART // max(k.shape[-1] ** 2, 1), 1)
        j, half, log_det = np.empty_like(k), np.empty_like(k), np.empty(len(k))
        for start in range(0, len(k), step):
            some = slice(start, start + step)
            part = factored(k[some], gamma)
            j[some], half[some], log_det[some] = part.j, part.half, part.log_det
        return Blocks(j, half, log_det)
    root = np.sqrt(gamma)[..., None, :]
    system = root[..., None] * k * root[..., None, :]
    at = np.arange(k.shape[-1])
    system[..., at, at] += 1
    lower = np.asarray(np.linalg.cholesky(system), dtype=np.float64)
    inverse = lower_inverses(lower)
    log_det = 2 * np.sum(np.log(lower[..., at, at]), axis=-1)
    # J = R^-1 (I + R K R)^-1 R; on the rows of columns without variance I - K R (I + R K R)^-1 R.
    right = (inverse.swapaxes(-1, -2) @ inverse) * root[..., None, :]
    left, none = root[..., None], root[..., None] == 0
    if none.any():
        j = np.where(none, np.eye(k.shape[-1]) - k @ (left * right), right / np.where(none, 1.0, left))
    else:
        j = np.asarray(right / left, dtype=np.float64)
    return Blocks(j, inverse * root[..., None, :], log_det)


LEAST_NOISE = 1e-18


@dataclass(frozen=True, repr=False)
class Solved:
    """Everything a linear solve with ``V(theta)`` needs, at one point.

    ``j = (I + K Gamma)^-1`` and ``half`` per pattern, with ``half' half = Gamma J``; ``levels`` is the system of fixed
    effects and shared levels that is left across blocks.
    """

    theta: Floats
    weight: Floats
    gamma: Floats
    products: Products
    j: Floats
    half: Floats
    mean_units: MeanUnits
    levels: Levels | SampledLevels
    log_det: float

    @property
    def dense(self) -> Levels:
        """The levels, where their system was inverted."""
        if isinstance(self.levels, SampledLevels):
            raise TypeError("the system of shared levels is too large for its inverse")
        return self.levels

    @cached_property
    def grams(self) -> dict[int, Floats]:
        """What `within_block` has found, by term: traces and information ask for the same."""
        return {}

    @cached_property
    def moments(self) -> dict[bytes, Floats]:
        """Second moments of contrasts found so far, by their weights: a mean is asked for again and again."""
        return {}

    @cached_property
    def weights(self) -> dict[bytes, Projected]:
        """Weights of the contrast that was asked for last, by the contrast: of many cells they take much room."""
        return {}

    @property
    def rows(self) -> Floats | None:
        """``T`` of all mean units, where it is dense and small enough to be held at once."""
        if not self.mean_units.whole:
            return None
        rows = next(iter(self.mean_units)).t
        return rows if isinstance(rows, np.ndarray) else None


def solve(problem: Problem, theta: Floats, *, reml: bool | None = None) -> Solved:
    """Factor ``V(theta)``; raises numpy.linalg.LinAlgError where it is singular.

    Traces are taken with fixed effects projected out (``reml``; by default as the problem says).
    """
    gamma, gamma_shared, residual = problem.split(theta)
    noise = problem.units.noise @ residual
    if noise.min() < LEAST_NOISE:
        raise np.linalg.LinAlgError("a cell without residual variance")
    products = problem.moments.products(1 / noise)
    blocks = factored(products.k, gamma)
    count = problem.units.count
    log_noise = np.bincount(problem.units.cell_pattern, np.log(noise), len(count))
    log_det = float((log_noise + blocks.log_det) @ count)
    units = MeanUnits(products.n, problem.of_mean_units(blocks.j), problem.of_mean_units(blocks.half))
    reml = problem.reml if reml is None else reml
    levels: Levels | SampledLevels
    if problem.sampled:
        levels = SampledLevels(problem, products.g, next(iter(units)).h, gamma_shared, reml=reml)
    else:
        levels = _inverted(problem, products, units, gamma, gamma_shared, reml=reml)
    return Solved(theta, 1 / noise, gamma, products, blocks.j, blocks.half, units, levels, log_det + levels.log_det)


def _inverted(
    problem: Problem, products: Products, units: MeanUnits, gamma: Floats, gamma_shared: Floats, *, reml: bool
) -> Levels:
    """``C`` and its inverse ``B`` among Henderson's equations, as full matrices."""
    some = None if gamma.all() else (gamma > 0).astype(np.float64)
    c = products.g - units.sum(lambda part: gram(part.h, part.h, None if some is None else np.tile(some, len(part))))
    scale = np.concatenate([np.ones(problem.p), np.sqrt(gamma_shared)])
    b, log_det = scaled_inverse(c, scale, problem.p)
    b_trace = b
    if not reml:
        scale[: problem.p] = 0.0
        b_trace, log_det = scaled_inverse(c, scale, problem.p)
    return Levels(problem.p, gamma_shared, b_trace, c, b, log_det)
