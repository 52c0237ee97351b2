"""Whole rankings among models of votes: how well Plackett and Luce's model predicts votes of rankings not seen.

A likelihood of rankings and one of the votes on their pairs are not on one scale, so that Akaike's criterion compares
nothing. A prediction is: ratings by whole rankings say how likely each of two systems is placed before the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.ratings.clusters import Rows
from quorate.estimate.ratings.counts import VoteCounts, refuse_unrated, tally
from quorate.numerics.ratings.bradley_terry import fit
from quorate.numerics.ratings.existence import exists
from quorate.table.votes import Votes

if TYPE_CHECKING:
    from quorate.estimate.ratings.models import Parts

RANKING = "cluster"
"""Facet whose levels are rankings, where votes come from these."""
NAME = "Plackett and Luce, whole rankings"


def rankings_of(votes: Votes) -> VoteCounts | None:
    """The rankings of three systems or more that votes come from, as counted; None where they come from none.

    Raises
    ------
    NotEstimable
        If their model has no maximum.
    """
    if RANKING not in votes.names:
        return None
    try:
        known = tally(votes, "davidson", None, position=False, rankings=RANKING, linked_only=True)
    except InvalidInput:
        return None
    if known.ranked is None or len(known.ranked.units.size) == len(known.votes.outcome):
        return None  # rankings of two are votes
    refuse_unrated(known, shrunk=False)
    return known


def rankings_held_out(rankings: VoteCounts, known: VoteCounts, held: Parts, folds: int, ridge: float) -> Floats:
    """Minus the log chance of the vote of every entry, by the rankings of the other parts.

    The chance is that of the model for a choice between the two alone, ties as of Davidson.

    Parameters
    ----------
    rankings : VoteCounts
        From `rankings_of`.
    known : VoteCounts
        The same votes as counted for Davidson's model, or Bradley and Terry's.
    held : Parts
        Parts of the entries.
    folds : int
        How many.
    ridge : float
        Of fits.

    Raises
    ------
    NotEstimable
        If rankings are not held out whole, or there is no fit without some part.
    """
    rows = Rows(known)
    part = np.full(known.votes.rows, -1, dtype=np.int64)
    part[np.flatnonzero(rows.used)[held.row]] = held.part
    code = known.votes.column(RANKING)
    ends = np.full((2, int(code.max()) + 1), -1, dtype=np.int64)
    ends[0, code[rows.used]] = part[rows.used]
    ends[1, code[rows.used][::-1]] = part[rows.used][::-1]
    if (ends[0] != ends[1]).any() or (part[rows.used] != ends[0, code[rows.used]]).any():
        raise NotEstimable(f"rankings are not held out whole by {held.held}")
    places = rankings.places
    entry, own = places.place[places.used], part[places.used]
    counts = np.bincount(entry * folds + own, minlength=places.size * folds).reshape(*rankings.design.shape, folds)
    train = (counts.sum(axis=-1, keepdims=True) - counts).astype(np.float64)
    if not exists(rankings.design, train, True).all():
        raise NotEstimable("without one of the parts it has no maximum")
    design = known.pairwise
    place = rows.place[held.row]
    loss = np.zeros(len(place))
    for fold in range(folds):
        at = fit(rankings.design, train[..., fold : fold + 1], ridge)
        if not at.converged[0]:
            raise NotEstimable("without one of the parts its maximum was not reached")
        theta = np.zeros((design.parameters, 1))
        theta[: design.systems] = at.theta[: design.systems]
        if design.tied:
            theta[-1] = at.theta[-1]
        chance = design.ties.log_chances(design.gap(theta), design.tie(theta))
        mine = held.part == fold
        loss[mine] = -np.moveaxis(chance[..., 0], 0, -1).ravel()[place[mine]]
    return loss
