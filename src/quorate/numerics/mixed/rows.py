"""Rows of mean units over the fixed and shared columns: dense, or sparse where almost every entry is zero.

There is one row per mean unit and within-block column. With thousands of shared levels, of which a unit meets a few,
sparse products take a tenth of the time and memory of dense ones; with few levels it is the other way round. Many dense
rows are made and used a part of the units at a time: a part fits the cache, and all of them would not fit the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, starmap
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Callable

    from scipy.sparse import csr_array

    from quorate.numerics.mixed.moments import UnitRows

    Rows = NDArray[np.float64] | csr_array[np.float64]


_LARGE = 1 << 20
"""Dense entries from which they are made a part at a time."""
_WORTH = 1 << 18
"""Dense entries from which sparse rows are worth the loading of their library."""
_FEW = 2048
_PART = 1 << 17
"""Dense entries of a part: 1 MB, of which a processor has a few at hand."""
_SPARSE = 12
"""Entries per non-zero one from which sparse cross products are the quicker; measured on ratings of teachers.

Counted once the rows of a unit are mixed by `Sparsity.apply`: each then has the entries of all.
"""
_HUGE, _SMALLER = 1 << 27, 1.5
"""Dense entries of 1 GB, and how many there must be per non-zero one for sparse rows to take less room."""


class Sparsity:
    """Where the entries of all rows are, found once, and whether they are stored dense or sparse.

    Parameters
    ----------
    key : array of int
        Place ``(unit * columns + column) * q + j`` of every value that `fill` takes; places may repeat, and those of a
        unit come before those of the next.
    units, columns, q : int
        Mean units, within-block columns, fixed and shared columns.
    sparse : bool
        Store them sparse whatever their share of zeros.
    """

    def __init__(self, key: Ints, units: int, columns: int, q: int, *, sparse: bool = False) -> None:
        self.units, self.columns, self.q = units, columns, q
        self.sparse = sparse
        self._slot = key
        size = units * columns * q
        if size > _WORTH and not sparse:
            of_units = key // (columns * q) * q + key % q
            if units * q > 1 << 28:
                occupied = len(np.unique(of_units))
            else:
                seen = np.zeros(units * q, dtype=np.bool_)
                seen[of_units] = True
                occupied = int(seen.sum())
            self.sparse = occupied * (_SPARSE if size <= _HUGE else _SMALLER) < units * q
        if self.sparse:
            place, self._slot = np.unique(key, return_inverse=True)
            self._index = place % q
            self._start = np.searchsorted(place, np.arange(units * columns + 1) * q)
        self.slices = [slice(0, units)]
        self._entries = [slice(0, len(key))]
        if size > max(_LARGE, 0) and not self.sparse:
            step = max(_PART // (columns * q), 1)
            first = np.arange(0, units, step)
            at = np.append(np.searchsorted(key // (columns * q), first), len(key))
            self.slices = [slice(int(start), min(int(start) + step, units)) for start in first]
            self._entries = [slice(int(start), int(end)) for start, end in pairwise(at)]
            self._slot = (key - np.repeat(first * (columns * q), np.diff(at))).astype(np.int32)

    @property
    def whole(self) -> bool:
        """Whether all rows are held at once."""
        return len(self.slices) == 1

    def parts(self, values: Floats) -> Iterator[tuple[slice, Rows]]:
        """Some of the units, and their rows with these values summed by place, shape (units x columns, q)."""
        if self.whole:
            yield self.slices[0], self.fill(values)
            return
        for units, entries in zip(self.slices, self._entries, strict=True):
            shape = ((units.stop - units.start) * self.columns, self.q)
            summed = np.bincount(self._slot[entries], values[entries], shape[0] * self.q)
            yield units, np.asarray(summed, dtype=np.float64).reshape(shape)

    def fill(self, values: Floats) -> Rows:
        """All rows with these values summed by place; shape (units x columns, q)."""
        shape = (self.units * self.columns, self.q)
        if not self.whole:
            return np.vstack([full(rows) for _, rows in self.parts(values)])
        if not self.sparse:
            return np.asarray(np.bincount(self._slot, values, shape[0] * self.q), dtype=np.float64).reshape(shape)
        from scipy.sparse import csr_array

        summed = np.asarray(np.bincount(self._slot, values, len(self._index)), dtype=np.float64)
        return csr_array((summed, self._index, self._start), shape=shape)

    def apply(self, matrices: Floats, rows: Rows) -> Rows:
        """Rows of some units multiplied from the left by their matrices; ``matrices`` (units, columns, columns)."""
        if self.columns == 1:
            return scaled(rows, matrices.ravel())
        if isinstance(rows, np.ndarray):
            out: Floats = matrices @ rows.reshape(len(matrices), self.columns, self.q)
            return out.reshape(rows.shape)
        from scipy.sparse import csr_array

        k = self.columns
        column = np.arange(self.units * k).reshape(self.units, 1, k).repeat(k, axis=1)
        starts = np.arange(self.units * k + 1) * k
        shape = (self.units * k, self.units * k)
        product = csr_array((matrices.ravel(), column.ravel(), starts), shape=shape) @ rows
        return cast("Rows", product)


def scaled(rows: Rows, factor: Floats) -> Rows:
    """Every row times its factor, shape (rows,)."""
    if isinstance(rows, np.ndarray):
        return factor[:, None] * rows
    from scipy.sparse import csr_array

    data = rows.data * np.repeat(factor, np.diff(rows.indptr))
    return csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def less(left: Rows, right: Rows) -> Rows:
    """``left - right``, of rows of one sparsity."""
    return cast("Rows", left - right)


def gram(left: Rows, right: Rows, weight: Floats | None = None) -> Floats:
    """``left' diag(weight) right`` as a dense array, shape (q, q); ``weight`` (rows,), by default 1.

    Rows of weight zero cost nothing. Dense rows are weighted a few at a time: a copy of all takes longer than the
    product. Rows with themselves take half of it.
    """
    if weight is None:
        return full(left.T @ right)
    kept = np.flatnonzero(weight)
    if not (isinstance(left, np.ndarray) and isinstance(right, np.ndarray)):
        return full(left[kept].T @ scaled(right[kept], weight[kept]))
    out = np.zeros((left.shape[1], right.shape[1]))
    plain = left is right and bool(np.all(weight[kept] == 1))
    for some in np.array_split(kept, max(len(kept) // _FEW, 1)):
        rows = left[some]
        out += rows.T @ (rows if plain else weight[some, None] * right[some])
    return out


def full(rows: Any) -> Floats:
    """Rows as a dense array, shape (rows, q)."""
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=np.float64)


# Mean units at one point of the likelihood, some at a time: what is summed over them, and never held all at once.


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Some mean units: ``n = Z'D^-1 W`` and what follows from it, a row per unit and column."""

    units: slice
    n: Rows
    sparsity: Sparsity
    j: Floats
    half: Floats

    @cached_property
    def t(self) -> Rows:
        """``Z' V_w^-1 W``."""
        return self.sparsity.apply(self.j, self.n)

    @cached_property
    def h(self) -> Rows:
        """``half Z' D^-1 W``, so that ``W' V_w^-1 W = W' D^-1 W - h' h``."""
        return self.sparsity.apply(self.half, self.n)

    def __len__(self) -> int:
        return int(self.units.stop) - int(self.units.start)


class MeanUnits:
    """The mean units at one point: their rows are kept where all fit at once, else made for every sum anew.

    Parameters
    ----------
    n : UnitRows
        ``Z'D^-1 W`` of all mean units.
    j, half : array, shape (mean units, columns, columns)
        ``(I + K Gamma)^-1``, and what has ``half' half = Gamma J``.
    """

    def __init__(self, n: UnitRows, j: Floats, half: Floats) -> None:
        self._moments, self._n, self._j, self._half = n.moments, n, j, half
        self.whole = n.moments.sparsity.whole

    def __iter__(self) -> Iterator[Part]:
        if self.whole:
            yield self._all
        else:
            yield from starmap(self._part, self._n)

    def sum(self, of: Callable[..., Floats], *others: UnitRows) -> Floats:
        """Sum over parts of what ``of`` makes of each, shape (..., width, width), as shape (..., q, q).

        ``of`` takes a part, and its rows under other weights.
        """
        if self.whole:
            return self._moments.inward(of(self._all, *(rows.rows for rows in others)))
        total = sum(of(part, *(rows for _, rows in more)) for part, *more in zip(self, *others, strict=True))
        return self._moments.inward(np.asarray(total))

    def taken_out(self, z: Floats) -> Floats:
        """``sum over mean units of h' z``, for ``z`` of shape (units, columns) or (units, columns, m)."""
        rows = z[: self._moments.mean_units]
        if self.whole:
            h = self._all.h
            return self._moments.inward_vector(np.asarray(h.T @ rows.reshape(h.shape[0], *z.shape[2:])))
        back = self._half.swapaxes(1, 2)
        return self._n.transposed(back @ rows if z.ndim == 3 else (back @ rows[:, :, None])[:, :, 0])

    @cached_property
    def _all(self) -> Part:
        return self._part(*next(iter(self._n)))

    def _part(self, units: slice, n: Rows) -> Part:
        return Part(units, n, self._moments.sparsity, self._j[units], self._half[units])
