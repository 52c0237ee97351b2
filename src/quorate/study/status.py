"""Status of a study: how far it is, from its ledger alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, field, replace
from functools import cached_property
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np

from quorate.collect.budget import Budget, Spend
from quorate.collect.ledger.facts import JudgeStatus
from quorate.collect.ledger.lease import NO_ANSWERS
from quorate.collect.ledger.ledger import HeldLook, Ledger
from quorate.collect.ledger.seats import CLOSED
from quorate.collect.runner.lane import Ended, RunOutcome
from quorate.decide.goals.goal import Goal, Offer, Spent
from quorate.decide.goals.look import Ending, Look
from quorate.decide.goals.rounds import look, pilot
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.study.battles import Collect, Turn, drawn_so_far, in_turns
from quorate.study.file import Cap, Study, load
from quorate.study.offer import bought, measured, offer_of, question_of, turns
from quorate.study.questions import Questions
from quorate.study.quote import Quote, quote, worst
from quorate.study.rounds import reached
from quorate.table.cells import Cells
from quorate.table.exchange.postgres.address import Place
from quorate.table.results import Result, picked
from quorate.wording import duration

# Looks of a study with a goal: each time that all is answered it is fitted again, and buys more or stops.


Say = Callable[[Look], None]


class Standing(NamedTuple):
    """The looks so far, the last cell that was planned, and what was spent."""

    looks: tuple[HeldLook, ...]
    last: int
    spend: Spend

    def holds(self, ledger: Ledger) -> bool:
        """Whether nobody has looked since."""
        return ledger.last == self.last and len(ledger.looks()) == len(self.looks)


@dataclass(frozen=True, eq=False)
class Looking:
    """The looks of a study, each of which follows from the ledger alone, so that any run goes on where one ended.

    Parameters
    ----------
    asked : Questions
        Of the study.
    """

    asked: Questions

    @cached_property
    def goal(self) -> Goal:
        """Its question; refused where it names a system that the items do not have."""
        return question_of(self.asked)

    def offer(self, ledger: Ledger | None = None) -> Offer:
        """What may be bought, at prices as they were so far."""
        return offer_of(self.asked, () if ledger is None else ledger.status())

    def pilot(self) -> Cells:
        """The cells before the first look."""
        return bought(self.asked, pilot(self.goal, self.offer()))

    def read(self, ledger: Ledger, _: Standing | None = None) -> Standing:
        """How far the study is."""
        return Standing(ledger.looks(), ledger.last, ledger.spend())

    def next(self, ledger: Ledger, stand: Standing) -> Turn:
        """The next look, with what it buys."""
        if _is_over(stand.looks, self.asked.study.budget):
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
        """The look after those that are held, with so much spent.

        Raises
        ------
        NotEstimable
            If the answers so far do not tell, as where most of them have no score: how many have one, and why.
        """
        past = tuple(replace(one, ending=None) for one in seen(held))  # one whose budget was raised goes on
        each = turns(self.asked)
        try:
            table: Any = measured(self.asked)
            found, cells = look(self.goal, self.offer(ledger), table, past, Spent(calls // each, money))
        except NotEstimable as error:
            far = counted_in(ledger, self.asked.study)
            scored = f"{far.finished - far.given_up:,} of {far.finished:,} answers have a score"
            why = "; ".join((f"{scored}, and what these say of it cannot be estimated: {error}", *far.unscored))
            raise NotEstimable(f"goal: {why}") from None
        if each == 1:
            return found, cells
        need = found.need if found.need is None or self.asked.study.budget.money is not None else each * found.need
        buys = Spent(each * found.buys.calls, found.buys.money)
        return replace(found, spent=Spent(calls, money), buys=buys, need=need), cells

    def record(self, ledger: Ledger, found: Look) -> None:
        """Record a look, with the budget that it was made under."""
        ledger.add_look({"look": found.to_dict(), "budget": self.asked.study.budget.model_dump()})

    def _none(self) -> Cells:
        cells = self.pilot()
        return cells.keep(np.zeros(len(cells), dtype=np.bool_))


def begin(ledger: Ledger, asked: Questions) -> None:
    """Put the cells before the first look into a ledger, unless a look is there.

    Raises
    ------
    InvalidInput
        If the ledger was filled without a goal: one that was chosen after a look at answers proves nothing.
    """
    if ledger.last and not ledger.for_goal():
        raise InvalidInput(
            f"ledger: {ledger.path} has answers that were asked for without a goal; start a new ledger, since a goal "
            "that is chosen after its answers proves nothing"
        )
    ledger.declare(asked.parts(), seed=asked.study.seed)
    if not ledger.looks():
        cells = Looking(asked).pilot()
        ledger.plan(cells, asked.keys(cells), worst(asked))


def due(ledger: Ledger | None, asked: Questions) -> Quote:
    """What is to be asked before the next look, and what that may come to."""
    cells = Looking(asked).pilot()
    if ledger is None:
        return replace(quote(asked, cells.calls()), more=True)
    keys = tuple(asked.keys(cells))
    held, left, lacking, status = ledger.seen(
        lambda: (ledger.looks(), ledger.unfinished(), ledger.lacks(cells, keys), ledger.status())
    )
    new, left = {} if held else lacking, {} if _is_over(held, asked.study.budget) else left
    counts = {name: left.get(name, 0) + new.get(name, 0) for name in dict.fromkeys((*left, *new))}
    return replace(quote(asked, counts, seen=status), more=not _is_over(held, asked.study.budget))


def seen(held: tuple[HeldLook, ...]) -> tuple[Look, ...]:
    """Looks of a ledger as they were made."""
    return tuple(Look.from_dict(one.content["look"]) for one in held)


def _is_reached(held: tuple[HeldLook, ...]) -> bool:
    """Whether the latest look found the goal reached."""
    return held != () and seen(held[-1:])[0].ending is Ending.REACHED


def _is_over(held: tuple[HeldLook, ...], budget: Cap) -> bool:
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


async def in_looks(ledger: Ledger, asked: Questions, collect: Collect, say: Say | None) -> tuple[RunOutcome, str]:
    """Ask, look, and buy more until the goal is reached or out of reach, or the budget is spent; see `in_turns`.

    Returns
    -------
    RunOutcome
        Of all rounds together.
    str
        The latest look, in a sentence; empty before the first.
    """
    plan = Looking(asked)
    budget, before = asked.study.budget, ledger.looks()
    said, left = len(before), sum(ledger.unfinished().values())
    if _is_over(before, budget) and left:  # what the budget had no room for, and nobody wants any more
        ended = Ended.REACHED if _is_reached(before) else Ended.OPEN
        return RunOutcome(ended, 0, 0, left, {}, spend=ledger.spend()), seen(before[-1:])[0].sentence

    async def collected() -> RunOutcome:
        nonlocal said
        said = _say(ledger, said, say)
        return await collect()

    total = await in_turns(ledger, plan, asked, collected)
    if total.ended is Ended.BUDGET:
        _look_last(ledger, plan)
    _say(ledger, said, say)
    held = ledger.looks()
    if total.ended is Ended.BUDGET and _is_over(held, budget):
        total = replace(total, ended=Ended.REACHED if _is_reached(held) else Ended.OPEN)
    elif total.complete and not _is_reached(held):
        total = replace(total, ended=Ended.OPEN)
    return total, seen(held[-1:])[0].sentence if held else ""


def _say(ledger: Ledger, said: int, say: Say | None) -> int:
    """Say the looks that have come since; how many there are now, whoever made them."""
    held = ledger.looks()
    if say is not None:
        for one in seen(held[said:]):
            say(one)
    return len(held)


def _look_last(ledger: Ledger, plan: Looking) -> None:
    """Look at what there is, unless the study has ended or somebody else is at it."""
    stand = ledger.seen(lambda: plan.read(ledger))
    if _is_over(stand.looks, plan.asked.study.budget):
        return
    found = plan.last(ledger, stand)
    ledger.insist(lambda: plan.record(ledger, found) if stand.holds(ledger) else None)


MOST_UNSCORED = 0.5
"""Share of a judge's calls; if more of them gave a reply without a score, the user is warned."""

_MOST_CHARACTERS = 120


@dataclass(frozen=True)
class Status(Result):
    """How far a study is.

    Parameters
    ----------
    ledger : Path or Address
        File of the answers, or a schema of Postgres.
    judges : tuple of JudgeStatus
        By judge: cells and their states, requests by what came of them, tokens, money; none before the first run.
    spend : Spend
        What the calls have cost.
    budget : Budget
        The most that they may cost.
    reached : str
        What an adaptive policy has reached, or which battles were drawn, in a sentence; empty without either.
    ended : bool
        Whether no more is wanted: the goal is reached, the policy has reached what it was to reach, or was to spend its
        budget and has.
    resting : mapping of str to float
        Judges that asked to be left alone, and for how many seconds more, by the clock of the ledger.
    people : frozenset of str
        Judges who are people, whom ``quorate serve`` asks.
    looks : tuple of Look
        Of a study with a goal, the looks at it as they were made; the latest one last.
    """

    ledger: Place
    judges: tuple[JudgeStatus, ...]
    spend: Spend
    budget: Budget
    reached: str = ""
    ended: bool = True
    resting: Mapping[str, float] = field(default_factory=dict)
    people: frozenset[str] = frozenset()
    looks: tuple[Look, ...] = ()

    @property
    def cells(self) -> int:
        """Cells that are planned."""
        return sum(judge.cells for judge in self.judges)

    @property
    def finished(self) -> int:
        """Cells that are answered or given up."""
        return sum(judge.done + judge.given_up for judge in self.judges)

    @property
    def given_up(self) -> int:
        """Cells that have no score after all tries."""
        return sum(judge.given_up for judge in self.judges)

    @property
    def complete(self) -> bool:
        """Whether something is planned, and no policy wants more than is finished, or the goal is reached with it."""
        needed = self.cells if not self.looks or self.looks[-1].ending is not Ending.REACHED else self.finished
        return 0 < needed == self.finished and self.ended

    @property
    def rate(self) -> float:
        """Cells finished per second over the last minutes, by all judges together."""
        return sum(judge.rate for judge in self.judges)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the last judge is done, each at its own rate; None while one with cells left finishes none."""
        if self.complete:
            return 0.0
        waits = [judge.seconds_left for judge in self.judges]
        known = [wait for wait in waits if wait is not None]
        return max(known) if known and len(known) == len(waits) else None

    @property
    def wait(self) -> str:
        """That in words; empty where nothing is left, or it is not known."""
        return duration(self.seconds_left) if self.seconds_left else ""

    @property
    def pace(self) -> str:
        """Speed and time left in a sentence; empty where nothing was finished in the last minutes, or all is."""
        if not self.rate or self.finished == self.cells or self.complete:
            return ""
        speed = f"{self.rate:,.3g} cells per second" if self.rate >= 1 else f"{60 * self.rate:,.2g} cells per minute"
        return f"Over the last minutes {speed}{f'; at this speed {self.wait} to go' if self.wait else ''}."

    @property
    def aside(self) -> int:
        """Calls that were for no cell, but for drafts of prompts."""
        return self.spend.calls - sum(judge.calls for judge in self.judges)

    @property
    def unbilled(self) -> float:
        """That part of the money which is charged for safety, since no answer says what the calls cost."""
        return sum(judge.unbilled for judge in self.judges)

    @property
    def silent(self) -> tuple[str, ...]:
        """Judges that were asked and have answered nothing, so that the panel lacks them so far."""
        return tuple(
            judge.judge
            for judge in self.judges
            if judge.planned and judge.statuses and not judge.statuses.keys() - NO_ANSWERS
        )

    @property
    def unscored(self) -> tuple[str, ...]:
        """Judges most of whose replies have no score: how many, the latest one in the judge's words, and why."""
        sentences = []
        for judge in self.judges:
            if (
                judge.unscored_rate > MOST_UNSCORED
            ):  # somebody else's text: cut, on one line, and said to be the judge's
                line = "".join(c if c.isprintable() else " " for c in judge.unscored)
                words = shorten(line, _MOST_CHARACTERS, placeholder=" ...")
                sample = f' The latest, in the judge\'s words: "{words}".' if words else ""
                why = f" Why: {judge.unscored_why}." if judge.unscored_why else ""
                share = f"{judge.unscored_rate:.0%} of {judge.calls:,} calls"
                sentences.append(f"{judge.judge}: {share} gave a reply without a score.{sample}{why}")
        return tuple(sentences)

    @property
    def closed(self) -> tuple[str, ...]:
        """People who are asked nothing more, because the study is closed to them."""
        until = {judge.judge: judge.paused_until or 0.0 for judge in self.judges}
        return tuple(name for name in until if name in self.people and until[name] >= CLOSED)

    @property
    def scoreless(self) -> bool:
        """Whether cells are finished and none of them has a score."""
        return 0 < self.finished == self.given_up

    @property
    def sentence(self) -> str:
        """How far the study is, in one sentence."""
        if not self.judges and self.aside:
            return "Nothing is planned yet: the first run does that."
        if not self.judges:
            return f"Nothing is asked yet: {self.ledger} is made by the first run."
        failed = f", {self.given_up:,} of them given up" if self.given_up else ""
        held = sum(judge.held for judge in self.judges)
        wait = f"; {held:,} questions wait in batches, for a run to collect the answers" if held else ""
        policy = f" Policy: {self.reached}." if self.reached else ""
        policy += f" Goal: {self.looks[-1].sentence}." if self.looks else ""
        left = sum(judge.planned + judge.leased for judge in self.judges if judge.judge in self.people)
        people = f"; {left:,} wait for people, who are asked by quorate serve" if left else ""
        return f"{self.finished:,} of {self.cells:,} cells are finished{failed}{wait}{people}.{policy}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        counts = picked(self, "cells finished given_up complete reached")
        judges = [asdict(judge) | picked(judge, "failure_rate unparsed_rate seconds_left") for judge in self.judges]
        speed = {"rate": self.rate, "seconds_left": self.seconds_left}
        more = {"unscored": list(self.unscored), "aside": self.aside, "judges": judges, "silent": list(self.silent)}
        billed = {"billed": self.spend.money - self.unbilled, "unbilled": self.unbilled}
        spent = {"spend": asdict(self.spend) | billed, "budget": asdict(self.budget)}
        looks = [look.to_dict() for look in self.looks]
        return {"ledger": str(self.ledger), **counts, **speed, **more, **spent, "looks": looks}


def status(study: str | os.PathLike[str]) -> Status:
    """How far a study is: cells, spend and failures by judge. Nothing is asked, and a run may be under way.

    Parameters
    ----------
    study : path
        The study file.

    Returns
    -------
    Status

    Raises
    ------
    InvalidInput
        If the file breaks a rule, or the ledger cannot be read.
    """
    return standing(load(study))


def standing(study: Study) -> Status:
    """As `status`, for a study that is loaded."""
    if not Ledger.exists(study.database):
        return Status(study.database, (), Spend(), study.cap, people=frozenset(study.people))
    with Ledger.open(study.database) as ledger:
        counted = counted_in(ledger, study)
        if study.adaptive is None and study.battles is None:
            return counted
        words, ended = (drawn_so_far if study.adaptive is None else reached)(ledger, study)
        return replace(counted, reached=words, ended=ended)


def counted_in(ledger: Ledger, study: Study) -> Status:
    """The same as the sums of an open ledger have it, without what an adaptive policy has reached."""
    judges, spend, held = ledger.seen(lambda: (ledger.status(), ledger.spend(), ledger.looks()))
    now = ledger.clock()
    waits = {judge.judge: (judge.paused_until or 0.0) - now for judge in judges}
    resting = {judge: wait for judge, wait in waits.items() if wait > 0}
    asked_by_hand = frozenset(study.people)
    looks = seen(held)
    ended = study.goal is None or (looks != () and looks[-1].ending is Ending.REACHED)
    return Status(
        study.database, judges, spend, study.cap, ended=ended, resting=resting, people=asked_by_hand, looks=looks
    )
