"""Correlations of many rows of values with one and the same row: Pearson, Spearman and Kendall."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.numerics.ranks import ranks


def pearson(x: Floats, y: Floats) -> Floats:
    """Correlation of each row with ``y``, shape (rows,); nan where one of the two does not vary.

    In R: ``cor(x, y)``.

    Parameters
    ----------
    x : array, shape (rows, n)
        Values.
    y : array, shape (n,)
        What they are compared with.
    """
    a = x - x.mean(axis=1, keepdims=True)
    b = y - y.mean()
    scale = np.sqrt((a**2).sum(axis=1) * (b @ b))
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y) > 0)  # the mean of equal values is rounded: scale is not 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(varies & (scale > 0), a @ b / scale, np.nan)


def spearman(x: Floats, y: Floats) -> Floats:
    """Rank correlation of each row with ``y``, shape (rows,); ``x`` and ``y`` as for `pearson`.

    In R: ``cor(x, y, method = "spearman")``.

    Parameters
    ----------
    x : array, shape (rows, n)
        Values.
    y : array, shape (n,)
        What they are compared with.
    """
    return pearson(row_ranks(x), ranks(y))


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
    found, half = np.zeros(rows, dtype=np.int64), 1
    while half < size:
        blocks = x.reshape(rows, -1, 2 * half)
        order = np.argsort(blocks, axis=2, kind="stable")
        # A value of the right half stands, once sorted, after the left ones that are not greater and the right ones
        # before it.
        places = ((order >= half) * np.arange(2 * half)).sum(axis=2)
        found += (half * half - places + half * (half - 1) // 2).sum(axis=1)
        x, half = np.take_along_axis(blocks, order, 2), 2 * half
    return found


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
