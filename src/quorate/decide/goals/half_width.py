"""Half-widths as a goal: a mean that is known well enough, by the usual interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.goal import HalfWidthGoal
from quorate.decide.goals.look import UNDECIDED, Look
from quorate.decide.goals.offer import Spent
from quorate.decide.goals.plans import Plan, Plans, of_mean
from quorate.decide.goals.pursuit import Pursuit
from quorate.decide.goals.repeated import found_at
from quorate.estimate.components.decompose import decompose
from quorate.estimate.means.mean import Estimate, on_scale
from quorate.estimate.means.stratified import strata, stratified_mean
from quorate.numerics.study_power import Studies
from quorate.roles import CATEGORY
from quorate.table.judgments import Judgments

_NORMAL = 1.959963984540054
_FIRST, _LAST = 0.8, 1.25
"""Part of the information that is bought on the word of a pilot, and before the last look."""
_GROWTH = 2.0
"""What is spent by the next look over what is spent now, if that is enough to buy the plan in time."""
_AIM = 0.98
"""Half-width that is aimed at, over that which is asked for: half of the studies would just miss it."""


@dataclass(frozen=True, eq=False)
class Precision(Pursuit[HalfWidthGoal, Estimate]):
    """The intervals of a mean, and the studies in which they are narrow enough."""

    @property
    def alpha(self) -> float:
        """Chance that the interval misses."""
        return 1 - self.goal.level

    @property
    def systems(self) -> tuple[str, ...]:
        """The system, if it has a name."""
        return self.offer.systems

    @property
    def promised(self) -> bool:
        """The half-width."""
        return True

    @property
    def goes_on(self) -> bool:
        """Until the interval is narrow enough."""
        return True

    @property
    def ordinary(self) -> float:
        """The normal quantile of the interval."""
        return NormalDist().inv_cdf(1 - self.alpha / 2)

    @property
    def aim(self) -> float:
        """Half-width of the ordinary 95% interval that is aimed at."""
        return _AIM * self.goal.half_width * _NORMAL / self.ordinary

    def pace(self, fraction: float, left: int) -> float:
        """Most of the way at first, so as not to buy too much on what a pilot says; then all of it; last, to spare."""
        if left == 1:
            return _LAST
        return _FIRST if fraction < _FIRST**2 else 1.0

    def most(self, final: Plan, spent: Spent, left: int) -> float:
        """As much as was spent, unless the looks that are left must buy more each: few levels tell little of a plan."""
        done = spent.calls if self.offer.money is None else spent.money
        return done * (max(_GROWTH, (1 + final.cost / done) ** (1 / left)) - 1) if done else math.inf

    def estimate(self, judgments: Judgments, systems: Sequence[str]) -> Estimate:  # noqa: ARG002  (there is one)
        """The mean."""
        shares, targets = self.goal.category_shares, self.goal.target or {}
        if shares is not None:
            fit = decompose(strata(judgments), covariates=[CATEGORY])
            return on_scale(stratified_mean(fit, shares, targets))
        return decompose(judgments).mean_for(**targets)

    def plans(self, found: Estimate, systems: Sequence[str], spent: Spent) -> Plans:  # noqa: ARG002  (there is one)
        """Studies of the mean."""
        return of_mean(found, self.offer, self.aim, spent)

    def tested(self, found: Estimate, judgments: Judgments, past: Sequence[Look], fraction: float) -> Look:  # noqa: ARG002
        """The usual interval, for how often it is looked at depends on its width and not on the mean."""
        goal = self.goal
        low, high = found.interval(goal.level)
        narrow = (high - low) / 2 <= goal.half_width
        said = {"outcome": "known" if narrow else UNDECIDED, "systems": self.systems, "question": "mean"}
        own = {"alpha": self.alpha, "bound": self.ordinary, "level": goal.level}
        return found_at(found, past, fraction, (low, high), **own, **said)

    def chances(self, looks: Sequence[Look], law: Studies, spread: float, final: Plan) -> Floats:  # noqa: ARG002
        """Whether the interval is narrow enough in studies of a plan; wherever the mean is."""
        return np.asarray(final.width * law.found_se / np.median(law.found_se) <= 1 / _AIM, dtype=float)
