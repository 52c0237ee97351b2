"""Random effects of a generalised linear mixed model, laid out for elimination block by block.

A block is a level of the largest facet. Terms that contain this facet have columns within its blocks, the others levels
that blocks share, and a term with a level of its own for every row (that of cells, usually) is a number a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.wording import Brief

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Sparse = csr_array[np.float64]


@dataclass(frozen=True, eq=False)
class Layout(Brief):
    """Rows of counts with their fixed and random effects.

    Parameters
    ----------
    counts : array, shape (rows, categories)
        Judgments by category.
    x : array, shape (rows, effects)
        Fixed effects, without an intercept, which the thresholds are.
    block : array of int, shape (rows,)
        Block of each row, dense codes.
    within : array of int, shape (rows, terms within)
        Level of each within-block term, dense codes; each belongs to one block.
    shared : array of int, shape (rows, shared terms)
        Level of each shared term, dense codes.
    cells : bool
        Whether there is a term with a level for every row; it comes last.
    """

    counts: Floats
    x: Floats
    block: Ints
    within: Ints
    shared: Ints
    cells: bool

    @property
    def n_terms(self) -> int:
        """Random terms: within blocks, shared, of cells."""
        return int(self.within.shape[1] + self.shared.shape[1] + self.cells)

    @property
    def by_term(self) -> tuple[Ints, ...]:
        """Level of every row, for each random term."""
        return (*self.within.T, *self.shared.T, *([np.arange(len(self.counts))] if self.cells else []))

    @property
    def n_fixed(self) -> int:
        """Thresholds and fixed effects."""
        return int(self.counts.shape[1] - 1 + self.x.shape[1])

    @cached_property
    def n_blocks(self) -> int:
        """Blocks."""
        return int(self.block.max()) + 1

    @cached_property
    def slots(self) -> tuple[Ints, Ints]:
        """Column of every row and within-block term in its block, and the term of every column."""
        columns, terms = np.zeros_like(self.within), list[int]()
        for t, level in enumerate(self.within.T):
            owner = np.zeros(int(level.max()) + 1, dtype=np.int64)
            owner[level] = self.block
            order = np.argsort(owner, kind="stable")
            rank = np.empty_like(owner)
            rank[order] = np.arange(len(owner)) - np.searchsorted(owner[order], owner[order])
            columns[:, t] = rank[level] + len(terms)
            terms += [t] * (int(rank.max()) + 1)
        return columns, np.array(terms, dtype=np.int64)

    @property
    def width(self) -> int:
        """Columns of a block."""
        return len(self.slots[1])

    @cached_property
    def shared_term(self) -> Ints:
        """Term of every shared level, numbered after those within blocks."""
        sizes = self.shared.max(axis=0, initial=-1) + 1
        return np.repeat(np.arange(len(sizes)) + self.within.shape[1], sizes)

    @cached_property
    def places(self) -> tuple[Ints, Ints]:
        """Within-block column of every row and term among all blocks, and its shared level among all terms."""
        inside = self.block[:, None] * self.width + self.slots[0]
        sizes = self.shared.max(axis=0, initial=-1) + 1
        return inside, self.shared + np.cumsum(np.append(0, sizes[:-1]))[: self.shared.shape[1]]

    @cached_property
    def incidence(self) -> tuple[Sparse, Sparse]:
        """Rows by within-block columns of all blocks, and by shared levels; both transposed."""
        inside, across = self.places
        return _ones(inside, self.n_blocks * self.width), _ones(across, len(self.shared_term))

    @cached_property
    def pairs(self) -> tuple[Sparse, Sparse, Sparse]:
        """Rows by pairs of columns of a block, of a column and a shared level, and of shared levels; transposed."""
        (inside, across), k, q = self.places, self.width, len(self.shared_term)
        slot = self.slots[0]
        own = (inside[:, :, None] * k + slot[:, None, :]).reshape(len(slot), -1)
        mixed = (inside[:, :, None] * q + across[:, None, :]).reshape(len(slot), -1)
        both = (across[:, :, None] * q + across[:, None, :]).reshape(len(slot), -1)
        return _ones(own, self.n_blocks * k * k), _ones(mixed, self.n_blocks * k * q), _ones(both, q * q)


def _ones(column: Ints, n: int) -> Sparse:
    """Transpose of the matrix with a one in each of these columns of every row."""
    from scipy.sparse import csr_array

    rows, each = column.shape
    starts = np.arange(rows + 1) * each
    return csr_array((np.ones(column.size), column.ravel(), starts), shape=(rows, n)).T.tocsr()


# Collapse: one row of counts for every combination of levels that the linear predictor depends on.


def collapse(counts: Floats, codes: Sequence[Ints]) -> tuple[Floats, Ints]:
    """Sums of counts by combination of codes, and the first row that has each.

    Parameters
    ----------
    counts : array, shape (rows, categories)
        Judgments by category.
    codes : sequence of array of int, shape (rows,)
        Dense codes of every term and of the fixed effects.
    """
    key = np.zeros(len(counts), dtype=np.int64)
    for code in codes:
        key = np.unique(key * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1]
    first = np.unique(key, return_index=True)[1]
    if len(first) == len(counts):
        return counts, np.arange(len(counts))
    return np.column_stack([np.bincount(key, column) for column in counts.T]), first
