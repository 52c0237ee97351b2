"""Leaderboards of redrawn battles, with verdicts as they are or from redrawn judges, prompts and orders."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.draws import poisson
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.ties.registry import Ties, tie_model
from quorate.simulate.pipelines.cells import CellMargins, Verdicts
from quorate.table.pairs import TIE, A, B

By = Literal["bradley-terry", "win rate"]
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
