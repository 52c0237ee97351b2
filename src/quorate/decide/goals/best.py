"""The best system as a goal: systems drop out once another is shown to score higher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.goal import BestGoal
from quorate.decide.goals.look import UNDECIDED, Look
from quorate.decide.goals.offer import Spent
from quorate.decide.goals.plans import Plan, Plans, of_difference
from quorate.decide.goals.pursuit import Pursuit
from quorate.decide.goals.repeated import found_at, held, t_bound
from quorate.decide.scores.search import largest_errors
from quorate.estimate.differences.difference import SystemDifference, difference
from quorate.numerics.sequential.spending import inflation
from quorate.numerics.study_power import Studies
from quorate.roles import SYSTEM
from quorate.table.judgments import Judgments

_POWER = 0.9


@dataclass(frozen=True, eq=False)
class Elimination(Pursuit[BestGoal, SystemDifference]):
    """One-sided tests of the leader against every system that is left, at a level divided by their number."""

    @property
    def alpha(self) -> float:
        """Level of one such test: the best system is in as many as there are others."""
        return (1 - self.goal.level) / max(len(self.offer.systems) - 1, 1)

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems on offer."""
        return self.offer.systems

    @property
    def promised(self) -> bool:
        """No difference is."""
        return False

    @cached_property
    def sized(self) -> Floats:
        """Largest standard errors for a difference of 1; others are in proportion."""
        more = float(np.sqrt(inflation(self.offer.looks, self.alpha, _POWER, sided=1, spending=self.spending)))

        def power(law: Studies) -> float:
            return law.times(more).finds(1.0, 2 * self.alpha)

        return largest_errors(power, _POWER)

    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> SystemDifference:
        """The leader less the system that is nearest to it, by the mean over cells that all have."""
        return self._rivals(judgments, systems)[0]

    def _rivals(self, judgments: Judgments, systems: Sequence[str]) -> list[SystemDifference]:
        """The leader less each of the others that are left, the nearest first."""
        found = [self._less(judgments, systems[0], name) for name in systems[1:]]
        ahead = {systems[0]: 0.0} | {one.b: -one.value for one in found}
        leader = max(ahead, key=lambda name: ahead[name])
        if leader != systems[0]:
            found = [self._less(judgments, leader, name) for name in systems if name != leader]
        return sorted(found, key=lambda one: one.value / one.se)

    def _less(self, judgments: Judgments, a: str, b: str) -> SystemDifference:
        return difference(judgments, a, b, facet=SYSTEM, method="paired", targets=self.goal.target)

    def plans(self, found: SystemDifference, systems: Sequence[str], spent: Spent) -> Plans:
        """Studies of all systems that are left."""
        return of_difference(found, self.offer, self.sized, spent, len(systems))

    def tested(self, found: SystemDifference, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:
        """The tests of the leader against all others."""
        bound, spent = held(past, fraction, self.alpha, 1, spending=self.spending)
        systems = past[-1].systems if past else self.systems
        rivals = self._rivals(judgments, systems)
        still = [one.b for one in rivals if one.value <= float(t_bound(bound, one.df)) * one.se]
        half = float(t_bound(bound, found.df)) * found.se
        return found_at(
            found,
            past,
            fraction,
            (found.value - half, found.value + half),
            alpha=spent,
            bound=bound,
            level=self.goal.level,
            outcome=UNDECIDED if still else found.a,
            systems=tuple(name for name in systems if name == found.a or name in still),
            question=f"{found.a} less {found.b}",
        )

    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:  # noqa: ARG002
        """Chance that the last analysis tells the leader from the nearest."""
        from scipy.special import ndtr

        here = looks[-1]
        bound, _ = held(looks, 1.0, self.alpha, 1, spending=self.spending)
        limit = t_bound(bound, law.found_df) * law.found_se
        return np.asarray(ndtr((here.value - limit) / spread) + ndtr((-limit - here.value) / spread))
