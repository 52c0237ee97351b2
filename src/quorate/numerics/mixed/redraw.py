"""New data for a problem, drawn from its own model without ever making a row.

The data enter a likelihood through few numbers: mean units, the squares and products of contrast units, and sums of
squares inside cells. Each has a known law under the model, so a parametric draw costs what the units cost, not what
the rows cost. ``docs/methods/bootstrap.md`` has the derivation.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.problem import Problem


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
