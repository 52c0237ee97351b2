"""Multiplicity: p-values and levels of several tests that are looked at together."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.votes.binomial import SLACK


def holm(p: Floats) -> Floats:
    """P-values adjusted for being looked at together, shape as given; nan stays nan but counts.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70. R: ``p.adjust(p, "holm")``.
    """
    order = np.argsort(p)
    steps = np.arange(len(p), 0, -1)
    out = np.empty(len(p))
    out[order] = np.minimum(np.maximum.accumulate(steps * p[order]), 1.0)
    return out


def benjamini_yekutieli(p: Floats) -> Floats:
    """P-values adjusted for a false discovery rate, whatever their dependence.

    References
    ----------
    Benjamini and Yekutieli (2001), Annals of Statistics 29, 1165-1188. R: ``p.adjust(p, "BY")``.
    """
    order, m = np.argsort(p)[::-1], len(p)
    steps = np.arange(m, 0, -1)
    out = np.empty(m)
    out[order] = np.minimum(np.minimum.accumulate((1 / steps).sum() * m / steps * p[order]), 1.0)
    return out


def holm_level(p_difference: Floats, p_equivalence: Floats, alpha: float) -> float:
    """Level at which all hypotheses are tested so that no true one is rejected, but for a chance of ``alpha``.

    Of each pair at most one of two hypotheses is true, that there is no difference and that it is the margin or more;
    so a pair counts until both are rejected.

    Parameters
    ----------
    p_difference, p_equivalence : array, shape (pairs,)
        P-values of the two; the second 0 where equivalence is not asked for.
    alpha : float
        Chance of a false rejection among all of them.

    References
    ----------
    Holm (1979); Shaffer (1986), Journal of the American Statistical Association 81, 826-831.

    Examples
    --------
    >>> round(holm_level(np.array([0.04, 0.001, 0.03]), np.zeros(3), 0.05), 4)
    0.025
    """
    settled_at = np.maximum(p_difference, p_equivalence)
    left = len(settled_at)
    while 0 < (now := int(np.sum(settled_at > alpha / left * SLACK))) < left:
        left = now
    return alpha / left
