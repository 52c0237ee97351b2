"""What more it would take to decide a comparison that is undecided, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from quorate.decide.margin import VoteMargin
from quorate.errors import InvalidInput, NotEstimable
from quorate.plan.equivalence import equivalence_size
from quorate.plan.power import detectable_margin, sample_size, whole


@dataclass(frozen=True)
class NextStep:
    """A new study that would decide, if the margin is as found so far; it is tested on its own votes.

    Parameters
    ----------
    toward : {"difference", "equivalence"}
        What it would show: the cheaper of the two.
    assumed : float
        Margin ``|p - 1/2|`` as found.
    power : float
        Chance that the study shows it, if the margin is that.
    counted : int
        Votes that count: decisive ones, where ties are dropped.
    votes : int
        Votes to collect, with those that will not count at the rate seen.
    at_least : int
        The same at the largest margin of the interval for a difference, and at a margin of 0 for equivalence. There is
        no upper end: the interval includes margins that no number of votes would decide.
    cost : float or None
        Price of ``votes``; None without a price.
    budget : int or None
        Votes that can be collected.
    seen_by_budget : float or None
        Smallest margin that the budget detects; None without a budget, or if it detects none.
    """

    toward: str
    assumed: float
    power: float
    counted: int
    votes: int
    at_least: int
    cost: float | None
    budget: int | None
    seen_by_budget: float | None

    @property
    def affordable(self) -> bool | None:
        """Whether the budget reaches; None without one."""
        return None if self.budget is None else self.budget >= self.votes

    @property
    def sentence(self) -> str:
        """The step in one sentence."""
        cost = "" if self.cost is None else f" for {self.cost:,.2f}"
        goal = "find a difference" if self.toward == "difference" else "show equivalence"
        step = (
            f"A new study of {self.votes:,} votes{cost} would {goal} with a chance of {self.power:.4g} if the margin "
            f"is {self.assumed:.3f} as found; of {self.at_least:,} at the very least."
        )
        return f"{step}{self._budget_words()}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**asdict(self), "affordable": self.affordable, "sentence": self.sentence}

    def _budget_words(self) -> str:
        if self.budget is None:
            return ""
        seen = "no margin" if self.seen_by_budget is None else f"a margin of {self.seen_by_budget:.3f} or more"
        reach = "is enough for that" if self.affordable else "is not enough"
        return f" The budget of {self.budget:,} {reach}: it would see {seen}."


def next_step(
    found: VoteMargin,
    *,
    margin: float | None,
    alpha: float,
    power: float,
    counting: float,
    budget: int | None = None,
    price: float | None = None,
) -> NextStep | None:
    """The cheapest study that would decide; None where no number of votes would.

    Parameters
    ----------
    found : VoteMargin
        Margin so far.
    margin : float or None
        Margin of equivalence.
    alpha, power : float
        Level of the tests, and the chance wanted that the study decides.
    counting : float
        Share of all votes that count.
    budget : int, optional
        Votes that can be collected.
    price : float, optional
        Price of a vote.
    """
    ways = _ways(found, margin, alpha, power)
    if not ways:
        return None
    counted, at_least, toward = min(ways)
    votes = whole(counted / counting)
    return NextStep(
        toward=toward,
        assumed=abs(found.value),
        power=power,
        counted=counted,
        votes=votes,
        at_least=whole(at_least / counting),
        cost=None if price is None else votes * price,
        budget=budget,
        seen_by_budget=None if budget is None else _seen(budget * counting / found.effect, alpha, power),
    )


def _ways(found: VoteMargin, margin: float | None, alpha: float, power: float) -> list[tuple[int, int, str]]:
    """Votes that count, fewest of them and what they show, for either way to decide."""
    d, low, high = abs(found.value), *found.interval(1 - alpha)
    ways: dict[str, Callable[[float], int]] = {}
    if d > 0:
        ways["difference"] = partial(sample_size, alpha=alpha, power=power)
    if margin is not None and d < margin * (1 - 1e-9):
        ways["equivalence"] = partial(_equivalence, margin, alpha=alpha, power=power)
    ends = {"difference": (d, max(-low, high)), "equivalence": (d, 0.0)}
    out = []
    for toward, size in ways.items():
        try:
            n, least = (size(x) for x in ends[toward])
        except InvalidInput:  # more votes than can be counted: no way to decide
            continue
        out.append((whole(n * found.effect), whole(least * found.effect), toward))
    return out


def _equivalence(margin: float, true_margin: float, *, alpha: float, power: float) -> int:
    return equivalence_size(margin, true_margin=true_margin, alpha=alpha, power=power, method="normal")


def _seen(votes: float, alpha: float, power: float) -> float | None:
    try:
        return detectable_margin(max(1, math.floor(votes)), alpha=alpha, power=power)
    except NotEstimable:
        return None
