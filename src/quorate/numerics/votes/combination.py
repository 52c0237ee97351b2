"""One p-value from two stages of a study, the second of which was planned with the first in hand.

Valid where, given the first stage, the p-value of the second is at most ``x`` with a chance of at most ``x``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats


def fisher(first: ArrayLike, second: ArrayLike) -> Floats:
    """P-value of the product of two p-values: ``x (1 - log x)``.

    Parameters
    ----------
    first, second : array, broadcast
        P-values of the two stages, above 0.

    References
    ----------
    Fisher (1932), Statistical methods for research workers. Bauer and Köhne (1994), Biometrics 50, 1029-1041.
    """
    product = np.asarray(first, dtype=float) * np.asarray(second, dtype=float)
    return np.asarray(product * (1 - np.log(np.maximum(product, np.finfo(float).tiny))))


def inverse_normal(first: ArrayLike, second: ArrayLike, weight: float) -> Floats:
    """P-value of the weighted sum of the normal scores of two one-sided p-values.

    Parameters
    ----------
    first, second : array, broadcast
        One-sided p-values of the two stages, in the same direction.
    weight : float
        Part of the variance that the first stage has, from 0 to 1, fixed beforehand.

    References
    ----------
    Lehmacher and Wassmer (1999), Biometrics 55, 1286-1290.
    """
    from scipy.special import ndtr, ndtri

    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    with np.errstate(invalid="ignore"):
        score = np.sqrt(weight) * ndtri(first) + np.sqrt(1 - weight) * ndtri(second)
    contradiction = np.isnan(score)  # a p-value of 0 against one of 1
    return np.asarray(np.where(contradiction, 1.0, ndtr(score)))


def two_sided(lower: ArrayLike, upper: ArrayLike) -> Floats:
    """P-value of either direction from those of both: twice the smaller, at most 1.

    Parameters
    ----------
    lower, upper : array, broadcast
        One-sided p-values.
    """
    return np.asarray(np.minimum(1.0, 2 * np.minimum(np.asarray(lower, dtype=float), np.asarray(upper, dtype=float))))
