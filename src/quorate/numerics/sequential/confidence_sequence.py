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


def log_evidence_of_fall(scores: ArrayLike, baseline: float) -> tuple[Floats, Floats]:
    """Log evidence after every score that the mean fell below the baseline, and how well each beginning explains it.

    A capital of 1 is dealt out to all places where a fall may begin, the rest of it kept for those still to come. From
    its place on each part is bet on scores below the baseline, at several stakes. As long as no score's mean, given
    those before, is below the baseline, the capital is not expected to grow: with a chance of at least
    ``1 - alpha`` it never comes to ``1 / alpha``, however long one looks and however scores depend on each other.

    Parameters
    ----------
    scores : array, shape (..., n)
        Scores between 0 and 1, in their order.
    baseline : float
        Their mean where nothing changed, above 0 and below 1.

    Returns
    -------
    evidence : array, shape (..., n)
        Logarithm of the capital after each score.
    start : array, shape (..., n)
        Logarithm of what a capital of 1 that was bet from each place on has come to at the last score.

    References
    ----------
    Ville's inequality; Shin, Ramdas and Rinaldo (2024), E-detectors, New England Journal of Statistics in Data Science
    2(2), 229-260, of which this is the one whose chance of any false alarm is bounded.

    Examples
    --------
    >>> evidence, start = log_evidence_of_fall([1.0] * 40 + [0.0] * 10, 0.9)
    >>> bool(evidence[39] < 0 < evidence[-1]), int(start.argmax())
    (True, 40)
    """
    scores = np.asarray(scores, dtype=float)
    n = scores.shape[-1]
    # 1 / log2(place + 1) is what is left for this place and all after it: parts fall off hardly faster than 1 / place.
    left = 1 / np.log2(np.arange(2, n + 3))
    begun = np.log(left[:-1] - left[1:])
    gain = (baseline - scores[..., None, :]) / (1 - baseline)  # of a whole stake; -1 at worst
    won = np.cumsum(np.log1p(STAKES[:, None] * gain), axis=-1)
    before = np.concatenate([np.zeros_like(won[..., :1]), won[..., :-1]], axis=-1)
    from_here = np.log(WEIGHTS)[:, None] - before
    by_stake = won + np.logaddexp.accumulate(begun + from_here, axis=-1)
    evidence = np.logaddexp(np.logaddexp.reduce(by_stake, axis=-2), np.log(left[1:]))
    start = np.logaddexp.reduce(from_here + won[..., -1:], axis=-2)
    return np.asarray(evidence), np.asarray(start)
