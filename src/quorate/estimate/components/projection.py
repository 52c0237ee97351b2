"""Projection of data by a fit: ``P y`` on the cells as they were read, for the scores or for others of the design."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.components.assemble import block_facets

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition


class Projection:
    """``P = V^-1 - V^-1 W (W'V^-1 W)^- W'V^-1`` at the components of a fit; blocks are solved again, by patterns."""

    def __init__(self, fit: Decomposition) -> None:
        assembled, self.solved = fit.assembled, fit.point.solved
        judgments, problem = assembled.judgments, assembled.problem
        units = problem.units
        cell = units.cell_index[units.mean_cell]
        self.block = judgments.level_codes(block_facets(judgments, assembled.model))
        self.column, self.columns = units.column[cell], len(units.column_term)
        self.weight = self.solved.weight[cell]
        self._pattern, self._fixed = units.cell_pattern[cell], assembled.fixed
        last = problem.n_within + problem.n_shared
        self._shared = [judgments.level_codes(name.split(":")) for name in assembled.names[problem.n_within : last]]

    def of(self, y: Floats) -> Floats:
        """``P y``, shape (cells,)."""
        within = self.within(y)
        score = np.concatenate([self._fixed.sums(within), *(np.bincount(code, within) for code in self._shared)])
        return self.left(y, self.solved.levels.effects(score))

    def left(self, y: Floats, effects: Floats) -> Floats:
        """``P y`` where the fixed and shared effects of ``y`` are known."""
        p = self._fixed.rows.shape[1]
        out, start = y - self._fixed.of_cells(effects[:p]), p
        for code in self._shared:
            out = out - effects[start + code]
            start += int(code.max()) + 1
        return self.within(out)

    def within(self, y: Floats) -> Floats:
        """``V_w^-1 y``: the inverse within blocks."""
        blocks = len(self._order)
        key = self.block[:, None] * self.columns + self.column
        z = np.bincount(key.ravel(), np.repeat(self.weight * y, self.column.shape[1]), blocks * self.columns)
        z = z.reshape(blocks, self.columns)
        for rows, pattern in self._members:
            z[rows] = z[rows] @ self.solved.j[pattern].T
        return np.asarray(self.weight * (y - (self.solved.gamma * z)[self.block[:, None], self.column].sum(axis=1)))

    @cached_property
    def diagonal(self) -> Floats:
        """Diagonal of ``V_w^-1``, shape (cells,): of ``P`` but for what fixed and shared effects take."""
        inner = self.solved.gamma[:, None] * self.solved.j
        pairs = inner[self._pattern[:, None, None], self.column[:, :, None], self.column[:, None, :]]
        return np.asarray(self.weight - self.weight**2 * pairs.sum(axis=(1, 2)))

    @cached_property
    def _of_block(self) -> Ints:
        """Pattern of every block."""
        out = np.zeros(int(self.block.max()) + 1, dtype=np.int64)
        out[self.block] = self._pattern
        return out

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self._of_block, kind="stable")

    @cached_property
    def _members(self) -> list[tuple[Ints, int]]:
        """Blocks of every pattern."""
        parts = np.split(self._order, np.flatnonzero(np.diff(self._of_block[self._order])) + 1)
        return [(rows, int(self._of_block[rows[0]])) for rows in parts]
