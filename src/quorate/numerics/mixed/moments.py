"""Weighted cross products of the design, and the rows that they are sums over."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise, starmap
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.mixed.patterns import Units, full, ranges
from quorate.wording import Brief

if TYPE_CHECKING:
    from collections.abc import Callable

    from scipy.sparse import csr_array

    Rows = NDArray[np.float64] | csr_array[np.float64]


# Rows of mean units over the fixed and shared columns: dense, or sparse where almost every entry is zero.
#
# There is one row per mean unit and within-block column. With thousands of shared levels, of which a unit meets a few,
# sparse products take a tenth of the time and memory of dense ones; with few levels it is the other way round. Many
# dense rows are made and used a part of the units at a time: a part fits the cache, and all of them would not fit the
# memory.


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
    for some in (kept,) if len(kept) < 2 * _FEW else np.array_split(kept, len(kept) // _FEW):
        rows = left[some]
        out += rows.T @ (rows if plain else weight[some, None] * right[some])
    return out


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


# Weighted cross products of the design: the only sums over cells that a likelihood evaluation makes.
#
# For cell weights ``w`` (a function of the residual components) these are ``K = Z'wZ`` per pattern, ``N = Z'wW`` per
# mean unit and ``G = W'wW``, where ``Z`` are the within-block columns and ``W = [X, U]`` the fixed and shared columns.
# Every design column is an indicator or a short row of ``X``, so each sum is one ``bincount`` over keys found once.
# Where the design has fewer distinct rows than columns, ``W`` is row numbers times the small matrix of these rows:
# sums over units are then made over row numbers, and multiplied with the small matrix in the end.


_STRETCH = 1 << 14
"""Cells of a stretch of units: a number for each is 128 kB."""
_SMALL = 1 << 20
"""Entries of the distinct rows of a design that are held as one matrix."""


@dataclass(frozen=True)
class Products(Brief):
    """Cross products under one set of cell weights.

    Parameters
    ----------
    k : array, shape (patterns, columns, columns)
        Within-block columns with themselves.
    n : UnitRows, shape (mean units x columns, q)
        Within-block columns with the fixed and shared columns.
    g : array, shape (q, q)
        Fixed and shared columns with themselves; sparse if so asked of `CrossProducts`.
    """

    k: Floats
    n: UnitRows
    g: Any


@dataclass(frozen=True, eq=False, repr=False)
class UnitRows:
    """``Z'wW`` of mean units: all of it where that is small or sparse, else made a part of the units at a time.

    Parameters
    ----------
    moments : CrossProducts
        Of the design.
    weight : array, shape (pattern cells,)
        The weights.
    """

    moments: CrossProducts
    weight: Floats

    def __iter__(self) -> Iterator[tuple[slice, Rows]]:
        """Some of the units, and their rows over `CrossProducts.width` columns."""
        if self.moments.sparsity.whole:
            yield self.moments.sparsity.slices[0], self.rows
        else:
            yield from self.moments.sparsity.parts(self._values)

    @property
    def _values(self) -> Floats:
        return self.moments.entries(self.weight)

    @cached_property
    def rows(self) -> Rows:
        """All rows at once, over `CrossProducts.width` columns."""
        return self.moments.sparsity.fill(self._values)

    def full(self) -> Floats:
        """All rows, dense, over the fixed and shared columns, shape (mean units x columns, q)."""
        rows = full(self.rows)
        return rows if self.moments.design is None else rows @ self.moments.design

    def times(self, w: Floats) -> Floats:
        """``Z'wW v`` per mean unit, shape (mean units, columns, ...), for ``v`` of shape (q, ...)."""
        moments = self.moments
        shape = (moments.mean_units, moments.columns, *w.shape[1:])
        if moments.sparsity.whole:
            return np.asarray(self.rows @ moments.outward(w), dtype=np.float64).reshape(shape)
        weight = self.weight[moments.mean_index]
        columns = [moments.unit_sums(weight * moments.row_values(column)) for column in w.reshape(len(w), -1).T]
        return np.stack(columns, axis=-1).reshape(shape)

    def transposed(self, z: Floats) -> Floats:
        """``W'wZ z``, shape (q, ...), for ``z`` of shape (mean units, columns, ...)."""
        moments = self.moments
        if moments.sparsity.whole:
            flat = z.reshape(-1, *z.shape[2:])
            return moments.inward_vector(np.asarray(self.rows.T @ flat, dtype=np.float64))
        weight = self.weight[moments.mean_index]
        columns = z.reshape(*z.shape[:2], -1)
        sums = [moments.row_sums(weight * moments.of_units(columns[..., m])) for m in range(columns.shape[2])]
        return np.stack(sums, axis=-1).reshape(-1, *z.shape[2:])


@dataclass(frozen=True, eq=False, repr=False)
class Stretch:
    """Some units and their cells, which are next to each other.

    Parameters
    ----------
    units, cells, mean : slice
        The units, their unit cells, and those of them that are of mean units, which come first.
    key : array of int, shape (cells, terms within)
        Place of every cell among the columns of these units, for every term.
    columns : int
        Columns of a unit.
    """

    units: slice
    cells: slice
    mean: slice
    key: Ints
    columns: int

    def unit_sums(self, values: Floats) -> Floats:
        """``Z'v`` per unit, shape (units, columns), for values on these cells."""
        shape = self.units.stop - self.units.start, self.columns
        return _sum(self.key.ravel(), np.repeat(values, self.key.shape[1]), shape[0] * shape[1]).reshape(shape)

    def of_units(self, z: Floats) -> Floats:
        """``Z z`` on these cells, for ``z`` of shape (units, columns)."""
        return np.asarray(z.reshape(-1)[self.key] @ np.ones(self.key.shape[1]), dtype=np.float64)

    def per_term(self, z: Floats) -> Floats:
        """``Z_t z_t`` for every within-block term, shape (terms within, cells)."""
        return z.reshape(-1)[self.key].T


class CrossProducts:
    """Keys of all cross products of a design, and the sums over them.

    Parameters
    ----------
    units : Units
        The compressed design.
    sparse : bool
        Keep all products of fixed and shared columns sparse, of which there may be too many for a full matrix.
    """

    def __init__(self, units: Units, *, sparse: bool = False) -> None:
        self.units, self._sparse = units, sparse
        self.p = units.x.shape[1]
        self.q = self.p + len(units.shared_term)
        self.columns = len(units.column_term)
        self.patterns = len(units.count)
        self.mean_units = len(units.scale)
        self.n_units = len(units.unit_pattern)
        self.mean_index = units.cell_index[: len(units.row)]
        mean_unit = units.cell_unit[: len(units.row)]
        self._cell_scale = units.scale[mean_unit]
        # Non-zero entries of every distinct row of W, as (row, column, value) sorted by row.
        x_row, x_col = np.nonzero(units.x)
        x_size = np.bincount(x_row, minlength=len(units.x))
        entry = ranges((np.cumsum(x_size) - x_size)[units.x_row], x_size[units.x_row])
        rows, terms = units.shared.shape
        row = np.concatenate([np.repeat(np.arange(rows), x_size[units.x_row]), np.repeat(np.arange(rows), terms)])
        col = np.concatenate([x_col[entry], units.shared.ravel() + self.p])
        val = np.concatenate([units.x[x_row, x_col][entry], np.ones(rows * terms)])
        order = np.argsort(row, kind="stable")
        self._w_row, self._w_col, self._w_val = row[order], col[order], val[order]
        self._w_size = np.bincount(row, minlength=rows)
        self._w_start = np.cumsum(self._w_size) - self._w_size
        self.design: Floats | None = None
        saved = self.mean_units * self.columns * (self.q**2 - rows**2)
        if not sparse and saved > rows * self.q * (rows + self.q) and rows * self.q <= _SMALL:
            self.design = np.zeros((rows, self.q))
            np.add.at(self.design, (self._w_row, self._w_col), self._w_val)
        self.width = self.q if self.design is None else rows
        self._keys(mean_unit)

    def _keys(self, mean_unit: Ints) -> None:
        column, k, q = self.units.column, self.columns, self.q
        of_cells = mean_unit[:, None] * k + column[self.mean_index]
        if self.design is None:
            size = self._w_size[self.units.row]
            cell = np.repeat(np.arange(len(size)), size)
            entry = ranges(self._w_start[self.units.row], size)
            self._n_cell, self._n_val = cell, self._w_val[entry] * self._cell_scale[cell]
            key = of_cells[cell] * q + self._w_col[entry][:, None]
        else:
            key = of_cells * self.width + self.units.row[:, None]
        self.sparsity = Sparsity(key.ravel(), self.mean_units, k, self.width, sparse=self._sparse)

        pairs = self._w_size**2
        owner = np.repeat(np.arange(len(pairs)), pairs)
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        left = self._w_start[owner] + rank // self._w_size[owner]
        right = self._w_start[owner] + rank % self._w_size[owner]
        self._g_key, self._g_row = self._w_col[left] * q + self._w_col[right], owner
        self._g_val = self._w_val[left] * self._w_val[right]
        if self._sparse:
            self._g_place, self._g_key = np.unique(self._g_key, return_inverse=True)

        self._u_key = self.units.cell_unit[:, None] * k + column[self.units.cell_index]

    def stretches(self) -> Iterator[Stretch]:
        """All units, mean units first: at once, or where that is much a few that fit the cache at a time."""
        if self.sparsity.whole:
            yield self._everything
            return
        ends = [*range(0, self.n_units, max(_STRETCH * self.n_units // max(len(self._u_key), 1), 1)), self.n_units]
        at = np.searchsorted(self.units.cell_unit, ends).tolist()
        for (start, stop), (first, last) in zip(pairwise(ends), pairwise(at), strict=True):
            mean = slice(first, max(min(last, len(self.units.row)), first))
            key = self._u_key[first:last] - start * self.columns
            yield Stretch(slice(start, stop), slice(first, last), mean, key, self.columns)

    @cached_property
    def _everything(self) -> Stretch:
        cells = slice(0, len(self._u_key))
        return Stretch(slice(0, self.n_units), cells, slice(0, len(self.units.row)), self._u_key, self.columns)

    def outward(self, w: Floats) -> Floats:
        """``D w`` for values of columns, shape (q, ...), where ``D`` has the distinct rows of the design."""
        return w if self.design is None else self.design @ w

    def inward_vector(self, values: Floats) -> Floats:
        """``D'v`` for sums over row numbers, shape (width, ...)."""
        return values if self.design is None else self.design.T @ values

    def inward(self, gram: Floats) -> Floats:
        """``D' M D`` for sums of products over row numbers, shape (width, width)."""
        return gram if self.design is None else self.design.T @ gram @ self.design

    def outward_both(self, b: Floats) -> Floats:
        """``D B D'`` for products of columns, shape (q, q)."""
        return b if self.design is None else self.design @ b @ self.design.T

    def entries(self, weight: Floats) -> Floats:
        """Weighted values of all places of `sparsity`."""
        terms = self.units.column.shape[1]
        of_cells = weight[self.mean_index] * (self._cell_scale if self.design is not None else 1.0)
        return np.repeat(of_cells if self.design is not None else of_cells[self._n_cell] * self._n_val, terms)

    def within(self, weight: Floats) -> Floats:
        """``Z'wZ`` per pattern, shape (patterns, columns, columns); ``weight`` has shape (pattern cells,)."""
        pairs, k = self.units.column.shape[1] ** 2, self.columns
        if self.sparsity.whole:
            flat = _sum(self._all_pairs, np.repeat(weight, pairs), self.patterns * k * k)
            return flat.reshape(self.patterns, k, k)
        out = np.zeros((self.patterns, k, k))
        ends = [*range(0, self.patterns, max(_STRETCH * self.patterns // len(weight), 1)), self.patterns]
        at = np.searchsorted(self.units.cell_pattern, ends).tolist()
        for (start, stop), (first, last) in zip(pairwise(ends), pairwise(at), strict=True):
            key = self._pairs(slice(first, last)).ravel() - start * k * k
            flat = _sum(key, np.repeat(weight[first:last], pairs), (stop - start) * k * k)
            out[start:stop] = flat.reshape(stop - start, k, k)
        return out

    @cached_property
    def _all_pairs(self) -> Ints:
        return self._pairs(slice(None)).ravel()

    def _pairs(self, cells: slice) -> Ints:
        """Place among pairs of columns of all patterns, for every pair of terms of some pattern cells."""
        k, column = self.columns, self.units.column[cells]
        return self.units.cell_pattern[cells, None, None] * k * k + column[:, :, None] * k + column[:, None, :]

    def products(self, weight: Floats) -> Products:
        """All cross products under weights of shape (pattern cells,)."""
        per_row = _sum(self.units.row, weight[self.mean_index] * self._cell_scale**2, len(self._w_size))
        values = per_row[self._g_row] * self._g_val
        return Products(self.within(weight), UnitRows(self, weight), self._square(values))

    def _square(self, values: Floats) -> Any:
        """``W'wW`` from the weighted products of its rows."""
        if not self._sparse:
            return _sum(self._g_key, values, self.q**2).reshape(self.q, self.q)
        from scipy.sparse import csr_array

        start = np.searchsorted(self._g_place, np.arange(self.q + 1) * self.q)
        summed = _sum(self._g_key, values, len(self._g_place))
        return csr_array((summed, self._g_place % self.q, start), shape=(self.q, self.q))

    def unit_sums(self, values: Floats) -> Floats:
        """``Z'v`` per unit, shape (units, columns), for values on unit cells, or on those of the first, mean units."""
        terms = self._u_key.shape[1]
        units = self.n_units if len(values) == len(self._u_key) else self.mean_units
        key = self._u_key[: len(values)].ravel()
        return _sum(key, np.repeat(values, terms), units * self.columns).reshape(units, self.columns)

    def row_sums(self, values: Floats, cells: slice = slice(None)) -> Floats:
        """``W'v``, shape (q,), for values on cells of mean units."""
        per_row = _sum(self.units.row[cells], values * self._cell_scale[cells], len(self._w_size))
        return _sum(self._w_col, per_row[self._w_row] * self._w_val, self.q)

    def row_values(self, w: Floats, cells: slice = slice(None)) -> Floats:
        """``W w`` on cells of mean units, for ``w`` of shape (q,)."""
        per_row = (self.units.x @ w[: self.p])[self.units.x_row] + w[self.p :][self.units.shared].sum(axis=1)
        return np.asarray(per_row[self.units.row[cells]] * self._cell_scale[cells], dtype=np.float64)

    def of_units(self, z: Floats) -> Floats:
        """``Z z`` on unit cells of as many units as ``z`` has, shape (units, columns)."""
        flat = z.reshape(-1)
        key = self._u_key if len(z) == self.n_units else self._u_key[: len(self.units.row)]
        return np.asarray(flat[key] @ np.ones(key.shape[1]), dtype=np.float64)  # a few terms: sum(axis=1) is slow

    def from_cells(self, values: Floats) -> tuple[Floats, Floats]:
        """``Z'v`` per unit, shape (units, columns), and ``W'v``, shape (q,), for values on unit cells."""
        return self.unit_sums(values), self.row_sums(values[: len(self.units.row)])

    def indicators(self) -> tuple[csr_array[np.float64], csr_array[np.float64]]:
        """``Z`` and ``W`` on the cells of mean units, sparse; shapes (cells, mean units x columns) and (cells, q)."""
        from scipy.sparse import csr_array

        cells, terms = len(self.units.row), self._u_key.shape[1]
        start = np.arange(cells + 1) * terms
        shape = (cells, self.mean_units * self.columns)
        z = csr_array((np.ones(cells * terms), self._u_key[:cells].ravel(), start), shape=shape)
        size = self._w_size[self.units.row]
        entry = ranges(self._w_start[self.units.row], size)
        value = self._w_val[entry] * np.repeat(self._cell_scale, size)
        entries = np.append(0, np.cumsum(size))
        return z, csr_array((value, self._w_col[entry], entries), shape=(cells, self.q))

    def to_cells(self, z: Floats, w: Floats) -> Floats:
        """``Zz + Ww`` on unit cells, for ``z`` of shape (units, columns) and ``w`` of shape (q,)."""
        out = self.of_units(z)
        out[: len(self.units.row)] += self.row_values(w)
        return out

    def shared_columns(self, w: Floats, cells: slice = slice(None)) -> Floats:
        """``U_t w_t`` for every shared term on cells of mean units, shape (terms shared, cells)."""
        per_row = w[self.p :][self.units.shared.T]
        return per_row[:, self.units.row[cells]] * self._cell_scale[cells]


def _sum(key: Ints, weight: Floats, size: int) -> Floats:
    """Sums of ``weight`` by key; floating point also where there is nothing to add."""
    return np.asarray(np.bincount(key, weight, size), dtype=np.float64)
