"""Boards of categories, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import NotConverged, NotEstimable
from quorate.estimate.ratings.ranked import may_be_first
from quorate.estimate.ratings.ratings import Ratings
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.ratings.partial_pooling import PartialPooling, Pooled, category
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row, rows_of
from quorate.table.votes import Votes
from quorate.wording import at_level, brief, counted, listed

if TYPE_CHECKING:
    from quorate.estimate.ratings.leaderboard import Leaderboard

# Partial pooling of boards by a facet: ratings of every category, shrunk to those of all categories.


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

    entries = "tau tau_low tau_high p_value df level overall pooled=rows caveats sentence"

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
            f"standard deviation of {self._shown(self.tau)} ({at_level(self.level)} interval "
            f"{self._shown(self.tau_low)} to {self._shown(self.tau_high)}; test of none: {_p(self.p_value)}); "
            f"pooled ratings are {min(parts):.0%} to {max(parts):.0%} of the way from the own to the overall rating."
        )

    def elo(self, scale: float, shift: float) -> PooledRatings:
        """The same in points."""
        return replace(self, scale=scale, shift=shift)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; the spread in the unit of the ratings."""
        overall, se = self.shift + self.scale * self.overall.rating, self.scale * self.overall.se
        own = {name: self.scale * getattr(self, name) for name in ("tau", "tau_low", "tau_high")}
        return super().to_dict() | own | {"overall": rows_of({"system": self.systems, "rating": overall, "se": se})}

    def _shown(self, spread: float) -> str:
        return f"{self.scale * spread:.3g}"


def _pooled_ratings(by: str, boards: Mapping[str, Ratings]) -> PooledRatings:
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
    df = float(np.asarray(law.df)[:systems, :systems][~np.eye(systems, dtype=bool)].min())
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


# Boards by a facet: one ranking of systems for every language, task or other level.


_SHOWN, _REASONS = 5, 2


@dataclass(frozen=True, eq=False, repr=False)
class Boards(Result):
    """Rankings of systems, one for every level of a facet, each by itself.

    Parameters
    ----------
    by : str
        The facet.
    boards : mapping of str to Ratings or Leaderboard
        The ranking at every level.
    refused : mapping of str to str
        Levels without one, and why.
    backend : str or None
        Library of the frames.
    pooled : PooledRatings or None
        Ratings by votes shrunk to those of all levels, where that was asked for.
    """

    by: str
    boards: Mapping[str, Ratings | Leaderboard]
    refused: Mapping[str, str]
    backend: str | None = None
    pooled: PooledRatings | None = None

    entries = "by boards refused pooled sentence"

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, level: str) -> Ratings | Leaderboard:
        return self.boards[level]

    def __repr__(self) -> str:
        return brief("Boards", f"{counted(len(self), self.by)}: {', '.join(list(self.boards)[:_SHOWN])}")

    def __str__(self) -> str:
        return self.sentence

    @property
    def exit_code(self) -> int:
        """2 where on no board a system is surely better than another, else 0."""
        return min((board.exit_code for board in self.boards.values()), default=2)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Caveats of all boards: each once, and of one that many boards have in other words the first."""
        found: dict[str, dict[str, tuple[str, Caveat]]] = {}
        for level, board in self.boards.items():
            for one in (each for each in board.caveats if each != caveats.one_level(self.by)):
                found.setdefault(one.code, {}).setdefault(one.sentence, (level, one))
        kept = [one for each in found.values() for _, one in each.values() if len(each) <= _REASONS]
        for code, each in found.items():
            if len(each) > _REASONS:
                level, one = next(iter(each.values()))
                boards = sum(any(own.code == code for own in board.caveats) for board in self.boards.values())
                kept.append(Caveat(code, f"on {boards} of {len(self)} boards, such as that of {level}: {one.sentence}"))
        return (*kept, *(() if self.pooled is None else self.pooled.caveats))

    @property
    def sentence(self) -> str:
        """On how many boards somebody is first."""
        sure = sum(len(may_be_first(board)) == 1 for board in self.boards.values())
        level = next(iter(self.boards.values())).level
        said = (
            f"{counted(len(self), 'board')} by {self.by}: on {sure} of them one system is first, at {at_level(level)} "
            "for all ranks of a board at once, and not for all boards together."
        )
        if not self.refused:
            return said
        if len(self.refused) <= _REASONS:
            return f"{said} No board for {listed(f'{level} ({reason})' for level, reason in self.refused.items())}."
        first = next(iter(self.refused))
        return f"{said} No board for {listed(self.refused)} ({first}: {self.refused[first]})."

    def rows(self) -> list[Row]:
        """The rows of every board, with the level of each; with partial pooling also what `PooledRatings` has."""
        rows = [{self.by: level, **row} for level, board in self.boards.items() for row in board.rows()]
        if self.pooled is None:
            return rows
        return [
            {**row, **{key: value for key, value in further.items() if key != "own"}}
            for row, further in zip(rows, self.pooled.rows(), strict=True)
        ]

    def elo(self) -> Boards:
        """The same boards with ratings by votes in points, each with 1000 on average."""
        shown = {level: one.elo() if isinstance(one, Ratings) else one for level, one in self.boards.items()}
        first = next(iter(shown.values()))
        if self.pooled is None or not isinstance(first, Ratings):
            return replace(self, boards=shown)
        return replace(self, boards=shown, pooled=self.pooled.elo(first.scale, first.shift))


def boards(
    table: Votes | Judgments, by: str, ranked: Callable[[Any], Ratings | Leaderboard], *, pooled: bool = False
) -> Boards:
    """A board for every level of a facet.

    Parameters
    ----------
    table : Votes or Judgments
        What is ranked.
    by : str
        The facet.
    ranked : callable
        Ranks the votes or judgments of one level.
    pooled : bool
        Whether to shrink ratings by votes to those of all levels.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    NotEstimable
        If no level can be ranked, or their boards cannot be pooled.
    """
    found: dict[str, Ratings | Leaderboard] = {}
    refused: dict[str, str] = {}
    for level in table.facet(by).levels:
        try:
            found[level] = ranked(table.only(by, level))
        except (NotEstimable, NotConverged) as error:
            refused[level] = str(error)
    if not found:
        raise NotEstimable(f"by: no {by} can be ranked; the first: {next(iter(refused.values()), 'there is none')}")
    of_votes = {level: one for level, one in found.items() if isinstance(one, Ratings)}
    together = _pooled_ratings(by, of_votes) if pooled else None
    return Boards(by, found, refused, table.source.backend, together)
