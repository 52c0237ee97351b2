"""Reliability of people: how far labels of the same unit agree, and what of a label any judge could predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.agreement.coefficients import alpha_of
from quorate.roles import JUDGE
from quorate.wording import Brief

if TYPE_CHECKING:
    from collections.abc import Callable

    from quorate.estimate.agreement.labelled import Table, UnitMeans

_FEWEST = 5
"""Units with several labels below which nothing is said of how far people agree."""


@dataclass(frozen=True)
class Reliability(Brief):
    """How far labels of the same units by several people agree.

    Parameters
    ----------
    value, low, high : float
        Krippendorff's alpha and its interval over units: the share of a label's variance that people have in common.
        Its root is the highest correlation that any judge can have with a label.
    units : int
        Units that two people or more labelled.
    within : float
        Variance of labels of one unit.
    """

    value: float
    low: float
    high: float
    units: int
    within: float

    @property
    def ceiling(self) -> float:
        """Highest correlation with a label that a judge could have."""
        return float(np.sqrt(max(self.value, 0.0)))

    @property
    def none(self) -> bool:
        """Whether labels of the same unit may agree no more than by chance."""
        return not self.low > 0


@dataclass(frozen=True, eq=False)
class Persons:
    """Labels by unit and person.

    Parameters
    ----------
    unit : array of int, shape (labels,)
        Code of the unit.
    value : array, shape (labels,)
        What the person says of it, the mean where it is asked again.
    """

    unit: Ints
    value: Floats

    @classmethod
    def of(cls, people: Table, units: Callable[[Table], UnitMeans]) -> Persons:
        """Labels of every person of a table, by the function that has its units."""
        if JUDGE not in people.names:
            tables = [people]
        else:
            tables = [people.only(JUDGE, name) for name in people.facet(JUDGE).levels]
        found = [units(table) for table in tables]
        code = {key: i for i, key in enumerate(dict.fromkeys(key for one in found for key in one.keys))}
        unit = np.array([code[key] for one in found for key in one.keys], dtype=np.int64)
        value = np.concatenate([one.value for one in found])
        known = ~np.isnan(value)
        return cls(unit[known], value[known])

    @property
    def counts(self) -> Ints:
        """People of every labelled unit."""
        counts: Ints = np.unique(self.unit, return_counts=True)[1]
        return counts

    def reliability(self, level: float) -> Reliability | None:
        """How far they agree; None where too few units have several labels, or all labels are equal."""
        try:
            found = alpha_of(self.unit, self.value, level=level)
        except NotEstimable:
            return None
        if found.items < _FEWEST:
            return None
        counts = np.bincount(self.unit)
        centre = np.bincount(self.unit, self.value) / np.maximum(counts, 1)
        several = counts[self.unit] > 1
        square = float(np.sum((self.value - centre[self.unit])[several] ** 2))
        within = square / float(np.sum(counts[counts > 1] - 1))
        low = found.low if np.isfinite(found.low) else -1.0
        high = found.high if np.isfinite(found.high) else 1.0
        return Reliability(found.value, low, high, found.items, within)
