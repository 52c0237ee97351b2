"""Pilots of votes: what 30 to 100 of them say of the number that a comparison needs, and of a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.votes import binomial
from quorate.numerics.votes.clustered import margin_interval, multiway, share, votes_per_independent
from quorate.planning.power.sample_size import (
    MOST,
    Method,
    check_alpha,
    check_count,
    check_method,
    check_power,
    check_range,
    sample_size,
    seen_by,
    whole,
)
from quorate.table.results import Result
from quorate.wording import capitalised, counted, listed

Counts = int | Sequence[int] | NDArray[np.int64]
"""One number, or one for every cluster."""


FEWEST = 10
"""Judgments below which a pilot says next to nothing of the number that is needed."""


class Reach(StrEnum):
    """What a budget can do, judged by a pilot; the values are the words that a reader sees."""

    FEASIBLE = "feasible"
    IF_PILOT_HOLDS = "feasible if the pilot is right"
    UNDERPOWERED = "underpowered"
    OUT_OF_REACH = "underpowered even at the largest margin the pilot allows"
    NO_BUDGET = "no budget stated"


@dataclass(frozen=True)
class Feasibility(Result):
    """A pilot carried through to a range of judgments; None stands for "no number suffices", never for zero.

    Parameters
    ----------
    wins, n : int
        Wins and decisive judgments of the pilot.
    margin, low, high : float
        ``p - 1/2``, signed, and its interval: exact (Clopper-Pearson), or cluster-robust by Student's t.
    level : float
        Coverage of the interval, and so of the range of judgments.
    alpha, power : float
        Level of the test that is planned, and the chance of detection wanted.
    method : str
        As for `quorate.votes.sample_size`.
    needed : int or None
        Judgments needed if the margin is as estimated; None if that is 0.
    needed_low : int
        Judgments needed at the largest margin of the interval.
    needed_high : int or None
        Judgments needed at the smallest; None if the interval includes 0.
    budget : int or None
        Judgments that can be paid for.
    detectable : float or None
        Smallest margin that the budget sees; None without a budget, or if it sees none.
    power_at_budget : float or None
        Exact power of the budget at the estimated margin.
    reach : Reach
        What the budget can do.
    clusters : int, dict or None
        Clusters of the pilot, by facet where facets are named; None where its judgments are taken as independent.
    effect : float
        Judgments that are worth one independent one, at least 1; all numbers of judgments include it.
    """

    wins: int
    n: int
    margin: float
    low: float
    high: float
    level: float
    alpha: float
    power: float
    method: Method
    needed: int | None
    needed_low: int
    needed_high: int | None
    budget: int | None
    detectable: float | None
    power_at_budget: float | None
    reach: Reach
    clusters: int | dict[str, int] | None = None
    effect: float = 1.0

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The answer in one sentence, with its range."""
        parts = []
        if self.budget is not None:
            shown = "nothing, even if all agreed"
            if self.detectable is not None:
                shown = f"a margin of {self.detectable:.3f} or more"
            parts.append(
                f"{self.reach.value}: at {self.budget:,} judgments you would see {shown} (power {self.power:.4g})"
            )
        where = f" in {self.clusters:,} clusters" if isinstance(self.clusters, int) else ""
        if isinstance(self.clusters, dict):
            each = [counted(levels, name) for name, levels in self.clusters.items()]
            where = f" in {listed(each)}"
        seen = f"a margin of {self.margin:.3f} ({self.low:.3f} to {self.high:.3f})"
        parts.append(f"the pilot of {self.n:,}{where} says {seen}")
        if self.n < FEWEST:
            parts[-1] += f", which rests on {few_votes(self.n)}"
        high = "no finite number" if self.needed_high is None else f"{self.needed_high:,}"
        parts.append(
            f"no number of judgments shows a margin of 0; at {max(-self.low, self.high):.3f}, the far end, "
            f"{self.needed_low:,} would show it"
            if self.needed is None
            else f"you need {self.needed:,} (from {self.needed_low:,} to {high})"
        )
        return " ".join(f"{capitalised(one)}." for one in parts)


def feasibility(
    wins: Counts,
    n: Counts,
    *,
    budget: int | None = None,
    alpha: float = 0.05,
    power: float = 0.9,
    level: float = 0.95,
    method: Method = "exact",
    worth: float | None = None,
    by: Mapping[str, Sequence[Any] | NDArray[Any]] | None = None,
) -> Feasibility:
    """Whether a comparison can succeed, from a pilot of 30 to 100 decisive judgments.

    A pilot gives a range of numbers, not a number: the ends of the interval for its margin are carried through. Where
    the interval includes 0 the range has no upper end.

    Parameters
    ----------
    wins : int or sequence of int
        Judgments of the pilot that prefer the first system; for every cluster (such as a prompt or an annotator) where
        those of one cluster may resemble each other.
    n : int or sequence of int
        Decisive judgments of the pilot, ties left out; for every cluster. The interval is then cluster-robust, and all
        numbers are for a study with as much dependence.
    budget : int, optional
        Decisive judgments that the study can pay for.
    alpha : float
        Level of the two-sided test that is planned.
    power : float
        Chance of detection wanted, above ``alpha`` and below 1.
    level : float
        Coverage of the interval.
    method : {"exact", "normal", "variance"}
        As for `quorate.votes.sample_size`. An end of the range that is beyond the exact search, above some 10^8
        judgments, is the normal number, which there is within 0.01% of it.
    worth : float, optional
        Independent judgments that those of the pilot are worth, as from `effective_judgments`: its interval is that of
        so many. Numbers of judgments are then of independent ones.
    by : mapping of str to sequence, optional
        With one number of ``wins`` and ``n`` for every judgment or group of them: facets whose judgments may resemble
        each other, nested or crossed, each with its level for every number.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If there is only one cluster, or one level of a facet.

    References
    ----------
    Lee (2026), How many human judgments are enough?, section 3.5.

    Examples
    --------
    >>> plan = feasibility(28, 50, budget=500)
    >>> plan.reach.value, plan.needed_low, plan.needed, plan.needed_high, round(plan.power_at_budget, 3)
    ('underpowered', 70, 749, None, 0.751)
    >>> levels = {"prompt": [i // 5 for i in range(60)], "judge": [i % 12 for i in range(60)]}
    >>> feasibility([int(i % 7 > 1) for i in range(60)], [1] * 60, by=levels).clusters
    {'prompt': 12, 'judge': 12}
    """
    if budget is not None:
        check_count("budget", budget)
        budget = int(budget)
    check_alpha(alpha)
    check_power(power, alpha)
    rules.number("level", level, above=0, below=1)
    check_method(method)
    single = np.ndim(wins) == np.ndim(n) == 0
    if worth is not None and (not single or by is not None):
        raise InvalidInput("worth: is for one number of wins and n; clusters say themselves what they are worth")
    pilot = _independent(wins, n, level, worth) if single and by is None else _by_cluster(wins, n, level, by)
    wins, n, low, high, clusters, effect = pilot

    def size(margin: float) -> int:
        """Judgments needed, by the method where it goes that far: an interval can end as near to 0 as it likes."""
        near = method == "exact" and not binomial.is_searchable(0.5 + margin, power, alpha)
        return whole(effect * sample_size(margin, alpha=alpha, power=power, method="normal" if near else method))

    paid = None if budget is None else math.floor(budget / effect + 1e-9)
    margin, nearest = (2 * wins - n) / (2 * n), max(low, -high)
    needed, needed_low = size(abs(margin)) if margin else None, size(max(-low, high))
    needed_high = size(nearest) if nearest > 0 else None
    if budget is None:
        reach = Reach.NO_BUDGET
    elif needed_high is not None and budget >= needed_high:
        reach = Reach.FEASIBLE
    elif needed is not None and budget >= needed:
        reach = Reach.IF_PILOT_HOLDS
    else:
        reach = Reach.UNDERPOWERED if budget >= needed_low else Reach.OUT_OF_REACH
    return Feasibility(
        wins=wins,
        n=n,
        margin=margin,
        low=low,
        high=high,
        level=level,
        alpha=alpha,
        power=power,
        method=method,
        needed=needed,
        needed_low=needed_low,
        needed_high=needed_high,
        budget=budget,
        detectable=seen_by(paid, alpha, power, method) if paid else None,
        power_at_budget=None if paid is None else float(binomial.power(paid, 0.5 + margin, alpha)),
        reach=reach,
        clusters=clusters,
        effect=effect,
    )


def few_votes(n: int) -> str:
    """What a pilot of hardly any votes is good for, in words."""
    return f"{counted(n, 'vote')} and may be almost any: a pilot takes 30 to 100"


class _Pilot(NamedTuple):
    """Wins and judgments of a pilot, the interval of its margin, its clusters, and judgments worth one independent."""

    wins: int
    n: int
    low: float
    high: float
    clusters: int | dict[str, int] | None = None
    effect: float = 1.0


def _independent(wins: Any, n: Any, level: float, worth: float | None = None) -> _Pilot:
    check_count("n", n)
    holds = isinstance(wins, Real) and 0 <= float(wins) <= n and float(wins).is_integer()
    check_range("wins", wins, f"of judgments, whole, from 0 to n ({n})", holds)
    if worth is not None:
        check_range("worth", worth, f"of judgments, above 0 and at most n ({n})", 0 < worth <= n)
    part = 1.0 if worth is None else worth / n
    low, high = (float(end) - 0.5 for end in binomial.clopper_pearson(int(wins) * part, int(n) * part, level))
    return _Pilot(int(wins), int(n), low, high)


def _by_cluster(
    wins: Counts, n: Counts, level: float, by: Mapping[str, Sequence[Any] | NDArray[Any]] | None = None
) -> _Pilot:
    k, sizes = np.asarray(wins, dtype=float), np.asarray(n, dtype=float)
    if k.ndim != 1 or k.shape != sizes.shape:
        raise InvalidInput(
            f"wins, n: one number each, or one for every cluster, got shapes {k.shape} and {sizes.shape}"
        )
    whole_numbers = (k == np.floor(k)) & (sizes == np.floor(sizes))
    wrong = np.flatnonzero(~(whole_numbers & (k >= 0) & (k <= sizes) & (sizes >= 1) & (sizes <= MOST)))
    if len(wrong):
        at = int(wrong[0])
        raise InvalidInput(f"wins: whole numbers from 0 to n, got {k[at]:g} of {sizes[at]:g} in cluster {at + 1}")
    if by is not None:
        return _by_facets(k, sizes, level, by)
    if len(sizes) < 2:
        raise NotEstimable(f"wins: at least 2 clusters show how far these differ, got {len(sizes)}; collect more")
    total = int(sizes.sum())
    if total == len(sizes):
        return _independent(int(k.sum()), total, level)._replace(clusters=total)
    wins_share = share(k, sizes)
    ends = margin_interval(wins_share, level)
    return _Pilot(int(k.sum()), total, *ends, len(sizes), votes_per_independent(wins_share))


def _by_facets(wins: Floats, n: Floats, level: float, by: Mapping[str, Sequence[Any] | NDArray[Any]]) -> _Pilot:
    """A pilot whose judgments may share a level of any facet."""
    codes = {name: np.unique(np.asarray(labels), return_inverse=True)[1] for name, labels in by.items()}
    for name, code in codes.items():
        if code.shape != wins.shape:
            raise InvalidInput(f"by: names a level of {name} for every number of wins, {len(wins)}, got {code.size}")
        if not code.any():
            raise NotEstimable(f"by: all judgments are of one {name}; nothing here says what another would give")
    if not codes:
        raise InvalidInput("by: names a facet or several, got none")
    # every judgment is won or lost: each number stands for two rows
    outcome, weight = np.repeat([1.0, 0.0], len(wins)), np.append(wins, n - wins)
    some = weight > 0
    found = multiway(outcome[some], weight[some], [np.tile(code, 2)[some] for code in codes.values()]).share
    levels = {name: int(code.max()) + 1 for name, code in codes.items()}
    total = int(n.sum())
    if found.clusters == total:
        return _independent(int(wins.sum()), total, level)._replace(clusters=levels)
    return _Pilot(int(wins.sum()), total, *margin_interval(found, level), levels, votes_per_independent(found))
