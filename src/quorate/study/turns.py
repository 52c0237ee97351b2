"""Turns of a study whose next cells follow from the answers so far: collected, read, planned, collected again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.outcome import RunOutcome
from quorate.study.questions import Questions
from quorate.table.cells import Cells

Collect = Callable[[], Awaitable[RunOutcome]]
Prices = Mapping[str, float | None]


class Turn(NamedTuple):
    """What comes next.

    Parameters
    ----------
    cells : Cells
        To be asked; none at the end.
    over : bool
        Whether nothing more is to be asked.
    record : callable, optional
        Writes what else belongs to the turn, in the transaction in which its cells are planned.
    """

    cells: Cells
    over: bool
    record: Callable[[], None] | None = None


class Stand(Protocol):
    """How far a study is when all that was planned is finished."""

    def holds(self, ledger: Ledger) -> bool:
        """Whether nobody has planned or recorded anything since."""


S = TypeVar("S", bound=Stand)


class Plan(Protocol[S]):
    """What says what comes next, from the ledger alone."""

    def read(self, ledger: Ledger, before: S | None) -> S:
        """How far the study is, from where it was at the turn before; all of it at one moment."""

    def next(self, ledger: Ledger, stand: S) -> Turn:
        """What follows from that; may take long."""


async def in_turns(ledger: Ledger, plan: Plan[S], asked: Questions, prices: Prices, collect: Collect) -> RunOutcome:
    """Ask in turns until the plan is done, the budget spent, or a judge does not answer.

    Any number of runners may be at it: the next turn is that of whoever plans it first.

    Parameters
    ----------
    ledger : Ledger
        With what the study depends on declared.
    plan : Plan
        What comes next.
    asked : Questions
        Of the study.
    prices : mapping of str to float
        Worst-case price of a call, by judge.
    collect : callable
        Asks everything that is planned.

    Returns
    -------
    RunOutcome
        Of all turns together.
    """
    stand: S | None = None
    over = False
    total = await collect()
    while total.complete and not over:
        read = ledger.seen(partial(_read, ledger, plan, stand))
        if read is not None:
            stand = read
            turn = plan.next(ledger, stand)  # nothing is held meanwhile
            over = ledger.insist(partial(_take, ledger, turn, stand, asked, prices)) and turn.over
        if not over:
            total = total.then(await collect())
    return total


def _read(ledger: Ledger, plan: Plan[S], before: S | None) -> S | None:
    """How far the study is; None if a turn is under way."""
    return None if ledger.unfinished() else plan.read(ledger, before)


def _take(ledger: Ledger, turn: Turn, stand: S, asked: Questions, prices: Prices) -> bool:
    """Plan a turn, unless another runner has planned more, or this one has and did not hear of it; whether it did."""
    if ledger.unfinished() or not stand.holds(ledger):
        return False
    ledger.plan(turn.cells, asked.keys(turn.cells), prices)
    if turn.record is not None:
        turn.record()
    return True
