"""Expected information about variance components, without ever forming a matrix over cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quorate.numerics.moments import Products
from quorate.numerics.reml import (
    Problem,
    Projected,
    Solved,
    residual_projection,
    sandwich,
    second_moment,
    solve,
    squares,
    times,
)

Floats = NDArray[np.float64]


def information(problem: Problem, solved: Solved) -> Floats:
    """Half the trace of ``P A_s P A_t`` for every pair of components, replicates inside cells included.

    This is the expected REML information (ML with ``b_trace``), whatever the data.

    Parameters
    ----------
    problem : Problem
        The design.
    solved : Solved
        The linear system at the components where the information is wanted.

    Returns
    -------
    array, shape (components, components)
    """
    out = _traces_of_pairs(problem, solved) / 2
    residual = solved.theta[-problem.n_residual :]
    tail = np.arange(problem.n_components - problem.n_residual, problem.n_components)
    has = problem.replicates.df > 0
    out[tail[has], tail[has]] += problem.replicates.df[has] / (2 * residual[has] ** 2)
    return out


def covariance(problem: Problem, solved: Solved, kept: list[int]) -> Floats:
    """Covariance of the components ``kept``, from the expected information; shape (components, components), else 0."""
    inside = information(problem, solved)[np.ix_(kept, kept)]
    scale = 1 / np.sqrt(np.diag(inside))
    inverse = np.linalg.pinv(inside * scale[:, None] * scale, rcond=1e-10, hermitian=True)
    out = np.zeros((problem.n_components, problem.n_components))
    out[np.ix_(kept, kept)] = inverse * scale[:, None] * scale
    return out


def component_df(problem: Problem, theta: Floats, kept: list[int], t: int) -> float:
    """Degrees of freedom a component would have if nothing disturbed it: ``2 s2^2 / var`` as ``s2`` grows.

    For balanced data these are the degrees of freedom of its line in the analysis of variance. At ``s2`` the ratio is
    ``df s2^2 / (s2 + d)^2``, so two moderate values give the limit without the rounding errors of a large one.

    Parameters
    ----------
    theta : array, shape (components,)
        Components at which the others stay.
    kept : list of int
        Components that are told apart.
    t : int
        The component.
    """
    sizes = np.array([10.0, 100.0]) * max(float(theta.max()), 1e-12)
    roots = []
    for size in sizes:
        large = np.where(np.arange(len(theta)) == t, size, theta)
        roots.append(size * np.sqrt(2 / covariance(problem, solve(problem, large), kept)[t, t]))
    reciprocal = np.diff(sizes / np.array(roots)) / np.diff(sizes)
    return max(1.0, float(reciprocal[0] ** -2))


def null_point(problem: Problem) -> Floats:
    """Components under which the raw rows are uncorrelated with variance 1, so that ``P`` projects out ``X`` only."""
    noise = problem.units.noise
    residual = (problem.replicates.df > 0).astype(float)
    for r in reversed(range(problem.n_residual)):  # strata without replicates: one component stands for both
        if np.any((noise[:, r] > 0) & (noise @ residual == 0)):
            residual[r] = 1.0
    return np.append(np.zeros(problem.n_components - problem.n_residual), residual)


def quadratic_forms(problem: Problem, solved: Solved) -> Floats:
    """``y' P A_t P y`` for every component, plus the sums of squares inside cells."""
    units, moments = problem.units, problem.moments
    weighted = solved.weight[units.cell_index] * units.y
    zy, wy = moments.from_cells(weighted)
    wy -= solved.t.reshape(-1, moments.q).T @ (solved.gamma * zy)[: moments.mean_units].ravel()
    out = squares(problem, residual_projection(problem, solved, units.y, zy, wy, solved.b @ wy))
    out[-problem.n_residual :] += problem.replicates.ss
    return out


def adjustment(problem: Problem, solved: Solved, contrast: Floats, covariance: Floats) -> float:
    """What estimating the components adds to the variance of ``contrast' beta`` (Kenward and Roger 1997, Eq. 6).

    Parameters
    ----------
    contrast : array, shape (p,)
        Weights on the fixed effects.
    covariance : array, shape (components, components)
        Covariance of the estimated components.
    """
    return 2 * float(np.sum(covariance * second_moment(problem, solved, weights(problem, solved, contrast))))


def weights(problem: Problem, solved: Solved, contrast: Floats) -> Projected:
    """Weights ``w = V^-1 X (X'V^-1X)^-1 L`` of the estimate ``L'beta`` on cells, columns and shared levels."""
    h = solved.b[:, : problem.p] @ contrast
    units, moments = problem.units, problem.moments
    zero = np.zeros_like(units.y)
    none = np.zeros((moments.n_units, moments.columns))
    return residual_projection(problem, solved, zero, none, np.zeros(moments.q), -h)


def cell_weights(problem: Problem, projected: Projected) -> Floats:
    """Weight of every cell of the model in an estimate, from `weights`; shape (cells,)."""
    units = problem.units
    out: Floats = projected.cells[units.mean_cell] / units.scale[units.cell_unit[units.mean_cell]]
    return out


def _traces_of_pairs(problem: Problem, solved: Solved) -> Floats:
    """``tr(P A_s P A_t)``."""
    a, b, c = problem.n_within, problem.n_shared, problem.n_residual
    out = np.zeros((problem.n_components, problem.n_components))
    terms = np.eye(a)[problem.units.column_term]
    levels = np.eye(b)[problem.units.shared_term]
    noise = [_noise_products(problem, solved, r) for r in range(c)]
    blocks = [_within_block(solved.t, terms[:, t]) for t in range(a)]
    blocks += [sandwich(problem, solved, products) for products in noise]
    out[: a + b, : a + b] = _random(problem, solved, terms, levels, blocks[:a])
    for r, products in enumerate(noise):
        row = a + b + r
        column = np.append(_with_random(problem, solved, products, terms, levels, blocks[:a], blocks[a + r]), 0.0)
        out[row, : a + b] = out[: a + b, row] = column[:-1]
        for s in range(r + 1):
            out[row, a + b + s] = out[a + b + s, row] = _residual_pair(problem, solved, r, s, noise, blocks[a:])
    return out


def _noise_products(problem: Problem, solved: Solved, r: int) -> Products:
    return problem.moments.products(problem.units.noise[:, r] * solved.weight**2)


def _within_block(t: Floats, term: Floats) -> Floats:
    """``W' V_w^-1 A_t V_w^-1 W`` for a within-block term."""
    flat = (t * term[:, None]).reshape(-1, t.shape[-1])
    return flat.T @ t.reshape(-1, t.shape[-1])


def _random(problem: Problem, solved: Solved, terms: Floats, levels: Floats, blocks: list[Floats]) -> Floats:
    """Pairs of within-block and shared terms."""
    a, b, p = terms.shape[1], levels.shape[1], problem.p
    out = np.zeros((a + b, a + b))
    m = solved.j @ solved.products.k
    same = np.einsum("pkl,p->kl", m**2, problem.units.count)
    owner = problem.units.unit_pattern[: len(solved.t)]
    tb = times(solved.t, solved.b_trace)
    same -= 2 * np.einsum("ukl,ukl->kl", m[owner], tb @ solved.t.transpose(0, 2, 1))
    out[:a, :a] = terms.T @ same @ terms
    br = [solved.b_trace @ block for block in blocks]
    for s in range(a):
        for t in range(a):
            out[s, t] += np.sum(br[s] * br[t].T)
    outside = (np.eye(len(solved.c)) - solved.c @ solved.b_trace)[p:]
    for t in range(a):
        out[a:, t] = out[t, a:] = levels.T @ np.einsum("ij,jk,ik->i", outside, blocks[t], outside, optimize=True)
    shared = outside @ solved.c[:, p:]
    out[a:, a:] = levels.T @ shared**2 @ levels
    return out


def _with_random(
    problem: Problem, solved: Solved, products: Products, terms: Floats, levels: Floats, blocks: list[Floats], r: Floats
) -> Floats:
    """One residual component with every within-block and shared term."""
    jk = solved.j @ products.k
    within = terms.T @ np.einsum("pkl,pkl,p->k", jk, solved.j, problem.units.count)
    cross = solved.j[problem.units.unit_pattern[: len(solved.t)]] @ _noise_cross(problem, solved, products)
    within -= 2 * terms.T @ np.einsum("ukq,ukq->k", times(cross, solved.b_trace), solved.t)
    br = solved.b_trace @ r
    within += np.array([np.sum(br * (solved.b_trace @ block).T) for block in blocks])
    outside = (np.eye(len(solved.c)) - solved.c @ solved.b_trace)[problem.p :]
    shared = levels.T @ np.einsum("ij,jk,ik->i", outside, r, outside, optimize=True)
    return np.concatenate([within, shared])


def _residual_pair(
    problem: Problem, solved: Solved, r: int, s: int, noise: list[Products], blocks: list[Floats]
) -> float:
    """Two residual components."""
    units = problem.units
    both = units.noise[:, r] * units.noise[:, s]
    third = problem.moments.products(both * solved.weight**3)
    gj = solved.gamma[:, None] * solved.j
    count = units.count
    out = np.bincount(units.cell_pattern, both * solved.weight**2, len(count)) @ count
    out -= 2 * np.einsum("pkl,plk,p->", gj, third.k, count)
    out += np.einsum("pkl,plk,p->", gj @ noise[r].k, gj @ noise[s].k, count)
    left, right = (_noise_cross(problem, solved, noise[i]) for i in (r, s))
    owner = units.unit_pattern[: len(solved.t)]
    inner = np.einsum("ukq,ukr->qr", left, gj[owner] @ right, optimize=True)
    out -= 2 * np.sum(solved.b_trace * (sandwich(problem, solved, third) - inner))
    return float(out + np.sum((solved.b_trace @ blocks[r]) * (solved.b_trace @ blocks[s]).T))


def _noise_cross(problem: Problem, solved: Solved, products: Products) -> Floats:
    """``Z' D^-1 a V_w^-1 W`` per mean unit."""
    owner = problem.units.unit_pattern[: len(solved.t)]
    out: Floats = products.n - products.k[owner] @ (solved.gamma[:, None] * solved.t)
    return out
