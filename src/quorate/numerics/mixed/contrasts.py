"""Many contrasts of the fixed effects at once: the parts of their variances, by products of matrices.

Only mean units carry weight, since contrast units know nothing of the fixed effects; all contrasts share the products
with ``B`` and with the design, which cost the most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.solved import Solved

_BLOCK = 1 << 24
"""Numbers held at a time: 130 MB of each of a few arrays."""


class Parts(NamedTuple):
    """What the variances of contrasts are made of.

    Parameters
    ----------
    squares : array, shape (contrasts, components)
        ``w' A_t w`` for the weights ``w`` of each contrast on the rows.
    added : array, shape (contrasts,)
        What estimating the components adds, at least 0.
    """

    squares: Floats
    added: Floats


def variance_parts(problem: Problem, solved: Solved, contrasts: Floats, covariance: Floats) -> Parts:
    """Squares of the weights of contrasts, and their Kenward-Roger adjustments.

    The same as `quorate.numerics.mixed.information.weights` and ``adjustment`` give for one contrast at a time.

    Parameters
    ----------
    contrasts : array, shape (contrasts, p)
        Weights on the fixed effects.
    covariance : array, shape (components, components)
        Covariance of the estimated components.

    References
    ----------
    Kenward and Roger (1997), Biometrics 53, 983-997, equation 6.
    """
    design = _Design(problem, solved)
    estimated = np.flatnonzero(covariance.any(axis=0))
    size = (len(estimated) + 2) * (sum(design.w.shape) + design.z.shape[1])
    blocks = np.array_split(contrasts, max(1, -(-len(contrasts) * size // _BLOCK)))
    parts = [_parts(design, some, covariance[np.ix_(estimated, estimated)], estimated) for some in blocks]
    return Parts(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class _Design:
    """Cells of the mean units: their columns, weights and noise."""

    def __init__(self, problem: Problem, solved: Solved) -> None:
        self.problem, self.solved = problem, solved
        self.z, self.w = problem.moments.indicators()  # sparse
        index = problem.units.cell_index[: self.z.shape[0]]
        self.weight = solved.weight[index][:, None]
        self.noise = problem.units.noise[index]
        self.column_term = np.tile(problem.units.column_term, problem.moments.mean_units)

    def units(self, per_pattern: Floats, z: Floats) -> Floats:
        """``J z`` or ``half z`` of every mean unit, for rows (mean units x columns) of many contrasts."""
        matrices = self.problem.of_mean_units(per_pattern)
        out = matrices @ z.reshape(*matrices.shape[:2], z.shape[1])
        return np.asarray(out.reshape(z.shape), dtype=np.float64)

    def component(self, t: int, cells: Floats, within: Floats, shared: Floats) -> Floats:
        """``A_t w`` on cells."""
        problem = self.problem
        first = problem.n_within + problem.n_shared
        if t >= first:
            return np.asarray(self.noise[:, t - first, None] * cells)
        if t < problem.n_within:
            return np.asarray(self.z @ np.where((self.column_term == t)[:, None], within, 0.0))
        kept = np.where((problem.units.shared_term == t - problem.n_within)[:, None], shared, 0.0)
        return np.asarray(self.w[:, problem.p :] @ kept)


def _parts(design: _Design, contrasts: Floats, covariance: Floats, estimated: Ints) -> tuple[Floats, Floats]:
    problem, solved = design.problem, design.solved
    gamma = np.tile(solved.gamma, problem.moments.mean_units)[:, None]
    h = solved.levels.of_fixed @ contrasts.T
    within = design.units(solved.j, solved.products.n.times(h).reshape(-1, h.shape[1]))
    left = np.asarray(design.w @ h - design.z @ (gamma * within), dtype=np.float64)
    refined = design.units(solved.j, design.z.T @ (design.weight * left) - within)  # one step, for tiny noise
    cells: Floats = design.weight * np.asarray(left - design.z @ (gamma * refined), dtype=np.float64)
    within, shared = within + refined, solved.levels.coefficients_times(h)[problem.p :]
    terms = np.eye(problem.n_within)[design.column_term], np.eye(problem.n_shared)[problem.units.shared_term]
    squares = np.vstack([terms[0].T @ within**2, terms[1].T @ shared**2, design.noise.T @ cells**2])

    f: Floats = np.array([design.component(t, cells, within, shared) for t in estimated]).reshape(-1, *cells.shape)
    weighted = design.weight * f
    zf = [design.units(solved.half, design.z.T @ one) for one in weighted]
    local = np.array(zf).reshape(len(f), *within.shape)
    rows = problem.moments.mean_units, problem.moments.columns, h.shape[1]
    out = [solved.mean_units.taken_out(z.reshape(rows)) for z in local]
    wf = np.array([design.w.T @ one - z for one, z in zip(weighted, out, strict=True)])
    wf = wf.reshape(len(f), *h.shape)

    def paired(one: Floats, other: Floats) -> Floats:
        return np.asarray(np.einsum("sim,sim->m", one, np.tensordot(covariance, other, 1)), dtype=np.float64)

    added = 2 * (
        paired(f, weighted)
        - paired(local, local)
        - paired(wf, np.array([solved.levels.inverse_times(one) for one in wf]))
    )
    return squares.T, np.maximum(added, 0.0)  # a trace of matrices without negative eigenvalues, but for rounding
