"""Pulls of arms with known variances, so that the largest variance of a mean is as small as it can be.

``docs/methods/adaptive.md`` has the proofs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats, Ints


def uniform(arms: int, budget: int) -> Ints:
    """Equal numbers of pulls, shape (arms,); the first arms have what is left over.

    Parameters
    ----------
    arms, budget : int
        Arms, and pulls in all.
    """
    return np.asarray(budget // arms + (np.arange(arms) < budget % arms), dtype=np.int64)


def greedy(variance: ArrayLike, budget: int) -> Ints:
    """Pulls of every arm by ROBIN: one each, then always the arm whose ``variance / pulls`` is greatest.

    No other way to spend the budget has a smaller ``max(variance / pulls)``. Ties go to the first arm; arms that all
    have variance 0 are pulled equally often.

    Parameters
    ----------
    variance : array, shape (arms,)
        Known variances of a pull.
    budget : int
        Pulls in all, at least one for each arm.

    References
    ----------
    LLM-as-Judge on a Budget (2026), Algorithm 1; the rule is the apportionment of Adams.

    Examples
    --------
    >>> greedy([1.0, 4.0, 1.0], 12).tolist()
    [2, 8, 2]
    """
    variance = np.asarray(variance, dtype=float)
    arms = len(variance)
    if not variance.any():
        return uniform(arms, budget)
    low, high = pull_limits(variance, budget)
    arm = np.repeat(np.arange(arms), high - low)
    pulls = np.arange(len(arm)) - np.repeat(np.cumsum(high - low) - high, high - low)
    order = np.argsort(-variance[arm] / pulls, kind="stable")[: budget - int(low.sum())]
    return low + np.bincount(arm[order], minlength=arms)


def pull_limits(variance: Floats, budget: int) -> tuple[Ints, Ints]:
    """Least and most pulls that ROBIN can give every arm, one more either way for rounding errors.

    Parameters
    ----------
    variance : array, shape (arms,)
        Variances, not all 0.
    budget : int
        Pulls in all, ``B``: from ``share (B - K)`` to ``share (B - 1) + 1`` with ``K`` arms, and at least 1.
    """
    share = variance / variance.max()
    share = share / share.sum()
    low = np.maximum(np.floor(share * (budget - len(share))) - 1, 1).astype(np.int64)
    high = np.minimum(np.ceil(share * (budget - 1)) + 2, budget).astype(np.int64)
    return low, np.maximum(high, low + 1)


def curve(variance: Floats, budgets: Sequence[int] | Ints) -> Ints:
    """Pulls by ROBIN for several budgets, shape (budgets, arms); below one pull for each arm, the first ones.

    Parameters
    ----------
    variance : array, shape (arms,)
        Known variances of a pull.
    budgets : sequence of int
        Pulls in all.
    """
    arms = len(variance)
    return np.array([greedy(variance, b) if b >= arms else uniform(arms, b) for b in map(int, budgets)])


def normal_saving(variance: Floats) -> float:
    """Part of the budget that known variances save for the largest error of uniform allocation, were means normal.

    Below ``1 - mean(variance) / max(variance)``, because equal standard errors let every arm be the one with the
    largest error, and unequal ones only the most variable. The median of the largest error is compared.

    Parameters
    ----------
    variance : array, shape (arms,)
        Variances of a pull, not all 0.
    """
    varying = variance[variance > 0] / variance.max()
    equal = np.full(len(varying), varying.sum() / len(variance))
    return 1 - (_median_largest(equal) / _median_largest(varying)) ** 2


def _median_largest(variance: Floats) -> float:
    """Median of the largest absolute value of independent normal numbers."""
    from scipy.optimize import brentq
    from scipy.special import erfc

    scale = 1 / np.sqrt(2 * variance)
    most = 40 / float(scale.min())
    return float(brentq(lambda x: float(np.log1p(-erfc(x * scale)).sum()) + np.log(2), 1e-9 * most, most))
