"""Judges whose errors go together: what two share of an item beyond what all judges see in it."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats

FEWEST = 4
"""Judges: with three, what two share of an item is not told from what the third does not see."""


def error_correlations(scores: Floats) -> tuple[Floats, Floats]:
    """Correlations of the errors of every two judges, and how many standard errors their covariance is from 0.

    The covariance of judge a less c with b less d has nothing of the item: it is that of the errors of a and b, if no
    other two go together. It is averaged over all others c and d; its standard error is that of a mean over items.

    Parameters
    ----------
    scores : array, shape (items, judges)
        At least four judges.

    Returns
    -------
    correlation, t : array, shape (judges, judges)

    References
    ----------
    Spearman (1927), The Abilities of Man: tetrad differences.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> own, item = rng.normal(size=(400, 4)), rng.normal(size=(400, 1))
    >>> r, t = error_correlations(item + own[:, [0, 0, 1, 2]] + 0.1 * own)
    >>> bool(r[0, 1] > 0.9), bool(t[0, 1] > 5), bool(t[0, 2] > 2)
    (True, True, False)
    """
    x = scores - scores.mean(axis=0)
    n, k = x.shape
    rest, pairs = k - 2, (k - 2) * (k - 3)
    one, other = x[:, :, None], x[:, None, :]
    total = x.sum(axis=1)[:, None, None] - one - other
    square = (x**2).sum(axis=1)[:, None, None] - one**2 - other**2
    each = one * other - (one + other) * total / rest + (total**2 - square) / pairs
    shared, error = each.mean(axis=0), each.std(axis=0, ddof=1) / np.sqrt(n)
    covariance = x.T @ x / n
    variance = np.diag(covariance)
    row, whole = covariance.sum(axis=1) - variance, covariance.sum() - variance.sum()
    own = np.maximum(variance - 2 * row / (k - 1) + (whole - 2 * row) / ((k - 1) * (k - 2)), 1e-12 * variance.max())
    return np.clip(shared / np.sqrt(np.outer(own, own)), -1.0, 1.0), shared / np.maximum(error, 1e-300)
