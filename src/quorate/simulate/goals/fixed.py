"""Studies of a fixed size: the best in hindsight, with components and truth known, and the usual one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from quorate.decide.goals.goal import BestGoal, CompareGoal, Goal, HalfWidthGoal, Offer, PreferGoal, StagedGoal
from quorate.decide.goals.parts import Parts, has_parts
from quorate.decide.goals.plans import by_interval
from quorate.decide.goals.votes import Poll
from quorate.errors import InvalidInput
from quorate.estimate.components.published import components
from quorate.estimate.means.targets import PANEL, POPULATION, Target
from quorate.numerics.distributions import normal_cdf, normal_quantile
from quorate.numerics.prediction_powered import Strata, to_reach
from quorate.numerics.roots import root
from quorate.numerics.study_power import Studies
from quorate.planning.designs.names import LayoutName
from quorate.planning.search.optimize import cheapest_study, designs
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE
from quorate.simulate.goals.goal import Amount, terms_on, told, truth
from quorate.simulate.goals.votes import VoteLaw, vote_variance

NOISE = ("cell", REPLICATE)
_STEPS = 300


# Studies of votes of a fixed size: the cheapest in hindsight, with everything known, and the usual one.


_MOST = 100


def fixed_cost(
    goal: Goal,
    offer: Offer,
    law: Mapping[str, Amount] | VoteLaw,
    effect: Amount,
    *,
    power: float = 0.9,
    noise: Mapping[str, float] | None = None,
    usual: bool = False,
) -> float | None:
    """Price of the cheapest study of a fixed size that shows the truth with the power wanted; None where none does.

    Parameters
    ----------
    goal, offer
        As for `quorate.simulate.simulate_goal`.
    law : mapping of str to float or mapping, or VoteLaw
        The true components; of goals that ask by category each may be by category. Of votes, see
        `quorate.simulate.goals.fixed.fixed_votes`.
    effect : float or mapping of str to float
        The true difference; by category of goals that ask by category.
    power : float
        Chance that the study shows it, or that its interval is narrow enough.
    noise : mapping of str to float, optional
        By judge, as for `quorate.simulate.simulate_goal`.
    usual : bool
        Of studies in which all judges score all items with all prompts instead of all layouts on offer, and which with
        a margin are sized for either answer.

    Raises
    ------
    InvalidInput
        If the goal is not about such answers.
    """
    if isinstance(law, VoteLaw) and isinstance(goal, PreferGoal | BestGoal) and not isinstance(effect, Mapping):
        return fixed_votes(goal, offer, law, effect, power=power, usual=usual)
    if isinstance(law, VoteLaw) or isinstance(goal, PreferGoal | StagedGoal):
        raise InvalidInput(f"law: {type(goal).__name__} is not about answers of this kind, got {law!r}")
    if has_parts(goal, offer):
        told_of = {"power": power, "noise": noise, "usual": usual}
        costs = []
        for part in Parts(goal, offer).each:  # type: ignore[arg-type]  # these have parts
            own, true = terms_on(law, part.category), truth(effect, part.category)
            costs.append(fixed_cost(part.pursuit.goal, part.pursuit.offer, own, true, **told_of))  # type: ignore[arg-type]
        return None if None in costs else float(sum(cost for cost in costs if cost is not None))
    if isinstance(effect, Mapping) or any(isinstance(variance, Mapping) for variance in law.values()):
        raise InvalidInput("effect, law: by category are for goals that ask by category")
    names = {ITEM, *((PROMPT,) if len(offer.prompts) > 1 else ()), *((JUDGE,) if len(offer.judges) > 1 else ())}
    louder = float(np.mean([(noise or {}).get(name, 1.0) ** 2 for name in offer.judges]))
    target: dict[str, Target] = {JUDGE: PANEL, PROMPT: PANEL, **(goal.target or {})}
    target = {name: one for name, one in target.items() if name in names}
    known = {term: value for term, value in told(terms_on(law, ""), offer).items() if target.get(term) != PANEL}
    source = components({term: value * (louder if term in NOISE else 1.0) for term, value in known.items()})
    most = {ITEM: _MOST * len(offer.items), JUDGE: len(offer.judges), PROMPT: len(offer.prompts)}
    limits: dict[str, Any] = {"items": np.unique(np.geomspace(2, most[ITEM], _STEPS).round().astype(int)).tolist()}
    for name, plural in ((JUDGE, "judges"), (PROMPT, "prompts")):
        if name in names:
            free = not usual and target.get(name, POPULATION) == POPULATION
            limits[plural] = range(2, most[name] + 1) if free else [most[name]]
    limits["replicates"] = [1] if usual else range(1, offer.replicates + 1)
    systems = {CompareGoal: 2, BestGoal: len(offer.systems)}.get(type(goal), 1)
    layouts: tuple[LayoutName, ...] = ("factorial",) if usual else tuple(offer.layouts)
    searched = designs(source, prices=offer.prices_of(systems), limits=limits, layouts=layouts, targets=target)
    if isinstance(goal, HalfWidthGoal):
        kept = by_interval(searched, goal.half_width, power)
        return float(kept.cost[kept.width <= 1].min(initial=np.inf)) if np.any(kept.width <= 1) else None
    best = cheapest_study(searched, partial(_chance, goal, offer, abs(effect), usual), power)
    return None if best is None else best.cost


def _chance(goal: CompareGoal | BestGoal, offer: Offer, effect: float, usual: bool, law: Studies) -> float:
    """Chance that studies show the truth; the usual one is sized for either question, as nobody knows the answer."""
    alpha = 1 - goal.level
    if isinstance(goal, BestGoal):
        return law.finds(effect, 2 * alpha / (len(offer.systems) - 1))
    if goal.margin is None:
        return law.finds(effect, alpha)
    if usual:
        return min(law.finds(goal.margin, alpha), law.shows_equal(0.0, goal.margin, alpha))
    shown = law.finds(effect, alpha)
    return max(law.shows_equal(effect, goal.margin, alpha), shown) if effect < goal.margin else shown


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
    own = one
    if law.models is not None:  # each follows the verdict now and then, and otherwise votes by a share of its own
        follows = math.sqrt(law.icc)
        own = vote_variance(law.chances(np.array([0.5 + effect, law.models])) @ np.array([follows, 1 - follows]))
    mean = own / models + (1 - 1 / models) * law.icc * one
    return one, (law.icc * one) ** 2 / mean if mean else 0.0


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
