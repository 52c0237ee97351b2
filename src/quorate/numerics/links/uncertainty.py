"""Uncertainty of a fit: second derivatives of the deviance, by differences of its exact gradient."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.links.layout import Layout
from quorate.numerics.links.search import LEAST, Optimum, evaluate

_FLAT = 1e-3
"""Least second derivative, of correlation form: below it the normal approximation is not to be had."""
_STEP = 1e-2
"""Step of the differences, in standard errors: their error is a hundredth of that of the normal approximation."""


def covariance(layout: Layout, optimum: Optimum, *, inside: bool) -> Floats:
    """Covariance of variances, zero for those at zero, and fixed parameters: twice the inverse of second derivatives.

    Fixed parameters that were found ``inside`` the modes move with the variances, and have their own information.
    """
    return _of_modes(layout, optimum) if inside else _of_all(layout, optimum)


def _of_modes(layout: Layout, optimum: Optimum) -> Floats:
    n, start = layout.n_terms, optimum.point.modes.effects
    place = np.maximum(optimum.variance, LEAST)
    free: Ints = np.flatnonzero(optimum.variance > 0)
    half, moved = np.zeros((len(free), len(free))), np.zeros((len(optimum.fixed), len(free)))
    for row, t in enumerate(free):
        step = np.zeros(n)
        step[t] = min(_STEP * float(np.sqrt(2 / optimum.point.hessian[t, t])), place[t] / 2)
        up, down = (evaluate(layout, p, optimum.fixed, start, inside=True) for p in (place + step, place - step))
        half[row] = (up.gradient - down.gradient)[free] / (2 * step[t])
        moved[:, row] = (up.modes.fixed - down.modes.fixed) / (2 * step[t])
    of_free = _inverse(half)
    lower = optimum.point.modes.factor.lower[optimum.point.modes.factor.q :, optimum.point.modes.factor.q :]
    half_own = np.linalg.inv(lower)
    out = np.zeros((n + len(optimum.fixed),) * 2)
    out[np.ix_(free, free)] = of_free
    out[n:, free] = moved @ of_free
    out[free, n:] = out[n:, free].T
    out[n:, n:] = half_own.T @ half_own + moved @ of_free @ moved.T
    return out


def _inverse(half: Floats) -> Floats:
    """Twice the inverse of second derivatives; directions in which they are all but flat are held."""
    half = (half + half.T) / 2
    scale = 1 / np.sqrt(np.maximum(np.diag(half), 1e-12))
    values, vectors = np.linalg.eigh(half * np.outer(scale, scale))
    return np.asarray(2 * (vectors / np.maximum(values, _FLAT)) @ vectors.T * np.outer(scale, scale), dtype=np.float64)


def _of_all(layout: Layout, optimum: Optimum) -> Floats:
    n = layout.n_terms
    place = np.append(np.maximum(optimum.variance, LEAST), optimum.fixed)
    free: Ints = np.flatnonzero(np.append(optimum.variance > 0, np.ones(len(optimum.fixed), dtype=np.bool_)))
    start = optimum.point.modes.effects
    here = evaluate(layout, place[:n], place[n:], start, inside=False)
    half = np.zeros((len(free), len(free)))
    for row, t in enumerate(free):
        step = np.zeros(len(place))
        step[t] = _STEP * np.sqrt(2 / here.hessian[t, t])
        step[t] = min(step[t], place[t] / 2) if t < n else step[t]
        sides = [evaluate(layout, p[:n], p[n:], start, inside=False).gradient for p in (place + step, place - step)]
        half[row] = (sides[0] - sides[1])[free] / (2 * step[t])
    out = np.zeros((len(place), len(place)))
    out[np.ix_(free, free)] = _inverse(half)
    return out


# Marginal shares: the logistic function integrated over a normal random effect.


_NODES = 201
_REACH = 8.5


def logistic_normal(at: Floats, variance: float) -> tuple[Floats, Floats, Floats]:
    """``E F(at + s Z)`` with its derivatives in ``at`` and in the variance ``s^2``, each of the shape of ``at``.

    The derivative in the variance is half the second in ``at`` (the heat equation), so that it exists at zero.
    The trapezoidal rule over ``Z`` is exact to rounding errors while its step is small beside the poles of ``F``,
    which are ``pi / s`` away: there are as many nodes as that takes.
    """
    sd = float(np.sqrt(variance))
    n = max(_NODES, 2 * int(np.ceil(_REACH * sd * 6 / np.pi)) + 1)
    z, step = np.linspace(-_REACH, _REACH, n, retstep=True)
    weight = np.exp(-z * z / 2) * step / np.sqrt(2 * np.pi)
    share = 1 / (1 + np.exp(-np.clip(np.asarray(at)[..., None] + sd * z, -700, 700)))
    density = share * (1 - share)
    return share @ weight, density @ weight, (density * (1 - 2 * share)) @ weight / 2
