"""Shared levels once the fixed effects, and one another, are taken out.

With ``C = W'V_w^-1 W`` and ``B`` the inverse of the mixed-model coefficient matrix, ``I - C B`` and ``U'P U`` are
needed on the rows of shared levels. Where a level's variance ``g`` is above zero they are ``B / g`` and
``(I - B / g) / g``, entry by entry, and cost no product of matrices. Derivation: ``docs/methods/reml.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate.arrays import Floats, Ints

STRONG = 1e-3
"""Variance of a level, times its part of ``C``, from which one minus its part of ``B`` keeps its digits."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The system of fixed effects and shared levels at one point.

    Parameters
    ----------
    p : int
        Fixed effects, which come first.
    gamma : array, shape (levels,)
        Variance of every shared level.
    b, c : array, shape (p + levels, p + levels)
        ``B``, zero in the rows of levels without variance and of fixed effects that are not projected out, and ``C``.
    """

    p: int
    gamma: Floats
    b: Floats
    c: Floats

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
        out[self.strong] = self.b[self.p + self.strong] / self.gamma[self.strong, None]
        out[self.weak] = self._weak_outside
        return out

    @cached_property
    def diagonal(self) -> Floats:
        """Diagonal of ``U'P U``, shape (levels,)."""
        out = np.empty(len(self.gamma))
        shrunk = np.diag(self.b)[self.p + self.strong] / self.gamma[self.strong]
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
        rows = np.flatnonzero(np.diag(self.b))
        return slice(None) if len(rows) == len(self.b) else rows

    @cached_property
    def _inner(self) -> Floats:
        return self.b[self._active][:, self._active]

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
