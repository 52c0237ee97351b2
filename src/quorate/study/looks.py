"""Looks of a study with a goal: each time that all is answered it is fitted again, and buys more or stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from quorate.collect.budget import Spend
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.looks import HeldLook, Looks
from quorate.collect.runner.outcome import Ended, RunOutcome
from quorate.decide.goals.goal import Goal
from quorate.decide.goals.look import Ending, Look
from quorate.decide.goals.offer import Offer, Spent
from quorate.decide.goals.rounds import look, pilot
from quorate.errors import InvalidInput
from quorate.study.file import Cap
from quorate.study.offer import bought, measured, offer_of, question_of, turns
from quorate.study.questions import Questions
from quorate.study.quote import Quote, Sizes, quote, worst
from quorate.study.turns import Collect, Prices, Turn, in_turns
from quorate.table.cells import Cells

Say = Callable[[Look], None]


class Standing(NamedTuple):
    """The looks so far, the last cell that was planned, and what was spent."""

    looks: tuple[HeldLook, ...]
    last: int
    spend: Spend

    def holds(self, ledger: Ledger) -> bool:
        """Whether nobody has looked since."""
        return ledger.last == self.last and len(Looks(ledger).held()) == len(self.looks)


@dataclass(frozen=True, eq=False)
class Looking:
    """The looks of a study, each of which follows from the ledger alone, so that any run goes on where one ended.

    Parameters
    ----------
    asked : Questions
        Of the study.
    lengths : Sizes
        Of its questions.
    goal : Goal
        Its question.
    """

    asked: Questions
    lengths: Sizes
    goal: Goal

    def offer(self, ledger: Ledger | None = None) -> Offer:
        """What may be bought, at prices as they were so far."""
        return offer_of(self.asked, self.lengths, () if ledger is None else ledger.status())

    def pilot(self) -> Cells:
        """The cells before the first look."""
        return bought(self.asked, pilot(self.goal, self.offer()))

    def read(self, ledger: Ledger, _: Standing | None = None) -> Standing:
        """How far the study is."""
        return Standing(Looks(ledger).held(), ledger.last, ledger.spend())

    def next(self, ledger: Ledger, stand: Standing) -> Turn:
        """The next look, with what it buys."""
        if is_over(stand.looks, self.asked.study.budget):
            return Turn(self._none(), over=True)
        found, cells = self.look(ledger, stand.looks, stand.spend.calls, stand.spend.money)
        return Turn(
            bought(self.asked, cells) if len(cells) else self._none(),
            over=found.ending is not None,
            record=lambda: self.record(ledger, found),
        )

    def last(self, ledger: Ledger, stand: Standing) -> Look:
        """The look at what there is where the budget ended a round: nothing is left of it, so that this is the last."""
        cap = self.asked.study.budget
        calls = stand.spend.calls if cap.calls is None else cap.calls
        money = stand.spend.money if cap.money is None else cap.money
        found = self.look(ledger, stand.looks, calls, money)[0]
        return replace(found, spent=Spent(stand.spend.calls, stand.spend.money))

    def look(self, ledger: Ledger, held: tuple[HeldLook, ...], calls: int, money: float) -> tuple[Look, Cells]:
        """The look after those that are held, with so much spent."""
        table: Any = measured(self.asked)
        past = tuple(replace(one, ending=None) for one in seen(held))  # one whose budget was raised goes on
        each = turns(self.asked)
        found, cells = look(self.goal, self.offer(ledger), table, past, Spent(calls // each, money))
        if each == 1:
            return found, cells
        need = found.need if found.need is None or self.asked.study.budget.money is not None else each * found.need
        buys = Spent(each * found.buys.calls, found.buys.money)
        return replace(found, spent=Spent(calls, money), buys=buys, need=need), cells

    def record(self, ledger: Ledger, found: Look) -> None:
        """Record a look, with the budget that it was made under."""
        Looks(ledger).add({"look": found.to_dict(), "budget": self.asked.study.budget.model_dump()})

    def _none(self) -> Cells:
        cells = self.pilot()
        return cells.keep(np.zeros(len(cells), dtype=np.bool_))


def looking(asked: Questions, lengths: Sizes) -> Looking:
    """The looks of a study with a goal.

    Raises
    ------
    InvalidInput
        If its goal names a system that the items do not have.
    """
    return Looking(asked, lengths, question_of(asked))


def begin(ledger: Ledger, asked: Questions, lengths: Sizes) -> None:
    """Put the cells before the first look into a ledger, unless a look is there.

    Raises
    ------
    InvalidInput
        If the ledger was filled without a goal: one that was chosen after a look at answers proves nothing.
    """
    looks = Looks(ledger)
    if ledger.last and not looks.begun():
        raise InvalidInput(
            f"ledger: {ledger.path} has answers that were asked for without a goal; start a new ledger, since a goal "
            "that is chosen after its answers proves nothing"
        )
    ledger.declare(asked.parts(), seed=asked.study.seed)
    if not looks.held():
        cells = looking(asked, lengths).pilot()
        ledger.plan(cells, asked.keys(cells), worst(asked, lengths))


def due(ledger: Ledger | None, asked: Questions, lengths: Sizes) -> Quote:
    """What is to be asked before the next look, and what that may come to."""
    cells = looking(asked, lengths).pilot()
    if ledger is None:
        return replace(quote(asked, cells.calls(), lengths), more=True)
    keys = tuple(asked.keys(cells))
    held, left, lacking, status = ledger.seen(
        lambda: (Looks(ledger).held(), ledger.unfinished(), ledger.lacks(cells, keys), ledger.status())
    )
    new, left = {} if held else lacking, {} if is_over(held, asked.study.budget) else left
    counts = {name: left.get(name, 0) + new.get(name, 0) for name in dict.fromkeys((*left, *new))}
    return replace(quote(asked, counts, lengths, seen=status), more=not is_over(held, asked.study.budget))


def seen(held: tuple[HeldLook, ...]) -> tuple[Look, ...]:
    """Looks of a ledger as they were made."""
    return tuple(Look.from_dict(one.content["look"]) for one in held)


def is_reached(held: tuple[HeldLook, ...]) -> bool:
    """Whether the latest look found the goal reached."""
    return held != () and seen(held[-1:])[0].ending is Ending.REACHED


def is_over(held: tuple[HeldLook, ...], budget: Cap) -> bool:
    """Whether a study has ended: one that its budget was too small for goes on with a larger one."""
    if not held:
        return False
    latest, before = seen(held[-1:])[0], held[-1].content["budget"]
    raised = any(
        now is not None and old is not None and now > old
        for name, old in before.items()
        for now in [getattr(budget, name)]
    )
    return latest.ending is not None and not (latest.ending is Ending.FUTILE and raised)


async def in_looks(
    ledger: Ledger, asked: Questions, lengths: Sizes, prices: Prices, collect: Collect, say: Say | None
) -> tuple[RunOutcome, str]:
    """Ask, look, and buy more until the goal is reached or out of reach, or the budget is spent; see `in_turns`.

    Returns
    -------
    RunOutcome
        Of all rounds together.
    str
        The latest look, in a sentence; empty before the first.
    """
    plan = looking(asked, lengths)
    budget, before = asked.study.budget, Looks(ledger).held()
    said, left = len(before), sum(ledger.unfinished().values())
    if is_over(before, budget) and left:  # what the budget had no room for, and nobody wants any more
        ended = Ended.REACHED if is_reached(before) else Ended.OPEN
        return RunOutcome(ended, 0, 0, left, {}, spend=ledger.spend()), seen(before[-1:])[0].sentence

    async def collected() -> RunOutcome:
        nonlocal said
        said = _say(ledger, said, say)
        return await collect()

    total = await in_turns(ledger, plan, asked, prices, collected)
    if total.ended is Ended.BUDGET:
        _look_last(ledger, plan)
    _say(ledger, said, say)
    held = Looks(ledger).held()
    if total.ended is Ended.BUDGET and is_over(held, budget):
        total = replace(total, ended=Ended.REACHED if is_reached(held) else Ended.OPEN)
    elif total.complete and not is_reached(held):
        total = replace(total, ended=Ended.OPEN)
    return total, seen(held[-1:])[0].sentence if held else ""


def _say(ledger: Ledger, said: int, say: Say | None) -> int:
    """Say the looks that have come since; how many there are now, whoever made them."""
    held = Looks(ledger).held()
    if say is not None:
        for one in seen(held[said:]):
            say(one)
    return len(held)


def _look_last(ledger: Ledger, plan: Looking) -> None:
    """Look at what there is, unless the study has ended or somebody else is at it."""
    stand = ledger.seen(lambda: plan.read(ledger))
    if is_over(stand.looks, plan.asked.study.budget):
        return
    found = plan.last(ledger, stand)
    ledger.insist(lambda: plan.record(ledger, found) if stand.holds(ledger) else None)
