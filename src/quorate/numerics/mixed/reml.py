"""REML and ML by patterns: criterion, gradient and average information in one pass over the units.

Derivation and notation: ``docs/methods/reml.md``. ``V = V_w + U Gamma U'`` with ``V_w`` block-diagonal; within blocks
the effects are eliminated by the Woodbury identity, across blocks by one system of size (fixed + shared levels).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.mixed.moments import Products
from quorate.numerics.mixed.parts import Part
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.rows import gram, less, scaled
from quorate.numerics.mixed.sampled.levels import SampledLevels
from quorate.numerics.mixed.sampled.traces import sampled_traces
from quorate.numerics.mixed.solved import LEAST_NOISE, Solved, solve

if TYPE_CHECKING:
    from quorate.numerics.mixed.rows import Rows

_FEW = 8


@dataclass(frozen=True, repr=False)
class Projected:
    """``V_w^-1 (v - W h)`` for data ``v`` on unit cells, summed over the columns of every term.

    With ``h = B W' V_w^-1 v`` this is ``P v``; with ``v = 0`` and minus ``h`` it is ``V_w^-1 W h``.
    """

    cells: Floats
    within: Floats
    shared: Floats


@dataclass(frozen=True, repr=False)
class Point:
    """The criterion at one point, with its first and (average) second derivatives.

    Parameters
    ----------
    criterion : float
        Minus twice the (restricted) log-likelihood, lme4's ``REMLcrit`` or deviance.
    gradient : array, shape (components,)
        Its gradient.
    hessian : array, shape (components, components)
        Average of the observed and expected second derivatives.
    solved : Solved
        The linear system at this point.
    effects : array, shape (q,)
        Fixed-effect estimates, then predictions of the shared effects.
    """

    criterion: float
    gradient: Floats
    hessian: Floats
    solved: Solved
    effects: Floats


def evaluate(problem: Problem, theta: Floats) -> Point:
    """Criterion, gradient and average information at ``theta`` (components,), none negative, residual above 0."""
    solved = solve(problem, theta)
    effects, e = projected_data(problem, solved, problem.units.y)
    # y'P y as Henderson's penalised sum of squares: at its minimum errors of the effects are of second order.
    shared, random = effects[problem.p :], solved.levels.gamma > 0
    penalised = np.sum(e.cells**2 / solved.weight[problem.units.cell_index]) + np.sum(solved.gamma * e.within**2)
    quadratic = float(penalised + np.sum(shared[random] ** 2 / solved.levels.gamma[random]))
    replicates = problem.replicates
    residual = theta[problem.n_within + problem.n_shared :]
    has = replicates.df > 0
    if np.any(residual[has] < LEAST_NOISE):
        raise np.linalg.LinAlgError("replicates without variance")
    inside = float(replicates.df[has] @ np.log(residual[has]) + np.sum(replicates.ss[has] / residual[has]))
    free = problem.n_rows - (problem.p if problem.reml else 0)
    criterion = free * np.log(2 * np.pi) + solved.log_det + replicates.log_counts + quadratic + inside
    gradient = traces(problem, solved) - squares(problem, e)
    gradient[-problem.n_residual :][has] += replicates.df[has] / residual[has] - replicates.ss[has] / residual[has] ** 2
    hessian = second_moment(problem, solved, e)
    tail = np.arange(problem.n_components - problem.n_residual, problem.n_components)[has]
    hessian[tail, tail] += replicates.ss[has] / residual[has] ** 3
    return Point(float(criterion), gradient, hessian, solved, effects)


def projected_data(problem: Problem, solved: Solved, y: Floats) -> tuple[Floats, Projected]:
    """Fixed and shared effects of data on unit cells, and ``P y``."""
    zy, wy = problem.moments.from_cells(solved.weight[problem.units.cell_index] * y)
    score = wy - solved.mean_units.taken_out(apply(problem, solved.half, zy))
    effects = solved.levels.effects(score)
    return effects, residual_projection(problem, solved, y, zy, score, effects)


def residual_projection(problem: Problem, solved: Solved, v: Floats, zv: Floats, wv: Floats, h: Floats) -> Projected:
    """``V_w^-1 (v - W h)`` given ``zv = Z'D^-1 v`` and ``wv = W' V_w^-1 v``."""
    moments, index = problem.moments, problem.units.cell_index
    matrices = _per_unit(problem, solved.j)
    cells, within = np.empty_like(v), np.empty_like(zv)
    for part in moments.stretches():
        j = matrices if len(matrices) == 1 else matrices[part.units]
        weight, fixed, z = solved.weight[index[part.cells]], np.zeros(len(part.key)), zv[part.units].copy()
        fixed[: part.mean.stop - part.mean.start] = moments.row_values(h, part.mean)
        if moments.sparsity.whole:
            z[: moments.mean_units] -= solved.products.n.times(h)
        else:
            z -= part.unit_sums(weight * fixed)
        z = times(j, z)
        left = v[part.cells] - fixed - part.of_units(solved.gamma * z)
        refined = times(j, part.unit_sums(weight * left) - z)  # one step, for tiny noise
        cells[part.cells] = weight * (left - part.of_units(solved.gamma * refined))
        within[part.units] = z + refined
    return Projected(cells, within, (wv - solved.levels.coefficients_times(h))[problem.p :])


def squares(problem: Problem, e: Projected) -> Floats:
    """``e' A_t e`` for every component."""
    noise = problem.units.noise[problem.units.cell_index]
    return problem.sums(np.sum(e.within**2, axis=0), e.shared**2, noise.T @ e.cells**2)


def second_moment(problem: Problem, solved: Solved, e: Projected) -> Floats:
    """``e' A_s P A_t e`` for every pair of components."""
    moments, units = problem.moments, problem.units
    matrices, first = _per_unit(problem, solved.half), problem.n_within + problem.n_shared
    full = np.concatenate([np.zeros(problem.p), e.shared])
    inner, wf = np.zeros((problem.n_components,) * 2), np.zeros((moments.q, problem.n_components))
    for part in moments.stretches():
        half = matrices if len(matrices) == 1 else matrices[part.units]
        index = units.cell_index[part.cells]
        f = np.zeros((problem.n_components, len(index)))
        of_mean = part.mean.stop - part.mean.start
        f[: problem.n_within] = part.per_term(e.within[part.units])
        f[problem.n_within : first, :of_mean] = moments.shared_columns(full, part.mean)
        f[first:] = units.noise[index].T * e.cells[part.cells]
        weighted = solved.weight[index] * f
        local = half @ np.stack([part.unit_sums(one) for one in weighted], axis=-1)
        flat = local.reshape(-1, len(f))
        inner += f @ weighted.T - flat.T @ flat
        if moments.sparsity.whole:
            wf -= solved.mean_units.taken_out(local)
        else:
            back = half.swapaxes(1, 2) @ local
            weighted -= solved.weight[index] * np.stack([part.of_units(back[..., t]) for t in range(len(f))])
        wf += np.stack([moments.row_sums(one[:of_mean], part.mean) for one in weighted], axis=-1)
    out: Floats = inner - wf.T @ solved.levels.inverse_times(wf)
    return (out + out.T) / 2


def traces(problem: Problem, solved: Solved) -> Floats:
    """``tr(P A_t)`` for every component (``tr(V^-1 A_t)`` under ML).

    The largest residual component follows from the others: ``sum_t theta_t tr(P A_t) = tr(P V) = cells - p``.
    """
    if isinstance(solved.levels, SampledLevels):
        return np.asarray(sampled_traces(problem, solved, solved.levels).sum(axis=1), dtype=np.float64)
    levels, m = solved.levels, solved.j @ solved.products.k
    within = np.einsum("pkk,p->k", m, problem.units.count)
    largest = problem.largest_residual(solved.theta)
    residual, count = np.zeros(problem.n_residual), problem.units.count
    for r in range(problem.n_residual):
        if r != largest:
            a = problem.units.noise[:, r]
            products = problem.moments.products(a * solved.weight**2)
            diagonal = np.bincount(problem.units.cell_pattern, a * solved.weight, len(count)) @ count
            inner = np.einsum("k,pkl,plk,p->", solved.gamma, solved.j, products.k, count)
            residual[r] = diagonal - inner - np.sum(levels.b_trace * sandwich(problem, solved, products))
    out = problem.sums(within, levels.diagonal, residual)
    for t in range(problem.n_within):
        out[t] -= _traced(problem, solved, levels.b_trace, t)
    projected = problem.p if levels.b_trace is levels.b else 0
    last = problem.n_components - problem.n_residual + largest
    out[last] = (problem.units.n_cells - projected - solved.theta @ out) / solved.theta[last]
    return out


def _traced(problem: Problem, solved: Solved, b: Floats, t: int) -> float:
    """``tr(B T'T)`` over the rows of a within-block term: of a few dense ones by ``T B`` without ``T'T``."""
    levels = int(np.sum(problem.units.column_term == t)) * problem.moments.mean_units
    if t not in solved.grams and levels * _FEW < len(b) and solved.rows is not None:
        rows = solved.rows[np.flatnonzero(problem.rows_of(t, problem.moments.mean_units))]
        return float(np.sum((rows @ problem.moments.outward_both(b)) * rows))
    return float(np.vdot(b, within_block(problem, solved, t)))


def within_block(problem: Problem, solved: Solved, t: int) -> Floats:
    """``W' V_w^-1 A_t V_w^-1 W`` for a within-block term, shape (q, q)."""
    units = solved.mean_units
    if t not in solved.grams and units.whole:
        solved.grams[t] = units.sum(lambda part: gram(part.t, part.t, problem.rows_of(t, len(part))))
    elif t not in solved.grams:  # of all terms at once: each part is made but once
        terms = range(problem.n_within)
        sums = units.sum(lambda part: np.stack([gram(part.t, part.t, problem.rows_of(s, len(part))) for s in terms]))
        solved.grams.update(zip(terms, sums, strict=True))
    return solved.grams[t]


def sandwich(problem: Problem, solved: Solved, products: Products) -> Floats:
    """``W' D^-1(I - ZGJZ'D^-1)' a (...) W`` from cross products with weights that contain ``a``; shape (q, q)."""
    k, apply_to = problem.of_mean_units(products.k), problem.moments.sparsity.apply

    def of(part: Part, n: Rows) -> Floats:
        gt = scaled(part.t, np.tile(solved.gamma, len(part)))
        return gram(gt, less(apply_to(k[part.units] / 2, gt), n))

    half = solved.mean_units.sum(of, products.n)
    out: Floats = products.g + half + half.T
    return out


def apply(problem: Problem, per_pattern: Floats, z: Floats) -> Floats:
    """``J z`` or ``half z`` per unit, for ``z`` of shape (units, columns)."""
    return times(_per_unit(problem, per_pattern), z)


def times(matrices: Floats, z: Floats) -> Floats:
    """Vectors of units, shape (units, columns), multiplied by a matrix of each, or by the one of all."""
    out: Floats = (matrices @ z[:, :, None])[:, :, 0]
    return out


def _per_unit(problem: Problem, per_pattern: Floats) -> Floats:
    """The matrix of every unit; one where there is one pattern."""
    return per_pattern if len(per_pattern) == 1 else problem.of_units(per_pattern)
