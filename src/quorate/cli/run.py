"""`quorate run`: a study carried out, with its price said before and how far it is meanwhile."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import reading
from quorate.cli.console import console, print_json, safe, say, table, whole
from quorate.cli.quoting import confirmed, money_span, span
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.collect.runner.outcome import RunOutcome, Update
    from quorate.study.file import Study
    from quorate.study.quote import Quote
    from quorate.study.status import Status

INCOMPLETE = 2
StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file; quorate init writes one.")]
Yes = Annotated[bool, typer.Option("--yes", help="Go ahead without asking, as in a script.")]
Only = Annotated[bool, typer.Option("--quote", help="Say what it may cost, and ask nothing.")]


def run(
    study: StudyFile,
    yes: Yes = False,
    quote: Only = False,
    as_json: reading.Json = False,
    _debug: reading.Debug = False,
) -> int:
    """Ask the judges of a study what it plans, within its budget.

    Says what it may cost before anything is sent. Ctrl-C ends it cleanly, a second one at once; run it again to go on:
    what is answered is not asked twice. Exit codes: 0 all cells are answered or given up; 2 some are left, as when the
    budget is spent, or none has a score; 1 failed to run; 130 ended at once.
    """
    from quorate.study.file import load
    from quorate.study.loop import carry_out
    from quorate.study.status import standing

    if as_json and not (yes or quote):
        raise InvalidInput("--json: cannot ask you for a yes; add --yes, or --quote to see what it may cost")
    found = load(study)

    def answer(quoted: Quote) -> bool:
        if not as_json:
            _show_quote(found, quoted)
        return yes or not quoted.cells or confirmed(", or --quote to see the price alone")

    try:
        carried = carry_out(found, yes=not quote and answer, on_progress=_meanwhile if sys.stderr.isatty() else None)
    finally:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
    if quote and not as_json:
        _show_quote(found, carried.quote)
    far = None if carried.outcome is None else standing(found)
    if as_json:
        more = {"reached": carried.reached, "unscored": [] if far is None else list(far.unscored)}
        print_json({**_content(found, carried.quote, carried.outcome), **more})
    elif carried.outcome is not None and far is not None:
        _show_outcome(study, found, carried.outcome, carried.reached, far)
    if carried.outcome is None or far is None:
        return 0 if quote else INCOMPLETE
    return 0 if carried.outcome.complete and not far.scoreless else INCOMPLETE


def _show_quote(study: Study, quoted: Quote) -> None:
    out = console()
    done = f"; {quoted.done:,} are finished already" if quoted.done else ""
    say(out, f"{quoted.cells:,} cells to ask{done}. The budget for all runs is {_budget(quoted)}.")
    if quoted.held:
        say(out, f"{quoted.held:,} of them are in batches of an earlier run: they are collected, not sent again.")
    if not quoted.cells:
        return
    header = {"judge": "left", "cells": "right", "calls": "right", "tokens": "right", "money": "right"}
    rows = [
        [one.judge, f"{one.cells:,}", span(one.calls), span(one.tokens), money_span(one.money)] for one in quoted.judges
    ]
    if len(rows) > 1:
        rows.append(["all", f"{quoted.cells:,}", span(quoted.calls), span(quoted.tokens), money_span(quoted.money)])
    table(out, header, rows)
    say(
        out,
        f"Low / expected / high: no call is repeated, 4 characters per token; high: every one of {study.tries} tries, "
        "a token for every byte, and the longest reply.",
    )
    if study.adaptive is not None:
        stop = " It may stop before." if study.adaptive.target is not None or study.adaptive.decide else ""
        say(out, f"This is the most that the policy may ask, here shared equally.{stop}")
    for one in quoted.judges:
        if one.answers:
            say(out, f"What is expected of {one.judge} is what its {one.answers:,} answers so far took.")
    if quoted.unpriced:
        say(out, f"The price of {', '.join(quoted.unpriced)} is not known: the study gives none.")


def _budget(quoted: Quote) -> str:
    parts = [
        None if quoted.budget.calls is None else f"{quoted.budget.calls:,} calls",
        None if quoted.budget.money is None else f"{quoted.budget.money:,.2f} in money",
    ]
    return " and ".join(filter(None, parts))


def _meanwhile(update: Update) -> None:
    eta = "" if update.eta is None else f", {update.eta:,.0f} s to go"
    money = f", {update.spend.money:,.4f} in money" if update.spend.money else ""
    line = f"{update.finished:,} finished, {update.left:,} left, {update.rate:,.1f}/s{eta}; "
    line += f"{update.spend.calls:,} calls{money}"
    line += f"; {update.held:,} questions wait in batches, also after Ctrl-C" if update.held else ""
    for name, why in update.silent.items():
        line += f"; {name} does not answer ({why})"
    if update.stopping:
        line = f"stopping: {update.in_flight:,} calls in flight are waited for; Ctrl-C again does not wait"
    sys.stderr.write(f"\r\x1b[K{safe(line)[: _width() - 1]}")
    sys.stderr.flush()


def _width() -> int:
    return shutil.get_terminal_size().columns


def _show_outcome(path: Path, study: Study, outcome: RunOutcome, reached: str, far: Status) -> None:
    out = console()
    if reached:
        say(out, reached)
    say(out, f"{outcome.sentence}.")
    spend = outcome.spend
    unknown = f", {spend.unpriced:,} of them of unknown price" if spend.unpriced else ""
    say(out, f"Spent in all runs: {spend.calls:,} calls{unknown}; {spend.money:,.4f} in money.")
    for sentence in far.unscored:
        say(out, sentence)
    if far.scoreless:
        say(out, "No cell has a score, so there is nothing to analyze: mend the judge or the prompt first.")
    elif far.finished:
        whole(out, f"Now: quorate analyze {study.database}")
    if outcome.ended.name == "BUDGET":
        say(out, f"To go on, raise the budget in {path}.")
    if not outcome.complete:
        whole(out, f"How far every judge is: quorate status {path}")


def _content(study: Study, quoted: Quote, outcome: RunOutcome | None) -> dict[str, Any]:
    from dataclasses import asdict

    ran = None
    if outcome is not None:
        ran = {
            **{
                name: getattr(outcome, name) for name in ("complete", "finished", "given_up", "left", "late", "seconds")
            },
            "ended": outcome.ended.name.lower(),
            "calls": dict(outcome.calls),
            "dead": dict(outcome.dead),
            "held": dict(outcome.held),
            "spend": asdict(outcome.spend),
        }
    return {"ledger": str(study.database), "quote": asdict(quoted), "outcome": ran}
