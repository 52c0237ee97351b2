"""Moves: how far ratings at equal covariates are from ratings by the same votes without them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.ratings.contrast import ClusterLaws, RatingLaw, Rows
from quorate.estimate.ratings.counts import VoteCounts
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.ratings.bradley_terry import Design, Fit, fit, scores
from quorate.numerics.ratings.discrimination import discriminating
from quorate.numerics.ratings.draws import Units, inverse_information
from quorate.numerics.votes.clustered import intersections
from quorate.table.results import Result, Row
from quorate.wording import at_level, listed
from quorate.wording import counted as number_of


@dataclass(frozen=True, eq=False)
class Moves(Result):
    """How far each system moves when covariates are made equal, best first as they then stand.

    Parameters
    ----------
    systems : tuple of str
        Labels.
    covariates : tuple of str
        What is made equal.
    before, value, se : array, shape (systems,)
        Rating without covariates; rating at equal covariates less that; standard error of that difference.
    df : array, shape (systems,)
        Degrees of freedom of each standard error.
    level : float
        Coverage of intervals, each for its system alone.
    """

    systems: tuple[str, ...]
    covariates: tuple[str, ...]
    before: Floats
    value: Floats
    se: Floats
    df: Floats
    level: float

    derived = ("sentence",)

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def intervals(self) -> Floats:
        """Interval of each move, shape (systems, 2)."""
        half = np.array([t_quantile(df, (1 + self.level) / 2) for df in self.df.tolist()]) * self.se
        return np.column_stack([self.value - half, self.value + half])

    @property
    def low(self) -> Floats:
        """Lower limit of each interval, shape (systems,)."""
        return self.intervals[:, 0]

    @property
    def high(self) -> Floats:
        """Upper limit of each interval, shape (systems,)."""
        return self.intervals[:, 1]

    @property
    def place_before(self) -> Ints:
        """Place of each system by the rating without covariates."""
        return np.asarray(np.argsort(np.argsort(-self.before, kind="stable"), kind="stable") + 1)

    def scaled(self, scale: float, shift: float) -> Moves:
        """The same in other units."""
        return replace(self, before=shift + scale * self.before, value=scale * self.value, se=scale * self.se)

    def rows(self) -> list[Row]:
        """One row for every system: system, place, place_before, before, move, se, low, high."""
        columns = {"place_before": self.place_before, "before": self.before, "move": self.value, "se": self.se}
        columns |= {"low": self.low, "high": self.high}
        return [
            {"system": system, "place": i + 1, **{name: column[i].item() for name, column in columns.items()}}
            for i, system in enumerate(self.systems)
        ]

    @property
    def sentence(self) -> str:
        """Who moves for sure, each by itself, and who changes place."""
        low, high = self.low, self.high
        sure = np.flatnonzero((low > 0) | (high < 0))
        named = listed(self.covariates)
        if not len(sure):
            return f"At equal {named} no system surely moves."
        most = int(sure[np.abs(self.value[sure]).argmax()])
        way = f"{'up' if self.value[most] > 0 else 'down'} by {abs(self.value[most]):.3g}"
        ends = f"{at_level(self.level)} interval {low[most]:.3g} to {high[most]:.3g}"
        placed = int((self.place_before != np.arange(1, len(self) + 1)).sum())
        lead = f"At equal {named} {number_of(len(sure), 'system')} of {len(self):,} surely "
        lead += (
            f"{'moves' if len(sure) == 1 else 'move'}, {'most of all ' * (len(sure) > 1)}{self.systems[most]} {way} "
        )
        return f"{lead}({ends}); {number_of(placed, 'system')} {'changes' if placed == 1 else 'change'} place."


def moves(
    counted: VoteCounts, at: Fit, ridge: float, inverse: Floats, found: ClusterLaws, law: RatingLaw, level: float
) -> Moves:
    """How far ratings move, with the error that both ratings share taken out.

    A unit, a vote or a cluster, moves the ratings by ``J^-1 u`` in each model, so that the move has the sandwich of the
    difference of the two; it is widened as that of the ratings is for its leverage.

    Parameters
    ----------
    counted : VoteCounts
        Votes by covariates.
    at, ridge, inverse
        Fit with the covariates, its ridge and its `inverse_information`.
    found, law
        Clusters of the votes, and the law of the ratings by them.
    level : float
        Coverage of intervals.
    """
    s = counted.design.systems
    plain, alone, back = _without(counted, ridge)
    both = scores(counted.pairwise, at.theta[:, 0]), scores(plain, alone.theta[:, 0])[back]
    breads = inverse, inverse_information(plain, alone, ridge)
    rows = Rows(counted)
    if found.facets:
        codes = [rows.code(name) for name in found.facets]
        ways = [_variances(both, breads, units, s) for units in found.units]
        crossed = [(count, _variances(both, breads, rows.units(code), s)) for count, code in intersections(codes)]
        whole = np.sum([(-1) ** (count + 1) * one for count, one in crossed], axis=0)
        moved, known = np.maximum(whole, np.max(ways, axis=0))
    else:
        moved, known = _variances(both, breads, counted.units, s)
    moved = moved * np.maximum(np.diag(law.covariance)[:s] / known, 1.0)
    order = np.argsort(-at.theta[:s, 0], kind="stable")
    before = alone.theta[:s, 0]
    return Moves(
        systems=tuple(counted.systems[i] for i in order.tolist()),
        covariates=counted.covariates,
        before=before[order],
        value=(at.theta[:s, 0] - before)[order],
        se=np.sqrt(moved)[order],
        df=law.df[order, order],
        level=level,
    )


def _without(counted: VoteCounts, ridge: float) -> tuple[Design, Fit, Ints]:
    """The fit without covariates, and which of its counts every entry of the counts with them is part of."""
    design, level = counted.pairwise, np.zeros(1, dtype=np.int64) if counted.level is None else counted.level
    known, first, place = np.unique(
        counted.places.pair * (int(level.max()) + 1) + level, return_index=True, return_inverse=True
    )
    cells, orders = len(known), len(design.sign)
    order, outcome = np.arange(orders)[:, None, None], np.arange(3)
    back = np.asarray(((order * cells + place[None, :, None]) * 3 + outcome).ravel(), dtype=np.int64)
    summed: Floats = np.bincount(back, counted.counts.ravel(), orders * cells * 3).astype(np.float64)
    total = summed.reshape(orders, cells, 3, 1)
    a, b = design.a[first], design.b[first]
    plain = Design(design.systems, a, b, design.sign, design.ties, own_ties=design.own_ties)
    if counted.level is None:
        return plain, fit(plain, total, ridge), back
    return *discriminating(plain, counted.level[first], total), back


def _variances(votes: tuple[Any, Any], breads: tuple[Floats, Floats], units: Units, systems: int) -> Floats:
    """Sandwich variances of the moves, and of the ratings with covariates; shape (2, systems)."""
    times = (units.size / (1 - units.share))[None]
    summed = [each if units.matrix is None else units.matrix @ each for each in votes]
    to_ratings = [bread[:systems] - bread[:systems].mean(axis=0) for bread in breads]

    def between(i: int, j: int) -> Floats:
        meat = (summed[i].T.multiply(times).tocsr() @ summed[j]).toarray()
        return np.asarray(np.einsum("sp,pq,sq->s", to_ratings[i], meat, to_ratings[j], optimize=True))

    known = between(0, 0)
    return np.stack([np.maximum(known - 2 * between(0, 1) + between(1, 1), 0.0), known])
