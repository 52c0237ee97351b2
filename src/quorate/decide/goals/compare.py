"""Comparisons as a goal: which of two systems scores higher, by group-sequential t tests of all judgments so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.goal import CompareGoal
from quorate.decide.goals.look import Look, Power
from quorate.decide.goals.offer import Spent
from quorate.decide.goals.plans import Plan, Plans, of_difference
from quorate.decide.goals.pursuit import Pursuit
from quorate.decide.goals.repeated import DifferenceTest
from quorate.decide.scores.search import largest_errors
from quorate.decide.scores.studies import studies_of_plan
from quorate.estimate.differences.difference import SystemDifference, difference
from quorate.estimate.differences.stratified import stratified_difference
from quorate.numerics.distributions import chi_square_quantile
from quorate.numerics.sequential.spending import inflation
from quorate.numerics.study_power import Studies
from quorate.table.judgments import Judgments

_SURE = 0.8
"""Level of the range in which the chance to decide lies, as far as components are known."""


@dataclass(frozen=True, eq=False)
class Comparison(Pursuit[CompareGoal, SystemDifference]):
    """The tests of a comparison, and the studies that have power enough for them."""

    @property
    def alpha(self) -> float:
        """Level of both sides together; of either test of equivalence."""
        return 1 - self.goal.level

    @property
    def systems(self) -> tuple[str, ...]:
        """Both systems."""
        return self.goal.a, self.goal.b

    @property
    def promised(self) -> bool:
        """With a margin: that it is found, and equivalence."""
        return self.goal.margin is not None

    @cached_property
    def inflation(self) -> float:
        """Standard error of a test that is made once, over that of one that is repeated as often and finds as much."""
        sides = (1, 2) if self.goal.margin is not None else (2,)
        powers = {1: (1 + self.goal.power) / 2, 2: self.goal.power}
        looks, spending = self.offer.looks, self.spending
        most = [inflation(looks, self.alpha, powers[sided], sided=sided, spending=spending) for sided in sides]
        return float(np.sqrt(max(most)))

    @cached_property
    def sized(self) -> Floats:
        """Largest standard errors for the margin; without one, for a difference of 1; others are in proportion."""
        margin, alpha = self.goal.margin, self.alpha

        def power(law: Studies) -> float:
            law = law.times(self.inflation)
            if margin is None:
                return law.finds(1.0, alpha)
            return min(law.finds(margin, alpha), law.shows_equal(0.0, margin, alpha))

        return largest_errors(power, self.goal.power)

    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> SystemDifference:
        """The difference, from the cells that both have."""
        shares, targets = self.goal.category_shares, self.goal.target
        if shares is not None:
            return stratified_difference(judgments, self.goal.a, self.goal.b, shares, targets=targets)
        return difference(judgments, *systems, method="paired", targets=targets)

    def plans(self, found: SystemDifference, systems: Sequence[str], spent: Spent) -> Plans:
        """Studies of both systems."""
        return of_difference(found, self.offer, self.sized, spent, len(systems))

    def power(self, final: Plan) -> Power | None:
        """That of the harder of both questions: to find the margin, and to show two equal systems to be so."""
        margin = self.goal.margin
        if margin is None:
            return None
        law = studies_of_plan(final.projection)
        own = float(np.sqrt(final.variance)) / law.se * self.inflation
        tails = ((1 + _SURE) / 2, (1 - _SURE) / 2)  # of how far the variance may be from what it is taken for
        worst, best = (math.sqrt(law.df / chi_square_quantile(law.df, tail)) for tail in tails)

        def chance(times: float) -> float:
            some = law.times(own * times)
            return min(some.finds(margin, self.alpha), some.shows_equal(0.0, margin, self.alpha))

        return Power(chance(1.0), chance(worst), chance(best), self.goal.power)

    @property
    def test(self) -> DifferenceTest:
        """The test that is repeated."""
        return DifferenceTest(self.alpha, self.goal.margin, self.spending)

    def tested(self, found: SystemDifference, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:  # noqa: ARG002
        """The test of a difference and, with a margin, of equivalence."""
        a, b = self.systems
        return self.test.look(found, past, fraction, systems=self.systems, question=f"{a} less {b}")

    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:  # noqa: ARG002
        """Chance that the last analysis shows something."""
        return self.test.chances(looks, law.found_se, law.found_df, spread)
