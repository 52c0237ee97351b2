"""Intervals for ranks, from estimates that depend on each other.

A system's rank is 1 plus the number of systems that are better. Simultaneous intervals for all differences say which
are surely better and which surely worse; counting them gives intervals that hold for all ranks at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints

DRAWS = 10_000
"""Draws of the joint law: the level of an interval is then known to 0.2 points."""

_NORMAL = 1e9  # degrees of freedom
_MOST = 2**24  # draws times systems at a time: 64 MB


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Intervals for the ranks of systems; rank 1 is the highest.

    Parameters
    ----------
    low, high : array of int, shape (systems,)
        Hold for all systems at once.
    marginal_low, marginal_high : array of int, shape (systems,)
        Hold for a system that was chosen beforehand; never wider.
    critical : float, or array, shape (systems, systems)
        Standard errors that a difference must exceed for the joint intervals; an array where degrees of freedom are.
    above : array of bool, shape (systems, systems)
        Whether the system of the row is surely higher than that of the column, all such claims at once.
    """

    low: Ints
    high: Ints
    marginal_low: Ints
    marginal_high: Ints
    critical: float | Floats
    above: NDArray[np.bool_]


def rank_intervals(
    estimate: Floats,
    covariance: Floats,
    deviations: Floats,
    level: float,
    df: float | Floats = np.inf,
    drawn: Floats | None = None,
) -> RankIntervals:
    """Intervals for ranks by the largest studentised difference.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates; higher is better.
    covariance : array, shape (systems, systems)
        Their covariance.
    deviations : array, shape (draws, systems)
        Draws of the estimates less what they estimate: from a normal law with that covariance (`normal_deviations`), or
        resampled estimates less the estimates.
    level : float
        Coverage wanted, in (0, 1).
    df : float, or array, shape (systems, systems)
        Degrees of freedom of each standard error, or of that of each difference, where each has an error of its own and
        the draws are normal. Critical values are then those of Student's t at the same level for a single difference.
    drawn : array, shape (systems, systems), optional
        Covariance of the deviations, if it is another than that of the estimates.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91, 476-518: section 3, two-sided.
    """
    se = difference_se(covariance)
    np.fill_diagonal(se, np.inf)
    largest = _largest(deviations, se if drawn is None else difference_se(drawn) + np.diag(np.diag(se)))
    marginal = np.quantile(largest, level, axis=0)
    joint = _studentised(np.quantile(largest.max(axis=1), level), df)
    critical = float(joint) if np.ndim(df) == 0 else joint
    t = (estimate[:, None] - estimate[None]) / se
    above = t > critical
    low, high = _ends(above)
    marginal_low, marginal_high = _ends(t > _studentised(marginal[:, None], df), t > _studentised(marginal[None], df))
    return RankIntervals(low, high, marginal_low, marginal_high, critical, above)


def difference_se(covariance: Floats) -> Floats:
    """Standard error of every difference of two estimates, shape (systems, systems)."""
    variance = np.diag(covariance)
    return np.asarray(np.sqrt(np.maximum(variance[:, None] + variance[None] - 2 * covariance, 0.0)))


def normal_deviations(covariance: Floats, df: float | Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws of a normal law about 0, or of Student's t where ``df`` is finite; shape (draws, systems).

    Parameters
    ----------
    covariance : array, shape (systems, systems)
        Covariance; may be singular.
    df : float, or array, shape (systems,)
        Degrees of freedom of its scale; an array where systems have their own, which are then off by the same part of
        their laws in a draw.
    draws : int
        How many.
    rng : numpy.random.Generator
        Source of the draws.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    out: Floats = rng.standard_normal((draws, len(values))) @ root.T
    if np.ndim(df):
        most = np.minimum(df, _NORMAL)
        square = np.sort(rng.chisquare(most, (draws, len(values))), axis=0)[rng.permutation(draws)]
        out *= np.sqrt(most / square)
    elif np.isfinite(df):
        out *= np.sqrt(df / rng.chisquare(df, draws))[:, None]
    return out


def best(estimate: Floats, deviations: Floats) -> Floats:
    """How often each system is the highest when the estimates deviate as they may; shape (systems,), sums to 1.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates.
    deviations : array, shape (draws, systems)
        As for `rank_intervals`.
    """
    first = np.argmax(estimate + deviations, axis=1)
    return np.bincount(first, minlength=len(estimate)) / len(deviations)


def rank_groups(estimate: Floats, above: NDArray[np.bool_]) -> Ints:
    """Group of every system, from 1: systems of an earlier group are surely higher than all of a later one.

    The estimates in order are cut wherever every system before the cut is surely higher than every one after it, so no
    group can be cut further.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates.
    above : array of bool, shape (systems, systems)
        From `rank_intervals`.

    References
    ----------
    Koehn (2012), Proceedings of the International Workshop on Spoken Language Translation, 179-184.
    """
    order = np.argsort(-estimate, kind="stable")
    sure = above[np.ix_(order, order)]
    cut = [bool(sure[:k, k:].all()) for k in range(1, len(order))]
    out = np.empty(len(order), dtype=np.int64)
    out[order] = 1 + np.cumsum([0, *cut])
    return out


def _largest(deviations: Floats, se: Floats) -> Floats:
    """Largest studentised difference of each system from any other, in every draw; shape (draws, systems)."""
    draws, systems = deviations.shape
    out = np.zeros((draws, systems), dtype=np.float32)
    block = max(1, _MOST // systems)
    scale = (1 / se).astype(np.float32)
    for start in range(0, draws, block):
        part = deviations[start : start + block].astype(np.float32).T.copy()
        highest = np.zeros_like(part)
        for i in range(systems - 1):
            apart = np.abs(part[i] - part[i + 1 :]) * scale[i, i + 1 :, None]
            np.maximum(highest[i], apart.max(axis=0), out=highest[i])
            np.maximum(highest[i + 1 :], apart, out=highest[i + 1 :])
        out[start : start + block] = highest.T
    return np.asarray(out, dtype=np.float64)


def _studentised(critical: Any, df: float | Floats) -> Any:
    """Quantiles of Student's t where the normal law has these."""
    from scipy.special import ndtr, stdtrit

    return critical if np.isinf(df).all() else -stdtrit(np.minimum(df, _NORMAL), ndtr(-critical))


def _ends(above: NDArray[np.bool_], below: NDArray[np.bool_] | None = None) -> tuple[Ints, Ints]:
    """Ranks from the systems surely higher and surely lower; ``below`` has what holds from the columns' side."""
    below = above if below is None else below
    return 1 + below.sum(axis=0), len(above) - above.sum(axis=1)
