"""Score intervals by minimum chi-square: Wilson's, of any smooth number of the chances of what an item can show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quorate.arrays import Floats

_STEPS = 100
_HALVINGS = 44
_CLOSE = 1e-8
_NEVER = 1e-12


def score_interval(
    rows: Floats, possible: Floats, value: Callable[[Floats], Floats], limit: float
) -> tuple[float, float]:
    """The least and the greatest value over all chances of rows that what was seen does not refuse.

    Chances p are not refused where Pearson's chi-square of n items against them is at most ``limit``,
    ``n (sum q^2 / p - 1)`` with q the shares seen. What was never seen may have a chance too, as with Wilson's
    interval, which this is of one share. Each end is found by steps: chances that move the value furthest, were it a
    straight line from here, and again from there.

    Parameters
    ----------
    rows : array, shape (items, columns)
        What every item adds to sums.
    possible : array, shape (patterns, columns)
        What an item could have added.
    value : callable
        From such sums to the number, over leading axes.
    limit : float
        Square of the quantile of the interval.
    """
    n = len(rows)
    key = rows @ np.sqrt(np.arange(2.0, 2 + rows.shape[1]))
    _, at, times = np.unique(np.round(key, 9), return_index=True, return_counts=True)
    seen, share = rows[at], times / n
    low, high = (_end(share, seen, possible, lambda mean: value(n * mean), limit / n, side) for side in (-1.0, 1.0))
    return low, high


def _end(
    share: Floats, seen: Floats, possible: Floats, value: Callable[[Floats], Floats], limit: float, side: float
) -> float:
    mean, found = share @ seen, float(value(share @ seen))
    step = 1e-6 * np.eye(len(mean))
    for _ in range(_STEPS):
        slope = np.nan_to_num(side * (value(mean + step) - value(mean - step)))
        gain = possible @ slope
        most = int(np.argmax(gain))
        chance, unseen = furthest(share, seen @ slope, float(gain[most]), limit)
        moved = chance @ seen + unseen * possible[most]
        there = float(value(moved))
        if np.isnan(there) or abs(there - found) < _CLOSE:
            break
        mean, found = moved, there
    return found


def furthest(share: Floats, gain: Floats, most: float, limit: float) -> tuple[Floats, float]:
    """Chances of what was seen, and of the one pattern unseen that gains the most, whose mean gain is the greatest.

    They are in proportion to ``share / sqrt(s + most - gain)``, with s as chi-square wants it.

    Parameters
    ----------
    share, gain : array, shape (rows,)
        How often each row was seen, and what it gains.
    most : float
        Gain of the pattern that gains the most.
    limit : float
        Chi-square over items.
    """
    short = np.maximum(max(most, float(gain.max())) - gain, 0.0)
    if short.max() <= _NEVER:
        return share, 0.0
    short = short / short.max()
    if short.min() > _NEVER:  # the best pattern was not seen, so it may have what chi-square leaves
        root = np.sqrt(short)
        seen = float((share * root).sum() * (share / root).sum()) / (1 + limit)
        if seen <= 1:
            chance = share / root
            return seen * chance / chance.sum(), 1 - seen
    low, high = -60.0, 40.0  # logarithms of s
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        root = np.sqrt(np.exp(middle) + short)
        inside = float((share * root).sum() * (share / root).sum()) - 1 <= limit
        low, high = (low, middle) if inside else (middle, high)
    chance = share / np.sqrt(np.exp(high) + short)
    return chance / chance.sum(), 0.0
