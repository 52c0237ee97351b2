"""Blocks that share a pattern of cells, reduced to the few units a likelihood needs.

Cells of one block (an item, usually) are correlated through its random effects; blocks are linked only through shared
effects. Blocks with the same cells and the same counts have the same covariance, so an orthogonal rotation among them
leaves the likelihood alone and turns ``n`` blocks into one *mean unit*, which carries the whole design, and at most as
many *contrast units* as a block has cells, which carry variance only. ``docs/methods/reml.md`` has the derivation.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints, dense
from quorate.frozen import dataclass


@dataclass(frozen=True)
class Cells:
    """A linear mixed model for cell means.

    Parameters
    ----------
    y : array, shape (cells,)
        Cell means.
    block : array of int, shape (cells,)
        Block of each cell, dense codes.
    position, attribute : array of int, shape (cells,)
        Place of the cell in its block (including whatever its noise depends on), and the attribute shared by the
        block's cells. Every other column is a function of position, attribute and block.
    x : array, shape (cells, p), or (rows, p) with ``row``
        Fixed-effects design.
    within : array of int, shape (cells, terms within blocks)
        Column of each within-block term inside the block.
    shared : array of int, shape (cells, shared terms)
        Level of each shared term, dense codes.
    noise : array, shape (cells, residual components)
        Variance of a cell mean per unit of each residual component.
    row : array of int, shape (cells,), optional
        Row of ``x`` of every cell, where each is kept once.
    """

    y: Floats
    block: Ints
    position: Ints
    attribute: Ints
    x: Floats
    within: Ints
    shared: Ints
    noise: Floats
    row: Ints | None = None


@dataclass(frozen=True)
class Units:
    """Patterns of cells and the units that represent their blocks.

    Parameters
    ----------
    count : array, shape (patterns,)
        Blocks per pattern.
    cell_pattern : array of int, shape (pattern cells,)
        Pattern of each pattern cell.
    column : array of int, shape (pattern cells, terms within)
        Column of each within-block term, numbered across terms.
    column_term : array of int, shape (columns,)
        Term of each column.
    noise : array, shape (pattern cells, residual components)
        Variance of a cell mean per unit of each residual component.
    unit_pattern : array of int, shape (units,)
        Pattern of each unit; mean units come first.
    scale : array, shape (mean units,)
        Square root of the number of blocks a mean unit stands for.
    cell_unit, cell_index : array of int, shape (unit cells,)
        Unit of each unit cell, and the pattern cell it sits on.
    y : array, shape (unit cells,)
        Data of the units.
    mean_cell : array of int, shape (cells,)
        The mean-unit cell that stands for each cell of the model.
    row : array of int, shape (mean unit cells,)
        Row of the design, of fixed and shared columns, for each cell of a mean unit.
    x : array, shape (rows of x, p)
        Rows of the fixed-effects design.
    x_row : array of int, shape (rows,)
        Row of ``x`` of every row of the design.
    shared : array of int, shape (rows, shared terms)
        Levels of the shared terms, numbered across terms.
    shared_term : array of int, shape (shared levels,)
        Term of each shared level.
    """

    count: Floats
    cell_pattern: Ints
    column: Ints
    column_term: Ints
    noise: Floats
    unit_pattern: Ints
    scale: Floats
    cell_unit: Ints
    cell_index: Ints
    y: Floats
    mean_cell: Ints
    row: Ints
    x: Floats
    x_row: Ints
    shared: Ints
    shared_term: Ints

    @property
    def n_cells(self) -> int:
        """Cells of all blocks."""
        return int(np.bincount(self.cell_pattern, minlength=len(self.count)) @ self.count)


def compress(cells: Cells) -> Units:
    """Group equal blocks and rotate them into mean and contrast units.

    Parameters
    ----------
    cells : Cells
        The model, one row per cell, in any order.

    Returns
    -------
    Units
        An equivalent model: same likelihood, same estimates.
    """
    order = np.argsort(cells.block * (int(cells.position.max(initial=0)) + 1) + cells.position, kind="stable")
    block = cells.block[order]
    starts = np.flatnonzero(np.append(True, block[1:] != block[:-1]))
    sizes = np.diff(np.append(starts, len(order)))
    pattern = patterns(cells.position[order], starts)
    span = int(cells.attribute.max(initial=0)) + 1
    group = dense(pattern * span + cells.attribute[order][starts])
    first_of_pattern = _first(pattern)
    first_of_group = _first(group)
    pattern_cells = ranges(starts[first_of_pattern], sizes[first_of_pattern])
    group_cells = ranges(starts[first_of_group], sizes[first_of_group])
    pattern_start = _offsets(sizes[first_of_pattern])
    group_size = sizes[first_of_group]

    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    slot = np.repeat(_offsets(group_size)[group], sizes) + rank
    members = np.bincount(group).astype(float)
    mean = np.bincount(slot, cells.y[order], minlength=len(group_cells)) / np.repeat(members, group_size)
    scale = np.sqrt(members)
    mean_cell = np.empty_like(slot)
    mean_cell[order] = slot

    contrast_y, contrast_pattern = _contrasts(cells.y[order] - mean[slot], starts, sizes, pattern, group)
    unit_pattern = np.concatenate([pattern[first_of_group], contrast_pattern])
    unit_size = sizes[first_of_pattern][unit_pattern]
    column, column_term = _number(
        cells.within[order][pattern_cells], np.repeat(pattern[first_of_pattern], sizes[first_of_pattern])
    )
    representatives = order[group_cells]  # among the cells of mean units: distinct rows, and a cell that has each
    row = dense(cells.position[representatives] * span + cells.attribute[representatives])
    rows = representatives[_first(row)]
    levels = cells.shared.max(axis=0, initial=-1) + 1
    return Units(
        count=np.bincount(pattern).astype(float),
        cell_pattern=np.repeat(np.arange(len(first_of_pattern)), sizes[first_of_pattern]),
        column=column,
        column_term=column_term,
        noise=cells.noise[order][pattern_cells],
        unit_pattern=unit_pattern,
        scale=scale,
        cell_unit=np.repeat(np.arange(len(unit_pattern)), unit_size),
        cell_index=ranges(pattern_start[unit_pattern], unit_size),
        y=np.concatenate([mean * np.repeat(scale, group_size), *contrast_y]),
        mean_cell=mean_cell,
        row=row,
        x=cells.x[rows] if cells.row is None else cells.x,
        x_row=np.arange(len(rows)) if cells.row is None else cells.row[rows],
        shared=cells.shared[rows] + _offsets(levels),
        shared_term=np.repeat(np.arange(len(levels)), levels),
    )


def patterns(position: Ints, starts: Ints) -> Ints:
    """Pattern of every block: blocks with the same multiset of positions are equal.

    Positions are hashed to 64 bits and summed, so two of a million patterns collide with probability 3e-8.
    """
    z = (position.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    total = np.add.reduceat(z ^ (z >> np.uint64(31)), starts)
    return np.unique(total, return_inverse=True)[1].astype(np.int64)


def _contrasts(centred: Floats, starts: Ints, sizes: Ints, pattern: Ints, group: Ints) -> tuple[list[Floats], Ints]:
    """Contrast units of every pattern that has more blocks than groups: data, and the pattern of each unit."""
    blocks = np.bincount(pattern)
    groups = np.bincount(pattern[_first(group)], minlength=len(blocks))
    order = np.argsort(pattern, kind="stable")
    ends = np.cumsum(blocks)
    data, owner = [], []
    for p in np.flatnonzero(blocks > groups):
        members = order[ends[p] - blocks[p] : ends[p]]
        rows = centred[starts[members][:, None] + np.arange(sizes[members[0]])]
        if blocks[p] - groups[p] > rows.shape[1]:
            rows = np.linalg.qr(rows).R  # the same squares and products
        data.append(rows.ravel())
        owner.append(np.full(len(rows), p))
    return data, np.concatenate(owner) if owner else np.zeros(0, dtype=np.int64)


def _number(within: Ints, pattern: Ints) -> tuple[Ints, Ints]:
    """Number the columns of the within-block terms: ranks inside a pattern, terms side by side."""
    columns = np.zeros_like(within)
    terms: list[int] = []
    for t in range(within.shape[1]):
        span = int(within[:, t].max(initial=0)) + 1
        levels, code = np.unique(pattern * span + within[:, t], return_inverse=True)
        owner = levels // span
        rank = np.arange(len(levels)) - np.searchsorted(owner, owner)
        columns[:, t] = rank[code] + len(terms)
        terms += [t] * (int(rank.max(initial=-1)) + 1)
    return columns, np.array(terms, dtype=np.int64)


def _first(code: Ints) -> Ints:
    """Index of the first occurrence of every dense code."""
    first = np.full(int(code.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[code[::-1]] = np.arange(len(code) - 1, -1, -1)
    return first


def ranges(starts: Ints, sizes: Ints) -> Ints:
    """The concatenation of ``start, start + 1, ..., start + size - 1``."""
    return np.repeat(starts - _offsets(sizes), sizes) + np.arange(int(sizes.sum()))


def _offsets(sizes: Ints) -> Ints:
    return np.cumsum(sizes) - sizes


# Shared levels once the fixed effects, and one another, are taken out.
#
# With ``C = W'V_w^-1 W`` and ``B`` the inverse of the mixed-model coefficient matrix, ``I - C B`` and ``U'P U`` are
# needed on the rows of shared levels. Where a level's variance ``g`` is above zero they are ``B / g`` and
# ``(I - B / g) / g``, entry by entry, and cost no product of matrices. Derivation: ``docs/methods/reml.md``.


STRONG = 1e-3
"""Variance of a level, times its part of ``C``, from which one minus its part of ``B`` keeps its digits."""


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """The system of fixed effects and shared levels at one point.

    Parameters
    ----------
    p : int
        Fixed effects, which come first.
    gamma : array, shape (levels,)
        Variance of every shared level.
    b_trace, c : array, shape (p + levels, p + levels)
        ``B`` of traces, zero in the rows of levels without variance and of fixed effects that are not projected out
        (ML), and ``C``.
    b : array, shape (p + levels, p + levels)
        ``B`` with all fixed effects.
    log_det : float
        ``ln|I + G^(1/2) U'V_w^-1 U G^(1/2)|``, and under REML ``ln|X'V^-1 X|``.
    """

    p: int
    gamma: Floats
    b_trace: Floats
    c: Floats
    b: Floats
    log_det: float

    def effects(self, score: Floats) -> Floats:
        """``B score``, refined once: ``B`` is large where the score is small, and the product loses those digits."""
        once = self.b @ score
        left, has = score - self.c @ once, self.gamma > 0
        left[self.p :][has] -= once[self.p :][has] / self.gamma[has]
        return np.asarray(once + self.b @ left, dtype=np.float64)

    def inverse_times(self, rows: Floats) -> Floats:
        """``B R`` for ``R`` of shape (p + levels, ...)."""
        return self.b @ rows

    def coefficients_times(self, rows: Floats) -> Floats:
        """``C R`` for ``R`` of shape (p + levels, ...)."""
        return self.c @ rows

    @property
    def of_fixed(self) -> Floats:
        """Columns of ``B`` that belong to the fixed effects, shape (p + levels, p)."""
        return self.b[:, : self.p]

    def errors(self, at: Ints) -> Floats:
        """Prediction error variances of levels' deviations from their average."""
        error = self.b[np.ix_(at, at)]
        return np.asarray(np.diag(error) - 2 * error.mean(axis=1) + error.mean(), dtype=np.float64)

    def forms(self, rows: Any) -> Floats:
        """``r' B r`` for every row of an array, dense or sparse, less the average row; shape (rows,)."""
        rows = full(rows)
        rows = rows - rows.mean(axis=0)
        return np.asarray(np.einsum("lq,lq->l", rows @ self.b, rows), dtype=np.float64)

    @cached_property
    def strong(self) -> Ints:
        """Levels with enough variance that one minus their part of ``B`` keeps its digits."""
        return np.flatnonzero(self.gamma * np.diag(self.c)[self.p :] > STRONG)

    @cached_property
    def weak(self) -> Ints:
        """The other levels."""
        rest = np.ones(len(self.gamma), dtype=np.bool_)
        rest[self.strong] = False
        return np.flatnonzero(rest)

    @cached_property
    def outside(self) -> Floats:
        """``(I - C B)`` on the rows of levels, shape (levels, p + levels)."""
        out = np.empty((len(self.gamma), len(self.c)))
        out[self.strong] = self.b_trace[self.p + self.strong] / self.gamma[self.strong, None]
        out[self.weak] = self._weak_outside
        return out

    @cached_property
    def diagonal(self) -> Floats:
        """Diagonal of ``U'P U``, shape (levels,)."""
        out = np.empty(len(self.gamma))
        shrunk = np.diag(self.b_trace)[self.p + self.strong] / self.gamma[self.strong]
        out[self.strong] = (1 - shrunk) / self.gamma[self.strong]
        out[self.weak] = np.sum(self._weak_outside * self.c[self.p + self.weak], axis=1)
        return out

    @cached_property
    def projected(self) -> Floats:
        """``U'P U``, shape (levels, levels)."""
        out = np.empty((len(self.gamma), len(self.gamma)))
        out[:, self.strong] = -self.outside[:, self.p + self.strong] / self.gamma[self.strong]
        if len(self.weak):
            rows = self.p + self.weak
            out[np.ix_(self.strong, self.weak)] = out[np.ix_(self.weak, self.strong)].T
            cross = self._weak_active @ self._inner @ self._weak_active.T
            out[np.ix_(self.weak, self.weak)] = self.c[np.ix_(rows, rows)] - cross
        out[np.diag_indices_from(out)] = self.diagonal
        return out

    def times(self, r: Floats) -> tuple[Floats, Floats]:
        """``B R``, and ``(I - C B) R`` on the rows of levels, for ``r`` of shape (p + levels, p + levels)."""
        inner = self._inner @ r[self._active]
        br = np.zeros_like(r)
        br[self._active] = inner
        out = np.empty((len(self.gamma), r.shape[1]))
        out[self.strong] = br[self.p + self.strong] / self.gamma[self.strong, None]
        out[self.weak] = r[self.p + self.weak] - self._weak_active @ inner
        return br, out

    @cached_property
    def _active(self) -> Ints | slice:
        """Rows in which ``B`` is not zero."""
        rows = np.flatnonzero(np.diag(self.b_trace))
        return slice(None) if len(rows) == len(self.b_trace) else rows

    @cached_property
    def _inner(self) -> Floats:
        return self.b_trace[self._active][:, self._active]

    @cached_property
    def _weak_active(self) -> Floats:
        """``C`` from weak levels to the rows in which ``B`` is not zero."""
        return self.c[self.p + self.weak][:, self._active]

    @cached_property
    def _weak_outside(self) -> Floats:
        rows = self.p + self.weak
        out = np.zeros((len(rows), len(self.c)))
        out[:, self._active] = -self._weak_active @ self._inner
        out[np.arange(len(rows)), rows] += 1
        return out


def full(rows: Any) -> Floats:
    """Rows as a dense array, shape (rows, q)."""
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=np.float64)
