"""Arrays: their types, and codes 0, 1, ... of whatever occurs in one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def dense(key: NDArray[Any]) -> Ints:
    """Codes 0, 1, ... in the order of the values of ``key``, whole numbers from 0; linear where these are compact."""
    if key.size == 0:
        return key.astype(np.int64)
    span = int(key.max()) + 1
    if span > max(4 * key.size, 1024):
        return np.unique(key, return_inverse=True)[1].astype(np.int64)
    seen = np.zeros(span, dtype=np.int64)
    seen[key] = 1
    return np.asarray((np.cumsum(seen) - 1)[key])


def sums(values: Floats, code: Ints, size: int | None = None) -> Floats:
    """Sums over the first axis, by code."""
    out = np.zeros((int(code.max()) + 1 if size is None else size, *values.shape[1:]))
    np.add.at(out, code, values)
    return out


def one_of_each(code: Ints, values: Ints) -> Ints:
    """For every code one of its values: the last."""
    out = np.zeros(int(code.max(initial=-1)) + 1, dtype=np.int64)
    out[code] = values
    return out


def occurring(key: NDArray[Any]) -> Ints:
    """Values of ``key`` that occur, whole numbers from 0, in order; linear where they are compact."""
    span = int(key.max(initial=-1)) + 1
    if span > max(4 * key.size, 1024):
        return np.unique(key).astype(np.int64)
    seen = np.zeros(span, dtype=np.bool_)
    seen[key] = True
    return np.flatnonzero(seen)
