"""Candidates: what the pilot says of every judge of a pool, and why it is in the recommended panel or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Bools
from quorate.planning.panel.shortlist import JudgePool, Shortlist
from quorate.wording import Brief

_SAME = 1.005


@dataclass(frozen=True)
class Candidate(Brief):
    """A judge of the pool, and what choosing otherwise would cost.

    Parameters
    ----------
    name : str
        The judge.
    kept : bool
        Whether it is in the recommended panel.
    price : float
        Price of one of its judgments, with the item.
    gamma, gamma_se : float
        Leniency in the pilot, against the mean of all, and its standard error.
    expected, expected_sd : float
        Its posterior mean and standard deviation, which bear being chosen by them.
    noise : float
        Variance that the judge adds to an item's score: shrunken Grubbs estimate.
    variance : float
        Variance of one of its judgments over items.
    otherwise : float
        Least standard error (with a target: price) that one change of the panel gives, with the judge if it is left
        out, without it if it is kept; nan if there is no such panel.
    reason : str
        The same in words.
    """

    name: str
    kept: bool
    price: float
    gamma: float
    gamma_se: float
    expected: float
    expected_sd: float
    noise: float
    variance: float
    otherwise: float
    reason: str


def candidate(pool: JudgePool, panel: Shortlist, members: Bools, judge: int) -> Candidate:
    """What is known of a judge, and what changing its place would do."""
    moved = members.copy()
    moved[judge] = not members[judge]
    changes = [moved] if pool.choice.fewest <= moved.sum() <= pool.choice.most else []
    for other in np.flatnonzero(members == moved[judge]):  # at most one other changes places with it
        swapped = moved.copy()
        swapped[other] = not moved[judge]
        changes.append(swapped)
    within_reach = [made for subset in changes if (made := pool.panel("", subset)) is not None]
    best = min(within_reach, key=pool.value) if within_reach else None
    estimates = pool.pilot.effects
    return Candidate(
        name=pool.judges[judge],
        kept=bool(members[judge]),
        price=float(pool.price[judge]),
        gamma=float(estimates.gamma[judge]),
        gamma_se=float(estimates.se[judge]),
        expected=float(estimates.mean[judge]),
        expected_sd=math.sqrt(estimates.covariance[judge, judge]),
        noise=float(pool.pilot.noise[judge]),
        variance=float(pool.pilot.spread[judge]),
        otherwise=math.nan if best is None else pool.value(best),
        reason=_reason(pool, panel, judge, best),
    )


def figure(value: float) -> str:
    """A number for people, with three digits.

    Examples
    --------
    >>> figure(0.03127), figure(18.14), figure(2068.2)
    ('0.0313', '18.1', '2,068')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _reason(pool: JudgePool, panel: Shortlist, judge: int, other: Shortlist | None) -> str:
    """Why a judge is in the panel, or is not."""
    name, kept = pool.judges[judge], pool.judges[judge] in panel.judges
    others = [pool.judges.index(member) for member in panel.judges if member != name]
    ratio = float(pool.price[judge] / np.median(pool.price[others])) if others else 1.0
    dearer = ""
    if ratio >= 1.5:
        dearer = f" costs {figure(ratio)} times as much as the panel's other judges and"
    elif ratio <= 1 / 1.5:
        dearer = f" costs {ratio:.2g} of what the panel's other judges cost and"
    start = f"{name}{dearer} is {'kept' if kept else 'left out'}"
    if other is None:
        return f"{start}: no one change of the panel {'leaves it out' if kept else 'lets it in'} within these limits"
    now, then = pool.value(panel), pool.value(other)
    little = ", which makes little difference" if then <= now * _SAME else ""
    aim, same = ("standard error", "money") if pool.choice.budget is not None else ("price", "standard error")
    return (
        f"{start}{little}: {'without' if kept else 'with'} it the {aim} would be {figure(then)} instead of "
        f"{figure(now)} for the same {same}"
    )
