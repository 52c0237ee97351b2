"""Boards by a facet: one ranking of systems for every language, task or other level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from quorate.caveats import Caveat
from quorate.errors import NotConverged, NotEstimable
from quorate.estimate.ratings.categories.pooled import PooledRatings, pooled_ratings
from quorate.estimate.ratings.leaderboard import Leaderboard
from quorate.estimate.ratings.ranked import may_be_first
from quorate.estimate.ratings.ratings import Ratings
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.table.votes import Votes
from quorate.wording import brief, counted, listed

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

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, level: str) -> Ratings | Leaderboard:
        return self.boards[level]

    def __repr__(self) -> str:
        return brief("Boards", f"{counted(len(self), self.by)}: {', '.join(list(self.boards)[:_SHOWN])}")

    def __str__(self) -> str:
        return self.sentence

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Caveats of all boards: each once, and of one that many boards have in other words the first."""
        found: dict[str, dict[str, tuple[str, Caveat]]] = {}
        for level, board in self.boards.items():
            for one in board.caveats:
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
            f"{counted(len(self), 'board')} by {self.by}: on {sure} of them one system is first, at {100 * level:.4g}% "
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

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "by": self.by,
            "boards": {level: board.to_dict() for level, board in self.boards.items()},
            "refused": dict(self.refused),
            "pooled": self.pooled and self.pooled.to_dict(),
            "sentence": self.sentence,
        }

    def elo(self) -> Boards:
        """The same boards with ratings by votes in points, each with 1000 on average."""
        shown = {level: one.elo() if isinstance(one, Ratings) else one for level, one in self.boards.items()}
        first = next(iter(shown.values()))
        if self.pooled is None or not isinstance(first, Ratings):
            return replace(self, boards=shown)
        return replace(self, boards=shown, pooled=self.pooled.elo(first.scale, first.shift))

    def _backend(self) -> str | None:
        return self.backend


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
    together = pooled_ratings(by, _of_votes(found)) if pooled else None
    return Boards(by, found, refused, table.source.backend, together)


def _of_votes(found: Mapping[str, Ratings | Leaderboard]) -> dict[str, Ratings]:
    """The boards by votes."""
    return {level: one for level, one in found.items() if isinstance(one, Ratings)}
