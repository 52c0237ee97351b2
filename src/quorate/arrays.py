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
        value, place = in_order(key)
        code = np.empty(key.size, dtype=np.int64)
        code[place] = np.cumsum(np.append(False, value[1:] != value[:-1]))
        return code
    seen = np.zeros(span, dtype=np.bool_)
    seen[key] = True
    return np.asarray((np.cumsum(seen, dtype=np.int32 if span < 2**31 else np.int64) - 1)[key], dtype=np.int64)


def in_order(key: NDArray[Any]) -> tuple[Ints, Ints]:
    """Values of ``key`` in order, whole numbers from 0, and where each stands; equal ones in the order they have.

    One sort of numbers that hold both, which takes a third of the time of ``np.argsort``.
    """
    bits = max(key.size - 1, 0).bit_length()
    if int(key.max(initial=0)).bit_length() + bits > 63:
        place = np.argsort(key, kind="stable")
        return key[place].astype(np.int64), place
    both = np.sort(key.astype(np.int64) << bits | np.arange(key.size))
    return both >> bits, both & ((1 << bits) - 1)


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


def first_of_each(code: NDArray[Any]) -> Ints:
    """Where every value of ``code``, whole numbers from 0, stands first, in the order of the values."""
    if int(code.max(initial=-1)) >= max(4 * code.size, 1024):
        value, place = in_order(code)
        return np.asarray(place[np.append(True, value[1:] != value[:-1])])
    first = np.full(int(code.max(initial=-1)) + 1, -1)
    first[code[::-1]] = np.arange(code.size)[::-1]  # of several the last that is written stays
    return np.asarray(first[first >= 0])


def occurring(key: NDArray[Any]) -> Ints:
    """Values of ``key`` that occur, whole numbers from 0, in order; linear where they are compact."""
    span = int(key.max(initial=-1)) + 1
    if span > max(4 * key.size, 1024):
        ordered = np.sort(key).astype(np.int64)  # np.unique hashes, which takes many times as long for many values
        return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])])
    seen = np.zeros(span, dtype=np.bool_)
    seen[key] = True
    return np.flatnonzero(seen)
