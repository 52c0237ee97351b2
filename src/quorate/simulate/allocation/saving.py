"""Saving at equal error: the part of a budget that one curve of errors saves for the final error of another."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.streams import stream
from quorate.wording import whole_percent

LEAST_RUNS = 20
"""Runs below which a bootstrap interval holds far less often than it says."""
STEADY_RUNS = 50
"""Runs from which it holds as often as it says."""
_RESAMPLES = 2000


def saving(own: Floats, other: Floats, spent: Ints) -> Floats:
    """Part of the budget that one curve of errors saves for the final error of another, shape (curves,).

    A curve is there once it stays there up to the whole budget. Where it never does, the other gets to its final error
    with ``1 / (1 - saving)`` of the budget. So a saving above 0 has the smaller final error.

    Parameters
    ----------
    own, other : array, shape (curves, budgets)
        Errors.
    spent : array, shape (budgets,)
        Budgets, ascending; errors between them are on a straight line.
    """
    used = _reach(own, other[:, -1], spent) / spent[-1]
    reverse = _reach(other, own[:, -1], spent) / spent[-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(np.isnan(used), 1 - 1 / reverse, 1 - used))


def saved_interval(own: Floats, other: Floats, spent: Ints, seed: int, level: float) -> tuple[float, float]:
    """Bootstrap interval of the saving of mean curves, over runs that the two share.

    Parameters
    ----------
    own, other : array, shape (runs, budgets)
        Errors.
    spent : array, shape (budgets,)
        Budgets, ascending.
    seed : int
        Root of the random numbers.
    level : float
        Of the interval.
    """
    runs = len(own)
    weights = stream(seed, "allocation/bootstrap").multinomial(runs, np.full(runs, 1 / runs), _RESAMPLES) / runs
    low, high = np.quantile(saving(weights @ own, weights @ other, spent), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def share_text(share: float) -> str:
    """A share in whole percent, with "<1%" for what is there but small, and without a sign of nothing.

    Examples
    --------
    >>> share_text(0.304), share_text(0.004), share_text(-0.004), share_text(-0.19), share_text(float("nan"))
    ('30%', '<1%', '0%', '-19%', 'not known')
    """
    text = whole_percent(share)
    return "0%" if text == "-0%" else text


def runs_note(runs: int) -> tuple[str, ...]:
    """What to know about intervals over so few runs; nothing from `STEADY_RUNS` on.

    Examples
    --------
    >>> runs_note(5)
    ('No interval of the budget saved: that needs 20 runs or more, got 5; ask for 50.',)
    """
    if runs < LEAST_RUNS:
        needs = f"needs {LEAST_RUNS} runs or more, got {runs}"
        return (f"No interval of the budget saved: that {needs}; ask for {STEADY_RUNS}.",)
    if runs < STEADY_RUNS:
        return (f"Intervals of the budget saved rest on {runs} runs and may be too narrow; ask for {STEADY_RUNS}.",)
    return ()


def _reach(curves: Floats, target: Floats, spent: Ints) -> Floats:
    """Budget from which on each curve is at its target or below; nan if it does not end there."""
    above = curves > target[:, None]
    count = curves.shape[1]
    at = np.where(above.any(axis=1), count - above[:, ::-1].argmax(axis=1), 0)
    ends_there = at < count
    at = np.minimum(at, count - 1)
    before = np.maximum(at - 1, 0)
    rows = np.arange(len(curves))
    drop = curves[rows, before] - curves[rows, at]
    part = np.divide(curves[rows, before] - target, drop, out=np.ones(len(rows)), where=drop > 0)
    reached = spent[before] + np.where(at > 0, part, 0.0) * (spent[at] - spent[before])
    return np.asarray(np.where(ends_there, reached, np.nan))
