"""`quorate status`: how far a study is."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from quorate.cli import reading
from quorate.cli.console import console, print_json, say, table
from quorate.cli.run import INCOMPLETE, StudyFile

if TYPE_CHECKING:
    from quorate.collect.ledger.facts import JudgeStatus
    from quorate.study.status import Status

MOST_CHARACTERS = 200
"""Of the reason why a judge fails."""


def status(study: StudyFile, as_json: reading.Json = False, _debug: reading.Debug = False) -> int:
    """How far a study is: cells, spend, and failures by judge.

    Asks nothing, and may be called while a run is under way. Exit codes: 0 all cells are answered or given up; 2 some
    are left; 1 failed to run.
    """
    from quorate.study.status import status as found_in

    found = found_in(study)
    if as_json:
        print_json(_content(found))
    else:
        _show(found)
    return 0 if found.complete else INCOMPLETE


def _show(found: Status) -> None:
    out = console()
    say(out, found.sentence)
    if not found.judges:
        if found.aside:
            say(out, _spent(found))
        return
    header = {"judge": "left"} | dict.fromkeys(
        ("cells", "answered", "given up", "left", "calls", "errors", "unparsed", "money"), "right"
    )
    table(out, header, [_row(one) for one in found.judges])
    say(out, _spent(found))
    for sentence in found.unscored:
        say(out, sentence)
    for one in found.judges:
        why = shorten(one.error.rstrip("."), MOST_CHARACTERS, placeholder=" ...")
        if one.judge in found.silent:
            last = f" Why the last one failed: {why}." if why else ""
            say(out, f"{one.judge} has answered none of its {one.calls:,} calls: the panel lacks it so far.{last}")
        elif why:
            say(out, f"The last call of {one.judge} failed: {why}.")
        if one.judge in found.resting:
            say(out, f"{one.judge} is left alone for {found.resting[one.judge]:,.0f} s more.")


def _spent(found: Status) -> str:
    spend, budget = found.spend, found.budget
    calls = f"{spend.calls:,}" + ("" if budget.calls is None else f" of {budget.calls:,}") + " calls"
    money = f"{spend.money:,.4f}" + ("" if budget.money is None else f" of {budget.money:,.4f}") + " in money"
    if spend.unpriced:
        money = "an unknown amount of money" if not spend.money else f"at least {money}"
    lost = f"; {spend.lost:,} calls lost with their process" if spend.lost else ""
    unknown = f"; {spend.unpriced:,} calls of unknown price" if spend.unpriced else ""
    aside = f"; {found.aside:,} of the calls for drafts of prompts" if found.aside else ""
    return f"Spent: {calls}, {money}{unknown}{lost}{aside}."


def _row(one: JudgeStatus) -> list[str]:
    counts = (one.cells, one.done, one.given_up, one.planned + one.leased, one.calls)
    money = f"{one.money:,.4f}" if one.unpriced < one.calls or not one.calls else "unknown"
    return [one.judge, *(f"{count:,}" for count in counts), _share(one.failure_rate), _share(one.unparsed_rate), money]


def _share(rate: float) -> str:
    return "" if rate != rate else f"{rate:.1%}"  # noqa: PLR0124  (nan)


def _content(found: Status) -> dict[str, Any]:
    judges = [
        {**asdict(one), "failure_rate": one.failure_rate, "unparsed_rate": one.unparsed_rate} for one in found.judges
    ]
    counts = {name: getattr(found, name) for name in ("cells", "finished", "given_up", "complete", "reached")}
    counts["unscored"], counts["aside"] = list(found.unscored), found.aside
    spent = {"spend": asdict(found.spend), "budget": asdict(found.budget)}
    return {"ledger": str(found.ledger), **counts, "judges": judges, "silent": list(found.silent), **spent}
