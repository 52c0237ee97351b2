"""Estimates from data redrawn by the model: many refits of one design, each from the point it was drawn at.

Newton steps start at the truth of the draw, so few are needed; designs with one noise variance take them for many draws
at once. ``docs/methods/bootstrap.md`` has the error that `TOLERANCE` leaves.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged
from quorate.frozen import dataclass
from quorate.numerics.mixed.information import covariance, information, quadratic_forms, weights
from quorate.numerics.mixed.problem import Problem, Redraw
from quorate.numerics.mixed.reml import Optimum, Point, bounded_step, bounded_steps, evaluate, minimise, settle, traces
from quorate.numerics.mixed.solved import Stacked, solve
from quorate.waiting import each

TOLERANCE = 1e-5
"""Decrease of the criterion a last, unchecked step may promise."""
_STACK = 500_000
_MOST_STEPS = 20


@dataclass(frozen=True)
class Refits:
    """Estimates from redrawn data; the first axis is the draw.

    Parameters
    ----------
    theta : array, shape (draws, components)
        Components.
    beta : array, shape (draws, p)
        Fixed effects.
    shift : array, shape (draws, p)
        What estimating the components moved the fixed effects by.
    scored : array, shape (draws, components)
        Components after one step of Fisher scoring from the truth, without bounds: unbiased under REML, they can be
        negative.
    criterion : array, shape (draws,)
        Minus twice the (restricted) log-likelihood at these components.
    converged : array of bool, shape (draws,)
        Where false, the best point that was found stands.
    """

    theta: Floats
    beta: Floats
    shift: Floats
    scored: Floats
    criterion: Floats
    converged: NDArray[np.bool_]


def refits(
    problem: Problem,
    kept: Ints,
    theta: Floats,
    beta: Floats,
    n: int,
    rng: np.random.Generator,
    *,
    tolerance: float = TOLERANCE,
    stack: bool | None = None,
) -> Refits:
    """Draw new data ``n`` times and estimate the components and fixed effects of each.

    Parameters
    ----------
    problem : Problem
        The design.
    kept : array of int
        Components that are estimated; the others stay at zero.
    theta : array, shape (components,)
        Components to draw from, none negative.
    beta : array, shape (p,)
        Fixed effects to draw from.
    n : int
        Draws.
    rng : numpy.random.Generator
        For the draws.
    tolerance : float
        Promise of a step, in deviance units, below which it is the last.
    stack : bool, optional
        Whether to take draws together; by default where the design allows it and is small enough.
    """
    redraw = Redraw(problem, theta, beta)
    if stack is None:  # one noise variance, and cross products that fit a stack: larger ones have faster sparse forms
        moments = problem.moments
        small = 3 * moments.mean_units * moments.columns * moments.q + 4 * moments.q**2 <= _STACK
        stack = small and not problem.sampled and Stacked.applies(problem)
    stacked = Stacked(problem) if stack else None
    size = 1 if stacked is None else max(1, min(256, _STACK // stacked.size))
    refitting = Refitting(problem, kept, theta, tolerance)
    parts = []
    for start in each("redrawn fits", range(0, n, size)):
        problems = [redraw.draw(rng) for _ in range(min(size, n - start))]
        parts += [refitting.fit(problems[0])] if stacked is None else [_together(stacked, refitting, problems)]
    return Refits(
        np.concatenate([part.theta for part in parts]),
        np.concatenate([part.beta for part in parts]),
        np.concatenate([part.shift for part in parts]),
        np.concatenate([part.scored for part in parts]),
        np.concatenate([part.criterion for part in parts]),
        np.concatenate([part.converged for part in parts]),
    )


class Refitting:
    """One refit at a time, of any design.

    The first step is Fisher scoring at the truth of the draw, where everything but the data is known beforehand.

    Parameters
    ----------
    problem : Problem
        The design.
    kept : array of int
        Components that are estimated.
    theta : array, shape (components,)
        Truth of the draws.
    tolerance : float
        See `refits`.
    """

    def __init__(self, problem: Problem, kept: Ints, theta: Floats, tolerance: float) -> None:
        self.kept, self.theta, self.tolerance = kept, theta, tolerance
        self._solved = solve(problem, theta)
        self._information = 2 * information(problem, self._solved)[np.ix_(kept, kept)]
        self._covariance = covariance(problem, self._solved, list(kept))
        self._gradient = traces(problem, self._solved)
        self._residual = slice(problem.n_components - problem.n_residual, problem.n_components)
        self._weights = np.array([weights(problem, self._solved, unit).cells for unit in np.eye(problem.p)])
        noise = theta[self._residual]
        self._noise = np.where(noise > 0, noise, 1.0)
        self._gradient[self._residual] += problem.replicates.df / self._noise

    def fit(self, problem: Problem) -> Refits:
        """Estimates from one redrawn data set."""
        ss, kept = problem.replicates.ss, self.kept
        forms = quadratic_forms(problem, self._solved)
        forms[self._residual] += ss / self._noise**2 - ss
        gradient, converged = (self._gradient - forms)[None], True  # at the truth of the draws
        start = self.first(gradient)[0, kept]

        def at(theta: Floats) -> Point:
            point = evaluate(problem, self._full(theta))
            bend = point.hessian[np.ix_(kept, kept)]
            return Point(point.criterion, point.gradient[kept], bend, point.solved, point.effects)

        try:
            search = settle if problem.sampled else minimise
            optimum = search(at, start, tolerance=self.tolerance)
        except NotConverged as stopped:
            optimum, converged = cast("Optimum", stopped.partial), False
        theta, point = optimum.theta, optimum.point
        if converged:
            theta = np.maximum(theta + bounded_step(point.gradient, point.hessian, theta, 0.0), 0.0)
        beta = point.effects[: problem.p]
        plain = self._weights @ problem.units.y
        return Refits(
            self._full(theta)[None],
            beta[None],
            (beta - plain)[None],
            self.scored(gradient),
            np.array([point.criterion]),
            np.array([converged]),
        )

    def scored(self, gradients: Floats) -> Floats:
        """One scoring step without bounds, shape (draws, components)."""
        out: Floats = self.theta - gradients @ self._covariance / 2
        return out

    def first(self, gradients: Floats) -> Floats:
        """Where the first step leads, shape (draws, components); residual components stay off zero.

        Parameters
        ----------
        gradients : array, shape (draws, components)
            At the truth of the draws.
        """
        out, start = self.scored(gradients), self.theta[self.kept]
        if len(below := np.flatnonzero(np.any(out < 0, axis=1))):
            bend = np.broadcast_to(self._information, (len(below), len(start), len(start)))
            step = bounded_steps(gradients[below][:, self.kept], bend, np.tile(start, (len(below), 1)))
            out[below[:, None], self.kept] = start + step
        out[:, self._residual] = np.maximum(out[:, self._residual], self.theta[self._residual] / 10)
        return np.asarray(np.maximum(out, 0.0))

    def _full(self, theta: Floats) -> Floats:
        full = np.zeros_like(self.theta)
        full[self.kept] = theta
        return full


def _together(stacked: Stacked, refitting: Refitting, problems: list[Problem]) -> Refits:
    """Plain Newton steps for all draws at once; draws for which one fails are fitted on their own."""
    p, kept, sums = stacked.problem.p, refitting.kept, stacked.sums(problems)
    points = stacked.evaluate(refitting.theta[None], sums)
    plain = points.effects[:, :p]
    theta, scored = refitting.first(points.gradient), refitting.scored(points.gradient)
    beta, converged = plain.copy(), np.zeros(len(problems), dtype=bool)
    criterion = points.criterion.copy()
    live, before = np.arange(len(problems)), points.criterion
    for _ in range(_MOST_STEPS):
        points = stacked.evaluate(theta[live], sums.take(live))
        lower = np.flatnonzero(points.criterion <= before + 1e-12 * (1 + np.abs(before)))
        live, points = live[lower], points.take(lower)
        if not len(live):
            break
        gradient, hessian = points.gradient[:, kept], points.hessian[:, kept[:, None], kept]
        start = theta[live][:, kept]
        step = bounded_steps(gradient, hessian, start)
        promised = -np.sum((gradient + (hessian @ step[:, :, None])[:, :, 0] / 2) * step, axis=1)
        theta[live[:, None], kept] = np.maximum(start + step, 0.0)
        beta[live], criterion[live] = points.effects[:, :p], points.criterion - promised
        last = promised < refitting.tolerance
        converged[live[last]] = True
        live, before = live[~last], points.criterion[~last]
    shift = beta - plain
    for i in np.flatnonzero(~converged):
        alone = refitting.fit(problems[i])
        theta[i], beta[i], shift[i], converged[i] = alone.theta[0], alone.beta[0], alone.shift[0], alone.converged[0]
        criterion[i] = alone.criterion[0]
    return Refits(theta, beta, shift, scored, criterion, converged)
