"""Studies of votes of a fixed size: the cheapest in hindsight, with everything known, and the usual one."""

from __future__ import annotations

import math

import numpy as np

from quorate.arrays import Floats
from quorate.decide.goals.goal import BestGoal, Offer, PreferGoal
from quorate.decide.goals.votes import Poll
from quorate.numerics.distributions import normal_cdf, normal_quantile
from quorate.numerics.prediction_powered import Strata, to_reach
from quorate.numerics.roots import root
from quorate.simulate.goals.votes import VoteLaw

_MOST = 100


def fixed_votes(
    goal: PreferGoal | BestGoal, offer: Offer, law: VoteLaw, effect: float, *, power: float = 0.9, usual: bool = False
) -> float | None:
    """Price of the cheapest votes of a fixed size that show the truth with the power wanted; None where none do.

    Parameters
    ----------
    goal, offer
        As for `quorate.simulate.simulate_goal`.
    law : VoteLaw
        The true one.
    effect : float
        Share of votes for the first system less a half; that of the best system against each of the others.
    power : float
        Chance that the votes show it.
    usual : bool
        Of people alone where there are any, and on all pairs of systems; with a margin sized for either answer, as
        nobody knows which is true.
    """
    systems = len({name for pair in offer.pairs for name in pair}) if isinstance(goal, BestGoal) else 2
    others = systems - 1
    pairs = systems * others // 2 if usual else others  # who leads is known in hindsight
    poll = Poll("", "", offer, np.arange(_MOST * len(offer.items)))
    error = _error(goal, abs(effect), power, others, usual=usual)
    if error is None:
        return None
    variance, explained = variances(law, offer, effect)
    least = math.ceil(math.log2(2 * others / (1 - goal.level)))  # with fewer even a unanimous vote shows nothing
    costs, prices = poll.costs, [max(variance / error**2, least) * poll.costs.label]
    if poll.people and poll.models and not usual:
        one = np.ones(1)
        strata = Strata(one, variance * one, (variance - explained) * one, explained * one)
        split = to_reach(strata, costs, error**2, float(least), float(least), float(len(poll.battles)))
        prices += [] if split is None else [split[0] * costs.label + split[1] * costs.prediction]
    return pairs * min(prices)


def variances(law: VoteLaw, offer: Offer, effect: float) -> tuple[float, float]:
    """Variance of a battle's votes, and what of it the votes of models say, where people vote too.

    Two votes have the covariance ``icc v``, ``v`` being the variance of one: k of them have a mean with variance
    ``v / k + (1 - 1 / k) icc v``, and of a person's vote it explains the square of that covariance over its variance.
    """
    one = law.variance(0.5 + effect)
    models = len(offer.judges) - len(offer.people)
    if not offer.people:
        votes = models * max(len(offer.prompts), 1)
        return one * (1 + (votes - 1) * law.icc) / votes, 0.0
    if not models:
        return one, 0.0
    own = one if law.models is None else _mixed(law, effect)
    mean = own / models + (1 - 1 / models) * law.icc * one
    return one, (law.icc * one) ** 2 / mean if mean else 0.0


def _mixed(law: VoteLaw, effect: float) -> float:
    """Variance of a model's vote that follows the verdict now and then, and otherwise votes by a share of its own."""
    follows = math.sqrt(law.icc)
    shares = np.array([0.5 + effect, 0.5 if law.models is None else law.models])
    chances: Floats = law.chances(shares) @ np.array([follows, 1 - follows])
    values = np.array([1.0, 0.0, 0.5])
    return float(chances @ values**2 - (chances @ values) ** 2)


def _error(goal: PreferGoal | BestGoal, effect: float, power: float, others: int, *, usual: bool) -> float | None:
    """Largest standard error that shows the truth, or with ``usual`` whichever of both is true."""
    alpha = 1 - goal.level
    if isinstance(goal, BestGoal):
        return effect / (normal_quantile(1 - alpha / others) + normal_quantile(power)) if effect > 0 else None
    once = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    equal = normal_quantile(1 - alpha) + normal_quantile((1 + power) / 2)
    if goal.margin is None:
        return effect / once if effect > 0 else None
    margin = goal.margin
    if usual:
        return margin / max(once, equal)
    finds = effect / once
    if effect >= margin:
        return finds

    def shows_equal(error: float) -> float:
        room = max(margin / error - normal_quantile(1 - alpha), 0.0)
        return normal_cdf(room - effect / error) - normal_cdf(-room - effect / error) - power

    least = 1e-3 * (margin - effect)
    return max(finds, root(shows_equal, least, margin))
