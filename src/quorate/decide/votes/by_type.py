"""Homogeneity over types of prompts: whether a preference is the same on all of them."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats
from quorate.decide.votes.margin import margin_of_votes
from quorate.errors import NotEstimable
from quorate.estimate.votes.dependence import Cluster
from quorate.table.votes import Encoding, Votes

TYPES = "prompt_type"
_FEWEST = 10


def types_p_value(
    votes: Votes, a: str, b: str, *, ties: Encoding = "drop", cluster: Cluster | None = None
) -> float | None:
    """P-value that the margin is the same on every type of prompt; None without two types of 10.

    Parameters
    ----------
    votes, a, b, ties, cluster
        As for `quorate.decide.votes.margin.margin_of_votes`, which gives the margin of each type and its error.

    Notes
    -----
    Pearson's test where votes are independent; Welch's where they are clustered, of types with 10 clusters.
    """
    if TYPES not in votes.names:
        return None
    pair = votes.pair(a, b)
    types, found = pair.column(TYPES), []
    for code in np.unique(types[types >= 0]):
        try:
            one = margin_of_votes(pair.keep(types == code), a, b, ties=ties, cluster=cluster)
        except NotEstimable:
            continue
        units = one.exact.n if one.exact else one.n  # clusters that are unanimous count once
        if min(units, one.effective) >= _FEWEST:
            found.append((one.value, units, one.se, one.df))
    if len(found) < 2:
        return None
    value, n, se, df = np.array(found).T
    if np.isfinite(df).any():
        known = se > 0
        return welch(value[known], se[known], df[known]) if known.sum() > 1 else None
    share = 0.5 + float(value @ n / n.sum())  # independent votes: Pearson's test, by the share of all types
    return welch(value, np.sqrt(share * (1 - share) / n), df) if 0 < share < 1 else 1.0


def welch(mean: Floats, se: Floats, df: Floats) -> float:
    """P-value that means of unequal errors are the same; chi-squared where degrees of freedom are infinite.

    Parameters
    ----------
    mean, se, df : array, shape (groups,)
        Means, their standard errors and degrees of freedom.

    References
    ----------
    Welch (1951), Biometrika 38, 330-336. R: ``oneway.test``.
    """
    from scipy.special import chdtrc, fdtrc

    k, weight = len(mean), 1 / se**2
    square = float(weight @ (mean - weight @ mean / weight.sum()) ** 2)
    lost = float(np.sum((1 - weight / weight.sum()) ** 2 / df))
    if lost == 0:
        return float(chdtrc(k - 1, square))
    f = square / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * lost)
    return float(fdtrc(k - 1, (k**2 - 1) / (3 * lost), f))
