"""Leaderboards by pipelines of judges, with standard errors that ignore the choice of cells and that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from quorate.errors import UnknownTerm
from quorate.estimate.agreement.battles import ORDER
from quorate.estimate.agreement.leaderboards import Leaderboards
from quorate.numerics.inference import checked_level, t_quantile
from quorate.simulate.pipelines.draws import By
from quorate.wording import counted, listed

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
class PipelineErrors:
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
        return _median([one.ratio for one in self.systems])

    @property
    def redrawn_ratio(self) -> float:
        """Median over systems of the published standard error over the naive one."""
        return _median([one.redrawn_ratio for one in self.systems])

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
        known = {one.system: one for one in self.systems}
        if system not in known:
            raise UnknownTerm(system, known)
        one = known[system]
        df, se = (one.df, one.aware) if aware else (np.inf, one.naive)
        half = t_quantile(df, (1 + level) / 2) * se
        low, high = one.value - half, one.value + half
        return (max(low, 0.0), min(high, 1.0)) if self.by == "win rate" else (low, high)


@dataclass(frozen=True)
class Pipelines:
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
        """One leaderboard.

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
        for one in self.errors:
            if (one.pipeline, one.kind) == (name, kind):
                return one
        raise UnknownTerm(f"{name}, {kind}", [f"{one.pipeline}, {one.kind}" for one in self.errors])

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        single, average = self.of("single"), self.of("average")
        few = [counted(n, name) for name, n in self.facets[single.pipeline].items() if n < _FEW and name != ORDER]
        note = f" Of {' and '.join(few)}, intervals are long or too short: so few say little of others." if few else ""
        return (
            f"Error bars that hold for {self._scope(single.pipeline)} are {single.ratio:.2f} times those over "
            f"battles alone for a single cell, and {average.ratio:.2f} times for the mean of "
            f"{self.cells[single.pipeline]} cells (medians of {len(single.systems)} systems).{note}"
        )

    def _scope(self, pipeline: str) -> str:
        """What error bars hold for: levels like those at hand, and both orders, which are all there are."""
        facets = self.facets[pipeline]
        drawn = [name for name in facets if name != ORDER]
        said = [f"other levels of {listed(drawn)} like these"] if drawn else []
        return " and ".join([*said, *(["either order"] if ORDER in facets else [])])

    def to_frame(self) -> Any:
        """One row for every pipeline, kind and system."""
        from quorate.table.frames import frame

        rows = [
            {"pipeline": one.pipeline, "kind": one.kind, **asdict(rated), "ratio": rated.ratio}
            for one in self.errors
            for rated in one.systems
        ]
        return frame({name: [row[name] for row in rows] for name in rows[0]})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; what is not known is None."""
        boards = None if self.leaderboards is None else self.leaderboards.to_dict()
        errors = [
            {
                "pipeline": one.pipeline,
                "kind": one.kind,
                "ratio": _plain(one.ratio),
                "redrawn_ratio": _plain(one.redrawn_ratio),
                "without": one.without,
                "systems": [_plain_values(asdict(rated) | {"ratio": rated.ratio}) for rated in one.systems],
            }
            for one in self.errors
        ]
        facets = {name: dict(one) for name, one in self.facets.items()}
        head = {"by": self.by, "cells": dict(self.cells), "facets": facets, "resamples": self.resamples}
        return {**head, "sentence": self.sentence, "errors": errors, "leaderboards": boards}


def _median(ratios: list[float]) -> float:
    known = [one for one in ratios if np.isfinite(one)]
    return float(np.median(known)) if known else float("nan")


def _plain_values(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) if isinstance(value, float) else value for name, value in values.items()}


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None
