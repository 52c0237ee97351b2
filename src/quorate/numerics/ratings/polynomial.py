"""The inverse of a large sparse information by a polynomial in it: products of sparse matrices in place of full ones.

Where every system met a few others at random, the information, scaled to a diagonal of 1, has all its eigenvalues not
far from 1. Then a polynomial of a low degree in it is as good as its inverse, on all contrasts at once: that of
Chebyshev, whose error anywhere between the least and the largest eigenvalue is the smallest that its degree allows.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats

FINE, COARSE = 1e-4, 2e-3
"""Part of a variance by the model, of any contrast, that a polynomial is off by at most: by itself, or corrected."""

_BLOCK = 128  # columns at a time: what a processor keeps at hand
_SQUARE = 256  # rows and columns at a time, likewise
_SLOWER = 36  # entries of a full product that are as fast as one of a sparse product
_MARGIN = 0.02  # part by which eigenvalues may be off
_LEAST_STEPS, _MOST_STEPS, _MOST_TRIES = 3, 20, 30


class Polynomial(NamedTuple):
    """What takes the place of the inverse of an information, shape (parameters, parameters), in single precision.

    Parameters
    ----------
    matrices : tuple of sparse array
        Of every step but the first: 1 less the information divided by its diagonal and by a root of the polynomial,
        times what makes up for what is added being the same in all steps.
    own : array, shape (parameters, 1)
        What the right side is multiplied by to be added: 1 over the diagonal of the information and the last root.
    fill : float
        The inverse where all ratings move together, of which the information says nothing: of each two.
    ratings : slice
        Parameters that are known up to a common shift.
    """

    matrices: tuple[Any, ...]
    own: Floats
    fill: float
    ratings: slice

    def inverse(self) -> Floats:
        """The inverse about the mean of all ratings, with the direction of equal ratings filled in."""
        from scipy.sparse import diags_array

        one, mean = self._mean()
        mean -= one * np.float32((mean[self.ratings].mean(dtype=np.float64) + self.fill) / 2)
        first = self.matrices[0] @ diags_array(self.own[:, 0])  # symmetric, and so little of it is not 0
        out: Any = np.empty((len(one), len(one)), dtype=np.float32)
        for columns in self._blocks():
            rows, place, own = np.arange(len(one))[columns], np.arange(len(one[columns])), self.own[columns, 0]
            found = first[columns].T.toarray(order="C")
            found[rows, place] += own
            for matrix, start in self._steps(columns.start)[1:]:
                found = matrix @ found
                found[rows - start, place] += own
            ratings = max(self.ratings.stop - columns.start, 0)
            found[:, :ratings] -= mean[columns.start :]
            found[:ratings] -= mean[columns].T
            out[columns.start :, columns] = found
        mirror(out.T)
        return np.asarray(out)

    def sandwich(self, inverse: Floats, alike: float, beyond: Any, out: Floats) -> Floats:
        """The inverse times a meat times the inverse, about the mean of all ratings; put in ``out``.

        With the meat M, the information J, both inverses, P by these steps and Q from `inverse`, and any number a, it
        is ``a (P + Q - P J Q) + P (M - a J) Q``: the inverse is off by what P is times what Q is, and only the part by
        which the meat is not a multiple of the information by what either is.

        Parameters
        ----------
        inverse : array, shape (parameters, parameters)
            Q.
        alike : float
            a.
        beyond : sparse or full array, shape (parameters, parameters)
            ``M - 2 a J``, which is 0 along the common shift.
        out : array, shape (parameters, parameters)
            May be the inverse.
        """
        one, mean = self._mean()
        times, fill = np.float32(alike), np.float32(self.fill)
        for columns in self._blocks():
            rows, own = slice(columns.start, None), np.arange(columns.stop - columns.start)
            right = beyond @ np.ascontiguousarray(inverse[:, columns])
            right[columns.start + own, own] += times
            right -= one * (times * one[columns].T / one.sum())
            found = self.solved(right, columns.start)
            found += times * inverse[rows, columns]
            found -= one[rows] * (mean.T @ right + times * fill * one[columns].T)
            out[rows, columns] = found
        mirror(out.T)
        return out

    def solved(self, right: Floats, after: int = 0) -> Floats:
        """The inverse times some columns, up to a common shift of the ratings; rows from ``after`` on."""
        right = right * self.own
        found = right
        for matrix, start in self._steps(after):
            found = matrix @ found
            found += right[start:]
        return found

    def _mean(self) -> tuple[Floats, Floats]:
        """Which parameters are ratings, and what the steps make of the mean of these in every column."""
        one = np.zeros_like(self.own)
        one[self.ratings] = 1
        return one, self.solved(one) / one.sum()

    def _blocks(self) -> list[slice]:
        size = len(self.own)
        return [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]

    def _steps(self, after: int) -> list[tuple[Any, int]]:
        """The matrix of each step, the last from a row on, and its first row."""
        return [*((matrix, 0) for matrix in self.matrices[:-1]), (self.matrices[-1][after:], after)]


def polynomial(information: Any, ratings: slice, error: float) -> Polynomial | None:
    """A polynomial in place of the inverse of a sparse information; None where a full inverse takes no longer.

    Parameters
    ----------
    information : sparse array, shape (parameters, parameters)
        Singular along a common shift of the ratings, and there only.
    ratings : slice
        Parameters that are known up to that shift.
    error : float
        `FINE`, or `COARSE`.

    References
    ----------
    Saad (2003), Iterative Methods for Sparse Linear Systems, 2nd ed., section 12.3.
    """
    from scipy.sparse import csr_array, diags_array, eye_array

    size, diagonal = information.shape[0], information.diagonal()
    most = int(size**2 / (_SLOWER * information.nnz))
    if most < 2 or not (diagonal > 0).all():
        return None
    by = diags_array(1 / np.sqrt(diagonal))
    ends = _eigenvalues((by @ information @ by).tocsr(), ratings, np.sqrt(diagonal))
    if ends is None:
        return None
    least, largest = ends
    middle, reach = (largest + least) / 2, (largest - least) / 2
    steps = max(_LEAST_STEPS, math.ceil(math.acosh(1 / error) / math.acosh(middle / reach)))
    if steps >= min(most, _MOST_STEPS):
        return None
    roots = middle + reach * _apart(np.cos((np.arange(steps) + 0.5) * np.pi / steps))
    scaled, one = (diags_array(1 / diagonal) @ information).tocsr(), eye_array(size)
    matrices = []
    for before, root in itertools.pairwise(roots.tolist()):
        step = ((one - scaled / root) * (root / before)).tocsr().astype(np.float32)
        places = step.indices.astype(np.int32), step.indptr.astype(np.int32)
        matrices.append(csr_array((step.data, *places), shape=step.shape))
    own = (1 / (roots[-1] * diagonal)).astype(np.float32)[:, None]
    return Polynomial(tuple(matrices), own, 1 / float(diagonal[ratings].sum()), ratings)


def _apart(roots: Floats) -> Floats:
    """In an order in which each is far from those before it: then rounding does not grow from step to step."""
    order, left = [0], [*range(1, len(roots))]
    while left:
        order.append(max(left, key=lambda one: float(np.prod(np.abs(roots[one] - roots[order])))))
        left.remove(order[-1])
    return roots[order]


def _eigenvalues(scaled: Any, ratings: slice, root: Floats) -> tuple[float, float] | None:
    """Between which all eigenvalues are but that of the common shift; None where these are hard to find."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    shift = np.zeros(len(root))
    shift[ratings] = root[ratings]
    shift /= np.linalg.norm(shift)
    moved = LinearOperator(scaled.shape, matvec=lambda x: scaled @ x + shift * (shift @ x), dtype=np.float64)
    start = np.cos(np.arange(len(root)) ** 2.0)
    try:
        both = eigsh(moved, 2, which="BE", tol=_MARGIN / 2, v0=start, maxiter=_MOST_TRIES, return_eigenvectors=False)
    except ArpackNoConvergence:
        return None
    return float(both.min()) * (1 - _MARGIN), float(both.max()) * (1 + _MARGIN)


def mirror(upper: Floats) -> None:
    """Copy the upper triangle of a square matrix to the lower one, in place: by squares, which stay at hand."""
    for start in range(0, len(upper), _SQUARE):
        rows = slice(start, start + _SQUARE)
        square = np.triu(upper[rows, rows])
        upper[rows, rows] = square + np.triu(square, 1).T
        for other in range(start + _SQUARE, len(upper), _SQUARE):
            upper[other : other + _SQUARE, rows] = upper[rows, other : other + _SQUARE].T
