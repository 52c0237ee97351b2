"""Types of prompts beside a verdict: whether the difference is the same on all of them, and what it is on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.differences.difference import SystemDifference, difference
from quorate.estimate.differences.paired import two_systems
from quorate.estimate.votes.clustered import Cluster
from quorate.estimate.votes.margin import margin_of_votes
from quorate.numerics.distributions import chi_square_tail, f_tail
from quorate.numerics.inference import holm
from quorate.numerics.votes.binomial import clopper_pearson, p_value
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.table.votes import Encoding, Votes
from quorate.wording import listed

TYPES = "prompt_type"
FEWEST = 10
"""Votes, clusters or items of a type."""
_SHOWN, _ROUNDING = 5, 1e-9


@dataclass(frozen=True)
class TypeDifference(Result):
    """By how much two systems differ on one type of prompts, or on the items of one category.

    Parameters
    ----------
    type : str
        Label.
    value, low, high : float
        Margin of votes or difference of scores, with the interval of this type alone.
    n : int
        Votes, or items.
    p, p_adjusted : float
        P-value of no difference on this type, and the same by Holm over all types.
    """

    type: str
    value: float
    low: float
    high: float
    n: int
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class Types(Result):
    """Whether two systems differ by the same on all types, and their difference on each.

    Parameters
    ----------
    by : str
        Facet whose levels are the types.
    p : float
        P-value that the difference is the same on every type.
    each : tuple of TypeDifference
        Types with 10 votes (clusters, where there are any) or items.
    """

    by: str
    p: float
    each: tuple[TypeDifference, ...]

    def words(self, a: str, alpha: float) -> str:
        """That types differ, and on which the first system is better or worse; empty where that is not shown."""
        if not self.p <= alpha:
            return ""
        clear = [one for one in self.each if one.p_adjusted <= alpha]
        sides = {
            "better": [one.type for one in clear if one.value > 0],
            "worse": [o.type for o in clear if o.value < 0],
        }
        parts = [f"{word} on {listed(names, most=_SHOWN)}" for word, names in sides.items() if names]
        said = f"{a} is {' and '.join(parts)}" if parts else "on none of them by itself is it clear"
        p = "p < .0001" if self.p < 1e-4 else f"p = {self.p:.2g}"
        return f"That is not the same on every {self.by.replace('_', ' ')} ({p}): {said} (Holm over {len(self.each)})."


def types_of_votes(
    votes: Votes, a: str, b: str, *, ties: Encoding = "drop", cluster: Cluster | None = None, level: float = 0.95
) -> Types | None:
    """Margins by type of prompt, and whether they are the same; None without two types of 10 votes or clusters.

    Parameters
    ----------
    votes, a, b, ties, cluster
        As for `quorate.estimate.votes.margin.margin_of_votes`, which gives the margin of each type and its error.
    level : float
        Coverage of the interval of each type.

    Notes
    -----
    Pearson's test where votes are independent; `brown_forsythe` where they are clustered.
    """
    if TYPES not in votes.names:
        return None
    pair = votes.pair(a, b)
    types, found = pair.column(TYPES), []
    for code in np.unique(types[types >= 0]).tolist():
        try:
            one = margin_of_votes(pair.keep(types == code), a, b, ties=ties, cluster=cluster)
        except NotEstimable:
            continue
        units = min(one.exact.n if one.exact else one.n, one.effective)  # clusters that are unanimous count once
        if units > FEWEST - _ROUNDING:
            found.append((pair.facet(TYPES).levels[code], one))
    if len(found) < 2:
        return None
    value = np.array([one.value for _, one in found])
    n = np.array([one.exact.n if one.exact else min(one.n, one.effective) for _, one in found])
    if np.isfinite([one.df for _, one in found]).any():
        error = np.array([one.se for _, one in found])
        df = np.array([one.df if np.isfinite(one.df) else one.n - 1 for _, one in found])
        p = brown_forsythe(value, np.where(error > 0, error, 0.0) ** 2 * n, n, df)
    else:
        p = pearson(0.5 + value, n)
    tests = [one.p_difference() for _, one in found]
    rows = [(label, one.value, *one.at(level).ends, one.n) for label, one in found]
    return Types(TYPES, p, _adjusted(rows, tests))


def types_of_scores(found: SystemDifference, judgments: Judgments, level: float = 0.95) -> Types | None:
    """Differences by category of the items, and whether they are the same; None without two of 10 shared items.

    Parameters
    ----------
    found : SystemDifference
        The difference over all items.
    judgments : Judgments
        What it was found from.
    level : float
        Coverage of the interval of each category.

    Notes
    -----
    `brown_forsythe` on the mean differences of items in the cells that both systems have: it is about these judges and
    prompts. The difference of each category is that of `quorate.compare` on its items alone.
    """
    grouping = next(iter(judgments.ancestors(judgments.object)), None)
    if grouping is None or grouping == found.facet:
        return None
    values = dict(_by_category(found, judgments, grouping))
    if len(values) < 2:
        return None
    groups = list(values.values())
    n = np.array([len(one) for one in groups], dtype=float)
    means, variances = (np.array([f(one) for one in groups]) for f in (np.mean, lambda one: np.var(one, ddof=1)))
    p = brown_forsythe(means, variances, n, n - 1)
    rows, tests = [], []
    for label in values:
        own = judgments.only(grouping, label)
        try:
            one = difference(
                own, found.a, found.b, facet=found.facet, method=found.method, targets=found.asked, **found.model
            )
        except NotEstimable:
            continue
        rows.append((label, one.value, *one.at(level).ends, one.items))
        tests.append(one.p_difference())
    return Types(grouping, p, _adjusted(rows, tests))


def _by_category(found: SystemDifference, judgments: Judgments, grouping: str) -> Iterator[tuple[str, Floats]]:
    """Mean differences of the items of every category that has enough of them, over the cells that both have."""
    apart = two_systems(judgments, found.a, found.b, facet=found.facet)
    first, second = apart.shared()
    gap, side = apart.first.mean[first] - apart.second.mean[second], apart.first
    item, category = side.column(side.object)[first], side.column(grouping)[first]
    for code in np.unique(category).tolist():
        own = category == code
        items = np.unique(item[own], return_inverse=True)[1]
        if own.any() and items.max() + 1 >= FEWEST:
            yield side.facet(grouping).levels[code], np.bincount(items, gap[own]) / np.bincount(items)


def types_of_counts(labels: Sequence[str], wins: Ints, n: Ints, level: float) -> Types | None:
    """The same of independent votes that are counted already; None without two types of 10."""
    rows, tests = [], []
    for label, k, m in zip(labels, wins.tolist(), n.tolist(), strict=True):
        if m >= FEWEST:
            low, high = clopper_pearson(k, m, level)
            rows.append((label, k / m - 0.5, float(low) - 0.5, float(high) - 0.5, m))
            tests.append(float(p_value(k, m)))
    if len(rows) < 2:
        return None
    share, counts = (np.array([row[at] for row in rows], dtype=float) for at in (1, 4))
    return Types(TYPES, pearson(0.5 + share, counts), _adjusted(rows, tests))


def _adjusted(
    rows: Sequence[tuple[str, float, float, float, int]], tests: Sequence[float]
) -> tuple[TypeDifference, ...]:
    """Types with their p-values, also held together by Holm's procedure."""
    adjusted = holm(np.array(tests)).tolist() if tests else []
    return tuple(TypeDifference(*row, p, both) for row, p, both in zip(rows, tests, adjusted, strict=True))


def pearson(share: Floats, n: Floats) -> float:
    """P-value that shares of independent votes are the same, by Pearson's chi-squared.

    Parameters
    ----------
    share, n : array, shape (groups,)
        Shares, and votes of each.
    """
    of_all = float(share @ n / n.sum())
    if not 0 < of_all < 1:
        return 1.0
    return chi_square_tail(len(n) - 1, float(n @ (share - of_all) ** 2) / (of_all * (1 - of_all)))


def brown_forsythe(mean: Floats, variance: Floats, n: Floats, df: Floats) -> float:
    """P-value that means of unequal variances are the same; with two groups that of Welch's t test.

    Parameters
    ----------
    mean, variance, n, df : array, shape (groups,)
        Means, variances of what they are the means of, how many of these, and degrees of freedom of the variances.

    Notes
    -----
    Welch's test (1951) weighs groups by their estimated variances, and rejects up to four times too often where many
    groups are small and skewed; here variances are only added up. ``docs/methods/verdicts.md`` has the sizes of both.

    References
    ----------
    Brown and Forsythe (1974), Technometrics 16, 129-132, with the degrees of freedom of Mehrotra (1997),
    Communications in Statistics - Simulation 26, 1139-1145.

    Examples
    --------
    >>> n = np.array([10.0, 10.0])
    >>> round(brown_forsythe(np.array([0.0, 1.0]), np.ones(2), n, n - 1), 4)
    0.0382
    """
    part = n / n.sum()
    spread = (1 - part) * variance
    if not spread.any():
        return 1.0 if np.ptp(mean) == 0 else 0.0
    ratio = float(n @ (mean - part @ mean) ** 2) / spread.sum()
    first = spread.sum() ** 2 / ((variance**2).sum() + (part @ variance) ** 2 - 2 * part @ variance**2)
    return f_tail(first, spread.sum() ** 2 / (spread**2 / df).sum(), ratio)
