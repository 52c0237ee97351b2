"""Shared levels too many for the inverse of their system.

- levels: solutions by products, and the inverse as an average of outer products over random signs
- conjugate: conjugate gradients for many right-hand sides at once
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged
from quorate.numerics.mixed.patterns import STRONG
from quorate.numerics.mixed.problem import Problem
from quorate.streams import stream

if TYPE_CHECKING:
    pass


# Conjugate gradients for many right-hand sides at once.


_MOST_PRODUCTS = 2000


def conjugate_gradients(
    times: Callable[[Floats], Floats], diagonal: Floats, right: Floats, tolerance: float = 1e-10
) -> Floats:
    """``A^-1 right`` for a positive definite matrix known by its products, preconditioned by its diagonal.

    Columns that are solved are left out of further products; these cost the most.

    Parameters
    ----------
    times : callable
        ``A v`` for ``v`` of shape (size, columns).
    diagonal : array, shape (size,)
        Of the matrix.
    right : array, shape (size, columns)
        Right-hand sides.
    tolerance : float
        Part of the right-hand side that may be left, in the norm of the inverse diagonal.

    Raises
    ------
    NotConverged
        If a column is not solved after 2,000 products.

    References
    ----------
    Saad (2003), Iterative Methods for Sparse Linear Systems, algorithm 9.1.
    """
    out, live = np.zeros_like(right), np.arange(right.shape[1])
    x, left = np.zeros_like(right), right.copy()
    along = left / diagonal[:, None]
    size = np.einsum("nm,nm->m", left, along)
    enough = tolerance**2 * size
    for _ in range(_MOST_PRODUCTS):
        going = size > enough[live]
        if not going.all():
            out[:, live] = x
            live, size = live[going], size[going]
            x, left, along = x[:, going], left[:, going], along[:, going]
        if not len(live):
            return out
        product = times(along)
        step = size / np.einsum("nm,nm->m", along, product)
        x += step * along
        left -= step * product
        scaled, before = left / diagonal[:, None], size
        size = np.einsum("nm,nm->m", left, scaled)
        along = scaled + size / before * along
    raise NotConverged(
        f"variance components: the effects of {len(diagonal):,} levels were not found after {_MOST_PRODUCTS:,} "
        "products; leave out a term that the data barely identify",
        out,
    )


# Shared levels too many for the inverse of their system: solved for, never inverted.
#
# Products with ``C`` and conjugate gradients give every solution. What needs the inverse itself, traces and variances,
# takes it as an average of outer products, ``B ~ left right'``: exact for the fixed effects and for terms of few
# levels, over random signs for the others. Derivation: ``docs/methods/reml.md``.


SIGNS = 48
"""Vectors of random signs."""
FEW_LEVELS = 64
"""Levels up to which a term is taken exactly, as the fixed effects are."""
_FULL = 0.25  # part of a sparse matrix that is not 0


def filled(matrix: Any) -> Any:
    """A sparse matrix as an array where much of it is not 0: products with many columns are then quicker."""
    return matrix.toarray() if matrix.nnz > _FULL * math.prod(matrix.shape) else matrix


class SampledLevels:
    """The system of fixed effects and shared levels at one point, by products only; see `Levels` for the notation.

    Parameters
    ----------
    problem : Problem
        The design.
    g, h : sparse arrays, shape (p + levels, p + levels) and (mean units x columns, p + levels)
        ``C = g - h'h``.
    gamma : array, shape (levels,)
        Variance of every shared level.
    reml : bool
        Whether traces are taken with the fixed effects projected out.

    References
    ----------
    Hutchinson (1990), Communications in Statistics: Simulation and Computation 19, 433-450, for the signs.
    """

    log_det = np.nan  # nothing but the criterion needs it

    def __init__(self, problem: Problem, g: Any, h: Any, gamma: Floats, *, reml: bool) -> None:
        from scipy.sparse import diags_array

        self.p, self.gamma, self.reml = problem.p, gamma, reml
        self._g, self._h = g, filled(h)
        self._back = self._h.T if isinstance(self._h, np.ndarray) else h.T.tocsr()
        self._scale = np.concatenate([np.ones(self.p), np.sqrt(gamma)])
        levels = np.bincount(problem.units.shared_term)[problem.units.shared_term]
        few = np.append(np.ones(self.p, dtype=np.bool_), levels <= FEW_LEVELS)
        self._few = np.flatnonzero(few & (self._scale > 0))
        self._many = np.flatnonzero(~few & (self._scale > 0))
        scale = diags_array(self._scale[self._many])
        self._own = (scale @ g[self._many][:, self._many] @ scale).tocsr()
        self._rows = (h[:, self._many] @ scale).tocsr()
        self._columns = self._rows.T.tocsr()
        self._size = 1 + self._own.diagonal() - np.asarray((self._rows**2).sum(axis=0)).ravel()

    # ---- solutions

    def coefficients_times(self, rows: Floats) -> Floats:
        """``C R`` for ``R`` of shape (p + levels, ...)."""
        return np.asarray(self._g @ rows - self._back @ (self._h @ rows), dtype=np.float64)

    def inverse_times(self, rows: Floats) -> Floats:
        """``B R`` for ``R`` of shape (p + levels, ...)."""
        scaled = self._scale[:, None] * rows.reshape(len(rows), -1)
        own = self._solved(scaled[self._many])
        exact = self._exactly(scaled[self._few] - self._across.T @ own)
        out = np.zeros_like(scaled)
        out[self._few], out[self._many] = exact, own - self._through @ exact
        return (self._scale[:, None] * out).reshape(rows.shape)

    effects = inverse_times

    @cached_property
    def of_fixed(self) -> Floats:
        """Columns of ``B`` that belong to the fixed effects, shape (p + levels, p)."""
        return self.inverse_times(np.eye(len(self._scale), self.p))

    def _solved(self, right: Floats) -> Floats:
        def times(v: Floats) -> Floats:
            return np.asarray(v + self._own @ v - self._columns @ (self._rows @ v), dtype=np.float64)

        return conjugate_gradients(times, self._size, right)

    @cached_property
    def _of_few(self) -> Floats:
        """``S C S`` in the columns that are taken exactly, shape (p + levels, few)."""
        unit = np.zeros((len(self._scale), len(self._few)))
        unit[self._few, np.arange(len(self._few))] = self._scale[self._few]
        return self._scale[:, None] * self.coefficients_times(unit)

    @cached_property
    def _across(self) -> Floats:
        return self._of_few[self._many]

    @cached_property
    def _through(self) -> Floats:
        """What the many levels take up of each exact column."""
        return self._solved(self._across)

    @cached_property
    def _exactly(self) -> Callable[[Floats], Floats]:
        """Solutions by the system that the exact columns leave, of which the factors are found once."""
        from scipy.linalg import lu_factor, lu_solve

        factors = lu_factor(self._schur, check_finite=False)
        return lambda right: np.asarray(lu_solve(factors, right, check_finite=False))

    @cached_property
    def _schur(self) -> Floats:
        out: Floats = self._of_few[self._few]
        out[np.diag_indices(len(out))] += self._few >= self.p
        out -= self._across.T @ self._through
        return (out + out.T) / 2

    # ---- the inverse as an average of outer products

    @cached_property
    def sides(self) -> tuple[Floats, Floats]:
        """``B ~ left right'``, each of shape (p + levels, `SIGNS` + exact columns), as traces need it.

        The columns of the signs come first; the others are the same on both sides.
        """
        from scipy.linalg.lapack import dtrtri

        signs = stream(0, "signs of traces").choice([-1.0, 1.0], (len(self.gamma), SIGNS)) / np.sqrt(SIGNS)
        signs = signs[self._many - self.p]
        root = np.sqrt(self._size)[:, None]
        kept = np.flatnonzero(self._few >= (0 if self.reml else self.p))
        exact = dtrtri(np.linalg.cholesky(self._schur[np.ix_(kept, kept)]), lower=1)[0].T
        left, right = (np.zeros((len(self._scale), SIGNS + len(kept))) for _ in range(2))
        left[self._many, :SIGNS], right[self._many, :SIGNS] = self._solved(root * signs), signs / root
        for side in (left, right):
            side[self._few[kept], SIGNS:] = exact
            side[self._many, SIGNS:] = -self._through[:, kept] @ exact
        left *= self._scale[:, None]
        right *= self._scale[:, None]
        return left, right

    @cached_property
    def taken(self) -> tuple[Floats, Floats]:
        """``U'P U`` has the diagonal ``first - second.sum(axis=1)``; shapes (levels,), (levels, columns of `sides`)."""
        left, right = self.sides
        size = np.asarray(self._g.diagonal() - np.asarray((self._h**2).sum(axis=0)).ravel())[self.p :]
        strong = self.gamma * size > STRONG
        gamma = np.where(strong, self.gamma, 1.0)
        first, second = 1 / gamma, left[self.p :] * right[self.p :] / gamma[:, None] ** 2
        if not strong.all():  # there (1 - B / g) / g would lose its digits
            weak = ~strong
            first[weak] = size[weak]
            seen = [self.coefficients_times(side)[self.p :][weak] for side in (left, right)]
            second[weak] = seen[0] * seen[1]
        return first, second

    @property
    def diagonal(self) -> Floats:
        """Diagonal of ``U'P U``, shape (levels,)."""
        first, second = self.taken
        return np.asarray(np.maximum(first - second.sum(axis=1), 1e-12 * first), dtype=np.float64)

    def errors(self, at: Ints) -> Floats:
        """Prediction error variances of levels' deviations from their average."""
        left, right = self.sides
        mean = np.zeros(len(self._scale))
        mean[at] = 1 / len(at)
        with_mean = self.inverse_times(mean)
        own = np.sum(left[at] * right[at], axis=1)
        return np.asarray(np.maximum(own - 2 * with_mean[at] + with_mean @ mean, 0.0), dtype=np.float64)

    def forms(self, rows: Any) -> Floats:
        """``r' B r`` for every row of an array, dense or sparse, less the average row; shape (rows,)."""
        left, right = (np.asarray(rows @ side) for side in self.sides)
        both = (left - left.mean(axis=0)) * (right - right.mean(axis=0))
        return np.asarray(np.maximum(both.sum(axis=1), 0.0), dtype=np.float64)
