"""Shared levels once the fixed effects, and one another, are taken out.

With ``C = W'V_w^-1 W`` and ``B`` the inverse of the mixed-model coefficient matrix, ``I - C B`` and ``U'P U`` are
needed on the rows of shared levels. Where a level's variance ``g`` is above zero they are ``B / g`` and
``(I - B / g) / g``, entry by entry, and cost no product of matrices. Derivation: ``docs/methods/reml.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.rows import full

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
