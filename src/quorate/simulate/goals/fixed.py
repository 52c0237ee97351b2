"""Studies of a fixed size: the best in hindsight, with components and truth known, and the usual one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from quorate.decide.goals.goal import BestGoal, CompareGoal, Goal, HalfWidthGoal, Offer, PreferGoal, StagedGoal
from quorate.decide.goals.parts import Parts, has_parts
from quorate.decide.goals.plans import by_interval
from quorate.errors import InvalidInput
from quorate.estimate.components.published import components
from quorate.estimate.means.targets import PANEL, POPULATION, Target
from quorate.numerics.study_power import Studies
from quorate.planning.designs.names import LayoutName
from quorate.planning.search.optimize import cheapest_study, designs
from quorate.roles import ITEM, JUDGE, PROMPT, REPLICATE
from quorate.simulate.goals.fixed_votes import fixed_votes
from quorate.simulate.goals.goal import Amount, terms_on, told, truth
from quorate.simulate.goals.votes import VoteLaw

NOISE = ("cell", REPLICATE)
_STEPS = 300
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
        `quorate.simulate.goals.fixed_votes.fixed_votes`.
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
