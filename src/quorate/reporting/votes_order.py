"""Whether votes show that the system shown first wins beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.numerics.votes.binomial import p_value
from quorate.reporting import votes_words
from quorate.table.pairs import FIRST_A, B
from quorate.wording import counted, percent

if TYPE_CHECKING:
    from quorate.table.votes import Votes

SIGNIFICANT = 0.01


def order_noticed(votes: Votes) -> str:
    """That the system shown first wins more or less than half of the votes, where some pair was shown in both orders.

    Parameters
    ----------
    votes : Votes
        Taken as independent; nothing is said of votes whose order is not known.

    Returns
    -------
    str
        Half a sentence; empty where the order is not known or never varies, or chance explains it.
    """
    if votes.order is None:
        return ""
    usable = (votes.order >= FIRST_A) & (votes.outcome <= B)
    code, weights = votes.pairs().code[usable], votes.weights[usable]
    orders = np.unique(np.stack([code, votes.order[usable]]), axis=1)[0]
    first = votes.outcome[usable] == votes.order[usable]
    won, decisive = int(weights[first].sum()), int(weights.sum())
    if len(orders) == len(np.unique(orders)) or (p := float(p_value(won, decisive))) >= SIGNIFICANT:
        return ""
    of = f"{percent(won / decisive)} of {counted(decisive, 'decisive vote')}"
    return f"The system shown first won {of} ({votes_words.p_value(p)}, votes taken as independent)"
