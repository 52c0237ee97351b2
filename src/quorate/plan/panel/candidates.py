"""Every judge of a pool: what the pilot says of it, and why it is in the recommended panel or not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Bools
from quorate.numerics.panel.subsets import Choice
from quorate.plan.panel.shortlist import JudgePool, Shortlist

_SAME = 1.005


@dataclass(frozen=True)
class Candidate:
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
    found, other = pool.pilot.effects, _otherwise(pool, members, judge)
    return Candidate(
        name=pool.judges[judge],
        kept=bool(members[judge]),
        price=float(pool.price[judge]),
        gamma=float(found.gamma[judge]),
        gamma_se=float(found.se[judge]),
        expected=float(found.mean[judge]),
        expected_sd=math.sqrt(found.covariance[judge, judge]),
        noise=float(pool.pilot.noise[judge]),
        variance=float(pool.pilot.spread[judge]),
        otherwise=math.nan if other is None else pool.value(other),
        reason=_reason(pool, panel, judge, other),
    )


def figure(value: float) -> str:
    """A number for people, with three digits.

    Examples
    --------
    >>> figure(0.03127), figure(18.14), figure(2068.2)
    ('0.0313', '18.1', '2,068')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _otherwise(pool: JudgePool, members: Bools, judge: int) -> Shortlist | None:
    """The best panel that one change makes, with a judge that is left out or without one that is kept."""
    changed = list(_changes(pool.choice, members, judge))
    made = [pool.panel("", subset) for subset in changed]
    possible = [panel for panel in made if panel is not None]
    return min(possible, key=pool.value) if possible else None


def _changes(choice: Choice, members: Bools, judge: int) -> Iterator[Bools]:
    """Subsets with this judge changed, and at most one other that changes places with it."""
    moved = members.copy()
    moved[judge] = not members[judge]
    if choice.fewest <= moved.sum() <= choice.most:
        yield moved
    for other in np.flatnonzero(members == moved[judge]):
        swapped = moved.copy()
        swapped[other] = not moved[judge]
        yield swapped


def _reason(pool: JudgePool, panel: Shortlist, judge: int, other: Shortlist | None) -> str:
    """Why a judge is in the panel, or is not."""
    name, kept = pool.judges[judge], pool.judges[judge] in panel.judges
    said = f"{name}{_dearer(pool, panel, judge)} is {'kept' if kept else 'left out'}"
    without = "without" if kept else "with"
    if other is None:
        return f"{said}: no one change of the panel {'leaves it out' if kept else 'lets it in'} within these limits"
    now, then = pool.value(panel), pool.value(other)
    little = ", which makes little difference" if then <= now * _SAME else ""
    what, same = ("standard error", "money") if pool.choice.budget is not None else ("price", "standard error")
    return (
        f"{said}{little}: {without} it the {what} would be {figure(then)} instead of {figure(now)} for the same {same}"
    )


def _dearer(pool: JudgePool, panel: Shortlist, judge: int) -> str:
    """How the price of a judge compares with that of the panel's other judges, where it differs much."""
    others = [pool.judges.index(name) for name in panel.judges if name != pool.judges[judge]]
    ratio = float(pool.price[judge] / np.median(pool.price[others])) if others else 1.0
    if ratio >= 1.5:
        return f" costs {figure(ratio)} times as much as the panel's other judges and"
    return f" costs {ratio:.2g} of what the panel's other judges cost and" if ratio <= 1 / 1.5 else ""
