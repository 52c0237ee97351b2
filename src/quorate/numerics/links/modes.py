"""Conditional modes of the random effects by penalised iteratively reweighted least squares (PIRLS).

Newton's method on ``2 log L - |u|^2``, which is concave: steps are halved until it rises. The fixed parameters are
held, or found together with the effects.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotConverged
from quorate.numerics.links.cumulative import Border, Likelihood, border, likelihood, predictor
from quorate.numerics.links.factor import Effects, Factor, Scaled
from quorate.numerics.links.layout import Layout
from quorate.wording import Brief

_TOLERANCE = 1e-10
"""Rise that a step promises below which it is no longer taken; `Modes.step` then has it."""
_MOST = 100


@dataclass(frozen=True, eq=False)
class Modes(Brief):
    """The modes, and what is needed of the likelihood there.

    Parameters
    ----------
    scaled : Scaled
        ``M = Z diag(sd)``.
    effects : Effects
        Modes ``u``, of variance 1.
    fixed : array, shape (parameters,)
        Thresholds, then effects.
    at : Likelihood
        The likelihood there.
    border : Border
        Its derivatives in the fixed parameters.
    factor : Factor
        ``I + M'W M`` there, with its border.
    step : Effects
    move : array, shape (parameters,)
        What a further step would add to the modes and to the fixed parameters.
    """

    scaled: Scaled
    effects: Effects
    fixed: Floats
    at: Likelihood
    border: Border
    factor: Factor
    step: Effects
    move: Floats

    @property
    def deviance(self) -> float:
        """Minus twice the logarithm of Laplace's approximation to the likelihood."""
        return -2 * self.at.value + self.effects.dot(self.effects) + self.factor.log_det


def modes(layout: Layout, variance: Floats, fixed: Floats, start: Effects | None = None, *, free: bool) -> Modes:
    """Modes given the variances.

    Parameters
    ----------
    layout : Layout
        Rows and terms.
    variance : array, shape (terms,)
        Of every term, above 0.
    fixed : array, shape (parameters,)
        Thresholds, then effects.
    start : Effects, optional
        Where to begin.
    free : bool
        Whether the fixed parameters are found too, from ``fixed`` on.

    Raises
    ------
    NotConverged
        If the modes run away.
    """
    scaled, k = Scaled(layout, variance), layout.counts.shape[1] - 1

    def looked(effects: Effects, fixed: Floats) -> tuple[Floats, Likelihood, float]:
        eta = predictor(layout.x, fixed, scaled.rows(effects)[:, 0])
        at = likelihood(layout.counts, fixed[:k], eta)
        return eta, at, 2 * at.value - effects.dot(effects)

    effects = scaled.zero() if start is None else start
    eta, at, height = looked(effects, fixed)
    if start is not None and not np.isfinite(height):
        effects = scaled.zero()
        eta, at, height = looked(effects, fixed)
    for _ in range(_MOST):
        edge = border(layout.counts, layout.x, fixed[:k], eta, at)
        try:
            factor = Factor(scaled, at.weight, edge.coupling, edge.information)
        except np.linalg.LinAlgError:  # thresholds or effects so far away that no digit is left
            break
        slope = scaled.sums(at.score[:, None]) + effects * -1.0
        step, move = factor.solve(slope, edge.score[:, None] if free else None)
        change = move[:, 0] if free else np.zeros(len(fixed))
        rise = slope.dot(step) + float(edge.score @ change)
        if rise < _TOLERANCE:
            return Modes(scaled, effects, fixed, at, edge, factor, step, change)
        there, moved = effects + step, fixed + change
        eta, at, higher = looked(there, moved)
        while not higher > height - 1e-12 * abs(height) and np.any(there.within != effects.within):
            step, change = step * 0.5, change * 0.5
            there, moved = effects + step, fixed + change
            eta, at, higher = looked(there, moved)
        effects, fixed, height = there, moved, higher
    raise NotConverged("conditional modes: they run away", fixed)
