"""Order of presentation: how often either system of a pair was shown first, and whether that decides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quorate import caveats
from quorate.caveats import Caveat
from quorate.estimate.votes.dependence import Cluster, cells, clustered_by
from quorate.numerics.distributions import normal_cdf
from quorate.numerics.votes.binomial import p_value
from quorate.numerics.votes.clustered import balance
from quorate.numerics.votes.multiway import multiway
from quorate.table.pairs import FIRST_A, A, B
from quorate.table.votes import Votes

SIGNIFICANT = 0.01
"""P-value below which an order is spoken of."""


def presentation(pair: Votes, cluster: Cluster | None = None) -> Iterator[Caveat]:
    """Warnings that one of two systems was mostly shown first, or that the place of a system decides.

    Parameters
    ----------
    pair : Votes
        Votes on two systems.
    cluster : str, sequence of str, optional
        Facets whose votes may resemble each other.
    """
    if pair.order is not None:
        usable = (pair.order >= FIRST_A) & (pair.outcome <= B)
        weight, ahead = pair.weights[usable], pair.order[usable] == FIRST_A
        n, first = int(weight.sum()), int(weight[ahead].sum())
        most = max(first, n - first)
        if n and float(p_value(most, n)) < SIGNIFICANT:
            yield caveats.mostly_shown_first(pair.models[0] if 2 * first >= n else pair.models[1], most, n)
    yield from order_effect(pair, cluster)


def order_effect(votes: Votes, cluster: Cluster | None = None) -> Iterator[Caveat]:
    """A warning that the place of a system decides: the first shown or, where no order is known, the first written.

    Within pairs, both orders of a pair weighing alike, so that a better system which is mostly first is no effect; of
    pairs in one order nothing is said. Votes are clustered as for ratings; independent ones have the test of Cochran,
    Mantel and Haenszel.

    Parameters
    ----------
    votes : Votes
        Votes on any systems.
    cluster : str, sequence of str, optional
        Facets whose votes may resemble each other.
    """
    order = votes.swapped.astype(np.int8) if votes.order is None else votes.order
    usable = (order >= FIRST_A) & (votes.outcome <= B)
    weight, side = votes.weights[usable].astype(float), order[usable].astype(np.int64)
    pair, won = votes.pairs().code[usable].astype(np.int64), votes.outcome[usable] == A
    size = 2 * (int(pair.max(initial=0)) + 1)
    shown = np.bincount(2 * pair + side, weight, size).reshape(-1, 2)
    both = np.asarray((shown > 0).all(axis=1))
    if not both.any():
        return
    wins = np.bincount(2 * pair + side, weight * won, size).reshape(-1, 2)[both]
    kept, shown = both[pair], shown[both]
    total, ahead = shown.sum(axis=1), wins.sum(axis=1)
    alike = shown.prod(axis=1) / total
    share = float((alike * (1 + wins[:, 0] / shown[:, 0] - wins[:, 1] / shown[:, 1])).sum() / (2 * alike.sum()))
    rows = np.flatnonzero(usable)[kept]
    by = clustered_by(votes, cluster, np.isin(np.arange(votes.rows), rows))
    if by:
        other = np.zeros((len(both), 2))
        other[both] = shown[:, ::-1] / total[:, None]
        worth = weight * other[pair, side]
        codes = [np.unique(cells(votes, name)[rows], return_inverse=True)[1] for name in by]
        first = (won == (side == FIRST_A)).astype(float)
        p = balance(multiway(first[kept], worth[kept], codes).share, 1 - SIGNIFICANT)[2]
    else:
        variance = float((alike * ahead * (total - ahead) / (total * np.maximum(total - 1, 1))).sum())
        lead = float((wins[:, 0] - shown[:, 0] * ahead / total).sum())
        p = 2 * normal_cdf(-abs(lead) / variance**0.5) if variance > 0 else 1.0
    if p < SIGNIFICANT:
        yield caveats.first_wins(share, int(total.sum()), shown_known=votes.order is not None)
