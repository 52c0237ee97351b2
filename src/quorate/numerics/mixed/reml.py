"""REML and ML by patterns: criterion, gradient and average information in one pass over the units.

Derivation and notation: ``docs/methods/reml.md``. ``V = V_w + U Gamma U'`` with ``V_w`` block-diagonal; within blocks
the effects are eliminated by the Woodbury identity, across blocks by one system of size (fixed + shared levels).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged
from quorate.frozen import dataclass
from quorate.numerics.mixed.moments import Part, Products, gram, less, scaled
from quorate.numerics.mixed.patterns import Cells
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.sampled import SampledLevels
from quorate.numerics.mixed.solved import (
    LEAST_NOISE,
    Points,
    Projected,
    Solved,
    residual_products,
    sampled_traces,
    solve,
)
from quorate.waiting import each

if TYPE_CHECKING:
    from quorate.numerics.mixed.moments import Rows


_FEW = 8


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
    residual = np.zeros(problem.n_residual)
    for r in range(problem.n_residual):
        if r != largest:
            products, trace = residual_products(problem, solved, r)
            residual[r] = trace - np.sum(levels.b_trace * sandwich(problem, solved, products))
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


# Newton steps for variance components: never below zero, never uphill.


_ROUNDING = 1e-4
"""Promise of a step, in deviance units, that rounding errors of the criterion can hide where the noise is tiny."""

_COARSE = 1e-6
"""Promise of a step below which one of many searches ends; the lowest is then minimised in full."""
_SAME = 1e-4
"""Part of the largest component, and of a deviance unit, within which two searches are at the same place."""


@dataclass(frozen=True)
class Optimum:
    """Where a minimisation ended.

    Parameters
    ----------
    theta : array, shape (components,)
        The minimiser.
    point : Point
        The criterion there.
    evaluations : int
        Criterion evaluations used.
    """

    theta: Floats
    point: Point
    evaluations: int


def minimise(
    evaluate: Callable[[Floats], Point],
    start: Floats,
    *,
    least: Floats | float = 0.0,
    tolerance: float = 1e-12,
    most: int = 200,
) -> Optimum:
    """Minimise a criterion over components that are at least so large.

    Each step minimises the quadratic model under the bounds; where it does not lower the criterion, the model is damped
    (Levenberg and Marquardt) until it does. It ends when the model promises less than ``tolerance``,
    or when no step along it is lower and it promises no more than rounding errors.

    Parameters
    ----------
    evaluate : callable
        Maps components to a `Point`; may raise LinAlgError where the variance matrix is singular.
    start : array, shape (components,)
        Where to begin; inside the bounds.
    least : array, shape (components,), or float
        Lower bounds, none negative.
    tolerance : float
        Decrease of the criterion (deviance units) that is no longer worth a step.
    most : int
        Evaluations allowed.

    Raises
    ------
    NotConverged
        If the evaluations run out; carries the best point.
    """
    theta, point = start, evaluate(start)
    damping, used = 0.0, 1
    for _ in each("steps of the fit", iter(range(1, most))):
        step = bounded_step(point.gradient, point.hessian, theta, damping, least)
        promised = _promised(point, step)
        if promised < tolerance and damping < 1e6:
            return Optimum(theta, point, used)
        try:
            trial = evaluate(np.maximum(theta + step, least))
        except np.linalg.LinAlgError:
            trial = None
        used += 1
        slack = 1e-12 * (1 + abs(point.criterion))
        if trial is not None and np.isfinite(trial.criterion) and trial.criterion <= point.criterion + slack:
            stalled = point.criterion - trial.criterion < slack and promised < 1e-6
            theta, point = np.maximum(theta + step, least), trial
            damping = 0.0 if damping < 1e-3 else damping / 10
            if stalled:
                return Optimum(theta, point, used)
        else:
            damping = max(4 * damping, 0.25)
            if damping > 1e12:
                break
    if damping > 1e12 and _promised(point, bounded_step(point.gradient, point.hessian, theta, 0.0, least)) < _ROUNDING:
        return Optimum(theta, point, used)
    raise NotConverged(
        f"variance components: no convergence after {used} evaluations (criterion {point.criterion:.6f}); "
        "leave out a term that the data barely identify",
        Optimum(theta, point, used),
    )


def settle(
    evaluate: Callable[[Floats], Point],
    start: Floats,
    *,
    least: Floats | float = 0.0,
    tolerance: float = 1e-6,
    most: int = 60,
) -> Optimum:
    """Where the gradient is flat, of a criterion whose value is not at hand.

    Steps are those of `minimise`; one is damped where the next would promise more than it did.

    Parameters
    ----------
    evaluate, start, least, tolerance, most
        As for `minimise`.

    Raises
    ------
    NotConverged
        If the evaluations run out; carries the last point.
    """
    theta, point, damping = start, evaluate(start), 0.0
    for used in each("steps of the fit", iter(range(1, most))):
        step = bounded_step(point.gradient, point.hessian, theta, damping, least)
        if _promised(point, bounded_step(point.gradient, point.hessian, theta, 0.0, least)) < tolerance:
            return Optimum(theta, point, used)
        there = np.maximum(theta + step, least)
        try:
            trial = evaluate(there)
        except np.linalg.LinAlgError:
            damping = max(4 * damping, 0.25)
            continue
        before, after = (
            _promised(one, bounded_step(one.gradient, one.hessian, at, 0.0, least))
            for one, at in ((point, theta), (trial, there))
        )
        if after > before:
            damping = max(4 * damping, 0.25)
        else:
            theta, point, damping = there, trial, 0.0 if damping < 1e-3 else damping / 10
    raise NotConverged(
        f"variance components: no convergence after {most} evaluations; leave out a term that the data barely identify",
        Optimum(theta, point, most),
    )


def lowest(
    evaluate: Callable[[Floats], Points], starts: Floats, *, least: Floats | float = 0.0, most: int = 40
) -> tuple[float, Floats]:
    """The lowest criterion that searches from several places come to, and where; all take their steps together.

    A search ends as `minimise` does, to a coarser tolerance, and where it has met one that is as low.

    Parameters
    ----------
    evaluate : callable
        Maps many places, shape (places, components), to `Points`.
    starts : array, shape (places, components)
        Where to begin; inside the bounds.
    least : array, shape (components,), or float
        As for `minimise`.
    most : int
        Evaluations of each.
    """
    from quorate.numerics.mixed.solved import Points

    theta, damping = starts, np.zeros(len(starts))
    points = evaluate(theta)
    best, where = np.inf, starts[0]
    for _ in range(most):
        first = int(np.argmin(points.criterion))
        if points.criterion[first] < best:
            best, where = float(points.criterion[first]), theta[first]
        step = bounded_steps(points.gradient, points.hessian, theta, damping, least)
        promised = -np.sum((points.gradient + (points.hessian @ step[:, :, None])[:, :, 0] / 2) * step, axis=1)
        live = np.flatnonzero(((promised > _COARSE) | (damping > 1e6)) & (damping < 1e12) & _apart(theta, points))
        live = live[np.isfinite(points.criterion[live])]
        if not len(live):
            break
        theta, damping, points = theta[live], damping[live], points.take(live)
        there = np.maximum(theta + step[live], least)
        trial = evaluate(there)
        lower = trial.criterion <= points.criterion + 1e-12 * (1 + np.abs(points.criterion))
        theta = np.where(lower[:, None], there, theta)
        points = Points(
            *(
                np.where(lower.reshape(-1, *[1] * (now.ndim - 1)), then, now)
                for now, then in zip(vars(points).values(), vars(trial).values(), strict=True)
            )
        )
        damping = np.where(lower, np.where(damping < 1e-3, 0.0, damping / 10), np.maximum(4 * damping, 0.25))
    return best, where


def _apart(theta: Floats, points: Points) -> NDArray[np.bool_]:
    """Whether no search before this one is at the same place."""
    near = np.abs(theta[:, None] - theta).max(axis=2) < _SAME * (theta.max() + 1e-300)
    near &= np.abs(points.criterion[:, None] - points.criterion) < _SAME
    return np.asarray(~np.any(np.tril(near, -1), axis=1), dtype=np.bool_)


def scattered_starts(theta: Floats, rng: np.random.Generator, *, n: int = 8) -> Floats:
    """Places from which to look for a lower minimum of scores with variance 1.

    Each component far above the others; each that is zero as large as the scores, beside the others as they are; and
    ``n`` places at random over four orders of magnitude.

    Parameters
    ----------
    theta : array, shape (components,)
        The minimum that is known.
    rng : numpy.random.Generator
        For the places at random.
    """
    one = np.eye(len(theta), dtype=bool)
    alone, beside = np.where(one, 1.0, 0.02), np.where(one[theta == 0], 1.0, np.maximum(theta, 0.001))
    return np.concatenate([alone, beside, np.exp(rng.normal(-1.5, 2.0, (n, len(theta))))])


_FARTHEST = 1e100
"""The longest step in any component, where scores that are fitted exactly leave no curvature to bound one."""


def bounded_step(
    gradient: Floats, hessian: Floats, theta: Floats, damping: float, least: Floats | float = 0.0
) -> Floats:
    """Minimise ``g's + s'Hs/2`` over ``theta + s >= least`` by active sets.

    Scaled so that damping means the same for every component; components at the bound with an outward gradient stay.
    """
    curvature = hessian.diagonal()
    highest = float(curvature.max())
    scale = 1 / np.sqrt(np.maximum(curvature, max(1e-60 * highest, 1e-300)))
    if highest <= 0:  # rounding errors, where the scores are fitted exactly: there is no curvature
        hessian = np.zeros_like(hessian)
    h = hessian * scale[:, None] * scale
    h.flat[:: len(h) + 1] += damping + 1e-12
    g, low = gradient * scale, (least - theta) / scale
    free = (theta > least) | (gradient < 0)
    step = np.zeros_like(theta)
    for _ in range(3 * len(theta) + 3):
        if free.all():
            step[:] = -np.linalg.solve(h, g)
        else:
            step = np.where(free, 0.0, low)
            some = free.nonzero()[0]
            step[some] = -np.linalg.solve(h[some[:, None], some], (g + h @ step)[some])
        below = free & (step < low)
        if below.any():
            free &= ~below
            continue
        if free.all():
            break
        slope = g + h @ step
        inward = ~free & (slope < -1e-14)
        if not inward.any():
            break
        free[np.argmin(np.where(inward, slope, 0.0))] = True
    return np.asarray(np.minimum(np.maximum(step, low), _FARTHEST / scale) * scale)


def bounded_steps(
    gradient: Floats, hessian: Floats, theta: Floats, damping: Floats | float = 0.0, least: Floats | float = 0.0
) -> Floats:
    """`bounded_step` of many searches at once, shape (searches, components)."""
    curvature = np.einsum("mtt->mt", hessian)
    highest = curvature.max(axis=1)[:, None]
    scale = 1 / np.sqrt(np.maximum(curvature, np.maximum(1e-60 * highest, 1e-300)))
    h = np.where(highest[:, :, None] > 0, hessian, 0.0) * scale[:, :, None] * scale[:, None, :]
    np.einsum("mtt->mt", h)[:] += np.reshape(damping, (-1, 1)) + 1e-12
    g, low = gradient * scale, (least - theta) / scale
    free, step, unit = (theta > least) | (gradient < 0), np.zeros_like(theta), np.eye(theta.shape[1])
    some = np.arange(len(theta))  # searches whose bounds are not settled
    for _ in range(3 * theta.shape[1] + 3):
        mine, own, inside = h[some], np.where(free[some], 0.0, low[some]), free[some]
        wanted = np.where(inside, -(g[some] + (mine @ own[:, :, None])[:, :, 0]), own)
        system = np.where(inside[:, :, None] & inside[:, None, :], mine, unit)
        own = np.linalg.solve(system, wanted[:, :, None])[:, :, 0]
        step[some] = own
        below = inside & (own < low[some])
        slope = np.where(inside, 0.0, g[some] + (mine @ own[:, :, None])[:, :, 0])
        inward = (slope.min(axis=1) < -1e-14) & ~below.any(axis=1)
        free[some] ^= below
        free[some[inward], slope.argmin(axis=1)[inward]] = True
        some = some[inward | below.any(axis=1)]
        if not len(some):
            break
    return np.asarray(np.minimum(np.maximum(step, low), _FARTHEST / scale) * scale)


def _promised(point: Point, step: Floats) -> float:
    """Decrease of the criterion that the quadratic model promises of a step."""
    return -float(point.gradient @ step + step @ point.hessian @ step / 2)


# A few cells, dense: the criterion of a small problem at many places at once.


_NOISE_ROUNDING = 1e-13
"""Noise, as a part of the largest component, below which a covariance matrix is singular by rounding."""


class Dense:
    """REML or ML of one table with one matrix per component; what `quorate.numerics.mixed.reml.evaluate` computes.

    Parameters
    ----------
    cells : Cells
        The model, one row per cell.
    problem : Problem
        The same, with the part of the likelihood inside cells.
    kept : array of int
        Components that vary; the others are zero.
    """

    def __init__(self, cells: Cells, problem: Problem, kept: Ints) -> None:
        replicates, self.reml = problem.replicates, problem.reml
        block = cells.block[:, None] == cells.block
        parts = [block & (column[:, None] == column) for column in cells.within.T]
        parts += [column[:, None] == column for column in cells.shared.T]
        matrices = np.array([*(part.astype(float) for part in parts), *(np.diag(noise) for noise in cells.noise.T)])
        self.a, self.y = matrices[kept], cells.y
        self.x = cells.x if cells.row is None else cells.x[cells.row]
        first = len(matrices) - cells.noise.shape[1]
        ss, df = (np.concatenate([np.zeros(first), values])[kept] for values in (replicates.ss, replicates.df))
        self.inside, self.ss, self.df = df > 0, ss[df > 0], df[df > 0]
        self.noise = np.concatenate([np.zeros((first, len(self.y))), cells.noise.T])[kept]
        free = problem.n_rows - (problem.p if self.reml else 0)
        self.constant = free * np.log(2 * np.pi) + replicates.log_counts

    def evaluate(self, theta: Floats) -> Points:
        """Criterion, gradient, average information and fixed effects at every row of ``theta`` (places, components).

        The criterion is infinite where a cell, or a replicate, has no variance, or next to none beside the others.
        """
        own = theta[:, self.inside]
        proper = (
            (theta @ self.noise).min(axis=1) >= np.maximum(LEAST_NOISE, _NOISE_ROUNDING * theta.max(axis=1))
        ) & np.all(own >= LEAST_NOISE, axis=1)
        own = np.where(proper[:, None], own, 1.0)
        v = np.tensordot(theta, self.a, 1)
        v = np.where(proper[:, None, None], v, np.eye(len(self.y)))
        inverse = np.linalg.inv(v)
        weighted = inverse @ self.x
        inner = self.x.T @ weighted
        solve = np.linalg.solve(inner, weighted.transpose(0, 2, 1))
        p = inverse - weighted @ solve
        py = p @ self.y
        apy = np.tensordot(py, self.a, (1, 2))
        traced = p if self.reml else inverse
        gradient = np.tensordot(traced, self.a, ((1, 2), (1, 2))) - (apy @ py[:, :, None])[:, :, 0]
        hessian = apy @ p @ apy.transpose(0, 2, 1)
        sign, log_det = np.linalg.slogdet(v)
        criterion = self.constant + log_det + py @ self.y
        if self.reml:
            criterion = criterion + np.linalg.slogdet(inner).logabsdet
        criterion = criterion + np.log(own) @ self.df + (self.ss / own).sum(axis=1)
        gradient[:, self.inside] += self.df / own - self.ss / own**2
        tail = np.flatnonzero(self.inside)
        hessian[:, tail, tail] += self.ss / own**3
        return Points(np.where(proper & (sign > 0), criterion, np.inf), gradient, hessian, solve @ self.y)
