"""Quote of a goal: what a study will spend and how likely it is to decide, simulated before it is paid for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from quorate.analysis.goals.law import Law, law_of
from quorate.collect.ledger.facts import JudgeStatus
from quorate.collect.ledger.ledger import Ledger
from quorate.decide.goals.goal import BestGoal, CompareGoal, Goal, HalfWidthGoal
from quorate.decide.goals.offer import Offer
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.published import Components
from quorate.simulate.goals.fixed import fixed_cost
from quorate.simulate.goals.goal import GoalRates, simulate_goal
from quorate.study.file import Study, load
from quorate.study.offer import measured, offer_of, question_of
from quorate.study.questions import Questions, questions
from quorate.study.quote import sizes
from quorate.study.status import standing
from quorate.table.results import Result

_EXAMPLE = '{"item": 0.2, "item:judge": 0.1, "cell": 0.3}'


@dataclass(frozen=True)
class GoalQuote(Result):
    """What a study with a goal will spend, and how likely it is to reach it.

    Parameters
    ----------
    rates : GoalRates
        Of simulated studies, each carried out as the real one is.
    components : mapping of str to float
        The variances that they were drawn from.
    effect : float
        The difference that they were drawn with; 0 where there is none.
    assumed : bool
        Whether both were given, and not estimated from the answers so far.
    unit : {"money", "calls"}
        What the budget is counted in.
    budget : float
        The most that may be spent, in that unit.
    fixed : float or None
        What the cheapest study of one look costs that shows the same, if all this is known beforehand; None where none
        does.
    promised : float or None
        The chance that the goal asks for, if the difference is one that it is about; where it asks by category that
        of all of them. None where it asks for none.
    """

    rates: GoalRates
    components: Mapping[str, float]
    effect: float
    assumed: bool
    unit: Literal["money", "calls"]
    budget: float
    fixed: float | None
    promised: float | None = None

    derived = ("spent", "chance", "out_of_reach", "sentence")

    @property
    def spent(self) -> float:
        """What a study spends on average, from its pilot to its end, in the unit of the budget."""
        return self.rates.money if self.unit == "money" else self.rates.calls

    @property
    def chance(self) -> float:
        """Chance that the goal is reached."""
        return self.rates.reached

    @property
    def out_of_reach(self) -> bool:
        """Whether the goal is reached less often than it asks for, by more than chance explains."""
        return self.promised is not None and self.chance + 2 * self.rates.error(self.promised) < self.promised

    @property
    def sentence(self) -> str:
        """What to expect, in a few sentences."""
        basis = "components as assumed" if self.assumed else "components as in the answers so far"
        spend = f"{self.spent:,.2f} of {self.budget:,.2f} in money"
        if self.unit == "calls":
            spend = f"{self.spent:,.0f} of {self.budget:,.0f} calls"
        effect = f" and a difference of {self.effect:.3g}" if self.effect else ""
        fixed = ""
        if self.fixed is not None:
            one = f"{self.fixed:,.2f}" if self.unit == "money" else f"{self.fixed:,.0f}"
            fixed = f" A study of one look would cost {one}, if all this were known beforehand."
        short = ""
        if self.out_of_reach:
            short = (
                f" The chance is less than the {self.promised:.0%} asked for: offer more items, more prompts or judges "
                "where they stand for others, or a larger budget."
            )
        return (
            f"With {basis}{effect}, expect to spend {spend}, and to reach the goal with a chance of {self.chance:.0%}; "
            f"{self.rates.looks:.1f} looks on average ({self.rates.studies:,} simulated studies).{short}{fixed}"
        )


def quote(
    study: str | os.PathLike[str],
    *,
    components: Components | Mapping[str, float] | None = None,
    effect: float | None = None,
    studies: int = 100,
) -> GoalQuote:
    """What a study with a goal will spend, and how likely it is to reach it, before it is paid for.

    The study is carried out again and again on simulated scores, from its pilot to its end, by the rules and prices by
    which the real one is carried out. Nothing is asked.

    Parameters
    ----------
    study : path
        The study file, which has a goal of scores.
    components : Components or mapping of str to float, optional
        Variances to assume, by term (``item``, ``item:judge``, ``cell``, ``replicate`` ...): of the scores, or where
        systems are compared of the difference of two of them. Without them those of the answers so far, such as of the
        pilot.
    effect : float, optional
        The difference to assume: of the two systems, or of the best one and the others. Without it the difference so
        far, or before the first answer the margin of the goal.
    studies : int
        Simulated studies; each takes about a tenth of a second.

    Returns
    -------
    GoalQuote

    Raises
    ------
    InvalidInput
        If the file breaks a rule or has no goal of scores, or nothing is assumed and nothing answered.
    NotEstimable
        If there are too few answers to estimate components.
    """
    return quoted(load(study), components=components, effect=effect, studies=studies)


def quoted(
    study: Study,
    *,
    components: Components | Mapping[str, float] | None = None,
    effect: float | None = None,
    studies: int = 100,
) -> GoalQuote:
    """As `quote`, for a study that is loaded."""
    asked = questions(study)
    goal, lengths = question_of(asked), sizes(asked)
    if not isinstance(goal, CompareGoal | HalfWidthGoal | BestGoal):
        raise InvalidInput("goal: studies of scores are simulated; a goal of votes has no components")
    seen: tuple[JudgeStatus, ...] = ()
    if Ledger.exists(study.database):
        with Ledger.open(study.database) as ledger:
            seen = ledger.status()
    offer = offer_of(asked, lengths, seen)
    law = _law(asked, goal, components, effect)
    rates = simulate_goal(goal, offer, law.components, effect=law.effect, studies=studies, seed=study.seed)
    unit: Literal["money", "calls"] = "calls" if offer.money is None else "money"
    budget = float(offer.calls or 0) if offer.money is None else offer.money
    fixed = one_look(goal, offer, law)
    promised = None
    if isinstance(goal, CompareGoal) and is_sized(goal, law.effect):
        promised = goal.power ** (1 if goal.by is None else len(set(offer.categories or ())))
    return GoalQuote(rates, law.components, law.effect, components is not None, unit, budget, fixed, promised)


def is_sized(goal: CompareGoal, effect: float) -> bool:
    """Whether a study is large enough for a difference: none, or one of the margin or more."""
    return goal.margin is not None and (effect == 0 or abs(effect) >= goal.margin)


def one_look(goal: Goal, offer: Offer, law: Law) -> float | None:
    """What the cheapest study of one look costs that shows what is true; None where none does, or it is not known."""
    if not isinstance(goal, CompareGoal | HalfWidthGoal | BestGoal):
        return None
    power = goal.power if isinstance(goal, CompareGoal) else 0.9
    components = {"item:judge": 0.0, "item:prompt": 0.0, **law.components}  # so that both facets are known to be there
    try:
        return fixed_cost(goal, offer, components, law.effect, power=power)
    except NotEstimable:
        return None


def _law(
    asked: Questions, goal: Goal, components: Components | Mapping[str, float] | None, effect: float | None
) -> Law:
    """What is assumed, or else what the answers so far say."""
    if components is None:
        if not standing(asked.study).finished:
            raise InvalidInput(f"components: nothing is answered yet; assume some, such as {_EXAMPLE}")
        found = law_of(goal, measured(asked))
        return found if effect is None else Law(found.components, effect)
    terms: Mapping[str, Any] = components.random if isinstance(components, Components) else components
    if effect is None:
        if isinstance(goal, BestGoal) or (isinstance(goal, CompareGoal) and goal.margin is None):
            raise InvalidInput("effect: the difference to assume is needed, since the goal has no margin")
        effect = goal.margin if isinstance(goal, CompareGoal) and goal.margin is not None else 0.0
    return Law({name: float(value) for name, value in terms.items()}, effect)
