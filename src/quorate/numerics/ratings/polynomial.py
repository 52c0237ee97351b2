"""The inverse of a large sparse information by a polynomial in it: products of sparse matrices in place of full ones.

Where every system met a few others at random, the information, scaled to a diagonal of 1, has all its eigenvalues not
far from 1. Then a polynomial of a low degree in it is as good as its inverse, on all contrasts at once: that of
Chebyshev, whose error anywhere between the least and the largest eigenvalue is the smallest that its degree allows.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats

_ERROR = 1e-4  # part of a standard error by the model, of any contrast, that the polynomial is off by at most
_BLOCK = 128  # columns at a time: what a processor keeps at hand
_SLOWER = 36  # entries of a full product that are as fast as one of a sparse product
_MARGIN = 0.02  # part by which eigenvalues may be off
_LEAST_STEPS, _MOST_STEPS, _MOST_TRIES = 4, 20, 30


class Polynomial(NamedTuple):
    """What takes the place of the inverse of an information, shape (parameters, parameters), in single precision.

    Parameters
    ----------
    matrices : tuple of sparse array
        1 less the information, scaled to a diagonal of 1 and divided by the middle of its eigenvalues; times the weight
        of every step but the last.
    scale : array, shape (parameters, 1)
        What rows and columns of the information were multiplied by to that end.
    middle : float
        Of the eigenvalues.
    weights : tuple of float
        Of the steps.
    ratings : slice
        Parameters that are known up to a common shift.
    """

    matrices: tuple[Any, ...]
    scale: Floats
    middle: float
    weights: tuple[float, ...]
    ratings: slice

    def inverse(self) -> Floats:
        """The inverse about the mean of all ratings, with the direction of equal ratings filled in."""
        one, mean = self._mean()
        fill = 1 / np.sum(self.scale[self.ratings].astype(np.float64) ** -2)
        mean -= one * np.float32((mean[self.ratings].mean(dtype=np.float64) + fill) / 2)
        out: Any = np.empty((len(one), len(one)), dtype=np.float32)
        for columns in self._blocks():
            own = np.arange(columns.start, columns.stop), np.arange(columns.stop - columns.start)
            right = self.scale[columns, 0] / np.float32(self.middle)
            second = self.matrices[0][columns].T.multiply(right).toarray()  # so little of it is not 0
            second[own] += right
            first = np.zeros_like(second)
            first[own] = right
            found = self._stepped(first, second, (own, right), columns.start)
            ratings = max(self.ratings.stop - columns.start, 0)
            found[:, :ratings] -= mean[columns.start :]
            found[:ratings] -= mean[columns].T
            out[columns.start :, columns] = found
        mirror(out.T)
        return np.asarray(out)

    def sandwich(self, inverse: Floats, meat: Any, out: Floats) -> Floats:
        """The inverse times a sparse or full meat times the inverse, about the mean of all ratings.

        It is put in ``out``, which may be the inverse. The meat is 0 along the common shift.
        """
        mean = self._mean()[1]
        for columns in self._blocks():
            right = meat @ np.ascontiguousarray(inverse[:, columns])
            found = self.solved(right, columns.start)
            found[: max(self.ratings.stop - columns.start, 0)] -= mean.T @ right
            out[columns.start :, columns] = found
        mirror(out.T)
        return out

    def solved(self, right: Floats, after: int = 0) -> Floats:
        """The inverse times some columns, up to a common shift of the ratings; rows from ``after`` on."""
        right = right * (self.scale / np.float32(self.middle))
        second = self.matrices[0] @ right
        second += right
        return self._stepped(right.copy(), second, (..., right), after)

    def _mean(self) -> tuple[Floats, Floats]:
        """Which parameters are ratings, and what the steps make of the mean of these in every column."""
        one = np.zeros_like(self.scale)
        one[self.ratings] = 1
        return one, self.solved(one) / one.sum()

    def _blocks(self) -> list[slice]:
        size = len(self.scale)
        return [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]

    def _stepped(self, before: Floats, now: Floats, right: tuple[Any, Floats], after: int) -> Floats:
        """From the first two steps, each divided by its weight, to the last; ``right`` is where what is added."""
        weights = self.weights
        for step in range(2, len(weights)):
            before *= np.float32((1 - 1 / weights[step]) * weights[step - 2])
            before[right[0]] -= right[1]
            start = after if step == len(weights) - 1 else 0
            new = (self.matrices[step - 1][start:] if start else self.matrices[step - 1]) @ now
            new -= before[start:]
            before, now = now, new
        return np.asarray(now * (self.scale[after:] * np.float32(weights[-1])))


def polynomial(information: Any, ratings: slice) -> Polynomial | None:
    """A polynomial in place of the inverse of a sparse information; None where a full inverse takes no longer.

    Parameters
    ----------
    information : sparse array, shape (parameters, parameters)
        Singular along a common shift of the ratings, and there only.
    ratings : slice
        Parameters that are known up to that shift.

    References
    ----------
    Saad (2003), Iterative Methods for Sparse Linear Systems, 2nd ed., section 12.3.
    """
    from scipy.sparse import csr_array, diags_array, eye_array

    size, diagonal = information.shape[0], information.diagonal()
    most = int(size**2 / (_SLOWER * information.nnz))
    if most < 2 or not (diagonal > 0).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    by = diags_array(scale)
    scaled = (by @ information @ by).tocsr()
    ends = _eigenvalues(scaled, ratings, np.sqrt(diagonal))
    if ends is None:
        return None
    least, largest = ends
    middle, reach = (largest + least) / 2, (largest - least) / 2
    found = [1.0, middle / reach]  # of Chebyshev's polynomials where the information is 0
    while 1 / found[-1] > _ERROR or len(found) < _LEAST_STEPS:
        found.append(2 * found[1] * found[-1] - found[-2])
        if len(found) > min(most, _MOST_STEPS):
            return None
    weights = (1.0, *(2 * found[1] * one / other for one, other in itertools.pairwise(found[1:])))
    matrix = (eye_array(size) - scaled / middle).tocsr()
    places = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    matrices = tuple(
        csr_array(((weight * matrix.data).astype(np.float32), *places), shape=matrix.shape) for weight in weights[:-1]
    )
    return Polynomial(matrices, scale.astype(np.float32)[:, None], middle, weights, ratings)


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
    """Copy the upper triangle of a square matrix to the lower one, in place."""
    for start in range(0, len(upper), _BLOCK):
        rows, after = slice(start, start + _BLOCK), slice(start + _BLOCK, None)
        square = np.triu(upper[rows, rows])
        upper[rows, rows] = square + np.triu(square, 1).T
        upper[after, rows] = upper[rows, after].T
