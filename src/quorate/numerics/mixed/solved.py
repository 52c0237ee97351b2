"""The linear system of a problem at one point: what every solve with ``V(theta)`` needs.

Derivation and notation: ``docs/methods/reml.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.mixed.blocks import factored
from quorate.numerics.mixed.inverse import scaled_inverse
from quorate.numerics.mixed.levels import Levels
from quorate.numerics.mixed.moments import Products
from quorate.numerics.mixed.parts import MeanUnits
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.rows import gram
from quorate.numerics.mixed.sampled.levels import SampledLevels

if TYPE_CHECKING:
    from quorate.numerics.mixed.reml import Projected

LEAST_NOISE = 1e-18


@dataclass(frozen=True, repr=False)
class Solved:
    """Everything a linear solve with ``V(theta)`` needs, at one point.

    ``j = (I + K Gamma)^-1`` and ``half`` per pattern, with ``half' half = Gamma J``; ``levels`` is the system of fixed
    effects and shared levels that is left across blocks.
    """

    theta: Floats
    weight: Floats
    gamma: Floats
    products: Products
    j: Floats
    half: Floats
    mean_units: MeanUnits
    levels: Levels | SampledLevels
    log_det: float

    @property
    def dense(self) -> Levels:
        """The levels, where their system was inverted."""
        if isinstance(self.levels, SampledLevels):
            raise TypeError("the system of shared levels is too large for its inverse")
        return self.levels

    @cached_property
    def grams(self) -> dict[int, Floats]:
        """What `within_block` has found, by term: traces and information ask for the same."""
        return {}

    @cached_property
    def moments(self) -> dict[bytes, Floats]:
        """Second moments of contrasts found so far, by their weights: a mean is asked for again and again."""
        return {}

    @cached_property
    def weights(self) -> dict[bytes, Projected]:
        """Weights of the contrast that was asked for last, by the contrast: of many cells they take much room."""
        return {}

    @property
    def rows(self) -> Floats | None:
        """``T`` of all mean units, where it is dense and small enough to be held at once."""
        if not self.mean_units.whole:
            return None
        rows = next(iter(self.mean_units)).t
        return rows if isinstance(rows, np.ndarray) else None


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
    reml = problem.reml if reml is None else reml
    levels: Levels | SampledLevels
    if problem.sampled:
        levels = SampledLevels(problem, products.g, next(iter(units)).h, gamma_shared, reml=reml)
    else:
        levels = _inverted(problem, products, units, gamma, gamma_shared, reml=reml)
    return Solved(theta, 1 / noise, gamma, products, blocks.j, blocks.half, units, levels, log_det + levels.log_det)


def _inverted(
    problem: Problem, products: Products, units: MeanUnits, gamma: Floats, gamma_shared: Floats, *, reml: bool
) -> Levels:
    """``C`` and its inverse ``B`` among Henderson's equations, as full matrices."""
    some = None if gamma.all() else (gamma > 0).astype(np.float64)
    c = products.g - units.sum(lambda part: gram(part.h, part.h, None if some is None else np.tile(some, len(part))))
    scale = np.concatenate([np.ones(problem.p), np.sqrt(gamma_shared)])
    b, log_det = scaled_inverse(c, scale, problem.p)
    b_trace = b
    if not reml:
        scale[: problem.p] = 0.0
        b_trace, log_det = scaled_inverse(c, scale, problem.p)
    return Levels(problem.p, gamma_shared, b_trace, c, b, log_det)
