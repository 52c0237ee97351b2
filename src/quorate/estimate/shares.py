"""Shares over what is drawn, such as right answers over items: one interval for all of them."""

from __future__ import annotations

import math

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.votes import clustered
from quorate.table.results import StatedInterval


def share_of(
    values: Floats, cluster: Ints, level: float, weights: Floats | None = None, within: Floats | None = None
) -> StatedInterval:
    """Mean of outcomes from 0 to 1 with its interval over clusters, by `clustered.interval`; nan with fewer than two.

    Parameters
    ----------
    values : array, shape (units,)
        Outcomes, such as whether an answer is right.
    cluster : array of int, shape (units,)
        What is drawn: the item of each, or what groups items.
    level : float
        Coverage.
    weights : array, shape (units,), optional
        How often each counts; once without it.
    within : array, shape (units,), optional
        Sum of squares about it of the outcomes that each is the mean of; 0 without it.

    Examples
    --------
    >>> found = share_of(np.repeat([1.0, 0.0], [48, 32]), np.arange(80), 0.95)
    >>> round(found.value, 2), round(found.low, 3), round(found.high, 3)
    (0.6, 0.488, 0.702)
    """
    n = len(values) if weights is None else round(float(weights.sum()))
    found = clustered.shared_out(values, cluster, weights, within)
    if found is None:
        value = float(np.average(values, weights=weights)) if len(values) else math.nan
        return StatedInterval(value, math.nan, n, level, lambda _: (math.nan, math.nan))
    return StatedInterval(found.value, found.se, n, level, lambda at: clustered.interval(found, at))
