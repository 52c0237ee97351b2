"""Next steps of a comparison of votes: what more it would take to decide it, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quorate import wording
from quorate.decide.votes.clustered_study import ClusteredVotes
from quorate.decide.votes.study_size import SingleVotes, Studies, TiedVotes
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import VoteMargin
from quorate.numerics.votes import binomial
from quorate.planning.power.pilot import FEWEST, few_votes
from quorate.table.results import Result


@dataclass(frozen=True)
class NextStep(Result):
    """A new study that would decide, if the margin is as found so far; it is tested on its own votes.

    Parameters
    ----------
    toward : {"difference", "equivalence"}
        What it would show: the cheaper of the two.
    assumed : float
        Margin ``|p - 1/2|`` as found.
    power : float
        Chance that the study shows it, at least, if the margin is that.
    counted : int
        Votes that count, as expected: decisive ones, where ties are dropped.
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
    cluster : tuple of str
        Facets that cluster the votes.
    units : tuple of int
        Levels of each among the votes that count in the new study, each with as many of them as so far.
    budget_power : float or None
        Chance that the budget shows what the step is toward, if the margin is as found; None without a budget.
    alike_by_budget : float or None
        Toward equivalence, the largest margin that the budget shows to be within the stated one with a chance of
        ``power``; None if there is none.
    ties : str
        How ties count, as for `VoteMargin`.
    seen : int or None
        Votes that the margin was found from.
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
    cluster: tuple[str, ...] = ()
    units: tuple[int, ...] = ()
    budget_power: float | None = None
    alike_by_budget: float | None = None
    ties: str = "drop"
    seen: int | None = None

    derived = ("affordable", "sentence")

    @property
    def affordable(self) -> bool | None:
        """Whether the budget reaches; None without one."""
        return None if self.budget is None else self.budget >= self.votes

    @property
    def sentence(self) -> str:
        """The step in one sentence, and what the budget does in another."""
        cost = "" if self.cost is None else f" for {self.cost:,.2f}"
        goal = "find a difference" if self.toward == "difference" else "show equivalence"
        step = (
            f"A new study of {self.size}{cost} would {goal} with a chance of {self.power:.4g} if the "
            f"margin is {wording.margin(self.assumed)} as found; of {self.at_least:,} at the very least."
        )
        step += self._rests_on
        if self.budget is None:
            return step
        if self.toward == "difference":
            seen = self.seen_by_budget
            found = f"would see a margin of {wording.margin(seen or 0)} or more"
            shows = "may miss any margin, however large" if seen is None else found
        else:
            alike = self.alike_by_budget
            limit = "at no margin" if alike is None else f"at a margin of {wording.margin(alike)} or less"
            chance = f"with a chance of {self.budget_power:.2f} at that margin"
            shows = f"would show equivalence {chance}, and of {self.power:.4g} {limit}"
        reach = "is enough for that" if self.affordable else "is not enough"
        return f"{step} The budget of {self.budget:,} {reach}: it {shows}."

    @property
    def _rests_on(self) -> str:
        """That the margin is of hardly any votes; nothing where they are a pilot."""
        few = self.seen is not None and self.seen < FEWEST
        return f" That margin rests on {few_votes(self.seen or 0)}." if few else ""

    @property
    def size(self) -> str:
        """Votes to collect; where some will not count, those that do, and the levels among them."""
        levels = zip(self.units, self.cluster, strict=True)
        each = [f"{wording.counted(count, 'level')} of {name}" for count, name in levels]
        where = f"in {wording.listed(each)}" if each else ""
        votes = wording.counted(self.votes, "vote")
        if self.counted == self.votes:
            return f"{votes} {where}".rstrip()
        kind = "of them decisive" if self.ties == "drop" else "of them used"
        return f"{votes} ({', '.join(filter(None, (f'{self.counted:,} {kind}', where)))})"


class _Way(NamedTuple):
    """How a study could decide: votes for the margin as found, and at best."""

    votes: int
    at_least: int
    toward: str
    studies: Studies


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
    """The cheapest study that would decide; None where no number of votes would."""
    way = min(_ways(found, margin, alpha, power, counting), default=None, key=lambda one: one[:3])
    if way is None:
        return None
    d, counted = abs(found.value), max(1, math.floor(way.votes * counting + 1e-9))
    within = margin if way.toward == "equivalence" else None
    alike = None
    if budget is not None and within is not None:  # the largest margin that the budget shows to be within the stated
        from scipy.optimize import brentq

        def short(true: float) -> float:
            return power - way.studies.chance(budget, true, within)

        most = within * (1 - 1e-9)
        alike = float(brentq(short, 0.0, most)) if short(0.0) < 0 < short(most) else None
    return NextStep(
        toward=way.toward,
        assumed=d,
        power=power,
        counted=counted,
        votes=way.votes,
        at_least=way.at_least,
        cost=None if price is None else way.votes * price,
        budget=budget,
        seen_by_budget=None if budget is None else way.studies.seen(budget, power),
        cluster=found.cluster,
        units=tuple(math.ceil(counted * levels / found.n - 1e-6) for levels in found.clusters),
        budget_power=None if budget is None else way.studies.chance(budget, d, within),
        alike_by_budget=alike,
        ties=found.ties,
        seen=found.n,
    )


def studies_like(found: VoteMargin, alpha: float, counting: float) -> Studies:
    """Studies whose votes depend on each other, and count, as these do."""
    if found.exact:
        return SingleVotes(alpha, counting / found.effect, by_chance=not found.cluster)
    if found.decisive:
        share = counting * max(found.decisive.n, 1.0) / found.n
        return TiedVotes(SingleVotes(alpha, share), found.effect)
    clusters = min(found.clusters, default=found.n)
    sizes = np.full(clusters, found.n / clusters) if found.sizes is None else found.sizes
    return ClusteredVotes(found, sizes, alpha, counting)


def _ways(found: VoteMargin, margin: float | None, alpha: float, power: float, counting: float) -> Iterator[_Way]:
    d, (low, high) = abs(found.value), found.interval(1 - alpha)
    studies = studies_like(found, alpha, counting)
    against_ties = found.ties == "pessimistic"
    if against_ties and found.value < 0:
        # ties as losses make nobody worse: the votes without them have to show it, which is then enough
        known = found.decisive
        if known is not None and 2 * known.wins < known.n:
            lowest, _ = binomial.clopper_pearson(*known, 1 - alpha)
            ends = 0.5 - known.wins / known.n, 0.5 - float(lowest)
            yield from _way("difference", SingleVotes(alpha, counting * known.n / found.n), ends, power)
    elif d > 0:
        yield from _way("difference", studies, (d, max(-low, high)), power)
    if margin is not None and d < margin * (1 - 1e-9) and not against_ties:
        yield from _way("equivalence", studies, (d, 0.0), power, margin)


def _way(
    toward: str, studies: Studies, ends: tuple[float, float], power: float, margin: float | None = None
) -> Iterator[_Way]:
    """One way to decide; none where it takes more votes than can be counted."""
    try:
        votes, least = (
            studies.difference(d, power) if margin is None else studies.equivalence(margin, d, power) for d in ends
        )
    except InvalidInput:
        return
    yield _Way(votes, min(votes, least), toward, studies)
