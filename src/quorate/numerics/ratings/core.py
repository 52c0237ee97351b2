"""The core of a large board: what is left of its information once systems that never met each other are solved for.

Of systems that have no votes between them the information is diagonal, so what it says of these follows from what it
says of the others by sparse products. Only of the others, the core, is a full matrix inverted and multiplied: a board
whose many systems each met few others costs the cube of a part of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints

_WORTH = 0.05  # part of the systems from which on leaving them out saves more than it costs
_FEW_MET = 0.05  # part of the systems of which a system that is left out met no more


class Core(NamedTuple):
    """Parameters in two parts.

    Parameters
    ----------
    kept, out : array of int
        The core, and the systems that never met each other.
    through : sparse array, shape (out, kept)
        What moves these when the core moves.
    own : array, shape (out,)
        Variance of each by the model where the core is known.
    """

    kept: Ints
    out: Ints
    through: Any
    own: Floats


def core(information: Any, ratings: slice) -> Core | None:
    """Parts of a sparse information, shape (parameters, parameters); None where too few systems can be left out."""
    apart = strangers(information[ratings, ratings].tocsr())
    if len(apart) < _WORTH * information.shape[0]:
        return None
    out = apart + ratings.start
    kept = np.setdiff1d(np.arange(information.shape[0]), out)
    from scipy.sparse import diags_array

    rows = information[out].tocsc()
    own = 1 / information.diagonal()[out]
    return Core(kept, out, (diags_array(-own) @ rows[:, kept]).tocsr(), own)


def strangers(met: Any) -> Ints:
    """Systems of which no two have votes between them, those that met few others first.

    Parameters
    ----------
    met : sparse array, shape (systems, systems)
        Not 0 where two have votes between them.
    """
    size = met.shape[0]
    row = np.repeat(np.arange(size), np.diff(met.indptr))
    between = row != met.indices
    row, column = row[between], met.indices[between]
    chosen, free = np.zeros((2, size), dtype=np.bool_)
    free = np.bincount(row, minlength=size) <= max(_FEW_MET * size, 1)
    while free.any():
        open_ = free[row] & free[column]
        row, column = row[open_], column[open_]
        # Of free systems that met, those that met the fewest free ones, the first of as many.
        degree = np.bincount(row, minlength=len(free))
        place = np.empty(len(free), dtype=np.int64)
        place[np.lexsort((np.arange(len(free)), degree))] = np.arange(len(free))
        beaten = np.bincount(row, place[column] < place[row], len(free)) > 0
        first = free & ~beaten
        chosen |= first
        free &= ~first
        free[column[first[row]]] = False
    return np.flatnonzero(chosen)


def put_together(parts: Core, inner: Floats, across: Floats, outer: Floats) -> Floats:
    """A symmetric matrix from that of the core, that between those out and the core, and that of those out."""
    size = len(parts.kept) + len(parts.out)
    place = np.empty(size, dtype=np.int64)
    place[np.append(parts.kept, parts.out)] = np.arange(size)
    whole, row = np.empty((size, size), dtype=inner.dtype), np.empty(size, dtype=inner.dtype)
    first = len(parts.kept)
    for at, own in enumerate(parts.kept.tolist()):
        row[:first], row[first:] = inner[at], across[:, at]
        np.take(row, place, out=whole[own], mode="clip")
    for at, own in enumerate(parts.out.tolist()):
        row[:first], row[first:] = across[at], outer[at]
        np.take(row, place, out=whole[own], mode="clip")
    return whole


def inverse_of_all(parts: Core, inner: Floats) -> Floats:
    """The inverse of the whole from that of the core."""
    through = parts.through.astype(inner.dtype)
    across = through @ inner
    outer = through @ np.ascontiguousarray(across.T)
    np.einsum("ii->i", outer)[:] += parts.own.astype(inner.dtype)
    return put_together(parts, inner, across, outer)


def part_of(matrix: Floats, kept: Ints) -> Floats:
    """Rows and columns of a matrix, a row after the other: all at once takes five times as long."""
    out = np.empty((len(kept), len(kept)), dtype=matrix.dtype)
    for place, row in enumerate(kept.tolist()):
        np.take(matrix[row], kept, out=out[place], mode="clip")
    return out
