"""Newton steps for variance components: never below zero, never uphill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    evaluate: Callable[[Floats], Point],
    start: Floats,
    *,
    least: Floats | float = 0.0,
    tolerance: float = 1e-12,
    most: int = 200,
) -> Optimum:
    """Minimise a criterion over components that are at least so large.

    Each step minimises the quadratic model under the bounds; where it does not lower the criterion, the model is damped
    (Levenberg and Marquardt) until it does. It ends when the model promises less than ``tolerance``,
    or when no step along it is lower and it promises no more than rounding errors.

    Parameters
    ----------
    evaluate : callable
        Maps components to a `Point`; may raise LinAlgError where the variance matrix is singular.
    start : array, shape (components,)
        Where to begin; inside the bounds.
    least : array, shape (components,), or float
        Lower bounds, none negative.
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
        step = bounded_step(point.gradient, point.hessian, theta, damping, least)
        promised = _promised(point, step)
        if promised < tolerance and damping < 1e6:
            return Optimum(theta, point, used)
        try:
            trial = evaluate(np.maximum(theta + step, least))
        except np.linalg.LinAlgError:
            trial = None
        used += 1
        slack = 1e-12 * (1 + abs(point.criterion))
        if trial is not None and np.isfinite(trial.criterion) and trial.criterion <= point.criterion + slack:
            stalled = point.criterion - trial.criterion < slack and promised < 1e-6
            theta, point = np.maximum(theta + step, least), trial
            damping = 0.0 if damping < 1e-3 else damping / 10
            if stalled:
                return Optimum(theta, point, used)
        else:
            damping = max(4 * damping, 0.25)
            if damping > 1e12:
                break
    if damping > 1e12 and _promised(point, bounded_step(point.gradient, point.hessian, theta, 0.0, least)) < _ROUNDING:
        return Optimum(theta, point, used)
    raise NotConverged(
        f"variance components: no convergence after {used} evaluations (criterion {point.criterion:.6f}); "
        "leave out a term that the data barely identify",
        Optimum(theta, point, used),
    )


def lowest(
    evaluate: Callable[[Floats], Point],
    first: Optimum | None,
    starts: Iterable[Floats],
    *,
    least: Floats | float = 0.0,
    most: int = 60,
) -> Optimum | None:
    """The lowest of the minima that searches from several places end in; searches that end nowhere are left out.

    Parameters
    ----------
    evaluate : callable
        As for `minimise`.
    first : Optimum, optional
        A minimum that is known; a start must lead lower to take its place.
    starts : iterable of array, shape (components,)
        Where to begin; inside the bounds.
    least : array, shape (components,), or float
        As for `minimise`.
    most : int
        Evaluations allowed for each.
    """
    best = first
    for start in starts:
        try:
            trial = minimise(evaluate, start, least=least, tolerance=1e-7, most=most)
            if best is None or trial.point.criterion < best.point.criterion - 1e-7:
                best = minimise(evaluate, trial.theta, least=least)
        except (NotConverged, np.linalg.LinAlgError):
            continue
    return best


def scattered_starts(theta: Floats, rng: np.random.Generator, *, n: int = 8) -> Iterator[Floats]:
    """Places from which to look for a lower minimum of scores with variance 1.

    Each component far above the others; each that is zero as large as the scores, beside the others as they are; and
    ``n`` places at random over four orders of magnitude.

    Parameters
    ----------
    theta : array, shape (components,)
        The minimum that is known.
    rng : numpy.random.Generator
        For the places at random.
    """
    one = np.eye(len(theta), dtype=bool)
    yield from np.where(one, 1.0, 0.02)
    yield from np.where(one[theta == 0], 1.0, np.maximum(theta, 0.001))
    yield from np.exp(rng.normal(-1.5, 2.0, (n, len(theta))))


def bounded_step(
    gradient: Floats, hessian: Floats, theta: Floats, damping: float, least: Floats | float = 0.0
) -> Floats:
    """Minimise ``g's + s'Hs/2`` over ``theta + s >= least`` by active sets.

    Scaled so that damping means the same for every component; components at the bound with an outward gradient stay.
    """
    curvature = np.diag(hessian)
    scale = 1 / np.sqrt(np.maximum(curvature, max(1e-60 * float(curvature.max()), 1e-300)))
    h = hessian * scale[:, None] * scale
    h[np.diag_indices_from(h)] += damping + 1e-12
    g, low = gradient * scale, (least - theta) / scale
    free = (theta > least) | (gradient < 0)
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
