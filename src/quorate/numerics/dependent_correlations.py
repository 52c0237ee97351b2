"""Rank correlation by pairs, and a test that two correlations with the same third variable are equal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.numerics import correlation as rows_with

_SINGULAR = 1e-12


class Williams(NamedTuple):
    """A test of two correlations that share a variable.

    Parameters
    ----------
    t : array
        Statistic; positive where the first correlation is larger, nan where the test does not exist.
    df : array
        Its degrees of freedom.
    p : array
        Two-sided p-value.
    """

    t: Floats
    df: Floats
    p: Floats


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's correlation; nan where one of the two does not vary. In R: ``cor(x, y)``.

    Parameters
    ----------
    x, y : array, shape (n,)
        Values.
    """
    found = rows_with.pearson(np.asarray(x, dtype=float)[None], np.asarray(y, dtype=float))[0]
    return float(np.clip(found, -1.0, 1.0))


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b; nan where one of the two does not vary. In R: ``cor(x, y, method = "kendall")``.

    Parameters
    ----------
    x, y : array, shape (n,)
        Values.
    """
    return float(rows_with.kendall(np.asarray(x, dtype=float)[None], np.asarray(y, dtype=float))[0])


def williams(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: ArrayLike) -> Williams:
    """Test that a variable correlates as much with a second as with a third one.

    Parameters
    ----------
    r12, r13 : array
        The two correlations.
    r23 : array
        Correlation of the second and the third variable.
    n : array
        Observations, at least 4.

    Notes
    -----
    ``t = (r12 - r13) sqrt((n - 1)(1 + r23) / (2 |R| (n - 1) / (n - 3) + (r12 + r13)^2 (1 - r23)^3 / 4))`` on n - 3
    degrees of freedom, with the determinant ``|R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``. For normal variables;
    with rank correlations it is approximate. In R: ``psych::r.test(n, r12, r13 = r13, r23 = r23)``.

    References
    ----------
    Williams (1959), Journal of the Royal Statistical Society B 21, 396-399. Steiger (1980), Psychological Bulletin 87,
    245-251, Eq. 7.

    Examples
    --------
    >>> found = williams(0.4, 0.5, 0.1, 103)
    >>> round(float(found.t), 3), round(float(found.p), 3)
    (-0.891, 0.375)
    """
    from scipy.special import stdtr

    a, b, c, size = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (r12, r13, r23, n)))
    determinant = np.maximum(1 - a**2 - b**2 - c**2 + 2 * a * b * c, 0.0)
    df = size - 3
    with np.errstate(divide="ignore", invalid="ignore"):
        below = 2 * determinant * (size - 1) / df + (a + b) ** 2 / 4 * (1 - c) ** 3
        usable = (df > 0) & (below > _SINGULAR)
        t = np.where(usable, (a - b) * np.sqrt((size - 1) * (1 + c) / np.where(usable, below, 1.0)), np.nan)
    p = np.where(usable, 2 * stdtr(np.where(usable, df, 1.0), -np.abs(np.where(usable, t, 0.0))), np.nan)
    return Williams(np.asarray(t), np.asarray(df), p)
