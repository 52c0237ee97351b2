"""Accuracy of judges against a key, judge by judge and prompt by prompt, allowing for what was drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from quorate.errors import InvalidData, NotConverged, NotEstimable
from quorate.estimate.components.decompose import decompose
from quorate.estimate.means.targets import POPULATION, Target
from quorate.numerics.inference import checked_level
from quorate.numerics.votes.binomial import wilson
from quorate.table.judgments import Judgments, checked
from quorate.table.results import Result

ALL = "all"


@dataclass(frozen=True)
class Accuracy(Result):
    """Share of right answers.

    Parameters
    ----------
    facet, level : str
        Whose: a judge, a prompt, or ``all``.
    n : int
        Answers.
    value : float
        Share of right ones, levels weighing equally.
    low, high : float
        Interval for other levels of what was drawn; nan where ``reason`` says why.
    naive_low, naive_high : float
        Wilson's interval, with all answers taken as independent.
    drawn : tuple of str
        Facets that were taken as drawn.
    reason : str
        Why there is no interval; empty where there is.
    """

    facet: str
    level: str
    n: int
    value: float
    low: float
    high: float
    naive_low: float
    naive_high: float
    drawn: tuple[str, ...]
    reason: str = ""


def accuracy(
    judgments: Judgments,
    facets: Sequence[str] = ("judge", "prompt"),
    *,
    drawn: Collection[str] = ("prompt", "judge"),
    level: float = 0.95,
) -> tuple[Accuracy, ...]:
    """How often judges are right against a key: in all, by judge and by prompt.

    Parameters
    ----------
    judgments : Judgments
        Whether each answer is right, as scores 0 and 1.
    facets : sequence of str
        Roles whose levels are looked at one by one; those that the table does not have are left out.
    drawn : collection of str
        Facets, beside the items, that stand for others like them. Of a single level, none is.
    level : float
        Coverage of the intervals.

    Returns
    -------
    tuple of Accuracy
        In all first, then every level of every facet.

    Raises
    ------
    InvalidData
        If a score is not from 0 to 1.
    InvalidInput
        If the level is no share.

    References
    ----------
    Intervals: ``docs/methods/intervals.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "judge": list("xyxyxyxy"), "score": [1, 1, 0, 1, 1, 1, 0, 1]}
    >>> [(row.level, row.value) for row in accuracy(q.read(polars.DataFrame(rows), announce=False))]
    [('all', 0.75), ('x', 0.5), ('y', 1.0)]
    """
    table = right_or_wrong(checked(judgments))
    checked_level(level)
    named = [(facet, name) for facet in facets if facet in table.names for name in table.facet(facet).levels]
    parts = [((ALL, ALL), table), *((pair, table.only(*pair)) for pair in named)]
    found = []
    for (facet, name), part in parts:
        n = part.n_answers
        if part is not table and not n:
            continue
        right = float(np.nansum(part.n * part.mean))
        naive = tuple(float(end) for end in wilson(right, n, level))
        chosen = [other for other in part.names if other in drawn and other != facet and part.n_levels(other) > 1]
        targets: dict[str, Target] = dict.fromkeys(chosen, POPULATION)
        value, low, high, reason = right / n, np.nan, np.nan, ""
        try:
            estimate = decompose(part).mean_for(**targets)
            value = estimate.value
            low, high = (min(max(end, 0.0), 1.0) for end in estimate.at(level).ends)
        except (NotEstimable, NotConverged) as error:
            reason = str(error)
        found.append(Accuracy(facet, name, n, value, low, high, naive[0], naive[1], (part.object, *chosen), reason))
    return tuple(found)


def right_or_wrong(judgments: Judgments) -> Judgments:
    """The judgments, refused where a score is not from 0 to 1."""
    if np.nanmin(judgments.low) < 0 or np.nanmax(judgments.high) > 1:
        ends = f"{np.nanmin(judgments.low):g} to {np.nanmax(judgments.high):g}"
        raise InvalidData(f"accuracy: scores must say how right an answer is, from 0 to 1; got {ends}")
    return judgments
