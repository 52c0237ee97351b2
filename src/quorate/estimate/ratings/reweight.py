"""Reweighting of votes whose pairs were chosen by chances that followed the votes before them."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput
from quorate.estimate.ratings.counts import used_rows
from quorate.roles import PROPENSITY
from quorate.table.votes import Votes
from quorate.wording import counted

Reweight = Literal["stabilised", "uniform", "none"]


def reweighted(votes: Votes, how: str | None = None) -> tuple[Floats, Caveat] | None:
    """Weight of every row, 1 on average, and what it does; None where votes stay as they are.

    Parameters
    ----------
    votes : Votes
        With a facet ``propensity``, the chance at which each vote was asked of its pair.
    how : {"stabilised", "uniform", "none"}, optional
        ``stabilised``, the default where there are chances: 1 over the root of the chance, over its mean among the
        votes of the pair; each pair keeps its votes, and the variance does not follow from earlier votes. ``uniform``:
        1 over the chance, as if all pairs had been asked alike, whether the model holds or not.

    Raises
    ------
    InvalidInput
        If a chance is not above 0 and at most 1, or there are none and weights are asked for.

    References
    ----------
    Zhang, Janson and Murphy (2021), Advances in Neural Information Processing Systems 34: roots of importance weights.
    Hajek (1971), in Godambe and Sprott, Foundations of Statistical Inference, 236: weights over their mean.
    """
    if how is not None and how not in get_args(Reweight):
        raise InvalidInput(f'reweight: expects one of {", ".join(get_args(Reweight))}, got "{how}"')
    if how == "none" or (how is None and PROPENSITY not in votes.names):
        return None
    used = used_rows(votes, ties=True)
    weight, count = 1 / _chances(votes), np.where(used, votes.weights, 0)
    pair = np.zeros(votes.rows, dtype=np.int64)
    if how != "uniform":
        weight, pair = np.sqrt(weight), votes.pairs().code.astype(np.int64)
    sums, votes_on = np.bincount(pair, weight * count), np.bincount(pair, count)
    weight *= (votes_on / np.where(votes_on, sums, 1.0))[pair]
    weight[~used] = 1.0
    if np.allclose(weight, 1.0):
        return None
    total = float(count @ weight)
    return weight, caveats.reweighted(how or "stabilised", int(count.sum()), total**2 / float(count @ weight**2))


LEAST = 1e-6
"""A vote asked with a smaller chance would outweigh a million: that is an error of whoever wrote it down."""


def _chances(votes: Votes) -> Floats:
    """The chance of every row."""
    if PROPENSITY not in votes.names:
        raise InvalidInput(
            "reweight: the votes have no chances at which they were asked; read them with "
            + argument(PROPENSITY, ..., group="roles")
        )
    facet = votes.facet(PROPENSITY)
    levels = np.full(len(facet.levels) + 1, np.nan)
    for place, level in enumerate(facet.levels):
        try:
            levels[place] = float(level)
        except ValueError:
            continue
    chance = levels[votes.column(PROPENSITY)]
    bad = ~((chance >= LEAST) & (chance <= 1))
    if bad.any():
        row = int(bad.argmax())
        code = int(votes.column(PROPENSITY)[row])
        got = f'"{facet.levels[code]}"' if code >= 0 else "none"
        alike = counted(int(votes.weights[bad].sum()), "vote")
        raise InvalidInput(
            f"propensity: expects a chance of at least {LEAST:g} and at most 1 with every vote, got {got} ({alike} "
            "like this); leave them out, or take all as they are with " + argument("reweight", "none")
        )
    return np.asarray(chance)
