"""Result of `quorate.scores.pipelines`: leaderboards, with errors that ignore the choice of cells or do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import UnknownTerm
from quorate.estimate.agreement.battles import ORDER
from quorate.estimate.agreement.leaderboards import Leaderboards
from quorate.estimate.votes.clustered import median
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.draws import poisson
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.ties import By, Ties, tie_model
from quorate.simulate.pipelines.cells import CellMargins, Verdicts
from quorate.table.pairs import TIE, A, B
from quorate.table.results import Interval, Result, Row, StatedInterval, picked, plain
from quorate.wording import Brief, counted, listed

# Leaderboards of redrawn battles, with verdicts as they are or from redrawn judges, prompts and orders.


Weights = NDArray[np.float32]
_TOL = 1e-5
_BITS = 16


@dataclass(frozen=True, eq=False)
class Scale:
    """How verdicts on battles become a leaderboard.

    Parameters
    ----------
    table : CellMargins
        The battles.
    by : {"bradley-terry", "win rate"}
        Log odds that sum to 0, or wins over battles.
    ties : str
        How ties count; win rates know only those without a parameter.
    ridge : float
        Of Bradley-Terry ratings.
    """

    table: CellMargins
    by: By
    ties: Ties
    ridge: float

    def boards(self, verdicts: Verdicts, weight: Weights) -> Floats:
        """Leaderboards, shape (systems, boards); nan where there is none.

        Parameters
        ----------
        verdicts : array of int8, shape (battles, boards)
            0, 1, 2 (tie) or -1.
        weight : array, shape (battles, boards or 1)
            How often every battle counts.
        """
        kinds = (A, B, TIE) if tie_model(self.ties).counted else (A, B)
        counts = np.zeros((1, self._pairs.shape[0], 3, verdicts.shape[1]))
        for kind in kinds:
            counts[0, :, kind] = self._pairs @ ((verdicts == kind) * weight)
        if self.by == "win rate":
            of = self._design.incidence
            won = (of > 0) @ counts[0, :, A] + (of < 0) @ counts[0, :, B] + abs(of) @ counts[0, :, TIE] / 2
            total = abs(of) @ counts[0].sum(axis=1)
            return np.asarray(np.divide(won, total, out=np.full(won.shape, np.nan), where=total > 0))
        ratings = np.full((self._design.systems, counts.shape[-1]), np.nan)
        known = np.flatnonzero(exists(self._design, counts, self.ridge > 0))
        if len(known):
            fitted = fit(self._design, counts[..., known], self.ridge, tol=_TOL)
            ratings[:, known[fitted.converged]] = fitted.theta[: self._design.systems, fitted.converged]
        return ratings

    @cached_property
    def _pair(self) -> tuple[Ints, Ints]:
        key = self.table.a * len(self.table.systems) + self.table.b
        pairs, pair = np.unique(key, return_inverse=True)
        return pairs, pair

    @cached_property
    def _design(self) -> Design:
        a, b = np.divmod(self._pair[0], len(self.table.systems))
        return Design(len(self.table.systems), a, b, np.zeros(1), tie_model(self.ties))

    @cached_property
    def _pairs(self) -> Any:
        """Sparse, shape (pairs, battles): which battles are of each pair."""
        from scipy.sparse import coo_array

        pairs, pair = self._pair
        ones = np.ones(len(pair), dtype=np.float32)
        return coo_array((ones, (pair, np.arange(len(pair)))), shape=(len(pairs), len(pair))).tocsr()


def drawn_weights(table: CellMargins, resamples: int, rng: np.random.Generator) -> Weights:
    """How often every battle is drawn, shape (battles, resamples): every cluster a Poisson(1) number of times.

    References
    ----------
    Hanley and MacGibbon (2006), Computer Methods and Programs in Biomedicine 83, 57-62.
    """
    clusters = int(table.cluster.max(initial=-1)) + 1
    return poisson(clusters * resamples, rng).reshape(clusters, resamples)[table.cluster]


def cell_by_cell(table: CellMargins, resamples: int, rng: np.random.Generator) -> Verdicts:
    """Verdicts of the mean of cells drawn for every battle on its own, as many as answered it, with replacement.

    References
    ----------
    Messing (2026), appendix R.1.
    """
    answered = np.sort(table.margin, axis=1)  # nan last
    count = (~np.isnan(answered)).sum(axis=1)[:, None]
    start = np.arange(len(table))[:, None] * table.n_cells
    flat, total = answered.ravel(), np.zeros((len(table), resamples))
    for draw in range(int(count.max())):
        bits = rng.integers(2**_BITS, size=total.shape, dtype=np.uint16)
        drawn = flat.take(start + ((bits.astype(np.int64) * count) >> _BITS))
        total += np.where(draw < count, drawn, 0.0)
    return table.verdicts(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def panels(table: CellMargins, resamples: int, kept: Collection[str], rng: np.random.Generator) -> Verdicts:
    """Verdicts of the mean over panels drawn for all battles together: as many levels of each facet, replaced."""
    times = np.ones((table.n_cells, resamples))
    for name, labels in table.levels.items():
        if name not in kept:
            levels, code = np.unique(labels, return_inverse=True)
            drawn = rng.multinomial(len(levels), np.full(len(levels), 1 / len(levels)), resamples)
            times *= drawn.T[code]
    known = ~np.isnan(table.margin)
    total = np.where(known, table.margin, 0.0) @ times
    count = known.astype(float) @ times
    return table.verdicts(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


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
        return median(np.array([rated.ratio for rated in self.systems]))

    @property
    def redrawn_ratio(self) -> float:
        """Median over systems of the published standard error over the naive one."""
        return median(np.array([rated.redrawn_ratio for rated in self.systems]))

    def interval(self, system: str, *, aware: bool = True) -> Interval:
        """A system's rating or win rate with its interval: Student's with cells, normal over battles alone.

        That of a win rate is cut at 0 and 1.

        Parameters
        ----------
        system : str
            Which.
        aware : bool
            Whether over cells too; else over battles alone.

        Raises
        ------
        UnknownTerm
            If there is no such system.
        """
        known = {rated.system: rated for rated in self.systems}
        if system not in known:
            raise UnknownTerm(system, known, "system")
        rated = known[system]
        df, se = (rated.df, rated.aware) if aware else (np.inf, rated.naive)

        def law(level: float) -> tuple[float, float]:
            half = t_quantile(df, (1 + level) / 2) * se
            low, high = rated.value - half, rated.value + half
            return (max(low, 0.0), min(high, 1.0)) if self.by == "win rate" else (low, high)

        return StatedInterval(rated.value, se, 0, 0.95, law=law)


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
            f"battles alone for a single cell. For the mean of {self.cells[single.pipeline]} cells it "
            f"is {average.ratio:.2f} times (medians of {len(single.systems)} systems).{note}"
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
            picked(board, "pipeline kind ratio redrawn_ratio without")
            | {"systems": [asdict(rated) | {"ratio": rated.ratio} for rated in board.systems]}
            for board in self.errors
        ]
        facets = {name: dict(levels) for name, levels in self.facets.items()}
        head = {"by": self.by, "cells": dict(self.cells), "facets": facets, "resamples": self.resamples}
        return {**head, "sentence": self.sentence, "errors": plain(errors), "leaderboards": boards}
