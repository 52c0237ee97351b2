"""The numbers of the report of a leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.labels import shown
from quorate.estimate.ratings.ratings import Ratings

if TYPE_CHECKING:
    from quorate.analysis.ratings import RatingsView
    from quorate.reporting.page import Row

MOST_PAIRS = 2000
"""Pairs in a table; the JSON has every rank interval."""


def ranking(view: RatingsView) -> list[Row]:
    """One row per system, best first."""
    found = view.found
    ranks = zip(found.ranks.low.tolist(), found.ranks.high.tolist(), strict=True)
    numbers = zip(found.rating.tolist(), found.se.tolist(), *found.intervals.T.tolist(), strict=True)
    return [
        {
            "rank": rank_range(low_rank, high_rank),
            "group": group,
            "system": name,
            "rating": rating,
            "se": se,
            "low": low,
            "high": high,
            "share": best,
        }
        for (low_rank, high_rank), group, name, (rating, se, low, high), best in zip(
            ranks, found.group.tolist(), view.names, numbers, found.best.values(), strict=True
        )
    ]


def rank_range(low: int, high: int) -> str:
    """Ranks that a system may have.

    Examples
    --------
    >>> rank_range(1, 3), rank_range(2, 2)
    ('1–3', '2')
    """
    return f"{low}" if low == high else f"{low}–{high}"


def ranks(view: RatingsView) -> list[Row]:
    """Ranks of every system: at once, and of a system chosen beforehand."""
    own = view.found.ranks
    columns = (own.low, own.high, own.marginal_low, own.marginal_high)
    keys = ("low", "high", "own_low", "own_high")
    return [
        {"system": name, "place": place, **dict(zip(keys, row, strict=True))}
        for place, (name, *row) in enumerate(zip(view.names, *(column.tolist() for column in columns), strict=True), 1)
    ]


def pairs(view: RatingsView) -> list[Row]:
    """Every two systems of which one is surely better."""
    better, worse = np.nonzero(view.found.ranks.above)
    names = view.names
    return [
        {"better": names[i], "worse": names[j], "i": i, "j": j}
        for i, j in zip(better[:MOST_PAIRS].tolist(), worse[:MOST_PAIRS].tolist(), strict=True)
    ]


def groups(view: RatingsView) -> list[Row]:
    """Every rank group with its systems."""
    named = dict(zip(view.found.systems, view.names, strict=True))
    return [
        {"group": number, "systems": len(group), "which": ", ".join(named[name] for name in group)}
        for number, group in enumerate(view.found.groups, 1)
    ]


def facts(view: RatingsView) -> list[Row]:
    """What was ranked."""
    found = view.found
    rows: dict[str, object] = {"systems": len(found), "votes" if view.of_votes else "scores": view.n}
    if isinstance(found, Ratings):
        rows |= {"ties": found.ties, "intervals by": found.method}
        rows |= {} if found.cluster is None else {f"clusters ({shown(found.cluster)})": found.clusters}
        rows |= {} if not found.regularisation else {"regularisation": found.regularisation}
        rows |= {} if found.ties != "davidson" else {"odds of a tie between equals": f"{found.nu:.3g}"}
    else:
        judgments = found.joint.fit.judgments
        rows |= {f"levels of {shown(name)}": judgments.n_levels(name) for name in judgments.names}
    own = {"pairs of systems": view.pairs, "of them told apart": view.told_apart, "rank groups": len(found.groups)}
    return [{"what": name, "value": value} for name, value in (rows | own).items()]
