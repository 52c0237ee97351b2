"""Which of two systems people prefer, in votes of people, of models, or of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from quorate.decide.goals.goal import PreferGoal
from quorate.decide.goals.look import UNDECIDED, DifferenceTest, Ending, Look
from quorate.decide.goals.offer import Offer, Spent
from quorate.decide.goals.plans import bought, calls, nothing
from quorate.decide.goals.poll import Poll, Size, variance_of
from quorate.decide.goals.pursuit import FUTILE
from quorate.errors import InvalidInput
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.sequential.spending import Spending, inflation, obrien_fleming, pocock
from quorate.table.cells import Cells
from quorate.table.votes import Votes

PILOT = 50
"""Battles of a pilot."""


@dataclass(frozen=True, eq=False)
class Preference:
    """The tests of a preference, and the votes that have power enough for them.

    Parameters
    ----------
    goal : PreferGoal
        What is asked.
    offer : Offer
        What may be bought.
    """

    goal: PreferGoal
    offer: Offer

    @property
    def alpha(self) -> float:
        """Level of both sides together; of either test of equivalence."""
        return 1 - self.goal.level

    @property
    def promised(self) -> bool:
        """Whether it is said beforehand what the study must be able to show."""
        return self.goal.margin is not None

    @property
    def spending(self) -> Spending:
        """As for goals of scores: early where nothing is promised, for nobody knows what to wait for."""
        return obrien_fleming if self.promised else pocock

    @property
    def test(self) -> DifferenceTest:
        """The test that is repeated, of the share of votes less a half."""
        return DifferenceTest(self.alpha, self.goal.margin, self.spending)

    @cached_property
    def variance(self) -> float:
        """Largest variance with power enough for the margin."""
        power, margin = self.goal.power, self.goal.margin or math.nan
        finds = margin / (normal_quantile(1 - self.alpha / 2) + normal_quantile(power))
        equal = margin / (normal_quantile(1 - self.alpha) + normal_quantile((1 + power) / 2))
        repeated = max(
            inflation(self.offer.looks, self.alpha, each, sided=sided)
            for sided, each in ((2, power), (1, (1 + power) / 2))
        )
        return min(finds, equal) ** 2 / repeated

    @cached_property
    def poll(self) -> Poll:
        """The votes: every item is a battle of the two."""
        return Poll(self.goal.a, self.goal.b, self.offer, np.arange(len(self.offer.items)))

    def pilot(self) -> Cells:
        """Votes and predictions of the first battles.

        Raises
        ------
        InvalidInput
            If the budget does not pay for them.
        """
        cells = calls(self.offer, self.poll.missing(Size(0, 0), self.poll.pilot(PILOT)))
        return paid(self.offer, cells)

    def look(self, votes: Votes, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        offer, poll, number = self.offer, self.poll, len(past) + 1
        bought_for = [one.design for one in past if one.design]  # one that was given up, and goes on, bought nothing
        had = Size(**bought_for[-1]) if bought_for else poll.pilot(PILOT)
        found = poll.estimate(votes, had)
        left, none = offer.left(spent), nothing(offer)
        wanted = None if self.goal.margin is None else poll.wanted(found, self.variance)
        affordable = wanted is not None and poll.price(found, wanted) <= left
        final = wanted if affordable else poll.best(found, left)
        more = final is not None and (final.voted > found.size.voted or final.predicted > found.size.predicted)
        target = variance_of(found, final) if final is not None and more else found.se**2
        last = number >= offer.looks or not more
        fraction = max([1.0 if last else min(1.0, target / found.se**2), *(one.fraction for one in past)])
        margin = found._replace(value=found.value - 0.5)
        here = self.test.look(margin, past, fraction, question=f"margin of votes for {self.goal.a}")
        here = replace(here, looks=offer.looks, judgments=votes.n, spent=spent)
        need = None if wanted is None else poll.price(found, wanted)
        if here.outcome != UNDECIDED:
            return here.ended(Ending.REACHED), none
        if number >= offer.looks or fraction >= 1 or final is None:
            spent_all = not more and not affordable
            return here.ended(Ending.BUDGET if spent_all else Ending.LOOKS, need), none
        spread = math.sqrt(max(here.se**2 - target, 1e-12 * here.se**2))
        chance = float(self.test.chances([*past, here], np.sqrt(target), math.inf, spread))
        if chance < FUTILE:
            return replace(here, chance=chance).ended(Ending.FUTILE, need), none
        left_over = offer.looks - number
        pace = fraction + (1 - fraction) / left_over if self.promised else fraction ** (1 - 1 / left_over)
        now = poll.wanted(found, target / pace, alone=not final.predicted) or final
        had = had if final.predicted else had._replace(predicted=0)
        cells = offer.affordable(calls(offer, poll.missing(had, poll.grown(had, found, now, final))), spent)
        if not len(cells):
            return here.ended(Ending.BUDGET, need), none
        design = poll.bought(had, cells)._asdict()
        return replace(here, chance=chance, buys=bought(offer, cells), design=design), cells


def paid(offer: Offer, cells: Cells) -> Cells:
    """The votes of a pilot.

    Raises
    ------
    InvalidInput
        If the budget does not pay for them.
    """
    if len(offer.affordable(cells, Spent(0))) < len(cells):
        raise InvalidInput(f"budget: a pilot takes {len(cells):,} votes, which is more than it pays for; raise it")
    return cells
