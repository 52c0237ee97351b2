"""Confusion of labels: which is given where another judge of the same item gives a different one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.nominal import Ratings, tally
from quorate.wording import Brief


@dataclass(frozen=True)
class Confusion(Brief):
    """Two labels that judges give to one item.

    Parameters
    ----------
    label, other : str
        What one judge says, and what another says; the same where they agree.
    pairs : float
        Pairs of judges of an item, one of whom says ``label`` and the other ``other``.
    share : float
        Of the times that a judge says ``label``: how often another judge of the item says ``other``.
    """

    label: str
    other: str
    pairs: float
    share: float


def confusions(ratings: Ratings, labels: tuple[str, ...]) -> tuple[Confusion, ...]:
    """Every label with every other that another judge gave the same item, and with itself; the commonest first."""
    ordered = _pairs(ratings)
    total = ordered.sum(axis=1)
    out = []
    for row, column in np.argwhere(ordered > 1e-9).tolist():
        pairs = float(ordered[row, column]) / (2 if row == column else 1)
        out.append(Confusion(labels[row], labels[column], pairs, float(ordered[row, column] / total[row])))
    return tuple(sorted(out, key=lambda one: (one.label == one.other, -one.pairs, labels.index(one.label))))


def _pairs(ratings: Ratings) -> Floats:
    """Ordered pairs of different judges of an item by what each says, shape (labels, labels)."""
    from scipy import sparse

    count = tally(ratings).labels
    shape = (ratings.items * ratings.judges, ratings.labels)
    rows = ratings.item * ratings.judges + ratings.judge
    of_judge = sparse.csr_matrix((ratings.weight, (rows, ratings.label)), shape=shape)
    return np.asarray(count.T @ count - (of_judge.T @ of_judge).toarray())
