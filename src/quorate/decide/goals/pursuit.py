"""Pursuits: what every goal has in common, from the estimate at a look to the calls that are bought next."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.goal import BestGoal, CompareGoal, HalfWidthGoal
from quorate.decide.goals.look import UNDECIDED, Ending, Look, Power
from quorate.decide.goals.offer import Offer, Spent
from quorate.decide.goals.plans import Plan, Plans, batch, bought, crossed, described, nothing
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.doctor.support import ITEMS, PROMPTS, REPLICATES
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import POPULATION
from quorate.numerics.sequential.spending import Spending, obrien_fleming, pocock
from quorate.numerics.study_power import Studies
from quorate.planning.search.power import studies_of_plan
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE
from quorate.streams import stream
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments

JUDGES = 3
"""Judges of a pilot where they stand for others: with two, their spread rests on 1 degree of freedom."""
FUTILE = 0.05
"""Chance of success below which a study is given up."""
_ALL = 0.98
"""Part of the planned information that is as good as all of it: what is missing is not worth a look."""
_MANY = 1e6

Asked = TypeVar("Asked", bound=CompareGoal | HalfWidthGoal | BestGoal)
Found = TypeVar("Found", SystemDifference, Estimate)
"""What a look estimates."""


@dataclass(frozen=True, eq=False)
class Pursuit(ABC, Generic[Asked, Found]):
    """How a goal is pursued.

    Parameters
    ----------
    goal : CompareGoal, HalfWidthGoal or BestGoal
        What is asked.
    offer : Offer
        What may be bought.
    """

    goal: Asked
    offer: Offer

    @property
    @abstractmethod
    def systems(self) -> tuple[str, ...]:
        """Systems that the goal is about, of those on offer."""

    @property
    @abstractmethod
    def promised(self) -> bool:
        """Whether it is said beforehand what the study must be able to show."""

    @property
    def goes_on(self) -> bool:
        """Whether a study may go on when it has all the information that was planned: not when its level is spent."""
        return False

    def power(self, final: Plan) -> Power | None:  # noqa: ARG002  (some goals promise one)
        """Chance that studies of a plan answer the question; None where none is asked for."""
        return None

    @abstractmethod
    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> Found:
        """What the goal is about, from all judgments so far and the systems that are left."""

    @abstractmethod
    def plans(self, found: Found, systems: Sequence[str], spent: Spent) -> Plans:
        """The studies that may be bought, by what is still to be paid for them."""

    @abstractmethod
    def tested(self, found: Found, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:
        """What the look shows; see `quorate.decide.goals.look.found_at`."""

    @abstractmethod
    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:
        """Chance of success in studies of a plan, whose estimate will still move by so much; of the last look."""

    def pilot(self) -> Cells:
        """The first calls; see `quorate.decide.goals.rounds.pilot`."""
        targets, offer = self.goal.target or {}, self.offer
        judges, prompts = len(offer.judges), len(offer.prompts)
        levels = {
            ITEM: min(ITEMS, len(offer.order)),
            JUDGE: min(JUDGES, judges) if targets.get(JUDGE) == POPULATION else judges,
            PROMPT: max(min(PROMPTS, prompts) if targets.get(PROMPT, POPULATION) == POPULATION else prompts, 1),
            REPLICATE: min(REPLICATES, offer.replicates),
        }
        return crossed(offer, levels, self.systems)

    def look(self, judgments: Judgments, past: Sequence[Look], spent: Spent) -> tuple[Look, Cells]:
        """One analysis, and what it buys; see `quorate.decide.goals.rounds.look`."""
        offer, number = self.offer, len(past) + 1
        systems = past[-1].systems if past else self.systems
        found = self.estimate(judgments, systems)
        plans = self.plans(found, systems, spent)
        wanted = plans.cheapest() if self.promised else None
        final = wanted if wanted is not None and plans.affords(wanted) else plans.best()
        none = nothing(offer)
        last = number >= offer.looks or final is None
        fraction = 1.0 if last or final is None else final.variance / found.se**2
        fraction = fraction if fraction < _ALL else 1.0
        fraction = max([fraction, *(one.fraction for one in past)])
        here = self.tested(found, judgments, past, fraction)
        here = replace(here, looks=offer.looks, judgments=judgments.n_answers, spent=spent)
        if final is not None and final is not wanted:
            here = here.falling_short(self.power(final))
        if here.outcome != UNDECIDED:
            return here.ended(Ending.REACHED), none
        if last or final is None or (fraction >= 1 and not self.goes_on):
            return here.ended(Ending.BUDGET if final is None else Ending.LOOKS, self._need(here, plans)), none
        chance = self._chance([*past, here], final)
        if chance < FUTILE:
            return replace(here, chance=chance).ended(Ending.FUTILE, self._need(here, plans)), none
        left = offer.looks - number
        items = plans.part(final, final.variance / self.pace(fraction, left), self.most(final, spent, left))
        for wide in (items, int(final.projection.design[ITEM])):
            cells = offer.affordable(batch(offer, final.projection, wide, judgments, here.systems), spent)
            if len(cells):
                break
        else:
            return here.ended(Ending.BUDGET, self._need(here, plans)), none
        return replace(here, chance=chance, buys=bought(offer, cells), design=described(final, items)), cells

    @property
    def spending(self) -> Spending:
        """O'Brien and Fleming's where something is promised; else early, for nobody knows what to wait for."""
        return obrien_fleming if self.promised else pocock

    def pace(self, fraction: float, left: int) -> float:
        """Part of the information that the next look is to have: in equal steps, or else in equal ratios."""
        return fraction + (1 - fraction) / left if self.promised else float(fraction ** (1 - 1 / left))

    def most(self, final: Plan, spent: Spent, left: int) -> float:  # noqa: ARG002  (some goals hold back)
        """The most that the next batch may cost."""
        return math.inf

    def _chance(self, looks: Sequence[Look], final: Plan) -> float:
        """Chance of success by the last analysis, with the estimate as uncertain as it is now."""
        now = looks[-1].se ** 2
        law = studies_of_plan(final.projection)
        law = law.times(float(np.sqrt(final.variance)) / law.se)
        df = min(looks[-1].df, _MANY)  # the components are as uncertain as the standard error of now
        off = np.sqrt(df / stream(0, "goal/chance").chisquare(df, len(law.found_se)))
        drawn = tuple((off**2 * part, free) for part, free in law.drawn)
        law = replace(law, squares=off**2 * law.variance, drawn=drawn)
        spread = float(np.sqrt(max(now - final.variance, 1e-12 * now)))
        chances = self.chances(looks, law, spread, final)
        return float(np.minimum(chances, 1.0).mean())

    def _need(self, here: Look, plans: Plans) -> float | None:
        """What the goal would still cost: as promised, or else for the difference as found; None if nothing does."""
        plan = plans.cheapest(1.0 if self.promised else abs(here.value))
        spent = here.fraction >= 1 and not self.goes_on  # so that what is left would buy no other answer
        return None if plan is None or (spent and plans.affords(plan)) else plan.cost
