"""Steps of Newton's method: solutions by an information that is singular along common shifts."""

from __future__ import annotations

from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.ratings.likelihood import Likelihood

MANY = 3000
"""Systems from which on matrices of all pairs are too large to be kept more than a few at a time."""

_LARGE, _MOST_PRODUCTS = 1000, 1000
_ROUNDING, _NOTHING = 1e-10, 1e-12


def anchored(design: Likelihood, information: Any, ridge: float) -> Floats:
    """The information with the ridge, and with the directions of common shifts filled in so that it can be solved."""
    out = information.copy() if isinstance(information, np.ndarray) else full(information)
    for part in design.centred:
        out[:, part, part] += filled(np.einsum("rii->ri", out[:, part, part]))[:, None, None]
        own = np.arange(part.start, part.stop)
        out[:, own, own] += ridge
    return out


def filled(diagonal: Floats) -> Floats:
    """What is added to every entry of the part of an information that is singular along a common shift.

    Parameters
    ----------
    diagonal : array, shape (..., parameters)
        Diagonal of that part.
    """
    mean = diagonal.sum(axis=-1) / diagonal.shape[-1] ** 2
    return np.where(mean > 0, mean, 1.0)


def is_large(design: Likelihood, fits: int) -> bool:
    """Whether the information, of a single fit of many ratings, is kept sparse.

    Not where shifts of other parameters than ratings change nothing: these go together with a shift of still others.
    """
    return fits == 1 and design.parameters >= _LARGE and len(design.centred) == 1


def full(information: Any) -> Floats:
    """The information as a full matrix, shape (fits, parameters, parameters)."""
    return information if isinstance(information, np.ndarray) else np.asarray(information.toarray()[None])


def solved(design: Likelihood, information: Any, gradient: Floats, ridge: float) -> Floats:
    """A step of Newton's method for every fit; by conjugate gradients where the information is sparse and these end."""
    if not isinstance(information, np.ndarray):
        step = _conjugate(design, information, gradient[:, 0], ridge)
        if step is not None:
            return step[:, None]
    whole = anchored(design, information, ridge)
    try:
        return np.asarray(np.linalg.solve(whole, gradient.T[:, :, None])[:, :, 0].T)
    except np.linalg.LinAlgError:  # where a parameter runs off; the fit is then said not to have converged
        tiny = _ROUNDING * np.abs(whole).max() * np.eye(len(gradient))
        return np.asarray(np.linalg.solve(whole + tiny, gradient.T[:, :, None])[:, :, 0].T)


def _conjugate(design: Likelihood, information: Any, gradient: Floats, ridge: float) -> Floats | None:
    """The step by products with the information; None where that takes too many of them."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import cg

    ratings = design.centred[0]
    added, right = np.zeros(len(gradient)), gradient.copy()
    added[ratings] = ridge
    right[ratings] -= right[ratings].mean()  # rounding: along a common shift there is nothing to solve
    matrix = (information + diags_array(added)).tocsr()
    size = matrix.diagonal()
    least, inverse = _NOTHING * float(size.min()), diags_array(1 / size)
    step, left = cg(matrix, right, rtol=_ROUNDING, atol=least, maxiter=_MOST_PRODUCTS, M=inverse)
    step[ratings] -= step[ratings].mean()
    return None if left else np.asarray(step)
