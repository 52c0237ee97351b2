"""Discrimination: judges who tell systems apart more or less sharply, by a slope on the difference of the ratings.

The gap of a vote is ``a_j (b_i - b_k)``, with slopes whose mean is 1; that of a judge who votes at random is 0, and of
one who votes against the others below. At each step the model is its tangent, which is a `Design` like any other, and
is fitted as one (Gauss and Newton). The last tangent stands for the model in covariances, leverage and clusters.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.bradley_terry import Design, Fit, fit
from quorate.numerics.ratings.ties import summary

_MOST_STEPS, _MOST_HALVES = 100, 30
_TOL, _ROUNDING = 1e-8, 1e-10
LARGEST = 30.0
"""Gap of a vote beyond which a slope is taken to run off: that of a judge who always sides with the ratings."""


def tangent(design: Design, level: Ints, theta: Floats) -> Design:
    """The design with slopes, linear about these parameters.

    Parameters
    ----------
    design : Design
        Without slopes.
    level : array of int, shape (cells,)
        Who voted, from 0.
    theta : array, shape (parameters,)
        Ratings, effects, slopes less 1, parameters of ties.
    """
    judges, first = int(level.max()) + 1, design.systems + design.effects
    above, column = theta[first : first + judges][level], theta[design.a] - theta[design.b]
    own = np.zeros((len(level), judges))
    own[np.arange(len(level)), level] = column
    covariates = np.column_stack([design.covariates.reshape(len(level), -1), own])
    return replace(design, covariates=covariates, slope=1 + above, slopes=judges, offset=-column * above)


def discriminating(design: Design, level: Ints, counts: Floats) -> tuple[Design, Fit]:
    """The maximum of the likelihood with slopes, and the tangent there; not converged where a slope runs off.

    Parameters
    ----------
    design : Design
        Without slopes.
    level : array of int, shape (cells,)
        Who voted, from 0.
    counts : array, shape (orders, cells, 3, 1)
        Votes.
    """
    first, judges, known = design.systems + design.effects, int(level.max()) + 1, summary(counts)

    def reached(theta: Floats) -> float:
        return float(tangent(design, level, theta).cells(known, theta[:, None]).value.sum())

    at = fit(design, counts)
    theta = np.insert(at.theta[:, 0], first, np.zeros(judges))
    value, small = reached(theta), False
    for _ in range(_MOST_STEPS):
        at = fit(tangent(design, level, theta), counts, start=theta)
        if not at.converged[0]:
            break
        step, halves, lowest = at.theta[:, 0] - theta, 0, value - _ROUNDING * (1 + abs(value))
        while reached(theta + step) < lowest and halves < _MOST_HALVES:
            step, halves = step / 2, halves + 1
        theta = theta + step
        value, last = reached(theta), tangent(design, level, theta)
        far = bool(np.abs(last.gap(theta[:, None])).max() > LARGEST)
        small = bool(np.abs(step).max() < _TOL) and not far
        if small or far:
            break
    last = tangent(design, level, theta)
    found = fit(last, counts, start=theta) if small else at._replace(theta=theta[:, None])
    return last, found._replace(converged=np.array([small]))
