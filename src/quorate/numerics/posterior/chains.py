"""Chains of a posterior: drawn, looked at, and weighted for another prior."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.numerics.distributions import chi_square_tail
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.posterior.densities import Laws, log_density, slope
from quorate.waiting import each

# The no-U-turn sampler of numpyro, carried out in steps, so that its time can be said after the first of them.
#
# Programs are compiled once for a density and a shape of data, which are arguments of it: many tables of one shape, as
# in simulation-based calibration, share one program.


STEP = 10
"""Iterations of all chains at a time."""
PILOT, TUNED = 2, 6
"""Steps after which the time is said, with a metric that is known and without: the first compiles, the last is timed,
and without a metric the first few are of trajectories longer than the others."""
_ACCEPTED, _ACCEPTED_TUNED = 0.8, 0.9
"""Acceptance that steps are tuned for, with a metric that is known, and without: curvature varies, so shorter ones."""
_FIRST = 0.3
"""Step of the integrator that tuning begins with, in units of the metric."""
LOG_DENSITY = Callable[[Any, Any], Any]
"""From data and a position, shape (d,), to the log of the density."""


@dataclass(frozen=True)
class Sampled:
    """Draws of all chains.

    Parameters
    ----------
    positions : array, shape (chains, draws, d)
        Draws after warm-up.
    divergences : int
        Draws whose trajectory left the density.
    leapfrogs : float
        Steps of the integrator per draw, on average.
    seconds : float
        Time of everything, with compilation.
    quoted : float
        Time that was expected after the first steps.
    """

    positions: Floats
    divergences: int
    leapfrogs: float
    seconds: float
    quoted: float


def require() -> None:
    """Refuse where the sampler is not installed.

    Raises
    ------
    InvalidInput
        Naming the extra that has it.
    """
    if find_spec("numpyro") is None:
        raise InvalidInput("posterior: needs a sampler; run pip install 'quorate[bayes]'")


def sample(
    log_density: LOG_DENSITY,
    data: Any,
    start: Floats,
    *,
    warmup: int,
    draws: int,
    seed: int,
    metric: Floats | None = None,
    kept: int | None = None,
    on_quote: Callable[[float], None],
) -> Sampled:
    """Draw from a density.

    Parameters
    ----------
    log_density : callable
        A function of a module: compiled programs are kept by it.
    data : named tuple of arrays
        What it needs.
    start : array, shape (chains, d)
        Where chains begin.
    warmup, draws : int
        Iterations of each chain, before and after the sampler is tuned.
    seed : int
        Seed of the chains.
    metric : array, shape (d, d), optional
        Covariance that draws are expected to have, which is then the metric; tuned from the draws, without
        correlations, unless given.
    kept : int, optional
        How many of the first numbers of a position are kept; all by default.
    on_quote : callable
        Is told the seconds that the run is expected to take, once; may raise.
    """
    import jax

    began = perf_counter()
    with jax.enable_x64(True):
        first, advance = _programs(log_density, warmup, metric is not None)
        arrays = jax.tree.map(jax.numpy.asarray, data)
        state = first(jax.random.split(jax.random.PRNGKey(seed), len(start)), start, arrays, metric)
        steps, taken, quoted = -(-(warmup + draws) // STEP), [], 0.0
        pilot = TUNED if metric is None else PILOT
        for number in each("iterations of the sampler", range(steps)):
            before = perf_counter()
            state, passed = advance(state, arrays)
            taken.append([np.asarray(one) for one in (passed[0][:, :, :kept], *passed[1:])])
            if number + 1 == pilot:
                quoted = perf_counter() - began + (steps - pilot) * (perf_counter() - before)
                on_quote(quoted)
    parts = (np.concatenate(one, axis=1)[:, warmup : warmup + draws] for one in zip(*taken, strict=True))
    positions, diverging, leapfrogs = parts
    return Sampled(positions, int(diverging.sum()), float(leapfrogs.mean()), perf_counter() - began, quoted)


@cache
def _programs(log_density: LOG_DENSITY, warmup: int, known: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Compiled programs: the state that chains begin with, and the next `STEP` iterations of all of them.

    One chain after the other: side by side, each would wait for the longest trajectory.
    """
    import jax
    from numpyro.infer.hmc import hmc

    begin, proceed = hmc(potential_fn_gen=lambda data: lambda position: -log_density(data, position), algo="NUTS")

    def first(keys: Any, start: Any, data: Any, metric: Any) -> Any:
        def one(chain: Any) -> Any:
            key, position = chain
            tuned = {"dense_mass": known, "adapt_mass_matrix": not known, "inverse_mass_matrix": metric}
            tuned["target_accept_prob"] = _ACCEPTED if known else _ACCEPTED_TUNED
            return begin(position, warmup, step_size=_FIRST, model_args=(data,), rng_key=key, **tuned)

        return jax.lax.map(one, (keys, start))

    def advance(state: Any, data: Any) -> Any:
        def one(state: Any, _: Any) -> Any:
            state = proceed(state, model_args=(data,))
            return state, (state.z, state.diverging, state.num_steps)

        return jax.lax.map(lambda chain: jax.lax.scan(one, chain, None, length=STEP), state)

    return jax.jit(first), jax.jit(advance)


# Convergence of chains: rank-normalised split R-hat, and effective sample sizes.


def r_hat(draws: Floats) -> float:
    """Split R-hat of rank-normalised draws, the larger of location and spread; near 1 where chains agree.

    Parameters
    ----------
    draws : array, shape (chains, draws)
        Draws of one quantity.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter and Burkner (2021), Rank-normalization, folding, and localization: an improved
    R-hat, Bayesian Analysis 16(2), Eq. 1-4 and section 4.2. R: ``posterior::rhat``.
    """
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_potential(_normal_scores(halves)), _potential(_normal_scores(folded)))


def bulk_ess(draws: Floats) -> float:
    """Effective sample size of the bulk of draws, shape (chains, draws); R: ``posterior::ess_bulk``."""
    return ess(_normal_scores(_split(draws)))


def ess(chains: Floats) -> float:
    """Effective sample size of a mean by Geyer's initial monotone sequence; Eq. 10 of Vehtari et al. (2021)."""
    m, n = chains.shape
    size = 1 << int(2 * n - 1).bit_length()
    spectrum = np.fft.rfft(chains - chains.mean(axis=1, keepdims=True), size, axis=1)
    covariance: Floats = np.fft.irfft(spectrum * spectrum.conj(), size, axis=1)[:, :n] / n  # with themselves, by lag
    within = covariance[:, 0].mean() * n / (n - 1)
    total = covariance[:, 0].mean() + (chains.mean(axis=1).var(ddof=1) if m > 1 else 0.0)
    if not total > 0:
        return float("nan")  # a constant says nothing
    rho = 1 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    last = int(negative[0]) if len(negative) else len(pairs)
    monotone = np.minimum.accumulate(pairs[:last])
    even = rho[2 * last] if 2 * last < n else 0.0
    tau = -1 + 2 * monotone.sum() + max(even, 0.0)
    return float(m * n / max(tau, 1 / np.log10(m * n)))


def _split(draws: Floats) -> Floats:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _potential(chains: Floats) -> float:
    n = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean()
    between = chains.mean(axis=1).var(ddof=1)
    return float(np.sqrt((n - 1) / n + between / within)) if within > 0 else float("nan")


def _normal_scores(values: Floats) -> Floats:
    """Normal quantiles of fractional ranks, ties averaged (Blom's offset)."""
    from scipy.special import ndtri

    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(times) - (times - 1) / 2)[place].reshape(values.shape)
    out: Floats = ndtri((rank - 3 / 8) / (values.size + 1 / 4))
    return out


# Ranks of true values among draws: uniform where posterior and sampler are right (simulation-based calibration).


DRAWS = 99
"""Draws that a truth is ranked among: ranks are 0 to 99."""
BINS = 10


class Uniformity(NamedTuple):
    """How even ranks are.

    Parameters
    ----------
    counts : tuple of int
        Ranks in every tenth.
    p : float
        By chi-square on 9 degrees of freedom.
    """

    counts: tuple[int, ...]
    p: float


def rank(truth: float, draws: Floats) -> int:
    """How many of `DRAWS` draws, evenly spaced so that they are nearly independent, lie below the truth."""
    at = np.linspace(0, len(draws) - 1, DRAWS).round().astype(np.int64)
    return int(np.sum(draws[at] < truth))


def uniformity(ranks: Ints) -> Uniformity:
    """Counts in tenths, and whether they are even.

    Examples
    --------
    >>> uniformity(np.arange(100)).p
    1.0
    """
    counts = np.bincount(ranks * BINS // (DRAWS + 1), minlength=BINS)
    expected = len(ranks) / BINS
    return Uniformity(tuple(counts.tolist()), chi_square_tail(BINS - 1, np.sum((counts - expected) ** 2) / expected))


def band(studies: int) -> tuple[int, int]:
    """Counts between which all tenths lie with a chance of at least 95%, if ranks are uniform (Bonferroni)."""
    from scipy.special import bdtr

    tail = 0.05 / BINS / 2
    below = bdtr(np.arange(studies + 1), studies, 1 / BINS)
    low, high = np.searchsorted(below, [tail, 1 - tail])
    return int(low), int(high)


# Importance weights for another prior, smoothed by a generalised Pareto law, and whether the draws bear them.


WORST_K = 0.7
"""Shape of the tail of the weights above which a reweighted mean is not to be relied on."""


def smoothed(log_ratio: Floats) -> tuple[Floats, float]:
    """Pareto-smoothed importance weights, which sum to 1, and the shape k of their tail.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao and Gabry (2024), Pareto smoothed importance sampling, JMLR 25, section 2.4.
    R: ``loo::psis``.
    """
    weight = np.exp(log_ratio - log_ratio.max())
    n = len(weight)
    tail = int(min(0.2 * n, 3 * np.sqrt(n)))
    order = np.argsort(weight)
    cut, top = weight[order[-tail - 1]], order[-tail:]
    above = weight[top] - cut
    if above[-1] <= 1e-12 * weight[top[-1]]:  # all alike
        return weight / weight.sum(), -np.inf
    k, sigma = pareto(above[above > 0])
    p = (np.arange(1, tail + 1) - 0.5) / tail
    expected = cut + sigma * np.expm1(-k * np.log1p(-p)) / k if k else cut - sigma * np.log1p(-p)
    weight[top] = np.minimum(expected, weight.max())
    return weight / weight.sum(), k


def pareto(x: Floats) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto law of ascending positive values.

    References
    ----------
    Zhang and Stephens (2009), A new and efficient estimation method for the generalized Pareto distribution,
    Technometrics 51(3), with the weakly informative prior on the shape of Vehtari et al. (2024), Appendix G.
    """
    n = len(x)
    m = 30 + int(np.sqrt(n))
    quarter = x[int(n / 4 + 0.5) - 1]
    b = (1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))) / (3 * quarter) + 1 / x[-1]
    shape = np.log1p(-b[:, None] * x).mean(axis=1)
    likelihood = n * (np.log(-b / shape) - shape - 1)
    weight = 1 / np.exp(likelihood - likelihood[:, None]).sum(axis=1)
    best = float(b @ (weight / weight.sum()))
    k = float(np.log1p(-best * x).mean())
    return (n * k + 5) / (n + 10), -k / best


def quantiles(values: Floats, weight: Floats, p: Floats) -> Floats:
    """Quantiles of weighted draws."""
    order = np.argsort(values)
    middle = np.cumsum(weight[order]) - weight[order] / 2
    return np.interp(p, middle, values[order])


# Mode of the posterior of standard deviations, and the curvature there: where chains begin, and their metric.


_LEAST = 1e-6
"""Least standard deviation that is looked at; the scores have standard deviation 1."""


def mode(problem: Problem, kept: Ints, laws: Laws) -> tuple[Floats, Floats]:
    """Where the posterior of the components ``kept`` is highest, and the covariance that the curvature there has."""
    from scipy.optimize import minimize

    def lost(sd: Floats) -> tuple[float, Floats]:
        theta = np.zeros(problem.n_components)
        theta[kept] = sd**2
        point = evaluate(problem, theta)
        prior = float(log_density(sd, laws).sum())
        return point.criterion / 2 - prior, point.gradient[kept] * sd - slope(sd, laws)

    start = np.full(len(kept), len(kept) ** -0.5)
    found = minimize(lost, start, jac=True, method="L-BFGS-B", bounds=[(_LEAST, None)] * len(kept)).x
    near = np.diag(1e-3 * np.maximum(found, 0.01))
    curvature = np.array([(lost(found + step)[1] - lost(found - step)[1]) / (2 * step.sum()) for step in near])
    values, vectors = np.linalg.eigh((curvature + curvature.T) / 2)
    return found, vectors @ np.diag(1 / values.clip(1.0)) @ vectors.T
