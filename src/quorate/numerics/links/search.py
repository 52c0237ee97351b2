"""Search for the least deviance: damped Newton steps on variances that are never below zero, and fixed parameters."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged
from quorate.frozen import dataclass
from quorate.numerics.links.modes import Effects, Layout, Modes, modes, start
from quorate.numerics.mixed.reml import bounded_step
from quorate.waiting import each
from quorate.wording import Brief

# Laplace's approximation to the likelihood: deviance, exact gradient and average information.
#
# The gradient goes through the modes by implicit differentiation; derivation: ``docs/methods/links.md``.


@dataclass(frozen=True, eq=False)
class Point(Brief):
    """The criterion at one place.

    Parameters
    ----------
    criterion : float
        Deviance: minus twice the log-likelihood of the single judgments.
    gradient : array, shape (free,)
        In the variances, then in the fixed parameters unless these are inside the modes.
    hessian : array, shape (free, free)
        Average information, which replaces second derivatives.
    modes : Modes
        Of the random effects there.
    """

    criterion: float
    gradient: Floats
    hessian: Floats
    modes: Modes


def evaluate(layout: Layout, variance: Floats, fixed: Floats, start: Effects | None, *, inside: bool) -> Point:
    """The criterion; ``inside`` has the fixed parameters found with the modes, as glmer's ``nAGQ = 0``."""
    found = modes(layout, variance, fixed, start, free=inside)
    scaled, factor, edge, at = found.scaled, found.factor, found.border, found.at
    h, traces = factor.leverage
    through = at.slope * h
    a, move = factor.solve(scaled.sums(through[:, None]), (edge.weight.T @ h)[:, None] if inside else None)
    met = scaled.rows(a)[:, 0]
    z = through - at.weight * met - (edge.coupling @ move[:, 0] if inside else 0.0)
    own, passed = _by_term(layout, at.score), _by_term(layout, z)
    gradient = traces - np.array([s @ s - p @ s for s, p in zip(own, passed, strict=True)])
    working = np.column_stack(_spread(layout, own)) if layout.n_terms else np.zeros((len(z), 0))
    pushed = scaled.sums(at.weight[:, None] * working)
    solved, also = factor.solve(pushed, edge.coupling.T @ working if inside else None)
    weighted = at.weight[:, None] * (working - scaled.rows(solved))
    if inside:
        weighted -= edge.coupling @ also
    hessian = working.T @ weighted
    if not inside:
        of_fixed = -2 * edge.score + edge.weight.T @ h - edge.coupling.T @ met
        gradient = np.concatenate([gradient, of_fixed])
        lower = factor.lower[factor.q :, factor.q :]
        size = len(hessian)
        full = np.zeros((len(gradient),) * 2)
        full[:size, :size], full[size:, size:] = hessian, 2 * lower @ lower.T
        hessian = full
    further = float(through @ scaled.rows(found.step)[:, 0] + (edge.weight.T @ h) @ found.move)
    criterion = found.deviance + further  # the determinant one step on; the rest is level there
    return Point(criterion, gradient, (hessian + hessian.T) / 2, found)


def _by_term(layout: Layout, rows: Floats) -> list[Floats]:
    """Sum of rows by level, for every term."""
    return [np.bincount(level, rows).astype(np.float64) for level in layout.by_term]


def _spread(layout: Layout, by_term: list[Floats]) -> list[Floats]:
    """Every level's number on its rows."""
    return [values[level] for level, values in zip(layout.by_term, by_term, strict=True)]


LEAST = 1e-10
"""Variance that is none: at this floor every formula keeps its digits, and the deviance differs by less than 1e-6."""
_TOLERANCE = 1e-7
"""Decrease of the deviance that is no longer worth a step."""
_MOST = 200
_TRUSTED = 12
"""Evaluations after which steps are by what the gradient did (BFGS): the average information was not enough."""
LARGEST = 100.0
"""Variance of log odds that stands for an infinite one where a search has not ended soon."""


@dataclass(frozen=True, eq=False)
class Optimum(Brief):
    """Where a search ended.

    Parameters
    ----------
    variance : array, shape (terms,)
        Of every term; 0 at the floor.
    fixed : array, shape (parameters,)
        Thresholds, then effects.
    point : Point
        The criterion there.
    evaluations : int
        Of the criterion.
    """

    variance: Floats
    fixed: Floats
    point: Point
    evaluations: int


def search(layout: Layout, variance: Floats, fixed: Floats | None = None, *, inside: bool) -> Optimum:
    """Least deviance over the variances and, unless they are found ``inside`` the modes, the fixed parameters.

    Parameters
    ----------
    layout : Layout
        Rows and terms.
    variance : array, shape (terms,)
        Where to begin.
    fixed : array, shape (parameters,), optional
        Where to begin; by default at the shares of the categories.
    inside : bool
        As for `evaluate`.

    Raises
    ------
    NotConverged
        If the evaluations run out; carries the best point.
    """
    n = layout.n_terms
    if fixed is None:
        fixed = np.append(start(layout.counts), np.zeros(layout.x.shape[1]))
    place = variance if inside else np.append(variance, fixed)
    least = np.append(np.full(n, LEAST), np.full(len(place) - n, -np.inf))
    place = np.maximum(place, least)

    def at(place: Floats, near: Point | None) -> Point:
        known = fixed if near is None else near.modes.fixed
        effects = None if near is None else near.modes.effects
        return evaluate(layout, place[:n], known if inside else place[n:], effects, inside=inside)

    def tried(place: Floats, near: Point) -> Point | None:
        """The criterion, if there is one so far away."""
        try:
            point = at(place, near)
        except NotConverged:
            return None
        return point if np.isfinite(point.criterion) else None

    point, damping, used = at(place, None), 0.0, 1
    hessian = point.hessian
    for _ in each("steps of the fit", iter(range(1, _MOST))):
        step = bounded_step(point.gradient, hessian, place, damping, least)
        promised = -float(point.gradient @ step + step @ hessian @ step / 2)
        if promised < _TOLERANCE and damping < 1e6:
            return Optimum(np.where(place[:n] > 2 * LEAST, place[:n], 0.0), point.modes.fixed, point, used)
        there = np.maximum(place + step, least)
        trial, used = tried(there, point), used + 1
        if trial and trial.criterion <= point.criterion + 1e-9 * (1 + damping):
            hessian = (
                trial.hessian if used < _TRUSTED else _updated(hessian, there - place, trial.gradient - point.gradient)
            )
            place, point = there, trial
            if used > 2 * _TRUSTED and np.any(place[:n] > LARGEST):
                break
            damping = 0.0 if damping < 1e-3 else damping / 10
        else:
            damping = max(4 * damping, 0.25)
    where = np.where(place[:n] > 2 * LEAST, place[:n], 0.0)
    raise NotConverged(
        f"latent components: no convergence after {used} evaluations (deviance {point.criterion:.6f}); "
        "leave out a term that the data barely identify",
        Optimum(where, point.modes.fixed, point, used),
    )


def settled(layout: Layout, optimum: Optimum) -> Point:
    """The least deviance over the fixed parameters alone, components held.

    Inside the modes they are pulled towards equal categories, and a mean that is made of them is too.
    """
    variance = np.maximum(optimum.variance, LEAST)
    point, used = evaluate(layout, variance, optimum.fixed, optimum.point.modes.effects, inside=False), 0
    n, damping = layout.n_terms, 0.0
    while used < _MOST:
        information = point.hessian[n:, n:]
        step = -np.linalg.solve(information + damping * np.diag(np.diag(information)), point.gradient[n:])
        if -float(point.gradient[n:] @ step) / 2 < _TOLERANCE:
            break
        fixed = point.modes.fixed + step
        trial, used = evaluate(layout, variance, fixed, point.modes.effects, inside=False), used + 1
        lower = np.isfinite(trial.criterion) and trial.criterion <= point.criterion + 1e-9
        point, damping = (trial, damping / 4) if lower else (point, max(4 * damping, 0.25))
    return point


def _updated(hessian: Floats, step: Floats, change: Floats) -> Floats:
    """Broyden, Fletcher, Goldfarb and Shanno's update, damped as Powell has it so that it stays positive definite."""
    along = hessian @ step
    size, slope = float(step @ along), float(step @ change)
    if size <= 0:
        return hessian
    if slope < 0.2 * size:
        part = 0.8 * size / (size - slope)
        change = part * change + (1 - part) * along
        slope = float(step @ change)
    return hessian - np.outer(along, along) / size + np.outer(change, change) / slope


# Uncertainty of a fit: second derivatives of the deviance, by differences of its exact gradient.


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
