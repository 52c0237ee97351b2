"""Log density of a mixed model of log odds in JAX, random effects among its numbers: none is integrated out.

A position has, in this order, a number for the standard deviation of every term, the first threshold, logarithms of the
gaps between thresholds, fixed effects, and a number for every random effect. A term of which the scores say little has
its standard deviation with either sign and effects of variance 1 (non-centred); of any other the logarithm is sampled,
and effects ``b`` as ``b / sd^(1 - power)``, with a power near 1 (centred) for levels with many judgments. Derivation:
``docs/methods/bayes.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.numerics.links import cumulative
from quorate.numerics.links.layout import Layout
from quorate.numerics.links.modes import modes
from quorate.numerics.posterior.laws import Laws, log_density

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


def size(layout: Layout) -> int:
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
    return total + log_likelihood(data.counts, thresholds, eta) + jnp.sum(log_density(known, data.laws, jnp))


def log_likelihood(counts: Any, thresholds: Any, eta: Any) -> Any:
    """As `quorate.numerics.links.cumulative.likelihood` has it, for JAX."""
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
    thresholds, none = cumulative.start(layout.counts), np.zeros(layout.x.shape[1])
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
    alone, thresholds = replace(layout, x=layout.x[:, :0], counts=counts), cumulative.start(layout.counts)
    variance = np.ones(layout.n_terms)
    found = modes(alone, variance, thresholds, free=False)
    for _ in range(_ROUNDS):
        squares = [np.sum(np.bincount(level, found.at.score) ** 2) for level in layout.by_term]
        variance = (variance * np.array(squares) / found.factor.leverage[1]).clip(*_BETWEEN)
        found = modes(alone, variance, thresholds, found.effects, free=False)
    return variance, found.at.weight, found.factor.leverage[1]
