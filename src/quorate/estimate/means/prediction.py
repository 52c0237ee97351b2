"""Predictions of the levels of any random term, with their errors and the degrees of freedom of their variance."""

from __future__ import annotations

from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints, first_of_each
from quorate.estimate.components.fit import Fitted
from quorate.estimate.components.model import residuals
from quorate.frozen import dataclass
from quorate.numerics.inference import jackknifed_df
from quorate.numerics.mixed.sampled import SampledLevels

FEWEST_LEVELS = 20
"""Levels from which their effects say anything about their law."""


def tail_df(fit: Fitted, t: int, df: float) -> float | None:
    """Degrees of freedom of component ``t`` by the jackknife over its levels; None where they are too few.

    Residual components have none: their levels are the judgments.
    """
    problem = fit.assembled.problem
    if t >= problem.n_components - problem.n_residual or fit.n_levels(t) < FEWEST_LEVELS or df <= 2:
        return None
    return jackknifed_df(level_squares(fit, t), df)


def level_squares(fit: Fitted, t: int) -> Floats:
    """``(z'Py)^2`` over its variance within blocks, of every level of a random term; the scale is free."""
    total, expected = level_scores(fit, t)
    return np.asarray(total**2 / expected)


def level_scores(fit: Fitted, t: int, projected: Floats | None = None) -> tuple[Floats, Floats]:
    """``z'Py`` and its variance within blocks, of every level of a random term.

    ``z'Py`` is the prediction of the level over the component, and is there where that is estimated at zero too.

    Parameters
    ----------
    projected : array, shape (cells,), optional
        ``P y`` of other data. Default: of those that were fitted.
    """
    problem, solved = fit.assembled.problem, fit.point.solved
    code = fit.judgments.level_codes(fit.assembled.names[t].split(":"))
    total = np.bincount(code, fit.projected if projected is None else projected).astype(np.float64)
    if t >= problem.n_within:
        return total, solved.levels.diagonal[problem.units.shared_term == t - problem.n_within]
    cell, first = problem.units.cell_index[problem.units.mean_cell], first_of_each(code)
    columns = np.einsum("pkl,plk->pk", solved.j, solved.products.k)
    return total, columns[problem.units.cell_pattern[cell], problem.units.column[cell, t]][first]


@dataclass(frozen=True)
class Prediction:
    """Best linear unbiased predictions of the levels of one random term.

    Parameters
    ----------
    effect : array, shape (levels,)
        Predictions in score units, in the order of the term's dense codes.
    variance : array, shape (levels,)
        Prediction error variance of each level's deviation from the average over the levels.
    """

    effect: Floats
    variance: Floats


def predict(fit: Fitted, term: str) -> Prediction:
    """Predict the levels of a random term, taking the fitted components as known.

    References
    ----------
    Henderson (1975), Biometrics 31, 423-447.
    """
    position, problem, scale = fit.assembled.names.index(term), fit.assembled.problem, fit.assembled.scale
    if position < problem.n_within:
        return _within_blocks(fit, position)
    # Across blocks, a term's part of the mixed-model coefficient inverse is the prediction error.
    at = problem.p + np.flatnonzero(problem.units.shared_term == position - problem.n_within)
    return Prediction(fit.point.effects[at] * scale, fit.point.solved.levels.errors(at) * scale**2)


def _within_blocks(fit: Fitted, position: int) -> Prediction:
    """A term inside blocks, which the fit eliminates: solved for again, block by block.

    ``u - u_hat`` has variance ``gamma - gamma^2 Z'V_w^-1 Z`` inside a block, and what the estimates of the fixed and
    shared effects add across blocks.
    """
    layout, gamma = _Layout(fit), fit.point.solved.theta[position]
    levels = int(layout.codes[position].max()) + 1
    effect, inside, row = np.zeros((3, levels))
    weighing: list[tuple[Ints, Ints, Floats]] = []
    left = layout.left(fit.point.effects)
    for cells in layout.blocks():
        at, solved = layout.solve(cells, position)
        effect[at] = gamma * solved @ left[cells]
        known = gamma**2 * solved @ (layout.codes[position][cells][:, None] == at)
        inside[at], row[at] = gamma - np.diag(known), gamma - known.sum(axis=1)
        weighing.append((np.repeat(at, len(cells)), np.tile(cells, len(at)), gamma * solved.ravel()))
    level, cell, weight = (np.concatenate(column) for column in zip(*weighing, strict=True))
    slopes = layout.slopes(level, cell, weight, levels, sparse=isinstance(fit.point.solved.levels, SampledLevels))
    variance = inside - 2 * row / levels + row.sum() / levels**2 + fit.point.solved.levels.forms(slopes)
    return Prediction(effect * fit.assembled.scale, variance * fit.assembled.scale**2)


class _Layout:
    """The cells of a fit, block by block, on the scale it was fitted on."""

    def __init__(self, fit: Fitted) -> None:
        assembled, judgments = fit.assembled, fit.judgments
        problem, theta = assembled.problem, fit.point.solved.theta
        terms = [name.split(":") for name in assembled.names[: len(theta) - problem.n_residual]]
        self.codes = [judgments.level_codes(term) for term in terms]
        self.prior = theta[: problem.n_within]
        self.fixed = assembled.fixed
        self.y = assembled.y
        noise = residuals(judgments, assembled.model, fit.assembled.residual_by, assembled.scale)
        self.noise = noise.weight @ theta[-problem.n_residual :]
        inside = [
            {up for name in term for up in (name, *judgments.ancestors(name))} for term in terms[: len(self.prior)]
        ]
        self.block = judgments.level_codes(sorted(set.intersection(*inside)))

    def blocks(self) -> list[Ints]:
        """Cells of every block."""
        order = np.argsort(self.block, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.block[order])) + 1)

    def left(self, effects: Floats) -> Floats:
        """Scores less what fixed and shared effects say of them."""
        out = self.y - self.fixed.rows[self.fixed.row] @ effects[: self.fixed.rows.shape[1]]
        for place in self._shared_columns():
            out = out - effects[place]
        return out

    def slopes(self, level: Ints, cell: Ints, weight: Floats, levels: int, *, sparse: bool) -> Any:
        """Sums over cells of weights times their fixed and shared columns, shape (levels, fixed + shared)."""
        x, shared = self.fixed.rows[self.fixed.row], self._shared_columns()
        p = x.shape[1]
        fixed = np.column_stack([np.bincount(level, weight * x[cell, j], levels) for j in range(p)])
        rows, columns = np.tile(level, len(shared)), np.concatenate([np.zeros(0, int), *(at[cell] for at in shared)])
        width = p + sum(int(code.max()) + 1 for code in self.codes[len(self.prior) :])
        if not sparse:
            out = np.zeros((levels, width))
            out[:, :p] = fixed
            np.add.at(out, (rows, columns), np.tile(weight, len(shared)))
            return out
        from scipy.sparse import coo_array

        at, of = np.nonzero(fixed)
        place = np.append(at, rows), np.append(of, columns)
        return coo_array((np.append(fixed[at, of], np.tile(weight, len(shared))), place), (levels, width)).tocsr()

    def _shared_columns(self) -> list[Ints]:
        """Place of every cell among the fitted effects, for every shared term."""
        start, out = self.fixed.rows.shape[1], []
        for code in self.codes[len(self.prior) :]:
            out.append(start + code)
            start += int(code.max()) + 1
        return out

    def solve(self, cells: Ints, position: int) -> tuple[Ints, Floats]:
        """Levels of a term in a block, and ``Z'V_w^-1`` on its cells."""
        levels = [np.unique(code[cells]) for code in self.codes[: len(self.prior)]]
        z = np.hstack([self.codes[t][cells][:, None] == met for t, met in enumerate(levels)]).astype(float)
        owner = np.repeat(np.arange(len(levels)), [len(met) for met in levels])
        weighted = z.T / self.noise[cells]
        system = np.eye(len(owner)) + (weighted @ z) * self.prior[owner]
        return levels[position], np.linalg.solve(system, weighted)[owner == position]
