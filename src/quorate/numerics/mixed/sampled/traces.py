"""Traces by random signs, where the system of shared levels is not inverted; see `SampledLevels`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.sampled.levels import SIGNS, SampledLevels

if TYPE_CHECKING:
    from quorate.numerics.mixed.moments import Products
    from quorate.numerics.mixed.solved import Solved


def sampled_traces(problem: Problem, solved: Solved, levels: SampledLevels) -> Floats:
    """``tr(P A_t)`` of every component as a sum of columns: without the inverse, then one for each of its sides.

    Shape (components, 1 + columns of `SampledLevels.sides`).
    """
    first = problem.n_within + problem.n_shared
    left, right = levels.sides
    out = np.zeros((problem.n_components, 1 + left.shape[1]))
    count, columns = problem.units.count, len(problem.units.column_term)
    terms = np.eye(problem.n_within)[problem.units.column_term]
    out[: problem.n_within, 0] = terms.T @ np.einsum("pkl,plk,p->k", solved.j, solved.products.k, count)
    (part,) = solved.mean_units
    seen = np.asarray(part.t @ left) * np.asarray(part.t @ right)
    out[: problem.n_within, 1:] = -terms.T @ seen.reshape(len(part), columns, -1).sum(axis=0)
    owner = np.eye(problem.n_shared)[problem.units.shared_term]
    fixed, taken = levels.taken
    out[problem.n_within : first] = owner.T @ np.column_stack([fixed, -taken])
    largest = problem.largest_residual(solved.theta)
    for r in range(problem.n_residual):
        if r != largest:
            a = problem.units.noise[:, r]
            products = problem.moments.products(a * solved.weight**2)
            diagonal = np.bincount(problem.units.cell_pattern, a * solved.weight, len(count)) @ count
            inner = np.einsum("k,pkl,plk,p->", solved.gamma, solved.j, products.k, count)
            out[first + r, 0] = diagonal - inner
            out[first + r, 1:] = -_sandwiched(problem, solved, products, left, right)
    projected = problem.p if levels.reml else 0
    share = solved.theta @ out
    share[0] -= problem.units.n_cells - projected
    out[first + largest] = -share / solved.theta[first + largest]
    return out


def sampling_error(problem: Problem, solved: Solved, covariance: Floats) -> Floats:
    """Standard deviation of estimates over other signs, as a part of their standard errors; shape (components,).

    Of a problem that is sampled.

    Parameters
    ----------
    covariance : array, shape (components, components)
        Covariance of the estimated components; zero for others.
    """
    levels = cast("SampledLevels", solved.levels)
    each = sampled_traces(problem, solved, levels)[:, 1 : 1 + SIGNS] * np.sqrt(SIGNS)
    error = np.sqrt(np.diag(covariance))
    moved = np.std(covariance @ each / 2, axis=1, ddof=1)  # the criterion's second derivatives are twice its inverse
    return np.asarray(np.divide(moved, error, out=np.zeros_like(moved), where=error > 0), dtype=np.float64)


def _sandwiched(problem: Problem, solved: Solved, products: Products, left: Floats, right: Floats) -> Floats:
    """``l' W' V_w^-1 A V_w^-1 W r`` of a residual component for every pair of columns, less what needs no inverse."""
    (part,), (columns, gamma) = solved.mean_units, (len(solved.gamma), solved.gamma[:, None])
    k = problem.of_mean_units(products.k)

    def seen(side: Floats) -> tuple[Floats, Floats]:
        shape = len(part), columns, side.shape[1]
        return gamma * np.asarray(part.t @ side).reshape(shape), np.asarray(products.n.rows @ side).reshape(shape)

    (gl, nl), (gr, nr) = seen(left), seen(right)
    across = np.sum(gl * (k @ gr / 2 - nr) + gr * (k @ gl / 2 - nl), axis=(0, 1))
    return np.asarray(np.sum(left * (products.g @ right), axis=0) + across, dtype=np.float64)
