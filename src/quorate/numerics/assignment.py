"""Variance of a weighted mean over any assignment of cells.

``Var(theta_hat - theta) = sum_t sigma2_t sum_l (w_l - tau_l)^2``: ``w_l`` is the total weight on level ``l`` of term
``t``, ``tau_l`` the weight the target puts there. Every formula for a factorial, cyclic or latin design is a case.
"""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats


def toward(concentrated: Floats | float, levels: Floats | float | None) -> Floats:
    """``sum_l (w_l - tau_l)^2`` for a target that averages ``levels`` levels equally; None: a population.

    Weights sum to one, so the cross term is the same for every design. Arrays stand for many designs at once; nan
    stays nan.
    """
    if levels is None:
        return np.asarray(concentrated)
    rest = np.asarray(concentrated - 1 / np.asarray(levels, dtype=float))
    return np.where(rest <= 1e-12 * np.asarray(concentrated), 0.0, rest)
