"""Intervals for the mean of bounded scores that hold however often one looks and for whatever reason one stops.

They need the number of scores, their mean and their sum of squares alone, in no order.
``docs/methods/adaptive-intervals.md`` derives them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.numerics.sequential import fair_coin as sequential

_LOGITS = np.arange(-10.0, 4.5, 0.5)
STAKES = 1 / (1 + np.exp(-_LOGITS))
"""Parts of the capital that are bet; small ones win where many scores lie close to the mean that is tested."""
WEIGHTS = 1 / (2 + _LOGITS**2)
WEIGHTS /= WEIGHTS.sum()
"""Parts of the first capital that each stake has."""
_HALVINGS = 40
_LEAST = 1e-100


def log_evidence(n: ArrayLike, mean: ArrayLike, ss: ArrayLike, share: ArrayLike) -> Floats:
    """Logarithm of the evidence (e-value) against a mean of scores between 0 and 1.

    Half of a capital is bet on a mean above ``share``, half on one below, in parts of several stakes. Of all scores
    with this mean and sum of squares it is the least that the bet that wins can have come to; the other counts as
    nothing.

    Parameters
    ----------
    n, mean, ss : array, broadcast
        Scores, which may be 0, their mean, and their sum of squares about it.
    share : array, broadcast
        Mean that is tested, between 0 and 1.

    References
    ----------
    Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1), 1-27, for the capital of bets.
    """
    n, mean, ss, share = (np.asarray(x, dtype=float)[..., None] for x in (n, mean, ss, share))
    unit = np.maximum(np.where(share < mean, share, 1 - share), _LEAST)
    gain = np.abs(mean - share) / unit  # of a whole stake, per score; -1 at worst
    spread = np.maximum(ss, 0.0) / np.maximum(n, 1.0) / unit**2
    # The least capital is that of scores of two values: all is lost by a part of them, and the others win the same.
    lost = spread / ((1 + gain) ** 2 + spread)
    won = gain + spread / (1 + gain)
    capital = n * (lost * np.log1p(-STAKES) + (1 - lost) * np.log1p(STAKES * won)) + np.log(WEIGHTS / 2)
    most = capital.max(axis=-1)
    return np.asarray(most + np.log(np.exp(capital - most[..., None]).sum(axis=-1)))


def bounded_mean(n: ArrayLike, mean: ArrayLike, ss: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """Interval for the mean of scores between 0 and 1 after each number of scores; all cover at once.

    Parameters
    ----------
    n, mean, ss : array, broadcast
        As for `log_evidence`.
    alpha : float
        Chance that any of the intervals of one sequence of scores misses.
    """
    n, mean, ss = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (n, mean, ss)))
    limit = -np.log(alpha)
    return sequential.kept_range(lambda share: log_evidence(n, mean, ss, share) >= limit, mean, _HALVINGS)
