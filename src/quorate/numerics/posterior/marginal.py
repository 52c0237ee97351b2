"""The Gaussian likelihood of variance components in JAX: effects integrated out, fixed effects by a flat prior.

The same as `quorate.numerics.mixed.reml.evaluate`, from the same units, padded to arrays of one shape so that a
compiled program can take any table of that shape. Derivation: ``docs/methods/reml.md``.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.problem import Problem


class Padded(NamedTuple):
    """A problem as arrays; cells that a pattern lacks have noise 1 and no columns.

    Parameters
    ----------
    blocks : array, shape (patterns,)
        Blocks per pattern.
    z : array, shape (patterns, m, columns)
        Within-block design.
    noise : array, shape (patterns, m, residual components)
        Variance of a cell mean per unit of each residual component.
    empty : array, shape (patterns, m)
        1 where there is no cell.
    mean_pattern, contrast_pattern : array of int
        Pattern of each unit.
    w : array, shape (mean units, m, p + shared levels)
        Fixed and shared design.
    y, contrast : array, shape (units, m)
        Data of the units.
    column, shared : array, shape (columns or shared levels, components)
        1 where a column or level is of the component.
    residual : array, shape (residual components, components)
        1 where a residual component is the component.
    ss, df : array, shape (residual components,)
        Replicates inside cells.
    """

    blocks: Floats
    z: Floats
    noise: Floats
    empty: Floats
    mean_pattern: Ints
    contrast_pattern: Ints
    w: Floats
    y: Floats
    contrast: Floats
    column: Floats
    shared: Floats
    residual: Floats
    ss: Floats
    df: Floats


def size(problem: Problem) -> float:
    """Numbers in the largest array of `padded`."""
    units = problem.units
    m = int(np.bincount(units.cell_pattern).max())
    columns, q = len(units.column_term), problem.p + len(units.shared_term)
    return float(max(len(units.scale) * m * q, len(units.count) * m * columns, len(units.scale) * columns * q))


def padded(problem: Problem, kept: Ints) -> Padded:
    """Lay a problem out for the components that are ``kept``; the others are zero."""
    units, patterns = problem.units, len(problem.units.count)
    inside = np.bincount(units.cell_pattern, minlength=patterns)
    m = int(inside.max())
    place = np.arange(len(units.cell_pattern)) - np.repeat(np.cumsum(inside) - inside, inside)
    z = np.zeros((patterns, m, len(units.column_term)))
    for column in units.column.T:
        z[units.cell_pattern, place, column] = 1.0
    noise = np.zeros((patterns, m, problem.n_residual))
    noise[units.cell_pattern, place] = units.noise
    empty = np.ones((patterns, m))
    empty[units.cell_pattern, place] = 0.0
    n_mean = len(units.scale)
    y = np.zeros((len(units.unit_pattern), m))
    y[units.cell_unit, place[units.cell_index]] = units.y
    first = slice(0, len(units.row))
    w = np.zeros((n_mean, m, problem.p + len(units.shared_term)))
    at = units.cell_unit[first], place[units.cell_index[first]]
    scale = units.scale[at[0]]
    w[(*at, slice(0, problem.p))] = units.x[units.x_row[units.row]] * scale[:, None]
    for column in units.shared[units.row].T:
        w[(*at, problem.p + column)] = scale
    member = np.zeros((problem.n_components, len(kept)))
    member[kept, np.arange(len(kept))] = 1.0
    split = problem.n_within + problem.n_shared
    return Padded(
        units.count, z, noise, empty, units.unit_pattern[:n_mean], units.unit_pattern[n_mean:], w, y[:n_mean],
        y[n_mean:], member[units.column_term], member[problem.n_within + units.shared_term], member[split:],
        problem.replicates.ss, problem.replicates.df,
    )  # fmt: skip


def log_likelihood(data: Padded, variance: Any) -> Any:
    """Log of the restricted likelihood, without its constant, at variances of shape (components,)."""
    log_det, quadratic, lower, score = _solved(data, variance)
    residual = data.residual @ variance
    import jax.numpy as jnp

    inside = jnp.sum(jnp.where(data.df > 0, data.df * jnp.log(residual) + data.ss / residual, 0.0))
    half = _forward(lower, score)
    return -0.5 * (log_det + 2 * jnp.sum(jnp.log(jnp.diagonal(lower))) + quadratic - half @ half + inside)


def fixed_effects(data: Padded, variances: Floats, p: int) -> tuple[Floats, Floats]:
    """Mean and covariance of the fixed effects given the variances, shape (draws, components), one draw at a time.

    Returns
    -------
    array, shape (draws, p)
    array, shape (draws, p, p)
    """
    import jax

    with jax.enable_x64(True):
        arrays = jax.tree.map(jax.numpy.asarray, data)
        mean, covariance = _conditional(p)(arrays, jax.numpy.asarray(variances))
        return np.asarray(mean), np.asarray(covariance)


@cache
def _conditional(p: int) -> Any:
    """The compiled program of `fixed_effects`."""
    import jax

    def one(data: Padded, variance: Any) -> Any:
        _, _, lower, score = _solved(data, variance)
        half = _forward(lower, jax.numpy.eye(len(score))[:, :p])
        return half.T @ _forward(lower, score), half.T @ half

    return jax.jit(lambda data, rows: jax.lax.map(lambda variance: one(data, variance), rows))


def _solved(data: Padded, variance: Any) -> Any:
    """Log-determinant and quadratic form within blocks, and the factor and score of the shared system."""
    import jax.numpy as jnp

    noise = data.noise @ (data.residual @ variance) + data.empty
    weight = 1 / noise
    sd = jnp.sqrt(data.column @ variance)
    within = jnp.einsum("pmk,pm,pml->pkl", data.z, weight, data.z) * sd[:, None] * sd
    lower = jnp.linalg.cholesky(within + jnp.eye(len(sd)))
    log_det = data.blocks @ (
        jnp.sum(jnp.log(noise), axis=1) + 2 * jnp.sum(jnp.log(jnp.diagonal(lower, axis1=1, axis2=2)), axis=1)
    )
    quadratic: Any = 0.0
    if len(data.contrast):
        own = data.contrast_pattern
        part = _forward(lower[own], jnp.einsum("umk,um->uk", data.z[own] * sd, weight[own] * data.contrast)[..., None])
        quadratic = jnp.sum(weight[own] * data.contrast**2) - jnp.sum(part**2)
    own = data.mean_pattern
    both = jnp.concatenate([data.w, data.y[..., None]], axis=-1)
    weighted = weight[own][..., None] * both
    part = _forward(lower[own], jnp.einsum("umk,umq->ukq", data.z[own] * sd, weighted))
    products = jnp.einsum("umq,umr->qr", both, weighted) - jnp.einsum("ukq,ukr->qr", part, part)
    q = data.w.shape[-1]
    shared = jnp.sqrt(data.shared @ variance)
    scale = jnp.concatenate([jnp.ones(q - len(shared)), shared])
    system = products[:q, :q] * scale[:, None] * scale
    system += jnp.diag(jnp.concatenate([jnp.zeros(q - len(shared)), jnp.ones(len(shared))]))
    return log_det, quadratic + products[q, q], jnp.linalg.cholesky(system), scale * products[:q, q]


def _forward(lower: Any, right: Any) -> Any:
    from jax.scipy.linalg import solve_triangular

    return solve_triangular(lower, right, lower=True)
