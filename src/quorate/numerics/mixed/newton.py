"""Newton steps for variance components: never below zero, never uphill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import NotConverged
from quorate.numerics.mixed.reml import Point
from quorate.waiting import each

if TYPE_CHECKING:
    from quorate.numerics.mixed.stacked import Points

_ROUNDING = 1e-4
"""Promise of a step, in deviance units, that rounding errors of the criterion can hide where the noise is tiny."""

_COARSE = 1e-6
"""Promise of a step below which one of many searches ends; the lowest is then minimised in full."""
_SAME = 1e-4
"""Part of the largest component, and of a deviance unit, within which two searches are at the same place."""


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
    for _ in each("steps of the fit", iter(range(1, most))):
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


def settle(
    evaluate: Callable[[Floats], Point],
    start: Floats,
    *,
    least: Floats | float = 0.0,
    tolerance: float = 1e-6,
    most: int = 60,
) -> Optimum:
    """Where the gradient is flat, of a criterion whose value is not at hand.

    Steps are those of `minimise`; one is damped where the next would promise more than it did.

    Parameters
    ----------
    evaluate, start, least, tolerance, most
        As for `minimise`.

    Raises
    ------
    NotConverged
        If the evaluations run out; carries the last point.
    """
    theta, point, damping = start, evaluate(start), 0.0
    for used in each("steps of the fit", iter(range(1, most))):
        step = bounded_step(point.gradient, point.hessian, theta, damping, least)
        if _promised(point, bounded_step(point.gradient, point.hessian, theta, 0.0, least)) < tolerance:
            return Optimum(theta, point, used)
        there = np.maximum(theta + step, least)
        try:
            trial = evaluate(there)
        except np.linalg.LinAlgError:
            damping = max(4 * damping, 0.25)
            continue
        before, after = (
            _promised(one, bounded_step(one.gradient, one.hessian, at, 0.0, least))
            for one, at in ((point, theta), (trial, there))
        )
        if after > before:
            damping = max(4 * damping, 0.25)
        else:
            theta, point, damping = there, trial, 0.0 if damping < 1e-3 else damping / 10
    raise NotConverged(
        f"variance components: no convergence after {most} evaluations; leave out a term that the data barely identify",
        Optimum(theta, point, most),
    )


def lowest(
    evaluate: Callable[[Floats], Points], starts: Floats, *, least: Floats | float = 0.0, most: int = 40
) -> tuple[float, Floats]:
    """The lowest criterion that searches from several places come to, and where; all take their steps together.

    A search ends as `minimise` does, to a coarser tolerance, and where it has met one that is as low.

    Parameters
    ----------
    evaluate : callable
        Maps many places, shape (places, components), to `Points`.
    starts : array, shape (places, components)
        Where to begin; inside the bounds.
    least : array, shape (components,), or float
        As for `minimise`.
    most : int
        Evaluations of each.
    """
    from quorate.numerics.mixed.stacked import Points

    theta, damping = starts, np.zeros(len(starts))
    points = evaluate(theta)
    best, where = np.inf, starts[0]
    for _ in range(most):
        first = int(np.argmin(points.criterion))
        if points.criterion[first] < best:
            best, where = float(points.criterion[first]), theta[first]
        parts = zip(points.gradient, points.hessian, theta, damping.tolist(), strict=True)
        step = np.array([bounded_step(*part, least) for part in parts])
        promised = -np.sum((points.gradient + (points.hessian @ step[:, :, None])[:, :, 0] / 2) * step, axis=1)
        live = np.flatnonzero(((promised > _COARSE) | (damping > 1e6)) & (damping < 1e12) & _apart(theta, points))
        live = live[np.isfinite(points.criterion[live])]
        if not len(live):
            break
        theta, damping, points = theta[live], damping[live], points.take(live)
        there = np.maximum(theta + step[live], least)
        trial = evaluate(there)
        lower = trial.criterion <= points.criterion + 1e-12 * (1 + np.abs(points.criterion))
        theta = np.where(lower[:, None], there, theta)
        points = Points(
            *(
                np.where(lower.reshape(-1, *[1] * (now.ndim - 1)), then, now)
                for now, then in zip(vars(points).values(), vars(trial).values(), strict=True)
            )
        )
        damping = np.where(lower, np.where(damping < 1e-3, 0.0, damping / 10), np.maximum(4 * damping, 0.25))
    return best, where


def _apart(theta: Floats, points: Points) -> NDArray[np.bool_]:
    """Whether no search before this one is at the same place."""
    near = np.abs(theta[:, None] - theta).max(axis=2) < _SAME * (theta.max() + 1e-300)
    near &= np.abs(points.criterion[:, None] - points.criterion) < _SAME
    return np.asarray(~np.any(np.tril(near, -1), axis=1), dtype=np.bool_)


def scattered_starts(theta: Floats, rng: np.random.Generator, *, n: int = 8) -> Floats:
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
    alone, beside = np.where(one, 1.0, 0.02), np.where(one[theta == 0], 1.0, np.maximum(theta, 0.001))
    return np.concatenate([alone, beside, np.exp(rng.normal(-1.5, 2.0, (n, len(theta))))])


def bounded_step(
    gradient: Floats, hessian: Floats, theta: Floats, damping: float, least: Floats | float = 0.0
) -> Floats:
    """Minimise ``g's + s'Hs/2`` over ``theta + s >= least`` by active sets.

    Scaled so that damping means the same for every component; components at the bound with an outward gradient stay.
    """
    curvature = np.diag(hessian)
    scale = 1 / np.sqrt(np.maximum(curvature, max(1e-60 * float(curvature.max()), 1e-300)))
    if curvature.max() <= 0:  # rounding errors, where the scores are fitted exactly: there is no curvature
        hessian = np.zeros_like(hessian)
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
