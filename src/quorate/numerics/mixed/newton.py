"""Newton steps for variance components: never below zero, never uphill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotConverged
from quorate.numerics.mixed.reml import Point

_ROUNDING = 1e-4
"""Promise of a step, in deviance units, that rounding errors of the criterion can hide where the noise is tiny."""


@dataclass(frozen=True)
class Optimum:
    """Where a minimisation ended.

    Parameters
    ----------
    theta : array, shape (components,)
        The minimiser.
    point : Point
        The criterion there.
    evaluations : int
        Criterion evaluations used.
    """

    theta: Floats
    point: Point
    evaluations: int


def minimise(
    evaluate: Callable[[Floats], Point], start: Floats, *, tolerance: float = 1e-12, most: int = 200
) -> Optimum:
    """Minimise a criterion over non-negative components.

    Each step minimises the quadratic model under the bounds; where it does not lower the criterion, the model is damped
    (Levenberg and Marquardt) until it does. It ends when the model promises less than ``tolerance``,
    or when no step along it is lower and it promises no more than rounding errors.

    Parameters
    ----------
    evaluate : callable
        Maps components to a `Point`; may raise LinAlgError where the variance matrix is singular.
    start : array, shape (components,)
        Where to begin; inside the bounds.
    tolerance : float
        Decrease of the criterion (deviance units) that is no longer worth a step.
    most : int
        Evaluations allowed.

    Raises
    ------
    NotConverged
        If the evaluations run out; carries the best point.
    """
    theta, point = start, evaluate(start)
    damping, used = 0.0, 1
    while used < most:
        step = bounded_step(point.gradient, point.hessian, theta, damping)
        promised = _promised(point, step)
        if promised < tolerance and damping < 1e6:
            return Optimum(theta, point, used)
        try:
            trial = evaluate(np.maximum(theta + step, 0.0))
        except np.linalg.LinAlgError:
            trial = None
        used += 1
        slack = 1e-12 * (1 + abs(point.criterion))
        if trial is not None and np.isfinite(trial.criterion) and trial.criterion <= point.criterion + slack:
            stalled = point.criterion - trial.criterion < slack and promised < 1e-6
            theta, point = np.maximum(theta + step, 0.0), trial
            damping = 0.0 if damping < 1e-3 else damping / 10
            if stalled:
                return Optimum(theta, point, used)
        else:
            damping = max(4 * damping, 0.25)
            if damping > 1e12:
                break
    if damping > 1e12 and _promised(point, bounded_step(point.gradient, point.hessian, theta, 0.0)) < _ROUNDING:
        return Optimum(theta, point, used)
    raise NotConverged(
        f"variance components: no convergence after {used} evaluations (criterion {point.criterion:.6f}); "
        "leave out a term that the data barely identify",
        Optimum(theta, point, used),
    )


def bounded_step(gradient: Floats, hessian: Floats, theta: Floats, damping: float) -> Floats:
    """Minimise ``g's + s'Hs/2`` over ``theta + s >= 0`` by active sets.

    Scaled so that damping means the same for every component; components at the bound with an outward gradient stay.
    """
    scale = 1 / np.sqrt(np.maximum(np.diag(hessian), 1e-300))
    h = hessian * scale[:, None] * scale
    h[np.diag_indices_from(h)] += damping + 1e-12
    g, low = gradient * scale, -theta / scale
    free = (theta > 0) | (gradient < 0)
    step = np.zeros_like(theta)
    for _ in range(3 * len(theta) + 3):
        step = np.where(free, 0.0, low)
        rest = g + h @ step
        step[free] = -np.linalg.solve(h[np.ix_(free, free)], rest[free])
        below = free & (step < low)
        if below.any():
            free &= ~below
            continue
        slope = g + h @ step
        inward = ~free & (slope < -1e-14)
        if not inward.any():
            break
        free[np.argmin(np.where(inward, slope, 0.0))] = True
    return np.asarray(np.maximum(step, low) * scale)


def _promised(point: Point, step: Floats) -> float:
    """Decrease of the criterion that the quadratic model promises of a step."""
    return -float(point.gradient @ step + step @ point.hessian @ step / 2)
