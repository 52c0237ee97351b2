"""Rank correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ranks(x: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, the mean rank where values are equal. In R: ``rank(x)``.

    Parameters
    ----------
    x : array, shape (n,)
        Values.
    """
    _, place, count = np.unique(np.asarray(x), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place])


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation; nan where one of the two does not vary. In R: ``cor(x, y, method = "spearman")``.

    Parameters
    ----------
    x, y : array, shape (n,)
        Values.
    """
    a, b = (ranks(v) - ranks(v).mean() for v in (x, y))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 0 else float("nan")
