"""The no-U-turn sampler of numpyro, carried out in steps, so that its time can be said after the first of them.

Programs are compiled once for a density and a shape of data, which are arguments of it: many tables of one shape, as
in simulation-based calibration, share one program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.waiting import each

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
