"""Carrying out a study: planned, quoted, asked, and read as judgments."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from quorate.collect import runner
from quorate.collect.budget import Budget
from quorate.collect.judge import Judge
from quorate.collect.ledger import Ledger
from quorate.collect.runner_limits import Limits, Pace
from quorate.collect.runner_outcome import Outcome, Update
from quorate.errors import InvalidInput
from quorate.study.file import Study, load
from quorate.study.judges import check, made
from quorate.study.questions import Questions, questions
from quorate.study.quote import Quote, Sizes, quote, sizes, worst
from quorate.study.rounds import in_rounds, policy_of
from quorate.table.judgments import Judgments
from quorate.table.read import read

Report = Callable[[Update], None]
Answer = Callable[[Quote], bool]
_FIRST = 64


@dataclass(frozen=True)
class Carried:
    """What a run came to.

    Parameters
    ----------
    quote : Quote
        What was said before.
    outcome : Outcome, optional
        How it ended; None if it was declined.
    reached : str
        What an adaptive policy has reached, in a sentence; empty without one.
    """

    quote: Quote
    outcome: Outcome | None
    reached: str = ""


def run(
    study: str | os.PathLike[str],
    *,
    judges: Mapping[str, Any] | None = None,
    yes: bool | Answer = True,
    on_progress: Report | None = None,
) -> Judgments:
    """Ask the judges of a study file what it plans, within its budget, and read the answers.

    Every answer is in the study's ledger as soon as it has come. After an interruption, of whatever kind, call it
    again: what is answered is not asked twice. If cells are left, because the budget is spent or a judge does not
    answer, one line on standard error says so, and the judgments are those that there are.

    Parameters
    ----------
    study : path
        The study file; ``quorate init`` writes one.
    judges : mapping of str to callable, optional
        The functions behind judges of kind ``python``: they take a request and return a score, words or None.
    yes : bool or callable
        Whether to go ahead; or a function of the quote that says so.
    on_progress : callable, optional
        Called about twice a second with how far the run is.

    Returns
    -------
    Judgments
        Of the whole ledger.

    Raises
    ------
    InvalidInput
        If the file breaks a rule, what the ledger was planned with has changed, or nothing is answered.
    """
    carried = carry_out(load(study), judges=judges, yes=yes, on_progress=on_progress)
    if carried.outcome is None:
        raise InvalidInput("yes: the quote was declined, so nothing was asked")
    if not carried.outcome.complete:
        sys.stderr.write(f"quorate: {carried.outcome.sentence}\n")
    return read(load(study).database, recognise=True, announce=False)


def carry_out(
    study: Study,
    *,
    judges: Mapping[str, Any] | None = None,
    yes: bool | Answer = True,
    on_progress: Report | None = None,
) -> Carried:
    """As `run`, for a study that is loaded; gives the quote and how the run ended."""

    def whole() -> Carried:
        return runner.run(lambda stop: _carried(study, judges, yes, on_progress, stop))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return whole()
    with ThreadPoolExecutor(1) as apart:  # a notebook has a loop of its own, in which no other can run
        return apart.submit(whole).result()


async def _carried(
    study: Study,
    given: Mapping[str, Any] | None,
    yes: bool | Answer,
    on_progress: Report | None,
    stop: asyncio.Event,
) -> Carried:
    check(study)
    asked = questions(study)
    found = sizes(asked)
    prices = worst(asked, found)
    quoted = quotation(asked, found, prices)
    if not (yes(quoted) if callable(yes) else yes):
        return Carried(quoted, None)
    own = made(study, given)
    try:
        with Ledger.open(study.database) as ledger:
            with _whole(ledger):
                plan(ledger, asked, prices)

            async def collect() -> Outcome:
                return await _collected(ledger, asked, own, on_progress, stop)

            if study.adaptive is None:
                return Carried(quoted, await collect())
            return Carried(quoted, *await in_rounds(ledger, asked, prices, collect))
    finally:
        await asyncio.gather(*(judge.close() for judge in own.values()))


def quotation(asked: Questions, found: Sizes, prices: Mapping[str, float | None]) -> Quote:
    """What a run may come to; the ledger stays as it was, so that the study may still be changed."""
    if not asked.study.database.exists():
        cells = asked.cells().calls() if asked.study.adaptive is None else shared_out(asked, 0)
        return quote(asked, cells, found)
    with Ledger.open(asked.study.database) as ledger:
        ledger.begin()
        try:
            plan(ledger, asked, prices)
            cells = ledger.unfinished() if asked.study.adaptive is None else shared_out(asked, finished(ledger))
            return quote(asked, cells, found, done=finished(ledger))
        finally:
            ledger.undo()


async def _collected(
    ledger: Ledger, asked: Questions, judges: Mapping[str, Judge], on_progress: Report | None, stop: asyncio.Event
) -> Outcome:
    study = asked.study
    return await runner.collect(
        ledger,
        judges,
        asked.request,
        limits=limits(study),
        budget=Budget(**study.budget.model_dump()),
        on_progress=on_progress,
        stop=stop,
    )


def plan(ledger: Ledger, asked: Questions, prices: Mapping[str, float | None]) -> None:
    """Put the study and the cells of its layout into the ledger; an adaptive study's come round by round.

    Raises
    ------
    InvalidInput
        If a rubric, item, judge or the seed changed, or the ledger has cells that the study no longer has.
    """
    ledger.declare(asked.parts(), seed=asked.study.seed)
    if asked.study.adaptive is not None:
        return
    cells = asked.cells()
    ledger.plan(cells, asked.keys(cells), prices)
    held = sum(one.cells for one in ledger.status())
    if held > len(cells):
        raise InvalidInput(
            f"ledger: {ledger.path} has {held - len(cells):,} cells that the study no longer has "
            "(its items, layout or replicates changed); start a new ledger for the changed study"
        )


def shared_out(asked: Questions, done: int) -> dict[str, int]:
    """Calls that an adaptive policy may still make, as if judges shared them equally: who gets how many is not known.

    Raises
    ------
    InvalidInput
        If the policy cannot be made, such as for a budget that is too small.
    """
    left, judges = max(int(policy_of(asked).budget) - done, 0), len(asked.judges)
    return {name: left // judges + (place < left % judges) for place, name in enumerate(asked.judges)}


def limits(study: Study) -> Limits:
    """How hard the study's judges are asked."""
    paces = {name: Pace(one.concurrency, one.rate, min(one.concurrency, _FIRST)) for name, one in study.judges.items()}
    return Limits(paces=paces, tries=study.tries)


def finished(ledger: Ledger) -> int:
    """Cells that are answered or given up."""
    return sum(one.done + one.given_up for one in ledger.status())


@contextmanager
def _whole(ledger: Ledger) -> Iterator[None]:
    """One transaction: all or nothing."""
    ledger.begin()
    try:
        yield
        ledger.end()
    except BaseException:
        ledger.undo()
        raise
