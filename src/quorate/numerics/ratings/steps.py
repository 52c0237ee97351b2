"""Steps of Newton's method: solutions by an information that is singular along common shifts."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.ratings.likelihood import Likelihood

_LARGE, _MOST_PRODUCTS = 1000, 1000
_ROUNDING = 1e-10


def anchored(design: Likelihood, information: Floats, ridge: float) -> Floats:
    """The information with the ridge, and with the directions of common shifts filled in so that it can be solved."""
    out = information.copy()
    for part in design.centred:
        size = part.stop - part.start
        filled = np.einsum("rii->r", out[:, part, part]) / size**2
        out[:, part, part] += np.where(filled > 0, filled, 1.0)[:, None, None]
        own = np.arange(part.start, part.stop)
        out[:, own, own] += ridge
    return out


def solved(design: Likelihood, information: Floats, gradient: Floats, ridge: float) -> Floats:
    """A step of Newton's method for every fit; of a single large one by conjugate gradients where these end."""
    if len(information) == 1 and len(gradient) >= _LARGE:
        step = _conjugate(design, information[0], gradient[:, 0], ridge)
        if step is not None:
            return step[:, None]
    whole = anchored(design, information, ridge)
    try:
        return np.asarray(np.linalg.solve(whole, gradient.T[:, :, None])[:, :, 0].T)
    except np.linalg.LinAlgError:  # where a parameter runs off; the fit is then said not to have converged
        tiny = _ROUNDING * np.abs(whole).max() * np.eye(len(gradient))
        return np.asarray(np.linalg.solve(whole + tiny, gradient.T[:, :, None])[:, :, 0].T)


def _conjugate(design: Likelihood, information: Floats, gradient: Floats, ridge: float) -> Floats | None:
    """The step by products with what of the information is not 0; None where that takes too many of them."""
    from scipy.sparse import csr_array, diags_array
    from scipy.sparse.linalg import cg

    added = np.zeros(len(gradient))
    for part in design.centred:
        added[part] = ridge
    matrix = (csr_array(information) + diags_array(added)).tocsr()
    step, left = cg(matrix, gradient, rtol=_ROUNDING, maxiter=_MOST_PRODUCTS, M=diags_array(1 / matrix.diagonal()))
    for part in design.centred:
        step[part] -= step[part].mean()
    return None if left else np.asarray(step)
