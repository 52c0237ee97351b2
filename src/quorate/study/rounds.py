"""Rounds of an adaptive study: what to ask next follows from the answers so far, until a target or the budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.collect.budget import NANO, Spend, nano
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.outcome import Ended, RunOutcome
from quorate.errors import InvalidInput, QuorateError
from quorate.planning.adaptive.policy import SLACK, Policy
from quorate.study.file import Cap, Study
from quorate.study.policy import expected, policy_of
from quorate.study.questions import JUDGE, Questions, questions
from quorate.study.quote import sizes, worst
from quorate.study.turns import Collect, Prices, Turn, in_turns
from quorate.table.cells import Cells
from quorate.table.progress import Progress

FAILING = 0.02
"""Share of a budget that may be spent on an arm before it is seen to fail, if that is not too little to see it."""


class Why(Enum):
    """Why a policy asks nothing more, or that it goes on; the values are words for machines."""

    ON = "goes on"
    POLICY = "policy"
    BUDGET = "budget"


class Standing(NamedTuple):
    """How far the arms have come, up to which cell, and what was spent."""

    progress: Progress
    last: int
    spend: Spend

    def holds(self, ledger: Ledger) -> bool:
        """Whether nobody has planned more."""
        return ledger.last == self.last


@dataclass(frozen=True, eq=False)
class Rounds:
    """The rounds of an adaptive study: each follows from the ledger alone, so that any run goes on where one ended.

    Parameters
    ----------
    policy : Policy
        Without a budget of its own.
    cap : Cap
        The most that may be spent.
    prices : mapping of str to float
        Worst-case price of a call, by judge.
    usual : mapping of str to float
        Price of a call that goes well, where money is capped.
    batch : int
        Calls per round.
    tries : int
        Calls that a question may take which fails.
    """

    policy: Policy
    cap: Cap
    prices: Prices
    usual: Mapping[str, float]
    batch: int
    tries: int = 1

    def read(self, ledger: Ledger, before: Standing | None) -> Standing:
        """How far the arms have come since the round before."""
        start, after = (self.policy.start(), 0) if before is None else (before.progress, before.last)
        return Standing(ledger.progress(start, after=after), ledger.last, ledger.spend())

    def next(self, _: Ledger, stand: Standing) -> Turn:
        """The next round."""
        cells, why = self.cells(stand.progress, stand.spend)
        return Turn(cells, over=why is not Why.ON)

    def cells(self, progress: Progress, spend: Spend) -> tuple[Cells, Why]:
        """The cells of the next round, as many as can be paid at the worst; or none, and why."""
        room = self.batch if self.cap.calls is None else max(self.cap.calls - spend.calls - spend.reserved, 0)
        paying = self.policy
        if self.cap.money is not None:  # with what is left of it, at worst-case prices in billionths: whole numbers
            roster = self.policy.arms.roster
            by_judge = np.array([nano(self.prices[name]) or 0 for name in roster.levels[JUDGE]], dtype=np.float64)
            price = by_judge[roster.column(JUDGE)]
            left = max((nano(self.cap.money) or 0) - round((spend.money + spend.reserved_money) * NANO), 0)
            paid = float((price * progress.calls).sum())
            paying = replace(self.policy, price=price, budget=(paid + left + 0.25) / (1 + SLACK))
        cells = paying.next_cells(progress, max(min(self.batch, room), 1))
        cells = cells.keep(self._risked(cells, progress))
        if len(cells) and (self.cap.calls is None or len(cells) <= room):
            return cells, Why.ON
        none = cells.keep(np.zeros(len(cells), dtype=bool))  # what has room is a part of a cycle, which is not asked
        return none, Why.BUDGET if len(self.policy.next_cells(progress)) else Why.POLICY

    def _risked(self, cells: Cells, progress: Progress) -> NDArray[np.bool_]:
        """Which calls of a round are made: on no arm so many that they are missed if from now on all of them fail."""
        arms = self.policy.arms
        # Calls that the budget has room for in all, at prices of calls that go well.
        calls, dearest = math.inf if self.cap.calls is None else self.cap.calls, max(self.usual.values(), default=0.0)
        if self.cap.money is not None and dearest:
            calls = min(calls, self.cap.money / dearest)
        share = calls * FAILING / (self.tries * arms.parts)
        row = progress.in_a_row[arms.cells].max(axis=1)
        most = np.empty(len(arms.roster))
        most[arms.cells] = np.maximum(max(self.policy.give_up, share) - row, 1)[:, None]
        rows = arms.roster.find(cells.levels, cells.codes)
        return np.asarray(cells.replicate - progress.issued[rows] <= most[rows])

    def sentence(self, progress: Progress, spend: Spend, why: Why) -> str:
        """What the policy has reached, in a sentence, and what ended it."""
        calls, money = f"{spend.calls:,}", f"{spend.money:,.4f}"
        of = calls if self.cap.calls is None else f"{calls} of {self.cap.calls:,}"
        paid = "" if self.cap.money is None else f" for {money} of {self.cap.money:,.4f} in money"
        reached = self.policy.sentence(progress, spent=f"{of} calls{paid}", done=why is not Why.ON)
        return reached + "; the budget has no room for more" if why is Why.BUDGET else reached


def rounds_of(asked: Questions, prices: Prices) -> Rounds:
    """The rounds of an adaptive study, with the worst-case price of a call, by judge.

    Raises
    ------
    InvalidInput
        If its policy cannot be made, such as for a budget that is too small.
    """
    settings, cap = asked.study.adaptive, asked.study.budget
    usual = None if cap.money is None else expected(asked, sizes(asked))
    batch = 1 if settings is None else settings.batch
    return Rounds(policy_of(asked, usual), cap, prices, usual or {}, batch, asked.study.tries)


def so_far(ledger: Ledger, policy: Policy) -> Progress:
    """How far the arms have come, by the ledger.

    Raises
    ------
    InvalidInput
        If cells of the ledger are no arms of the policy.
    """
    try:
        return ledger.progress(policy.start())
    except InvalidInput as error:
        raise InvalidInput(
            f"ledger: {ledger.path} does not fit the study's items, prompts, judges and temperatures ({error}); "
            "start a new ledger for the changed study"
        ) from None


def stand(ledger: Ledger, rounds: Rounds) -> tuple[str, Why]:
    """What the policy has reached by now, in a sentence, and why it ended, if it did."""
    progress, spend = so_far(ledger, rounds.policy), ledger.spend()
    why = Why.ON if progress.pending.any() else rounds.cells(progress, spend)[1]
    return rounds.sentence(progress, spend, why), why


def reached(ledger: Ledger, study: Study) -> tuple[str, bool]:
    """What an adaptive study has reached by now, in a sentence, and whether that is all that it was to reach."""
    try:
        asked = questions(study)
        prices = {} if study.budget.money is None else worst(asked, sizes(asked))
        rounds = rounds_of(asked, prices)
        sentence, why = stand(ledger, rounds)
    except QuorateError as error:
        return f"what it has reached is not known ({error})", False
    return sentence, why is Why.POLICY or (why is Why.BUDGET and not rounds.policy.precision.stops)


async def in_rounds(ledger: Ledger, asked: Questions, prices: Prices, collect: Collect) -> tuple[RunOutcome, str]:
    """Ask in rounds until the policy is done, the budget spent, or a judge does not answer; see `in_turns`.

    Returns
    -------
    RunOutcome
        Of all rounds together.
    str
        What the policy has reached, in a sentence.
    """
    rounds = rounds_of(asked, prices)
    so_far(ledger, rounds.policy)
    total = await in_turns(ledger, rounds, asked, rounds.prices, collect)
    sentence, why = stand(ledger, rounds)
    if total.complete and why is Why.BUDGET and rounds.policy.precision.stops:
        total = replace(total, ended=Ended.BUDGET)
    return total, sentence


def shares(ledger: Ledger | None, asked: Questions, prices: Prices) -> dict[str, int]:
    """Cells that may still be asked, as if judges shared them equally: who gets how many is not known beforehand."""
    rounds = rounds_of(asked, prices)
    spend, waiting = (Spend(), 0) if ledger is None else (ledger.spend(), sum(ledger.unfinished().values()))
    if ledger is not None and not waiting and stand(ledger, rounds)[1] is not Why.ON:
        return {}
    room = [] if rounds.cap.calls is None else [rounds.cap.calls - spend.calls]
    if rounds.cap.money is not None and (total := sum(rounds.usual.values())):
        room.append(int((rounds.cap.money - spend.money) * len(rounds.usual) / total))
    left, judges = max(min(room), waiting), len(asked.judges)
    return {name: left // judges + (place < left % judges) for place, name in enumerate(asked.judges)}
