"""`quorate status`: how far a study is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from math import isnan
from textwrap import shorten
from typing import TYPE_CHECKING

from quorate.cli.collect.quoting import INCOMPLETE, StudyFile
from quorate.cli.console import say, table
from quorate.cli.options import Output, command
from quorate.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.collect.ledger.facts import JudgeStatus
    from quorate.study.status import Status

MOST_CHARACTERS = 200
"""Of the reason why a judge fails."""
COUNTS = ("cells", "answered", "given up", "left", "calls", "errors", "unparsed", "money")


@command
def status(study: StudyFile, out: Output) -> int:
    """How far a study is: cells, spend, and failures by judge.

    Asks nothing, and may be called while a run is under way. Exit codes: 0 all cells are answered or given up; 2 some
    are left; 1 failed to run.
    """
    from quorate.study.status import status as found_in

    found = found_in(study)
    out.typeset(found, show)
    return 0 if found.complete else INCOMPLETE


def show(out: Console, found: Status) -> None:
    """Print how far every judge is, what was spent, and what fails."""
    say(out, found.sentence)
    if not found.judges:
        if found.aside:
            say(out, spent(found))
        return
    table(out, {"judge": "left"} | dict.fromkeys(COUNTS, "right"), [row(one) for one in found.judges])
    say(out, spent(found))
    if found.pace:
        say(out, found.pace)
    for sentence in found.unscored:
        say(out, sentence)
    for sentence in (sentence for one in found.judges for sentence in remarks(found, one)):
        say(out, sentence)


def remarks(found: Status, one: JudgeStatus) -> Iterator[str]:
    """What else is worth knowing of a judge: that it does not answer, why calls failed, that it is left alone."""
    if one.judge in found.silent:
        yield f"{one.judge} has answered none of its {one.calls:,} calls: the panel lacks it so far."
    if one.unsent:
        yield f"{counted(one.unsent, 'more call')} of {one.judge} could not be sent, and cost nothing."
    if one.reasons:
        yield f"Why calls of {one.judge} failed: {'; '.join(starmap(reason, one.reasons))}."
    if one.judge in found.closed:
        yield f"{one.judge} is asked nothing more: the study is closed to them."
    elif one.judge in found.resting:
        yield f"{one.judge} is left alone for {found.resting[one.judge]:,.0f} s more."


def reason(why: str, count: int) -> str:
    """Why calls failed, and how many."""
    return f"{shorten(why.rstrip('.'), MOST_CHARACTERS, placeholder=' ...')} ({count:,})"


def spent(found: Status) -> str:
    """What was spent, of how much."""
    spend, budget = found.spend, found.budget
    calls = f"{spend.calls:,}" + ("" if budget.calls is None else f" of {budget.calls:,}") + " calls"
    money = f"{spend.money:,.4f}" + ("" if budget.money is None else f" of {budget.money:,.4f}") + " in money"
    if spend.unpriced:
        money = "an unknown amount of money" if not spend.money else f"at least {money}"
    safe = f", {found.unbilled:,.4f} of it charged for safety and not billed as far as is known"
    money += safe if found.unbilled else ""
    lost = f"; {spend.lost:,} calls lost with their process" if spend.lost else ""
    unknown = f"; {spend.unpriced:,} calls of unknown price" if spend.unpriced else ""
    aside = f"; {found.aside:,} of the calls for drafts of prompts" if found.aside else ""
    return f"Spent: {calls}, {money}{unknown}{lost}{aside}."


def row(one: JudgeStatus) -> list[str]:
    """A judge's counts and shares."""
    failed, unparsed = ("" if isnan(rate) else f"{rate:.1%}" for rate in (one.failure_rate, one.unparsed_rate))
    counts = (one.cells, one.done, one.given_up, one.planned + one.leased, one.calls)
    money = f"{one.money:,.4f}" if one.unpriced < one.calls or not one.calls else "unknown"
    return [one.judge, *(f"{count:,}" for count in counts), failed, unparsed, money]
