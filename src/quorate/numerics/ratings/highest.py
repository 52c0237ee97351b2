"""Chances of being the highest, by draws of all estimates."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.rank_intervals import RankIntervals, in_student, row_blocks

_MANY = 1500  # systems from which on only those that may be the highest are drawn in Student's law
_NEVER = 1e-9  # chance with which a draw of Student's law is farther
_TOP = 20
_NORMAL = 1e9  # degrees of freedom
_ROUNDING = 1e-9


def best(estimate: Floats, deviations: Floats) -> Floats:
    """How often each system is the highest when the estimates deviate as they may; shape (systems,), sums to 1.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates.
    deviations : array, shape (draws, systems)
        As for `rank_intervals`.
    """
    first = np.concatenate([np.argmax(estimate + deviations[rows], axis=1) for rows in row_blocks(*deviations.shape)])
    return np.bincount(first, minlength=len(estimate)) / len(deviations)


def best_in_student(estimate: Floats, deviations: Floats, df: Floats, rng: np.random.Generator) -> Floats:
    """The same by draws of a normal law that are put in Student's; of many systems, of those that may be the highest.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates.
    deviations : array, shape (draws, systems)
        Draws of a normal law.
    df, rng
        As for `quorate.numerics.ratings.rank_intervals.normal_deviations`.
    """
    out = np.zeros(len(estimate))
    near = np.arange(len(estimate)) if len(estimate) < _MANY else _near(estimate, deviations, df)
    out[near] = best(estimate[near], in_student(deviations[:, near], df[near], rng))
    return out


def _near(estimate: Floats, deviations: Floats, df: Floats) -> Ints:
    """Systems that are not below the highest of a few in every draw, were the scales of all as far off as ever."""
    from scipy.special import chdtri

    least = min(float(df.min()), _NORMAL)
    off = float(np.sqrt(least / chdtri(least, 1 - _NEVER)))
    first = np.argsort(-estimate)[:_TOP]
    surely = (estimate[first] + off * np.minimum(deviations[:, first], 0)).max(axis=1).min()
    return np.flatnonzero(estimate + off * np.maximum(deviations.max(axis=0), 0) >= surely)


def agreeing(chance: Floats, ranks: RankIntervals, level: float) -> Floats:
    """Chances of being the highest that never contradict the ranks; shape (systems,), sums to 1.

    With ``edge = (1 + level) / 2``, the chance that a difference at the limit of its own interval leaves: a system that
    alone has ranks from 1 has at least that chance, and no system has more while another may be first too.

    Parameters
    ----------
    chance : array, shape (systems,)
        From `best`, of each system by itself.
    ranks : RankIntervals
        For all systems at once.
    level : float
        Their coverage.
    """
    first, edge = np.flatnonzero(ranks.low == 1), (1 + level) / 2
    top = int(first[np.argmax(chance[first])])
    wanted = max(chance[top], edge) if len(first) == 1 else min(chance[top], edge)
    others = chance + _ROUNDING * (ranks.low == 1)
    others[top] = 0.0
    out = others * ((1 - wanted) / max(float(others.sum()), _ROUNDING))
    out[top] = wanted
    return np.asarray(out)
