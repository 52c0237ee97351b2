"""Result of `quorate.scores.pipelines`: leaderboards, with errors that ignore the choice of cells or do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from quorate.errors import UnknownTerm
from quorate.estimate.agreement.battles import ORDER
from quorate.estimate.agreement.leaderboards import Leaderboards
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.simulate.pipelines.draws import By
from quorate.table.results import Result, Row
from quorate.wording import Brief, counted, listed

Kind = Literal["single", "average"]
_FEW = 4


@dataclass(frozen=True)
class Rated:
    """A system on a leaderboard, with three standard errors.

    Parameters
    ----------
    system : str
        Label.
    value : float
        Rating or win rate.
    naive : float
        Standard error over battles, with their verdicts as they are.
    redrawn : float
        Standard deviation over battles and cells drawn together, as published. It counts the noise of single judgments
        twice: battles that are drawn bring theirs with them.
    aware : float
        Standard error over battles, and over judges and prompts like these, with noise counted once.
    df : float
        Degrees of freedom of ``aware`` by Satterthwaite's formula: few where it rests on few judges or prompts.
    """

    system: str
    value: float
    naive: float
    redrawn: float
    aware: float
    df: float

    @property
    def ratio(self) -> float:
        """How many times the aware standard error is the naive one; nan where that is 0."""
        return self.aware / self.naive if self.naive > 0 else float("nan")

    @property
    def redrawn_ratio(self) -> float:
        """How many times the published standard error is the naive one; nan where that is 0."""
        return self.redrawn / self.naive if self.naive > 0 else float("nan")


@dataclass(frozen=True)
class PipelineErrors(Brief):
    """A leaderboard by one pipeline of judges.

    Parameters
    ----------
    pipeline : str
        Name of the table.
    kind : {"single", "average"}
        ``single``: one cell of judge, prompt and order judges all battles; ``redrawn`` takes another for all of them.
        ``average``: the mean over cells judges each battle; ``redrawn`` takes the cells of every battle on its own.
    by : {"bradley-terry", "win rate"}
        Unit: log odds, or share of battles won.
    systems : tuple of Rated
        Best first.
    without : int
        Resamples without a leaderboard, left out.
    """

    pipeline: str
    kind: Kind
    by: By
    systems: tuple[Rated, ...]
    without: int

    @property
    def ratio(self) -> float:
        """Median over systems of the aware standard error over the naive one."""
        return _median([rated.ratio for rated in self.systems])

    @property
    def redrawn_ratio(self) -> float:
        """Median over systems of the published standard error over the naive one."""
        return _median([rated.redrawn_ratio for rated in self.systems])

    def interval(self, system: str, *, aware: bool = True, level: float = 0.95) -> tuple[float, float]:
        """Interval of a system's rating or win rate: Student's with cells, normal over battles alone.

        That of a win rate is cut at 0 and 1.

        Parameters
        ----------
        system : str
            Which.
        aware : bool
            Whether over cells too; else over battles alone.
        level : float
            Coverage.

        Raises
        ------
        UnknownTerm
            If there is no such system.
        InvalidInput
            If the level is no share.
        """
        checked_level(level)
        known = {rated.system: rated for rated in self.systems}
        if system not in known:
            raise UnknownTerm(system, known, "system")
        rated = known[system]
        df, se = (rated.df, rated.aware) if aware else (np.inf, rated.naive)
        half = t_quantile(df, (1 + level) / 2) * se
        low, high = rated.value - half, rated.value + half
        return (max(low, 0.0), min(high, 1.0)) if self.by == "win rate" else (low, high)


@dataclass(frozen=True)
class Pipelines(Result):
    """Leaderboards by pipelines of judges, with standard errors that ignore the choice of cells and that do not.

    Parameters
    ----------
    errors : tuple of PipelineErrors
        Both kinds for every table.
    cells : mapping of str to int
        Cells of judge, prompt and order of every table.
    facets : mapping of str to mapping of str to int
        For every table, the facets that cells differ in, with their levels. Of a facet that is not there, such as the
        judge where there is one, no standard error knows anything.
    by : {"bradley-terry", "win rate"}
        Unit of the leaderboards: log odds, or share of battles won.
    resamples : int
        Draws behind each standard error.
    leaderboards : Leaderboards or None
        Correlations of every average, and of every single cell that was named, with the leaderboard by people, and
        Williams' tests; None without people.
    """

    errors: tuple[PipelineErrors, ...]
    cells: Mapping[str, int]
    facets: Mapping[str, Mapping[str, int]]
    by: By
    resamples: int
    leaderboards: Leaderboards | None

    def of(self, kind: Kind, pipeline: str | None = None) -> PipelineErrors:
        """The leaderboard of a kind.

        Parameters
        ----------
        kind : {"single", "average"}
            Which kind.
        pipeline : str, optional
            Which table; the first without it.

        Raises
        ------
        UnknownTerm
            If there is none.
        """
        name = self.errors[0].pipeline if pipeline is None else pipeline
        for board in self.errors:
            if (board.pipeline, board.kind) == (name, kind):
                return board
        raise UnknownTerm(f"{name}, {kind}", [f"{board.pipeline}, {board.kind}" for board in self.errors], "board")

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        single, average = self.of("single"), self.of("average")
        facets = self.facets[single.pipeline]
        few = [counted(n, name) for name, n in facets.items() if n < _FEW and name != ORDER]
        note = f" Of {' and '.join(few)}, intervals are long or too short: so few say little of others." if few else ""
        # What error bars hold for: levels like those at hand, and both orders, which are all there are.
        drawn = [name for name in facets if name != ORDER]
        scope = [f"other levels of {listed(drawn)} like these"] if drawn else []
        scope += ["either order"] if ORDER in facets else []
        return (
            f"Error bars that hold for {' and '.join(scope)} are {single.ratio:.2f} times those over "
            f"battles alone for a single cell, and {average.ratio:.2f} times for the mean of "
            f"{self.cells[single.pipeline]} cells (medians of {len(single.systems)} systems).{note}"
        )

    def rows(self) -> list[Row]:
        """One row for every pipeline, kind and system."""
        return [
            {"pipeline": board.pipeline, "kind": board.kind, **asdict(rated), "ratio": rated.ratio}
            for board in self.errors
            for rated in board.systems
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        boards = None if self.leaderboards is None else self.leaderboards.to_dict()
        errors = [
            {
                "pipeline": board.pipeline,
                "kind": board.kind,
                "ratio": _plain(board.ratio),
                "redrawn_ratio": _plain(board.redrawn_ratio),
                "without": board.without,
                "systems": [
                    {name: _plain(value) for name, value in (asdict(rated) | {"ratio": rated.ratio}).items()}
                    for rated in board.systems
                ],
            }
            for board in self.errors
        ]
        facets = {name: dict(levels) for name, levels in self.facets.items()}
        head = {"by": self.by, "cells": dict(self.cells), "facets": facets, "resamples": self.resamples}
        return {**head, "sentence": self.sentence, "errors": errors, "leaderboards": boards}


def _median(ratios: list[float]) -> float:
    known = [ratio for ratio in ratios if np.isfinite(ratio)]
    return float(np.median(known)) if known else float("nan")


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value
