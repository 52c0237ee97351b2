"""Information in votes: their divergence from those of a fair coin."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats


def divergence(margin: ArrayLike) -> Floats:
    """Kullback-Leibler divergence of a vote with this margin from a fair one, in nats.

    Parameters
    ----------
    margin : array
        Signed margins ``d = p - 1/2``, from -1/2 to 1/2.

    Returns
    -------
    array
        ``KL(Bern(1/2 + d) || Bern(1/2)) = [log(1 - x^2) + 2 x atanh(x)] / 2`` with ``x = 2 d``; it is ``2 d^2`` near 0
        and ``log 2`` at the ends. This form keeps its digits where d is small.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Eq. 7.
    """
    x = np.minimum(2 * np.abs(np.asarray(margin, dtype=float)), 1.0)
    inside = np.where(x < 1, x, 0.0)
    series = (np.log1p(-(inside**2)) + 2 * inside * np.arctanh(inside)) / 2
    return np.asarray(np.where(x < 1, series, np.log(2)))
