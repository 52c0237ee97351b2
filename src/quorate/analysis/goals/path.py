"""Path of a study to its goal: what every look saw and bought, what stopped it, and what one look would have cost."""

from __future__ import annotations

from typing import Literal

from quorate.analysis.goals.quote import law_of, one_look
from quorate.decide.goals.goal import MOST_NAMED
from quorate.decide.goals.look import Ending, Look
from quorate.errors import NotEstimable
from quorate.frozen import dataclass
from quorate.study.file import Study
from quorate.study.goal import Goal
from quorate.study.offer import goal_of, measured, offer_of, question_of, turns
from quorate.study.questions import questions
from quorate.study.status import Status
from quorate.table.results import Result, Row, picked
from quorate.wording import at_level, capitalised, counted, listed

_WHY = {
    Ending.REACHED: "The goal was reached",
    Ending.FUTILE: "It was given up, because the goal was out of reach of the budget",
    Ending.BUDGET: "The budget was spent",
    Ending.LOOKS: "All looks were taken",
}


@dataclass(frozen=True)
class GoalPath(Result):
    """How a study came to its goal, or did not.

    Parameters
    ----------
    goal : str
        What was asked, in words.
    looks : tuple of Look
        As they were made; none before the first.
    unit : {"money", "calls"}
        What the budget is counted in.
    budget : float
        The most that may be spent, in that unit.
    margin : float or None
        Half-width of the range that counts as equal.
    fixed : float or None
        What the cheapest study of one look would have cost that was to answer the same question, in that unit; None
        where it is not known.
    stages : bool
        Whether the second look is at categories that the first chose, by its own votes alone.
    level : float
        How sure the answer is to be.
    spending : {"late", "early"} or None
        When most of the error that is allowed is spent: at the last looks, where a chance to decide is promised, or at
        the first; None where a look tests nothing.
    """

    goal: str
    looks: tuple[Look, ...]
    unit: Literal["money", "calls"]
    budget: float
    margin: float | None = None
    fixed: float | None = None
    stages: bool = False
    level: float = 0.95
    spending: Literal["late", "early"] | None = None

    @property
    def spent(self) -> float:
        """What was spent at the last look, in the unit of the budget."""
        return self.price(self.looks[-1]) if self.looks else 0.0

    def price(self, look: Look) -> float:
        """What was spent at a look, in the unit of the budget."""
        return look.spent.money if self.unit == "money" else float(look.spent.calls)

    def shown(self, amount: float) -> str:
        """An amount in words."""
        return f"{amount:,.2f} in money" if self.unit == "money" else counted(round(amount), "call")

    @property
    def stopped(self) -> str:
        """What stopped it, in a sentence; empty while it goes on."""
        ending = self.looks[-1].ending if self.looks else None
        if ending is None:
            return ""
        spent = f"{self.spent:,.2f}" if self.unit == "money" else f"{self.spent:,.0f}"
        return f"{_WHY[ending]}, after {counted(len(self.looks), 'look')} and {spent} of {self.shown(self.budget)}."

    @property
    def shortfall(self) -> str:
        """What chance the latest look with a plan gave it, where that was less than was asked for; empty elsewhere."""
        last = next((look for look in reversed(self.looks) if look.buys.calls or look.shortfall), None)
        if last is None or not last.shortfall:
            return ""
        return f"At look {last.number}, {last.shortfall}."

    @property
    def hindsight(self) -> str:
        """What one look would have cost, in a sentence; empty where it is not known."""
        if self.fixed is None or not self.looks:
            return ""
        return f"A study of one look, planned with what is known now, would have cost {self.shown(self.fixed)}."

    @property
    def sentence(self) -> str:
        """The latest look, and what stopped it."""
        if not self.looks:
            return f"Goal: {self.goal}. There is no look yet: the pilot is not finished."
        return " ".join(filter(None, (f"{capitalised(self.looks[-1].sentence)}.", self.stopped)))

    def rows(self) -> list[Row]:
        """One row per look."""
        return [
            picked(look, "round=number judgments calls=spent.calls money=spent.money value se df low high")
            | picked(look, "fraction alpha bound outcome")
            | {
                "power": None if look.power is None else look.power.chance,
                "ending": None if look.ending is None else look.ending.value,
                "more_calls": look.buys.calls,
                "more_money": look.buys.money,
            }
            for look in self.looks
        ]


def goal_path(study: Study, status: Status) -> GoalPath:
    """The path of a study with a goal, by the looks in its ledger."""
    goal, money = goal_of(study), study.budget.money
    unit: Literal["money", "calls"] = "calls" if money is None else "money"
    budget = float(study.budget.calls or 0) if money is None else money
    return GoalPath(
        in_words(goal, votes=study.items.system_a is not None, systems=study.items.system is not None),
        status.looks,
        unit,
        budget,
        goal.margin,
        _hindsight(study, status),
        goal.stages is not None,
        goal.level,
        None if goal.half_width is not None or goal.stages is not None else "early" if goal.margin is None else "late",
    )


def _hindsight(study: Study, status: Status) -> float | None:
    """What one look would have cost, by what is known at the end; None before it, or where it is not known."""
    if not status.looks or status.looks[-1].ending is None or goal_of(study).stages is not None:
        return None
    asked = questions(study)
    goal = question_of(asked)
    try:
        law = law_of(goal, measured(asked), study.people)
    except NotEstimable:
        return None
    price = one_look(goal, offer_of(asked, status.judges), law)
    return price if price is None or study.budget.money is not None else price * turns(asked)


def in_words(goal: Goal, *, votes: bool, systems: bool = False) -> str:
    """What a goal asks, of votes or of scores, and whether of systems that are told apart."""
    level = f"at {at_level(goal.level)}"
    if goal.half_width is not None:
        of = " of every system" if systems else ""
        return f"the mean score{of} to within {goal.half_width:g}{_on(goal)}, {level}"
    if goal.pair is None:
        return f"which system is {'preferred to each of the others' if votes else 'best'}, {level}"
    if goal.stages is not None:
        types = f"the {goal.retained:.0%} of categories whose votes are furthest from one half in a first stage"
        return f"which of {goal.pair[0]} and {goal.pair[1]} is preferred on {types}, {level}"
    what = "has the higher mean score" if goal.compare is not None else "is preferred"
    close = "they are within {:g} of each other" if goal.compare is not None else "shares are within {:g} of one half"
    equal = "" if goal.margin is None else f", or that {close.format(goal.margin)}"
    return f"which of {goal.pair[0]} and {goal.pair[1]} {what}{equal}{_on(goal)}, {level}"


def _on(goal: Goal) -> str:
    """What items it is about, where that is said."""
    if goal.by is not None:
        return ", on every category of items"
    if goal.category_shares is None:
        return ""
    if goal.category_shares == "items":
        return ", where categories count by their items"
    shares = [f"{name} {share:.0%}" for name, share in goal.category_shares.items()]
    return f", where categories count {listed(shares, most=MOST_NAMED)}"
