"""Log densities of a posterior: priors, and the likelihoods of scores and of log odds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.numerics.links.modes import Layout, modes, start
from quorate.numerics.mixed.problem import Problem

# Prior densities of standard deviations: half-t, or lognormal about the value of a pilot.


DF = 3.0
"""Degrees of freedom of the half-t prior: heavier tails than normal ones, and a finite variance."""
_HALF_T = float(np.log(4 / (np.pi * np.sqrt(DF))))
"""Log of the density at zero of a half-t law on 3 degrees of freedom with scale 1."""
_NORMAL = float(np.log(2 * np.pi) / 2)


class Laws(NamedTuple):
    """Priors of several standard deviations.

    Parameters
    ----------
    scale : array, shape (components,)
        Scale of a half-t law, or median of a lognormal one.
    width : array, shape (components,)
        Standard deviation of the logarithm under a lognormal law; infinite for a half-t law.
    """

    scale: Floats
    width: Floats


def log_density(sd: Any, laws: Laws, xp: Any = np) -> Any:
    """Log density of standard deviations, shape (..., components), of either sign.

    ``xp`` is the array library: ``numpy``, or ``jax.numpy`` where a gradient is wanted.

    References
    ----------
    Gelman (2006), Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1(3).
    """
    known = xp.isfinite(laws.width)
    half_t = _HALF_T - xp.log(laws.scale) - (DF + 1) / 2 * xp.log1p((sd / laws.scale) ** 2 / DF)
    size = xp.log(xp.where(known, xp.maximum(xp.abs(sd), 1e-300), laws.scale))
    width = xp.where(known, laws.width, 1.0)
    lognormal = -0.5 * ((size - xp.log(laws.scale)) / width) ** 2 - xp.log(width) - size - _NORMAL
    return xp.where(known, lognormal, half_t)


def slope(sd: Floats, laws: Laws) -> Floats:
    """Derivative of `log_density`."""
    known = np.isfinite(laws.width)
    away = np.where(known & (np.abs(sd) < 1e-300), 1e-300, sd)
    z = np.log(np.where(known, np.abs(away), laws.scale) / laws.scale)
    lognormal = -(z / np.where(known, laws.width, 1.0) ** 2 + 1) / np.where(known, away, 1.0)
    out: Floats = np.where(known, lognormal, -(DF + 1) * sd / (DF * laws.scale**2 + sd**2))
    return out


def quantile(p: Floats, scale: float, width: float) -> Floats:
    """Quantiles of one standard deviation.

    Examples
    --------
    >>> float(quantile(np.array(0.5), 1.0, np.inf)).__round__(4)  # the upper quartile of Student's t on 3
    0.7649
    """
    from scipy.special import ndtri, stdtrit

    z = np.asarray(p, dtype=np.float64)
    return np.asarray(scale * (np.exp(width * ndtri(z)) if np.isfinite(width) else stdtrit(DF, (1 + z) / 2)))


def widened(laws: Laws, factor: float) -> Laws:
    """The same laws with this many times the scale (half-t) or the width about their median (lognormal)."""
    known = np.isfinite(laws.width)
    return Laws(np.where(known, laws.scale, factor * laws.scale), factor * laws.width)


def redrawn(laws: Laws, n: int, rng: np.random.Generator) -> Floats:
    """Standard deviations drawn from the laws, shape (n, components)."""
    shape = (n, len(laws.scale))
    half_t = np.abs(rng.standard_t(DF, shape))
    known = np.isfinite(laws.width)
    lognormal = np.exp(np.where(known, laws.width, 0.0) * rng.standard_normal(shape))
    out: Floats = laws.scale * np.where(known, lognormal, half_t)
    return out


# Log density of a mixed model of log odds in JAX, random effects among its numbers: none is integrated out.
#
# A position has, in this order, a number for the standard deviation of every term, the first threshold, logarithms of
# the gaps between thresholds, fixed effects, and a number for every random effect. A term of which the scores say
# little has its standard deviation with either sign and effects of variance 1 (non-centred); of any other the
# logarithm is sampled, and effects ``b`` as ``b / sd^(1 - power)``, with a power near 1 (centred) for levels with many
# judgments. Derivation: ``docs/methods/bayes.md``.


_ROUNDS = 10
"""Rounds by which components are found roughly, for a parametrisation that suits them."""
_LITTLE = 0.75
"""Share of the variance of a term's effects that the scores must explain, for its logarithm to be sampled."""
_BETWEEN = 0.01, 25.0
"""Variances of log odds that rough ones are kept between."""
_APART = 0.5
"""How far apart chains begin, in numbers of a position."""


class Counted(NamedTuple):
    """Judgments by category, with fixed and random effects, and how the latter are sampled.

    Parameters
    ----------
    counts : array, shape (rows, categories)
        Judgments by category.
    x : array, shape (rows, effects)
        Fixed effects.
    levels : tuple of array of int, shape (rows,)
        Level of every term.
    power : tuple of array, shape (levels,)
        Power of the standard deviation of each level of every term: 0 non-centred, 1 centred.
    signed : array of bool, shape (terms,)
        Whether the standard deviation of a term has either sign.
    laws : Laws
        Priors of the standard deviations, then of thresholds and fixed effects, either side of zero alike.
    """

    counts: Floats
    x: Floats
    levels: tuple[Ints, ...]
    power: tuple[Floats, ...]
    signed: Bools
    laws: Laws


def latent_size(layout: Layout) -> int:
    """Numbers in the arrays of one evaluation."""
    return int(layout.counts.size + layout.x.size + len(layout.counts) * layout.n_terms)


def parameters(data: Counted, position: Any, xp: Any = np) -> tuple[Any, Any, Any]:
    """Standard deviations, thresholds and fixed effects at positions of shape (..., d)."""
    terms, k = len(data.levels), data.counts.shape[1] - 1
    number, first = position[..., :terms], position[..., terms : terms + 1]
    above = first + xp.cumsum(xp.exp(position[..., terms + 1 : terms + k]), axis=-1)
    sd = xp.where(data.signed, xp.abs(number), xp.exp(xp.where(data.signed, 0.0, number)))
    effects = position[..., terms + k : terms + k + data.x.shape[1]]
    return sd, xp.concatenate([first, above], axis=-1), effects


def log_posterior(data: Counted, position: Any) -> Any:
    """Log density of a position, with the Jacobian of the numbers that are logarithms."""
    import jax.numpy as jnp

    terms, k, p = len(data.levels), data.counts.shape[1] - 1, data.x.shape[1]
    _, thresholds, effects = parameters(data, position, jnp)
    logs = jnp.where(data.signed, 0.0, position[:terms])
    factor = jnp.where(data.signed, position[:terms], 1.0)
    at, eta = terms + k + p, data.x @ effects
    total = jnp.sum(logs) + jnp.sum(position[terms + 1 : terms + k])
    for term, (level, power) in enumerate(zip(data.levels, data.power, strict=True)):
        effect = position[at : at + len(power)]
        at += len(power)
        eta += (effect * jnp.exp((1 - power) * logs[term]) * factor[term])[level]
        total -= jnp.sum((effect * jnp.exp(-power * logs[term])) ** 2) / 2 + logs[term] * jnp.sum(power)
    known = jnp.concatenate([jnp.exp(logs) * factor, thresholds, effects])
    return total + counts_log_likelihood(data.counts, thresholds, eta) + jnp.sum(log_density(known, data.laws, jnp))


def counts_log_likelihood(counts: Any, thresholds: Any, eta: Any) -> Any:
    """As `quorate.numerics.links.modes.likelihood` has it, for JAX."""
    import jax.numpy as jnp

    at = thresholds - eta[:, None]
    value = -jnp.sum(counts[:, :-1] * jnp.logaddexp(0, -at)) - jnp.sum(counts[:, 1:] * jnp.logaddexp(0, at))
    return value + counts[:, 1:-1].sum(axis=0) @ jnp.log(-jnp.expm1(-jnp.diff(thresholds)))


def counted(layout: Layout, laws: Laws) -> tuple[Counted, Floats]:
    """The data, sampled in the way that suits them, and where the numbers before the random effects are about.

    Reliability is the share of the variance of a term's effects that the judgments explain, spread over its levels by
    their information. Terms with a prior that is zero at zero have one sign.
    """
    levels = layout.by_term
    variance, weight, traces = _roughly(layout)
    power, signed = list[Floats](), np.zeros(len(levels), dtype=np.bool_)
    for term, level in enumerate(levels):
        information = np.bincount(level, weight)
        reliability = min(variance[term] * traces[term] / len(information), 0.99)
        signed[term] = reliability < _LITTLE and not np.isfinite(laws.width[term])
        odds = reliability / (1 - reliability) * information / information.mean()
        power.append(np.zeros(len(odds)) if signed[term] else odds / (1 + odds))
    thresholds, none = start(layout.counts), np.zeros(layout.x.shape[1])
    sizes = np.where(signed, np.sqrt(variance), np.log(variance) / 2)
    middle = np.concatenate([sizes, thresholds[:1], np.log(np.diff(thresholds)), none])
    return Counted(layout.counts, layout.x, levels, tuple(power), signed, laws), middle


def starts(data: Counted, middle: Floats, chains: int, rng: np.random.Generator) -> Floats:
    """Where chains begin, shape (chains, d): apart by more than the numbers are likely to be known."""
    effects = sum(len(power) for power in data.power)
    numbers = middle + _APART * rng.standard_normal((chains, len(middle)))
    return np.hstack([numbers, _APART * rng.standard_normal((chains, effects))])


def _roughly(layout: Layout) -> tuple[Floats, Floats, Floats]:
    """Variances, weights of the rows, and traces ``tr(Z'P Z)``, thresholds held at the shares of the categories.

    Every round multiplies a variance by how much its effects at their modes vary over what they would if it were right.
    """
    counts = layout.counts + 0.5 / len(layout.counts)  # as `start` has them: no category is without judgments
    alone, thresholds = replace(layout, x=layout.x[:, :0], counts=counts), start(layout.counts)
    variance = np.ones(layout.n_terms)
    found = modes(alone, variance, thresholds, free=False)
    for _ in range(_ROUNDS):
        squares = [np.sum(np.bincount(level, found.at.score) ** 2) for level in layout.by_term]
        variance = (variance * np.array(squares) / found.factor.leverage[1]).clip(*_BETWEEN)
        found = modes(alone, variance, thresholds, found.effects, free=False)
    return variance, found.at.weight, found.factor.leverage[1]


# The Gaussian likelihood of variance components in JAX: effects integrated out, fixed effects by a flat prior.
#
# The same as `quorate.numerics.mixed.reml.evaluate`, from the same units, padded to arrays of one shape so that a
# compiled program can take any table of that shape. Derivation: ``docs/methods/reml.md``.


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


def marginal_size(problem: Problem) -> float:
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


def restricted_log_likelihood(data: Padded, variance: Any) -> Any:
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
