"""A variance-components problem: cells compressed to units, and the replicates inside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.numerics.mixed.moments import CrossProducts
from quorate.numerics.mixed.patterns import Cells, Units, compress

FEW_CELLS = 40
"""Cells up to which a criterion with a component at zero was seen to have several minima (32), and a few more."""


@dataclass(frozen=True)
class WithinCells:
    """Replicates inside cells: an independent chi-square likelihood for each residual component.

    Parameters
    ----------
    ss : array, shape (residual components,)
        Sum of squares within cells; 0 for a component without replicates.
    df : array, shape (residual components,)
        Its degrees of freedom.
    log_counts : float
        Sum over cells of the log of the number of replicates.
    """

    ss: Floats
    df: Floats
    log_counts: float


class Problem:
    """A variance-components problem ready to be evaluated at any point.

    Components are ordered within-block terms, shared terms, residual components.

    Parameters
    ----------
    cells : Cells
        The model, one row per cell.
    replicates : WithinCells
        The part of the likelihood inside cells.
    reml : bool
        REML, else ML.
    sampled : bool
        Whether the system of shared levels is too large for its inverse; see `SampledLevels`.
    """

    def __init__(self, cells: Cells, replicates: WithinCells, *, reml: bool = True, sampled: bool = False) -> None:
        self.units: Units = compress(cells)
        self.moments = CrossProducts(self.units, sparse=sampled)
        self.sampled = sampled
        self.replicates = replicates
        self.reml = reml
        self.p = cells.x.shape[1]
        self.n_within = cells.within.shape[1]
        self.n_shared = cells.shared.shape[1]
        self.n_residual = cells.noise.shape[1]
        self.n_components = self.n_within + self.n_shared + self.n_residual
        self.few = cells if len(cells.y) <= FEW_CELLS else None
        self.n_rows = self.units.n_cells + float(replicates.df.sum())

    def split(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Variance of each within-block column, of each shared level, and of each residual component."""
        within, shared, residual = np.split(theta, [self.n_within, self.n_within + self.n_shared])
        return within[self.units.column_term], shared[self.units.shared_term], residual

    @property
    def needs_noise(self) -> NDArray[np.bool_]:
        """Residual components that are all the noise of some cell, without replicates that keep them off zero."""
        noisy = self.units.noise > 0
        alone = np.any(noisy & (noisy.sum(axis=1, keepdims=True) == 1), axis=0) & (self.replicates.df == 0)
        return np.append(np.zeros(self.n_components - self.n_residual, dtype=bool), alone)

    def largest_residual(self, theta: Floats) -> int:
        """The residual component with the largest variance, counted among the residual components."""
        return int(np.argmax(theta[self.n_components - self.n_residual :]))

    def of_mean_units(self, per_pattern: Floats) -> Floats:
        """Values of patterns for every mean unit."""
        owner = self.units.unit_pattern[: self.moments.mean_units]
        return per_pattern if self._one_each else per_pattern[owner]

    def of_units(self, per_pattern: Floats) -> Floats:
        """Values of patterns for every unit."""
        only = self._one_each and len(self.units.unit_pattern) == len(per_pattern)
        return per_pattern if only else per_pattern[self.units.unit_pattern]

    @cached_property
    def _one_each(self) -> bool:
        """Whether the mean units are the patterns, in their order."""
        owner = self.units.unit_pattern[: self.moments.mean_units]
        return len(owner) == len(self.units.count) and bool(np.all(owner == np.arange(len(owner))))

    def rows_of(self, term: int, units: int) -> Floats:
        """1 for the rows of a within-block term among those of so many mean units and their columns, else 0."""
        return np.tile((self.units.column_term == term).astype(np.float64), units)

    def sums(self, within: Floats, shared: Floats, residual: Floats) -> Floats:
        """Add values of columns, shared levels and residual components up to components."""
        return np.concatenate(
            [
                np.bincount(self.units.column_term, within, self.n_within),
                np.bincount(self.units.shared_term, shared, self.n_shared),
                residual,
            ]
        )
