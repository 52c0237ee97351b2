"""Partial pooling of boards by a facet: ratings of every category, shrunk to those of all categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import NotEstimable
from quorate.estimate.ratings.ratings import Ratings
from quorate.numerics.distributions import t_quantile
from quorate.numerics.ratings.partial_pooling import PartialPooling, Pooled, category
from quorate.table.results import Result, Row, plain, rows_of
from quorate.wording import counted

FEW_CATEGORIES = 5
"""With fewer, how far categories differ is hardly known."""
ASSUMED = (
    "Assumed: deviations of a level from the overall ratings are normal and spread alike for all systems and levels"
)
_MOST_LOST = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class PooledRatings(Result):
    """Ratings of every category by what its own votes say and what all categories say.

    A system's rating in a category is its overall rating and a deviation, which is normal with the same standard
    deviation ``tau`` for all systems; ratings of a category are about the mean of its systems.

    Parameters
    ----------
    by : str
        The facet.
    boards : mapping of str to Ratings
        The board of every category, by its own votes.
    systems : tuple of str
        Systems of all of them.
    overall : Pooled
        Their ratings over all categories.
    pooled : mapping of str to Pooled
        Pooled ratings of the systems of each board, in its order.
    tau, tau_low, tau_high : float
        Standard deviation of the deviations on the log odds, by restricted maximum likelihood, and its interval.
    p_value : float
        Of Cochran's test that categories do not differ.
    df : int
        Its degrees of freedom.
    level : float
        Coverage of intervals.
    caveats : tuple of Caveat
        What to know before relying on this.
    scale, shift : float
        Ratings are shown as ``shift + scale * log odds``.
    """

    by: str
    boards: Mapping[str, Ratings]
    systems: tuple[str, ...]
    overall: Pooled
    pooled: Mapping[str, Pooled]
    tau: float
    tau_low: float
    tau_high: float
    p_value: float
    df: int
    level: float
    caveats: tuple[Caveat, ...] = ()
    scale: float = 1.0
    shift: float = 0.0

    @cached_property
    def columns(self) -> dict[str, dict[str, Floats]]:
        """Of every category, in the order of its board: overall, pooled, pooled_se, pooled_low, pooled_high, shrunk."""
        place, wide = {name: i for i, name in enumerate(self.systems)}, t_quantile(np.inf, (1 + self.level) / 2)
        out = {}
        for name, found in self.pooled.items():
            overall = self.overall.rating[[place[system] for system in self.boards[name].systems]]
            rating, se = self.shift + self.scale * found.rating, self.scale * found.se
            out[name] = {
                "overall": self.shift + self.scale * (overall - overall.mean()),
                "pooled": rating,
                "pooled_se": se,
                "pooled_low": rating - wide * se,
                "pooled_high": rating + wide * se,
                "shrunk": found.shrunk,
            }
        return out

    def rows(self) -> list[Row]:
        """One row for every category and system: own rating, overall, pooled with its interval, and how far shrunk."""
        out = []
        for name, columns in self.columns.items():
            board = self.boards[name]
            own = self.shift + self.scale * _log_odds(board)
            out += [{self.by: name, **row} for row in rows_of({"system": board.systems, "own": own, **columns})]
        return out

    @property
    def sentence(self) -> str:
        """How far categories differ, and what that does to their ratings."""
        parts = [row["shrunk"] for row in self.rows()]
        return (
            f"Between {counted(len(self.pooled), self.by)} the rating of a system varies about its overall one with a "
            f"standard deviation of {self._shown(self.tau)} ({100 * self.level:.4g}% interval "
            f"{self._shown(self.tau_low)} to {self._shown(self.tau_high)}; test of none: {_p(self.p_value)}); "
            f"pooled ratings are {min(parts):.0%} to {max(parts):.0%} of the way from the own to the overall rating."
        )

    def elo(self, scale: float, shift: float) -> PooledRatings:
        """The same in points."""
        return replace(self, scale=scale, shift=shift)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; the spread in the unit of the ratings."""
        spread = {name: self.scale * getattr(self, name) for name in ("tau", "tau_low", "tau_high")}
        overall, se = self.shift + self.scale * self.overall.rating, self.scale * self.overall.se
        return {
            **spread,
            **{name: plain(getattr(self, name)) for name in ("p_value", "df", "level")},
            "overall": rows_of({"system": self.systems, "rating": overall, "se": se}),
            "pooled": [plain(row) for row in self.rows()],
            "caveats": [one.sentence for one in self.caveats],
            "sentence": self.sentence,
        }

    def _shown(self, spread: float) -> str:
        return f"{self.scale * spread:.3g}"


def pooled_ratings(by: str, boards: Mapping[str, Ratings]) -> PooledRatings:
    """Ratings of every board shrunk to those of all.

    Parameters
    ----------
    by : str
        The facet.
    boards : mapping of str to Ratings
        A board for each of its levels.

    Raises
    ------
    NotEstimable
        If boards have too few systems in common, or one has too few clusters for its systems.

    References
    ----------
    Morris (1983), Journal of the American Statistical Association 78, 47-55; Hartlap, Simon and Schneider (2007),
    Astronomy & Astrophysics 464, 399-404, equation 17. ``docs/methods/ratings.md``.
    """
    systems = tuple(sorted({system for board in boards.values() for system in board.systems}))
    place, level = {name: i for i, name in enumerate(systems)}, next(iter(boards.values())).level
    parts = []
    for name, board in boards.items():
        members = np.array([place[system] for system in board.systems])
        parts.append(category(len(systems), members, _log_odds(board), _covariance(name, board)))
    model = PartialPooling(len(systems), tuple(parts))
    if model.df < 2 or not model.linked:
        raise NotEstimable(
            f"pooled: {counted(len(boards), 'board')} of {counted(len(systems), 'system')} have too few systems in "
            "common to say how far they differ; rank each level by itself"
        )
    overall, found = model.averaged()
    low, high = model.tau_interval(level)
    few = (caveats.few_categories(by, len(boards)),) if len(boards) < FEW_CATEGORIES else ()
    pooled = dict(zip(boards, found, strict=True))
    spread = (model.tau, low, high, model.p_value, model.df)
    return PooledRatings(by, boards, systems, overall, pooled, *spread, level, few)


def _covariance(name: str, board: Ratings) -> Floats:
    """Covariance of a board for weights: its inverse, by few clusters, is too large by what it is divided by here."""
    systems, law = len(board), board.laws[board.method]
    df = float(law.df[:systems, :systems][~np.eye(systems, dtype=bool)].min())
    lost = systems / df  # Hartlap, Simon and Schneider (2007), equation 17
    if lost > _MOST_LOST:
        raise NotEstimable(
            f"pooled: the votes of {name} are worth {df + 1:.3g} clusters, too few for {counted(systems, 'system')}: "
            "how errors go together is not known; take votes as independent if they are, or rank it by itself"
        )
    return np.asarray(law.covariance[:systems, :systems] / (1 - lost))


def _log_odds(board: Ratings) -> Floats:
    """Ratings in the unit of the model, whatever the board shows."""
    return board.values[: len(board)]


def _p(value: float) -> str:
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.2g}"
