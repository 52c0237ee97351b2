"""Whether cells that one of two systems lacks are those in which the other scored low or high."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.differences.paired import Sides
from quorate.table.judgments import Judgments

_FEWEST = 2
_CHANCE = 0.01


def follow_scores(apart: Sides) -> bool:
    """Whether the scores of a system show which of its cells the other has, beyond chance (p at most .01).

    Pairs are then of cells that were chosen by a score, and their differences are biased.

    Parameters
    ----------
    apart : Sides
        The judgments of both systems.

    Notes
    -----
    Two of Student's t tests for each system, Bonferroni: of items without a shared cell against the others, and of
    shared against other cells within the items that have both.
    """
    shared = apart.shared()
    tests = [p for side, rows in zip((apart.first, apart.second), shared, strict=True) for p in _p_values(side, rows)]
    return min(tests, default=1.0) <= _CHANCE / max(len(tests), 1)


def _p_values(side: Judgments, rows: Ints) -> list[float]:
    has = np.zeros(side.n_cells, dtype=bool)
    has[rows] = True
    item = np.unique(side.column(side.object), return_inverse=True)[1]
    count = np.bincount(item)
    of_shared, of_rest = (np.bincount(item[part], minlength=len(count)) for part in (has, ~has))
    mean = np.bincount(item, side.mean) / count
    both = (of_shared > 0) & (of_rest > 0)
    total = np.bincount(item, side.mean * has)
    within = total[both] / of_shared[both] - (mean * count - total)[both] / of_rest[both]
    apart = mean[of_shared > 0], mean[of_shared == 0]
    return [p for p in (_p_value(*apart), _p_value(within)) if p is not None]


def _p_value(*groups: Floats) -> float | None:
    """Student's, of two means that are equal or one that is 0; None where there are too few values or none varies."""
    from scipy.special import stdtr

    df = sum(len(one) - 1 for one in groups)
    if df < _FEWEST or min(len(one) for one in groups) == 0:
        return None
    square = sum(float(((one - one.mean()) ** 2).sum()) for one in groups) / df
    off = groups[0].mean() - (groups[1].mean() if len(groups) > 1 else 0.0)
    error = float(np.sqrt(square * sum(1 / len(one) for one in groups)))
    return float(2 * stdtr(df, -abs(off) / error)) if error > 0 else None
