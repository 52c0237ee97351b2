"""Random effects within blocks, eliminated by the Woodbury identity, with ``R = Gamma^(1/2)``.

The symmetric ``I + R K R`` is factored, not ``I + K Gamma``: where the noise is small beside the effects, ``C`` from
the unsymmetric inverse is wrong by the square of the ratio of their variances times the rounding error, and from the
factor by the ratio itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.mixed.inverse import lower_inverses

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
