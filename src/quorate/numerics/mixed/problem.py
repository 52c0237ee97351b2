"""A variance-components problem: cells compressed to units, and the replicates inside them."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
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


# New data for a problem, drawn from its own model without ever making a row.
#
# The data enter a likelihood through few numbers: mean units, the squares and products of contrast units, and sums of
# squares inside cells. Each has a known law under the model, so a parametric draw costs what the units cost, not what
# the rows cost. ``docs/methods/bootstrap.md`` has the derivation.


@dataclass(frozen=True)
class Wishart:
    """Contrast units of one pattern, as many as a block has cells: a square root of a Wishart matrix.

    Parameters
    ----------
    cells : array of int, shape (cells of a block squared,)
        Their unit cells.
    root : array, shape (cells of a block, cells of a block)
        Cholesky factor of the covariance of a block.
    df : float
        Degrees of freedom: blocks less groups.
    """

    cells: Ints
    root: Floats
    df: float

    def draw(self, rng: np.random.Generator) -> Floats:
        """Rows whose squares and products are one Wishart matrix (Bartlett 1933), flat."""
        size = len(self.root)
        factor = np.tril(rng.standard_normal((size, size)), -1)
        factor[np.diag_indices(size)] = np.sqrt(rng.chisquare(self.df - np.arange(size)))
        return (self.root @ factor).T.ravel()


class Redraw:
    """Parametric draws of everything the likelihood of a problem sees.

    Parameters
    ----------
    problem : Problem
        The design; its data are not used.
    theta : array, shape (components,)
        Components to draw from, none negative.
    beta : array, shape (p,)
        Fixed effects to draw from.
    """

    def __init__(self, problem: Problem, theta: Floats, beta: Floats) -> None:
        self.problem = problem
        gamma, shared, residual = problem.split(theta)
        self._within, self._shared, self._beta = np.sqrt(gamma), np.sqrt(shared), beta
        noise = problem.units.noise @ residual
        self._noise = np.sqrt(noise[problem.units.cell_index])
        self._inside = residual
        self._degenerate: list[Ints] = []
        self._wishart: list[Wishart] = []
        # Contrast units have the degrees of freedom of blocks less groups, whatever their number.
        units = problem.units
        first = len(units.scale)
        groups = np.bincount(units.unit_pattern[:first], minlength=len(units.count))
        start = np.searchsorted(units.cell_unit, np.arange(len(units.unit_pattern) + 1))
        owner = units.unit_pattern[first:]
        for p in np.unique(owner):
            members = first + np.flatnonzero(owner == p)
            df = float(units.count[p] - groups[p])
            if df > len(members):
                cells = np.arange(start[members[0]], start[members[-1] + 1])
                block = np.flatnonzero(units.cell_pattern == p)
                column = units.column[block]
                same = column[:, None, :] == column[None, :, :]
                root = np.linalg.cholesky(same @ theta[: problem.n_within] + np.diag(noise[block]))
                self._wishart.append(Wishart(cells, np.asarray(root, dtype=np.float64), df))
            elif df < len(members):
                self._degenerate.append(np.arange(start[members[int(df)]], start[members[-1] + 1]))

    def draw(self, rng: np.random.Generator) -> Problem:
        """The problem with new data."""
        moments = self.problem.moments
        z = self._within * rng.standard_normal((moments.n_units, moments.columns))
        levels = np.concatenate([self._beta, self._shared * rng.standard_normal(len(self._shared))])
        y = moments.to_cells(z, levels) + self._noise * rng.standard_normal(len(self._noise))
        for cells in self._degenerate:
            y[cells] = 0.0
        for wishart in self._wishart:
            y[wishart.cells] = wishart.draw(rng)
        return with_data(self.problem, y, self._inside * 2 * rng.standard_gamma(self.problem.replicates.df / 2))


def with_data(problem: Problem, y: Floats, ss: Floats) -> Problem:
    """The same design with other data: ``y`` on unit cells, ``ss`` inside cells by residual component."""
    out = copy(problem)
    out.units, out.few = replace(problem.units, y=y), None
    out.replicates = replace(problem.replicates, ss=ss)
    return out
