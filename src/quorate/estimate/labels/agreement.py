"""Agreement of judges on labels beyond chance: all judges together, and every two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics import nominal
from quorate.numerics.nominal import Ratings, Tally
from quorate.wording import Brief

MOST_JUDGES = 30
"""Judges who are compared two by two."""
_Steps = tuple[Callable[[Tally], Floats], Callable[[Floats], Floats]]

COEFFICIENTS: Mapping[str, _Steps] = {
    "agreement": (nominal.shared_rows, nominal.agreement),
    "Krippendorff's alpha": (nominal.krippendorff_rows, nominal.krippendorff),
    "Fleiss' kappa": (nominal.shared_rows, nominal.fleiss),
    "Gwet's AC1": (nominal.shared_rows, nominal.gwet),
}
"""What every item adds, and the coefficient of the sums."""


@dataclass(frozen=True)
class Coefficient(Brief):
    """How far judges agree.

    Parameters
    ----------
    name : str
        ``agreement`` is the chance that two judges of an item give it one label; the others are beyond chance.
    value : float
        1: they always agree; 0: as often as by chance. Nan where all labels are one.
    se, low, high : float
        Standard error, nan where nothing differs, and score interval, nan where items are too few or have one label.
    judges : bool
        Whether the interval counts judges as sampled, as it does from three on; else items alone.
    """

    name: str
    value: float
    se: float
    low: float
    high: float
    judges: bool


@dataclass(frozen=True)
class PairAgreement(Brief):
    """How far two judges agree.

    Parameters
    ----------
    first, second : str
        The judges.
    items : int
        Items that both judged.
    agreement : float
        Share of these to which they gave one label.
    kappa, low, high : float
        Cohen's kappa and its interval, which counts items as sampled and the two judges as these.
    first_says, second_says : str
        The two labels that they confuse most; empty where they agree.
    confused : float
        How many items get these labels from them.
    """

    first: str
    second: str
    items: int
    agreement: float
    kappa: float
    low: float
    high: float
    first_says: str
    second_says: str
    confused: float


def coefficients(ratings: Ratings, level: float) -> tuple[Coefficient, ...]:
    """Agreement of all judges, by `COEFFICIENTS`."""
    out = []
    for name, (rows, value) in COEFFICIENTS.items():
        least = 0.0 if value is nominal.agreement else -1.0
        found = nominal.with_interval(ratings, rows, value, level, least)
        out.append(Coefficient(name, found.value, found.se, found.low, found.high, found.judges))
    return tuple(out)


def pairs(ratings: Ratings, judges: tuple[str, ...], labels: tuple[str, ...], level: float) -> Iterator[PairAgreement]:
    """Every two judges who judged some of the same items; of many judges, those 30 who judged most."""
    most = np.argsort(-np.bincount(ratings.judge, ratings.weight, ratings.judges), kind="stable")[:MOST_JUDGES]
    said = {int(judge): _said(ratings, int(judge)) for judge in np.sort(most)}
    for one, other in combinations(said, 2):
        both, first, second = np.intersect1d(said[one][0], said[other][0], assume_unique=True, return_indices=True)
        if len(both):
            yield _pair(judges[one], judges[other], said[one][1][first], said[other][1][second], labels, level)


def _said(ratings: Ratings, judge: int) -> tuple[Ints, Floats]:
    """The items that a judge judged, and the share of every label in what was said of each."""
    own = ratings.judge == judge
    items, place = np.unique(ratings.item[own], return_inverse=True)
    out = np.zeros((len(items), ratings.labels))
    out[place, ratings.label[own]] = ratings.weight[own]
    return items, out


def _pair(one: str, other: str, first: Floats, second: Floats, labels: tuple[str, ...], level: float) -> PairAgreement:
    n = len(first)
    kappa = float(nominal.cohen(nominal.cohen_rows(first, second).sum(axis=0)))
    low, high = nominal.cohen_interval(first, second, level)
    table = first.T @ second
    agreement = float(np.trace(table)) / n
    np.fill_diagonal(table, 0.0)
    row, column = (int(place) for place in np.unravel_index(np.argmax(table), table.shape))
    confused = float(table[row, column])
    says = (labels[row], labels[column]) if confused > 0 else ("", "")
    return PairAgreement(one, other, n, agreement, kappa, low, high, *says, confused)
