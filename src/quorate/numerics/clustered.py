"""A share of votes, its standard error and degrees of freedom, where votes of one cluster may resemble each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Share(NamedTuple):
    """A share of votes by clusters.

    Parameters
    ----------
    value : float
        Wins over votes.
    se : float
        Cluster-robust standard error (CR2); nan with one cluster.
    df : float
        Satterthwaite degrees of freedom; clusters less one where all are of one size.
    icc : float
        Correlation of two votes of one cluster, from 0 to 1.
    clusters : int
        Clusters.
    n : float
        Votes.
    effective : float
        Clusters of equal size that weigh as these do, ``n^2 / sum n_g^2``.
    """

    value: float
    se: float
    df: float
    icc: float
    clusters: int
    n: float
    effective: float = np.inf


def share(wins: Floats, sizes: Floats, squares: Floats | None = None) -> Share:
    """Share of wins with a standard error by clusters that needs no model of how votes depend.

    The variance is that of the cluster sums about the share, each divided by ``1 - w`` with ``w`` its part of all votes
    (CR2, unbiased where votes are independent). Its degrees of freedom match two moments under the estimated
    correlation within clusters: they fall as clusters differ in size.

    Parameters
    ----------
    wins : array, shape (clusters,)
        Sum of the outcomes of each cluster; an outcome is from 0 to 1.
    sizes : array, shape (clusters,)
        Votes of each cluster, above 0.
    squares : array, shape (clusters,), optional
        Sum of the squared outcomes; ``wins`` where these are 0 and 1.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181.
    """
    n, groups = float(sizes.sum()), len(sizes)
    p = float(wins.sum()) / n
    if groups < 2:
        return Share(p, np.nan, np.nan, np.nan, groups, n, 1.0)
    w = sizes / n
    rest = (wins - p * sizes) ** 2 / (1 - w)
    rho = _icc(wins, sizes, wins if squares is None else squares)
    df = _df(w, sizes * (1 + (sizes - 1) * rho))
    return Share(p, float(np.sqrt(rest.sum())) / n, df, rho, groups, n, 1 / float(w @ w))


def _icc(wins: Floats, sizes: Floats, squares: Floats) -> float:
    """Analysis-of-variance estimate, cut to 0 and 1; 0 where no cluster has two votes or nothing varies."""
    n, groups = float(sizes.sum()), len(sizes)
    if n <= groups:
        return 0.0
    between = float((wins**2 / sizes).sum() - wins.sum() ** 2 / n) / (groups - 1)
    within = float((squares - wins**2 / sizes).sum()) / (n - groups)
    size = (n - float((sizes**2).sum()) / n) / (groups - 1)
    total = between + (size - 1) * within
    return min(max((between - within) / total, 0.0), 1.0) if total > 0 else 0.0


def _df(w: Floats, v: Floats) -> float:
    """Twice the squared mean of the variance over its variance, with cluster sums of variance ``v``.

    The scaled residuals have covariance ``D - a b' - b a' + V a a'``, whose trace and norm are sums over clusters.
    """
    x = 1 / np.sqrt(1 - w)
    d, a, b, total = v * x**2, w * x, v * x, float(v.sum())
    trace = float(np.sum(d - 2 * a * b + total * a**2))
    aa, ab, bb = float(a @ a), float(a @ b), float(b @ b)
    norm = float(d @ d) + 2 * (ab**2 + aa * bb) + (total * aa) ** 2
    norm += -4 * float(np.sum(d * a * b)) + 2 * total * float(np.sum(d * a**2)) - 4 * total * aa * ab
    return trace**2 / norm
