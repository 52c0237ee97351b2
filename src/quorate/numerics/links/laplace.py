"""Laplace's approximation to the likelihood: deviance, exact gradient and average information.

The gradient goes through the modes by implicit differentiation; derivation: ``docs/methods/links.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.links.factor import Effects
from quorate.numerics.links.layout import Layout
from quorate.numerics.links.modes import Modes, modes
from quorate.wording import Brief


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
