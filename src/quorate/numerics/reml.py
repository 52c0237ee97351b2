"""REML and ML by patterns: criterion, gradient and average information in one pass over the units.

Derivation and notation: ``docs/methods/reml.md``. ``V = V_w + U Gamma U'`` with ``V_w`` block-diagonal; within blocks
the effects are eliminated by the Woodbury identity, across blocks by one system of size (fixed + shared levels).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.numerics.moments import Moments, Products
from quorate.numerics.patterns import Cells, Units, compress

Floats = NDArray[np.float64]
_LEAST_NOISE = 1e-18


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
        self.moments = Moments(self.units)
        self.replicates = replicates
        self.reml = reml
        self.p = cells.x.shape[1]
        self.n_within = cells.within.shape[1]
        self.n_shared = cells.shared.shape[1]
        self.n_residual = cells.noise.shape[1]
        self.n_components = self.n_within + self.n_shared + self.n_residual
        self.n_rows = self.units.n_cells + float(replicates.df.sum())

    def split(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Variance of each within-block column, of each shared level, and of each residual component."""
        within, shared, residual = np.split(theta, [self.n_within, self.n_within + self.n_shared])
        return within[self.units.column_term], shared[self.units.shared_term], residual

    def sums(self, within: Floats, shared: Floats, residual: Floats) -> Floats:
        """Add values of columns, shared levels and residual components up to components."""
        return np.concatenate(
            [
                np.bincount(self.units.column_term, within, self.n_within),
                np.bincount(self.units.shared_term, shared, self.n_shared),
                residual,
            ]
        )


@dataclass(frozen=True)
class Solved:
    """Everything a linear solve with ``V(theta)`` needs, at one point.

    ``j = (I + K Gamma)^-1`` per pattern, ``t = Z' V_w^-1 W`` per mean unit, ``c = W' V_w^-1 W``, ``b`` the inverse of
    the mixed-model coefficient matrix (fixed and shared), ``b_trace`` the same without the fixed effects under ML.
    """

    theta: Floats
    weight: Floats
    gamma: Floats
    products: Products
    j: Floats
    t: Floats
    c: Floats
    b: Floats
    b_trace: Floats
    log_det: float


@dataclass(frozen=True)
class Projected:
    """``V_w^-1 (v - W h)`` for data ``v`` on unit cells, summed over the columns of every term.

    With ``h = B W' V_w^-1 v`` this is ``P v``; with ``v = 0`` and minus ``h`` it is ``V_w^-1 W h``.
    """

    cells: Floats
    within: Floats
    shared: Floats


@dataclass(frozen=True)
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
    if noise.min() < _LEAST_NOISE:
        raise np.linalg.LinAlgError("a cell without residual variance")
    products = problem.moments.products(1 / noise)
    system = np.eye(len(gamma)) + products.k * gamma
    j = np.asarray(np.linalg.inv(system), dtype=np.float64)
    log_within = np.linalg.slogdet(system).logabsdet
    count = problem.units.count
    log_noise = np.bincount(problem.units.cell_pattern, np.log(noise), len(count))
    log_det = float((log_noise + log_within) @ count)
    t: Floats = j[problem.units.unit_pattern[: len(products.n)]] @ products.n
    c = products.g - _gram(products.n, gamma[:, None] * t)
    b, b_trace, log_shared = _inverse(c, gamma_shared, problem.p, problem.reml if reml is None else reml)
    return Solved(theta, 1 / noise, gamma, products, j, t, c, b, b_trace, log_det + log_shared)


def evaluate(problem: Problem, theta: Floats) -> Point:
    """Criterion, gradient and average information at ``theta`` (components,), none negative, residual above 0."""
    solved = solve(problem, theta)
    zy, wy = problem.moments.from_cells(solved.weight[problem.units.cell_index] * problem.units.y)
    local = _apply(problem, solved.j, zy)
    score = wy - _mean_sum(solved.t, solved.gamma * zy)
    effects = solved.b @ score
    e = residual_projection(problem, solved, problem.units.y, zy, score, effects)
    quadratic = problem.units.y @ (solved.weight[problem.units.cell_index] * problem.units.y)
    quadratic -= float(np.sum(zy * solved.gamma * local)) + score @ effects
    replicates = problem.replicates
    residual = theta[problem.n_within + problem.n_shared :]
    has = replicates.df > 0
    if np.any(residual[has] < _LEAST_NOISE):
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
    moments = problem.moments
    z = zv.copy()
    z[: moments.mean_units] -= solved.products.n @ h
    z = _apply(problem, solved.j, z)
    fitted = moments.to_cells(solved.gamma * z, h)
    cells = solved.weight[problem.units.cell_index] * (v - fitted)
    return Projected(cells, z, (wv - solved.c @ h)[problem.p :])


def squares(problem: Problem, e: Projected) -> Floats:
    """``e' A_t e`` for every component."""
    noise = problem.units.noise[problem.units.cell_index]
    return problem.sums(np.sum(e.within**2, axis=0), e.shared**2, noise.T @ e.cells**2)


def second_moment(problem: Problem, solved: Solved, e: Projected) -> Floats:
    """``e' A_s P A_t e`` for every pair of components."""
    moments = problem.moments
    noise = problem.units.noise[problem.units.cell_index]
    full = np.concatenate([np.zeros(problem.p), e.shared])
    f = np.hstack([moments.term_columns(e.within), moments.shared_columns(full), noise * e.cells[:, None]])
    weighted = solved.weight[problem.units.cell_index][:, None] * f
    pairs = [moments.from_cells(column) for column in weighted.T]
    zf = np.stack([z for z, _ in pairs], axis=-1)
    local = _apply(problem, solved.j, zf)
    wf = np.stack([w for _, w in pairs], axis=-1)
    wf -= _gram(solved.t, solved.gamma[:, None] * zf[: moments.mean_units])
    inner = f.T @ weighted - _gram(zf, solved.gamma[:, None] * local)
    out: Floats = inner - wf.T @ solved.b @ wf
    return (out + out.T) / 2


def traces(problem: Problem, solved: Solved) -> Floats:
    """``tr(P A_t)`` for every component (``tr(V^-1 A_t)`` under ML)."""
    count = problem.units.count
    m = solved.j @ solved.products.k
    within = np.einsum("pkk,p->k", m, count) - np.einsum("ukq,ukq->k", times(solved.t, solved.b_trace), solved.t)
    c = solved.c
    shared = (np.diag(c) - np.einsum("ij,ji->i", c @ solved.b_trace, c))[problem.p :]
    residual = [_residual_trace(problem, solved, r) for r in range(problem.n_residual)]
    return problem.sums(within, shared, np.array(residual))


def _residual_trace(problem: Problem, solved: Solved, r: int) -> float:
    a = problem.units.noise[:, r]
    products = problem.moments.products(a * solved.weight**2)
    count = problem.units.count
    diagonal = np.bincount(problem.units.cell_pattern, a * solved.weight, len(count)) @ count
    inner = np.einsum("k,pkl,plk,p->", solved.gamma, solved.j, products.k, count)
    return float(diagonal - inner - np.sum(solved.b_trace * sandwich(problem, solved, products)))


def sandwich(problem: Problem, solved: Solved, products: Products) -> Floats:
    """``W' D^-1(I - ZGJZ'D^-1)' a (...) W`` from cross products with weights that contain ``a``; shape (q, q)."""
    gt = solved.gamma[:, None] * solved.t
    cross = _gram(products.n, gt)
    k = products.k[problem.units.unit_pattern[: len(gt)]]
    out: Floats = products.g - cross - cross.T + _gram(gt, k @ gt)
    return out


def _inverse(c: Floats, gamma: Floats, p: int, reml: bool) -> tuple[Floats, Floats, float]:
    """Inverse of the coefficient matrix, finite where a shared variance is 0, and its log-determinant."""
    scale = np.concatenate([np.ones(p), np.sqrt(gamma)])
    system = scale[:, None] * c * scale
    system[np.arange(p, len(c)), np.arange(p, len(c))] += 1
    b, log_det = _spd_inverse(system)
    b *= scale[:, None] * scale
    if reml:
        return b, b, log_det
    b_trace = np.zeros_like(b)
    inner, log_det = _spd_inverse(system[p:, p:])
    b_trace[p:, p:] = inner * scale[p:, None] * scale[p:]
    return b, b_trace, log_det


def _spd_inverse(matrix: Floats) -> tuple[Floats, float]:
    if matrix.shape[0] == 0:
        return matrix, 0.0
    lower = np.linalg.cholesky(matrix)
    half = np.linalg.inv(lower)
    return half.T @ half, 2 * float(np.sum(np.log(np.diag(lower))))


def _apply(problem: Problem, j: Floats, z: Floats) -> Floats:
    """``J z`` per unit, for ``z`` of shape (units, columns) or (units, columns, m)."""
    matrices = j[problem.units.unit_pattern]
    out: Floats = matrices @ z if z.ndim == 3 else (matrices @ z[:, :, None])[:, :, 0]
    return out


def times(left: Floats, right: Floats) -> Floats:
    """``left right`` for a stack of matrices, as one product."""
    out: Floats = (left.reshape(-1, left.shape[-1]) @ right).reshape(*left.shape[:-1], right.shape[-1])
    return out


def _gram(left: Floats, right: Floats) -> Floats:
    """Sum over units of ``left' right``."""
    out: Floats = left.reshape(-1, left.shape[-1]).T @ right.reshape(-1, right.shape[-1])
    return out


def _mean_sum(t: Floats, z: Floats) -> Floats:
    """``sum over mean units of t' z``."""
    out: Floats = t.reshape(-1, t.shape[-1]).T @ z[: len(t)].ravel()
    return out
