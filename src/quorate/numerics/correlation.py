"""Correlation: Pearson, Spearman and Kendall, of many rows with one row or of a pair, and a test that two are equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Bools, Floats, Ints

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


def pearson(x: Floats, y: Floats) -> Floats:
    """Correlation of each row with ``y``, shape (rows,); nan where one of the two does not vary.

    In R: ``cor(x, y)``.

    Parameters
    ----------
    x : array, shape (rows, n)
        Values.
    y : array, shape (n,) or (rows, n)
        What they are compared with, all of them or each.
    """
    a = x - x.mean(axis=1, keepdims=True)
    b = y - y.mean(axis=-1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=1) * np.vecdot(b, b))
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=-1) > 0)  # the mean of equal values is rounded: scale is not 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(varies & (scale > 0), np.vecdot(a, b) / scale, np.nan)


def spearman(x: Floats, y: Floats) -> Floats:
    """Rank correlation of each row with ``y``, shape (rows,); ``x`` and ``y`` as for `pearson`.

    In R: ``cor(x, y, method = "spearman")``.

    Parameters
    ----------
    x : array, shape (rows, n)
        Values.
    y : array, shape (n,) or (rows, n)
        What they are compared with, all of them or each.
    """
    return pearson(row_ranks(x), ranks(y) if y.ndim == 1 else row_ranks(y))


def kendall(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b of each row with ``y``, shape (rows,); nan where one of the two does not vary.

    In R: ``cor(x, y, method = "kendall")``.

    Parameters
    ----------
    x : array, shape (rows, n)
        Values.
    y : array, shape (n,)
        What they are compared with.

    References
    ----------
    Knight (1966): pairs that disagree are the exchanges of a merge sort.
    """
    y = np.broadcast_to(y, x.shape)
    order = np.lexsort((x, y), axis=1)
    a, b = np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1)
    n = x.shape[1]
    pairs = n * (n - 1) // 2
    in_y, in_x = _tied(_new(b)), _tied(_new(np.sort(x, axis=1)))
    in_both = _tied(_new(a) | _new(b))
    agreeing = pairs - in_x - in_y + in_both - 2 * inversions(a)
    scale = np.sqrt((pairs - in_x).astype(float) * (pairs - in_y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(scale > 0, agreeing / scale, np.nan)


def of_pair(method: Callable[[Floats, Floats], Floats], x: ArrayLike, y: ArrayLike) -> float:
    """One correlation, from -1 to 1; nan where one of the two does not vary.

    Parameters
    ----------
    method : `pearson`, `spearman` or `kendall`
        Which.
    x, y : array, shape (n,)
        Values.

    Examples
    --------
    >>> of_pair(spearman, [1, 2, 3], [1, 2, 9])
    1.0
    """
    return float(np.clip(method(np.asarray(x, dtype=float)[None], np.asarray(y, dtype=float))[0], -1.0, 1.0))


def ranks(x: ArrayLike) -> Floats:
    """Ranks from 1, the mean rank where values are equal. In R: ``rank(x)``.

    Parameters
    ----------
    x : array, shape (n,)
        Values.
    """
    _, place, count = np.unique(np.asarray(x), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place])


def row_ranks(x: Floats) -> Floats:
    """Ranks from 1 within each row, the mean rank where values are equal, shape (rows, n).

    Parameters
    ----------
    x : array, shape (rows, n)
        Values.
    """
    order = np.argsort(x, axis=1)
    new = _new(np.take_along_axis(x, order, 1))
    first = _first(new)
    last = x.shape[1] - 1 - _first(np.roll(new, -1, axis=1)[:, ::-1])[:, ::-1]
    out = np.empty_like(x)
    np.put_along_axis(out, order, (first + last) / 2 + 1, 1)
    return out


def inversions(x: Floats) -> Ints:
    """Pairs in the wrong order, ``x[i] > x[j]`` with ``i < j``, of each row, shape (rows,).

    Parameters
    ----------
    x : array, shape (rows, n)
        Finite values.
    """
    rows, n = x.shape
    size = 1 << max(n - 1, 1).bit_length()
    x = np.concatenate([x, np.full((rows, size - n), np.inf)], axis=1)
    inversions, half = np.zeros(rows, dtype=np.int64), 1
    while half < size:
        blocks = x.reshape(rows, -1, 2 * half)
        order = np.argsort(blocks, axis=2, kind="stable")
        # A value of the right half stands, once sorted, after the left ones that are not greater and the right ones
        # before it.
        places = ((order >= half) * np.arange(2 * half)).sum(axis=2)
        inversions += (half * half - places + half * (half - 1) // 2).sum(axis=1)
        x, half = np.take_along_axis(blocks, order, 2), 2 * half
    return inversions


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
    >>> test = williams(0.4, 0.5, 0.1, 103)
    >>> round(float(test.t), 3), round(float(test.p), 3)
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


def _new(x: Floats) -> Bools:
    """Whether a value differs from the one before it in its sorted row; the first one does."""
    out = np.ones(x.shape, dtype=bool)
    np.not_equal(x[:, 1:], x[:, :-1], out=out[:, 1:])
    return out


def _first(new: Bools) -> Ints:
    """Place where the run of equal values begins."""
    return np.asarray(np.maximum.accumulate(np.where(new, np.arange(new.shape[1]), 0), axis=1))


def _tied(new: Bools) -> Ints:
    """Pairs of equal values of each row."""
    return np.asarray((np.arange(new.shape[1]) - _first(new)).sum(axis=1))
