"""Variance of a weighted mean over any assignment of cells.

``Var(theta_hat - theta) = sum_t sigma2_t sum_l (w_l - tau_l)^2``: ``w_l`` is the total weight on level ``l`` of term
``t``, ``tau_l`` the weight the target puts there. Every formula for a factorial, cyclic or latin design is a case.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def concentration(levels: Ints, weight: Floats | None = None) -> float:
    """``sum_l w_l^2``: one over the number of levels that a mean effectively averages.

    Parameters
    ----------
    levels : array of int, shape (cells,)
        Level of one term in every cell.
    weight : array, shape (cells,), optional
        Weight of every cell, summing to 1; equal by default.

    Examples
    --------
    >>> concentration(np.array([0, 0, 1, 1]))
    0.5
    """
    totals = np.bincount(levels, weight).astype(float)
    if weight is None:
        totals /= len(levels)
    return float(totals @ totals)


def toward(concentrated: float, levels: float | None) -> float:
    """``sum_l (w_l - tau_l)^2`` for a target that averages ``levels`` levels equally; None: a population.

    Weights sum to one, so the cross term is the same for every design.
    """
    if levels is None:
        return concentrated
    rest = concentrated - 1 / levels
    return rest if rest > 1e-12 * concentrated else 0.0
