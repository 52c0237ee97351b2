"""REML and ML by patterns: criterion, gradient and average information in one pass over the units.

Derivation and notation: ``docs/methods/reml.md``. ``V = V_w + U Gamma U'`` with ``V_w`` block-diagonal; within blocks
the effects are eliminated by the Woodbury identity, across blocks by one system of size (fixed + shared levels).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.numerics.mixed.blocks import factored
from quorate.numerics.mixed.inverse import scaled_inverse
from quorate.numerics.mixed.levels import Levels
from quorate.numerics.mixed.moments import CrossProducts, Products
from quorate.numerics.mixed.parts import MeanUnits, Part
from quorate.numerics.mixed.patterns import Cells, Units, compress
from quorate.numerics.mixed.rows import gram, less, scaled

if TYPE_CHECKING:
    from quorate.numerics.mixed.rows import Rows

LEAST_NOISE = 1e-18
_FEW = 8
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
    """

    def __init__(self, cells: Cells, replicates: WithinCells, *, reml: bool = True) -> None:
        self.units: Units = compress(cells)
        self.moments = CrossProducts(self.units)
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


@dataclass(frozen=True, repr=False)
class Solved:
    """Everything a linear solve with ``V(theta)`` needs, at one point.

    ``j = (I + K Gamma)^-1`` and ``half`` per pattern, with ``half' half = Gamma J``; ``c = W' V_w^-1 W``, ``b`` the
    inverse of the mixed-model coefficient matrix (fixed and shared), ``b_trace`` the same without the fixed effects
    under ML, ``gamma_shared`` the variance of every shared level.
    """

    theta: Floats
    weight: Floats
    gamma: Floats
    products: Products
    j: Floats
    half: Floats
    mean_units: MeanUnits
    c: Floats
    b: Floats
    b_trace: Floats
    log_det: float
    gamma_shared: Floats

    def effects(self, score: Floats) -> Floats:
        """``B score``, refined once: ``B`` is large where the score is small, and the product loses those digits."""
        once = self.b @ score
        left = score - self.c @ once
        shared, has = len(once) - len(self.gamma_shared), self.gamma_shared > 0
        left[shared:][has] -= once[shared:][has] / self.gamma_shared[has]
        return np.asarray(once + self.b @ left, dtype=np.float64)

    @cached_property
    def grams(self) -> dict[int, Floats]:
        """What `within_block` has found, by term: traces and information ask for the same."""
        return {}

    @cached_property
    def moments(self) -> dict[bytes, Floats]:
        """Second moments of contrasts found so far, by their weights: a mean is asked for again and again."""
        return {}

    @property
    def rows(self) -> Floats | None:
        """``T`` of all mean units, where it is dense and small enough to be held at once."""
        if not self.mean_units.whole:
            return None
        rows = next(iter(self.mean_units)).t
        return rows if isinstance(rows, np.ndarray) else None

    @cached_property
    def levels(self) -> Levels:
        """The shared levels, as traces need them."""
        return Levels(len(self.c) - len(self.gamma_shared), self.gamma_shared, self.b_trace, self.c)


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


def solve(problem: Problem, theta: Floats, *, reml: bool | None = None) -> Solved:
    """Factor ``V(theta)``; raises numpy.linalg.LinAlgError where it is singular.

    Traces are taken with fixed effects projected out (``reml``; by default as the problem says).
    """
    gamma, gamma_shared, residual = problem.split(theta)
    noise = problem.units.noise @ residual
    if noise.min() < LEAST_NOISE:
        raise np.linalg.LinAlgError("a cell without residual variance")
    products = problem.moments.products(1 / noise)
    blocks = factored(products.k, gamma)
    count = problem.units.count
    log_noise = np.bincount(problem.units.cell_pattern, np.log(noise), len(count))
    log_det = float((log_noise + blocks.log_det) @ count)
    units = MeanUnits(products.n, problem.of_mean_units(blocks.j), problem.of_mean_units(blocks.half))
    some = None if gamma.all() else (gamma > 0).astype(np.float64)
    c = products.g - units.sum(lambda part: gram(part.h, part.h, None if some is None else np.tile(some, len(part))))
    scale = np.concatenate([np.ones(problem.p), np.sqrt(gamma_shared)])
    b, log_shared = scaled_inverse(c, scale, problem.p)
    b_trace = b
    if not (problem.reml if reml is None else reml):
        scale[: problem.p] = 0.0
        b_trace, log_shared = scaled_inverse(c, scale, problem.p)
    log_det += log_shared
    return Solved(theta, 1 / noise, gamma, products, blocks.j, blocks.half, units, c, b, b_trace, log_det, gamma_shared)


def evaluate(problem: Problem, theta: Floats) -> Point:
    """Criterion, gradient and average information at ``theta`` (components,), none negative, residual above 0."""
    solved = solve(problem, theta)
    zy, wy = problem.moments.from_cells(solved.weight[problem.units.cell_index] * problem.units.y)
    score = wy - solved.mean_units.taken_out(apply(problem, solved.half, zy))
    effects = solved.effects(score)
    e = residual_projection(problem, solved, problem.units.y, zy, score, effects)
    # y'P y as Henderson's penalised sum of squares: at its minimum errors of the effects are of second order.
    shared, random = effects[problem.p :], solved.gamma_shared > 0
    penalised = np.sum(e.cells**2 / solved.weight[problem.units.cell_index]) + np.sum(solved.gamma * e.within**2)
    quadratic = float(penalised + np.sum(shared[random] ** 2 / solved.gamma_shared[random]))
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
    return Projected(cells, within, (wv - solved.c @ h)[problem.p :])


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
    out: Floats = inner - wf.T @ solved.b @ wf
    return (out + out.T) / 2


def traces(problem: Problem, solved: Solved) -> Floats:
    """``tr(P A_t)`` for every component (``tr(V^-1 A_t)`` under ML).

    The largest residual component follows from the others: ``sum_t theta_t tr(P A_t) = tr(P V) = cells - p``.
    """
    m = solved.j @ solved.products.k
    within = np.einsum("pkk,p->k", m, problem.units.count)
    largest = problem.largest_residual(solved.theta)
    residual, count = np.zeros(problem.n_residual), problem.units.count
    for r in range(problem.n_residual):
        if r != largest:
            a = problem.units.noise[:, r]
            products = problem.moments.products(a * solved.weight**2)
            diagonal = np.bincount(problem.units.cell_pattern, a * solved.weight, len(count)) @ count
            inner = np.einsum("k,pkl,plk,p->", solved.gamma, solved.j, products.k, count)
            residual[r] = diagonal - inner - np.sum(solved.b_trace * sandwich(problem, solved, products))
    out = problem.sums(within, solved.levels.diagonal, residual)
    for t in range(problem.n_within):
        out[t] -= _traced(problem, solved, t)
    projected = problem.p if solved.b_trace is solved.b else 0
    last = problem.n_components - problem.n_residual + largest
    out[last] = (problem.units.n_cells - projected - solved.theta @ out) / solved.theta[last]
    return out


def _traced(problem: Problem, solved: Solved, t: int) -> float:
    """``tr(B T'T)`` over the rows of a within-block term: of a few dense ones by ``T B`` without ``T'T``."""
    levels = int(np.sum(problem.units.column_term == t)) * problem.moments.mean_units
    if t not in solved.grams and levels * _FEW < len(solved.b) and solved.rows is not None:
        rows = solved.rows[np.flatnonzero(problem.rows_of(t, problem.moments.mean_units))]
        return float(np.sum((rows @ problem.moments.outward_both(solved.b_trace)) * rows))
    return float(np.vdot(solved.b_trace, within_block(problem, solved, t)))


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
