"""Order of presentation: how often either system of a pair was shown first, and how often that one won."""

from __future__ import annotations

from collections.abc import Iterator

from quorate import caveats
from quorate.caveats import Caveat
from quorate.numerics.votes.binomial import p_value
from quorate.table.pairs import FIRST_A, A, B
from quorate.table.votes import Votes

SIGNIFICANT = 0.01
"""P-value below which an order is spoken of; votes are taken as independent."""


def presentation(pair: Votes) -> Iterator[Caveat]:
    """Warnings that one of two systems was mostly shown first, or that the one shown first mostly wins.

    Parameters
    ----------
    pair : Votes
        Votes on two systems; nothing is said of those whose order is not known.
    """
    if pair.order is None:
        return
    usable = (pair.order >= FIRST_A) & (pair.outcome <= B)
    weight, ahead = pair.weights[usable], pair.order[usable] == FIRST_A
    won = pair.outcome[usable] == A
    n, first = int(weight.sum()), int(weight[ahead].sum())
    if not n:
        return
    name = pair.models[0] if 2 * first >= n else pair.models[1]
    most = max(first, n - first)
    if float(p_value(most, n)) < SIGNIFICANT:
        yield caveats.mostly_shown_first(name, most, n)
    leading = int(weight[won == ahead].sum())
    if 0 < first < n and float(p_value(leading, n)) < SIGNIFICANT:
        yield caveats.first_wins(leading, n)
