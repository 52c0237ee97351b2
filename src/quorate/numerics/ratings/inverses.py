"""Inverse of the information of ratings, and products with it: on a large board in single precision.

A board of 10,000 systems has matrices of 100 million entries. In single precision these take half the memory and half
the time, and standard errors are right to four digits as long as the information, scaled to a diagonal of 1, is well
conditioned; that is measured, and a board on which it is not, such as a long chain of systems, is inverted in double.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.ratings.bradley_terry import Fit
from quorate.numerics.ratings.likelihood import Likelihood
from quorate.numerics.ratings.steps import MANY, anchored, filled

LEAST_CONDITION = 1e-4
"""Reciprocal condition number (1-norm, scaled) from which on single precision is enough."""

_ROWS = 512


def inverse_information(design: Likelihood, at: Fit, ridge: float) -> Floats:
    """Inverse of the information of a single fit, with the direction of equal ratings filled in.

    Parameters
    ----------
    design : Likelihood
        What the counts compare.
    at : Fit
        A single fit.
    ridge : float
        Its ridge.

    Returns
    -------
    array, shape (parameters, parameters)
        In single precision on a board of more than `MANY` systems whose information is well conditioned.
    """
    from scipy.linalg.lapack import dpotrf, dpotri

    if design.parameters > MANY and not isinstance(at.information, np.ndarray):
        single = _in_single_precision(design, at.information, ridge)
        if single is not None:
            return single
    matrix = anchored(design, at.information, ridge)[0].T  # symmetric; in the order that LAPACK works on in place
    root, refused = dpotrf(matrix, overwrite_a=1)
    if refused:
        return _held(design, np.linalg.inv(anchored(design, at.information, ridge)[0]))
    inverse, _ = dpotri(root, overwrite_c=1)
    _mirror(inverse)
    return _held(design, np.asarray(inverse.T))


def _in_single_precision(design: Likelihood, information: Any, ridge: float) -> Floats | None:
    """The inverse of a sparse information, scaled to a diagonal of 1 and back; None where that is too coarse."""
    from scipy.linalg.lapack import spocon, spotrf, spotri
    from scipy.sparse import diags_array

    ratings = design.centred[0]
    added = np.zeros(design.parameters)
    added[ratings] = ridge
    shift = filled(information.diagonal()[ratings])
    diagonal = information.diagonal() + added
    diagonal[ratings] += shift
    if not (diagonal > 0).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    by = diags_array(scale)
    matrix = (by @ (information + diags_array(added)) @ by).astype(np.float32).toarray(order="F")
    for start in range(ratings.start, ratings.stop, _ROWS):
        columns = slice(start, min(start + _ROWS, ratings.stop))
        matrix[ratings, columns] += (shift * np.outer(scale[ratings], scale[columns])).astype(np.float32)
    norm = float(np.abs(matrix).sum(axis=0, dtype=np.float64).max())
    root, refused = spotrf(matrix, overwrite_a=1)
    if refused or spocon(root, norm)[0] < LEAST_CONDITION:
        return None
    inverse, _ = spotri(root, overwrite_c=1)
    _mirror(inverse)
    inverse *= scale[:, None].astype(np.float32)
    inverse *= scale.astype(np.float32)
    return np.asarray(inverse.T)


def symmetric_product(left: Floats, right: Any) -> Floats:
    """Product of two square matrices that is symmetric: half of it is computed, the other half copied."""
    out = np.empty(left.shape, dtype=left.dtype)
    for start in range(0, len(left), _ROWS):
        rows, after = slice(start, start + _ROWS), slice(start + _ROWS, None)
        out[rows, start:] = left[rows] @ right[:, start:]
        out[after, rows] = out[rows, after].T
    return out


def _mirror(upper: Floats) -> None:
    """Copy the upper triangle of a square matrix to the lower one, in place."""
    for start in range(0, len(upper), _ROWS):
        rows, after = slice(start, start + _ROWS), slice(start + _ROWS, None)
        square = np.triu(upper[rows, rows])
        upper[rows, rows] = square + np.triu(square, 1).T
        upper[after, rows] = upper[rows, after].T


def _held(design: Likelihood, inverse: Floats) -> Floats:
    """The same with what is known up to a shift, but for ratings, held at a mean of 0."""
    for part in design.centred[1:]:
        shift = inverse[:, part].sum(axis=1)
        inverse = inverse - np.outer(shift, shift) / shift[part].sum()
    return inverse
