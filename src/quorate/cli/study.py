"""`quorate run`, `status`, `serve` and `import`: a study carried out, its price said before, how far it is later."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import starmap
from math import isnan
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.asking import INCOMPLETE, StudyFile, Yes, asked_at, confirmed, money_span, span
from quorate.cli.console import console, print_json, say, table, whole
from quorate.cli.options import Files, Level, Output, command, option
from quorate.errors import InvalidInput
from quorate.wording import capitalised, counted, safe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from quorate.analysis.goals.quote import GoalQuote
    from quorate.collect.ledger.facts import JudgeStatus
    from quorate.collect.runner.lane import RunOutcome, Update
    from quorate.decide.goals.look import Look
    from quorate.study.file import Study
    from quorate.study.loop import Carried
    from quorate.study.people import AnnotationTasks
    from quorate.study.quote import Quote
    from quorate.study.status import Status
    from quorate.web.serve import Opened


CLEARED = "\r\x1b[K"
_ASSUMED = "--components, --effect, --tie-share, --icc, --studies"


@command
def run(
    study: StudyFile,
    yes: Yes = False,
    quote: bool = option("", "Say what it may cost, and ask nothing; goes without --yes.", default=False),
    components: Path | None = option(
        "FILE", "With --quote and a goal: simulate it with the components of a JSON file, not the pilot's."
    ),
    effect: float | None = option("", "With --quote and a goal: the difference to assume; else that so far."),
    tie_share: float | None = option("", "With --quote and a goal of votes: share of ties to assume; 0 beside --icc."),
    icc: float | None = option(
        "",
        "With --quote and a goal of votes: correlation to assume of two votes on one battle; 0.5 beside --tie-share.",
    ),
    studies: int | None = option("", "With --quote and a goal: studies to simulate; 100 unless given."),
    *,
    out: Output,
) -> int:
    """Ask the judges of a study what it plans, within its budget.

    Says what it may cost before anything is sent. Ctrl-C ends it cleanly, a second one at once; run it again to go on:
    what is answered is not asked twice. A study with a goal is looked at after every round, buys what is still needed,
    and stops. Exit codes: 0 all cells are answered or given up, and the goal is reached if there is one; 2 some are
    left, as when the budget is spent, none has a score, or the goal is not reached; 1 failed to run; 130 ended at once.
    """
    from quorate.study.file import load
    from quorate.study.loop import carry_out
    from quorate.study.status import standing

    given = {"effect": effect, "tie_share": tie_share, "icc": icc, "studies": studies}
    more: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _refuse_together(yes, quote, out, components, more)
    found = load(study)

    def answer(quoted: Quote) -> bool:
        if not out.as_json:
            show_quote(console(), found, quoted)
        nothing = quoted.cells == quoted.people and not quoted.more
        return yes or nothing or confirmed(", or --quote to see the price alone")

    with cleared(sys.stderr.isatty()) as at_terminal:
        carried = carry_out(
            found,
            yes=not quote and answer,
            on_progress=meanwhile if at_terminal else None,
            on_look=None if out.as_json else _show_look,
        )
    far = None if carried.outcome is None else standing(found)
    expected = simulated(found, components, more) if quote else None
    if out.as_json:
        print_json(_as_plain(found, carried, far) | ({} if expected is None else {"goal": expected.to_dict()}))
    elif quote:
        show_quote(console(), found, carried.quote)
        if expected is not None:
            say(console(), expected.sentence)
        elif carried.quote.more and found.goal is not None and found.goal.stages is None:
            what = ("components", "--components FILE") if found.items.system_a is None else ("votes", "--icc 0.5")
            whole(console(), f"What that comes to, by {what[0]} to assume: quorate run {study} --quote {what[1]}")
    elif carried.outcome is not None and far is not None:
        _show_outcome(console(), study, carried, carried.outcome, far)
    if carried.outcome is None or far is None:
        return 0 if quote else INCOMPLETE
    return 0 if carried.outcome.complete and not far.scoreless else INCOMPLETE


def _refuse_together(yes: bool, quote: bool, out: Output, components: Path | None, more: Mapping[str, Any]) -> None:
    """Refuse options that do not go together."""
    if yes and quote:
        raise InvalidInput("--quote: give it or --yes, not both; it shows the price and asks nothing")
    if out.as_json and not (yes or quote):
        raise InvalidInput("--json: cannot ask you for a yes; add --yes, or --quote to see what it may cost")
    if not quote and (components is not None or more):
        raise InvalidInput(f"{_ASSUMED}: are for --quote, which simulates a goal; leave them out")


def simulated(study: Study, components: Path | None, more: Mapping[str, Any]) -> GoalQuote | None:
    """What a study with a goal will spend, by components that are given or those of its answers; None without them."""
    from quorate.study.status import standing

    if study.goal is None and (components is not None or more):
        raise InvalidInput(f"{_ASSUMED}: this study has no goal to simulate; leave them out")
    if components is None and not more:
        far = standing(study)
        over = far.looks and far.looks[-1].ending is not None
        if study.goal is None or study.goal.stages is not None or over or not far.finished:
            return None
    from quorate.analysis.goals.quote import quoted
    from quorate.cli.options.designs import components_from

    given = None if components is None else components_from(components)
    return quoted(study, components=given, **more)


@contextmanager
def cleared(at_terminal: bool) -> Iterator[bool]:
    """The line of how far a run is, which is gone when the run ends."""
    try:
        yield at_terminal
    finally:
        if at_terminal:
            sys.stderr.write(CLEARED)


def _as_plain(study: Study, carried: Carried, far: Status | None) -> dict[str, Any]:
    """How a run ended, as plain values."""
    plain = {"ledger": str(study.database), **carried.to_dict(), "unscored": [] if far is None else list(far.unscored)}
    if far is not None:
        plain |= {"unbilled": far.unbilled}
        plain |= {} if study.goal is None else {"looks": [look.to_dict() for look in far.looks]}
    return plain


def _show_look(look: Look) -> None:
    """Print a look at a goal, over the line of how far the run is."""
    if sys.stderr.isatty():
        sys.stderr.write(CLEARED)
    say(console(), f"{capitalised(look.sentence)}.")


def show_quote(out: Console, study: Study, quoted: Quote) -> None:
    """Print what a run may cost, judge by judge, and where it sends what."""
    done = f"; {quoted.done:,} are finished already" if quoted.done else ""
    calls = None if quoted.budget.calls is None else f"{quoted.budget.calls:,} calls"
    money = None if quoted.budget.money is None else f"{quoted.budget.money:,.2f} in money"
    budget = " and ".join(filter(None, (calls, money)))
    say(out, f"{quoted.cells:,} cells to ask{done}. The budget for all runs is {budget}.")
    if quoted.held:
        say(out, f"{quoted.held:,} of them are in batches of an earlier run: they are collected, not sent again.")
    if quoted.unrecorded:
        say(out, f"{quoted.unrecorded:,} cells more were never recorded: they are not asked, and stay empty.")
    if not quoted.cells:
        if study.goal is not None and quoted.more:
            say(out, "All of them is answered: the next look says what is bought.")
        return
    rows = [
        [one.judge, f"{one.cells:,}", span(one.calls), span(one.tokens), money_span(one.money)] for one in quoted.judges
    ]
    if len(rows) > 1:
        rows.append(["all", f"{quoted.cells:,}", span(quoted.calls), span(quoted.tokens), money_span(quoted.money)])
    table(out, {"judge": "left"} | dict.fromkeys(("cells", "calls", "tokens", "money"), "right"), rows)
    if quoted.cells > quoted.people:
        say(out, f"{_span_in_words(study.tries)} No run takes more than is left of the {budget}.")
    for remark in remarks(study, quoted):
        say(out, remark)


def _span_in_words(tries: int) -> str:
    """What the three numbers of a quote stand for."""
    return (
        f"Low / expected / high: no call is repeated, 4 characters per token; high: every one of {tries} tries, "
        "a token for every byte, and the longest reply. Calls that are told to wait, are lost with their process, or "
        "meet a judge before its first answer come on top."
    )


def remarks(study: Study, quoted: Quote) -> Iterator[str]:
    """What else is worth knowing before a yes: who is asked where, and on what the numbers rest."""
    yield from filter(None, (asked_at(name, judge) for name, judge in study.judges.items()))
    if outside := _from_elsewhere(study):
        yield f"Read from outside the study's folder, and sent to judges: {', '.join(outside)}."
    if study.goal is not None and quoted.more:
        yield f"After that it buys what the goal needs, in at most {counted(study.most_looks, 'look')}, and stops."
    if quoted.people:
        yield f"{quoted.people:,} of the cells are for people: a run leaves them, quorate serve asks them."
    for first, second in quoted.alike:
        yield f'The judges "{first}" and "{second}" look alike, and are two: if one is meant, rename it.'
    if study.battles is not None:
        yield f"Battles are drawn {study.battles.batch:,} at a time: the votes before say which pairs get them."
    if study.adaptive is not None:
        stop = " It may stop before." if study.adaptive.target is not None or study.adaptive.decide else ""
        yield f"This is the most that the policy may ask, here shared equally.{stop}"
    for one in quoted.judges:
        if one.answers:
            yield f"What is expected of {one.judge} is what its {one.answers:,} answers so far took."
    if quoted.unpriced:
        yield f"The price of {', '.join(quoted.unpriced)} is not known: the study gives none."


def _from_elsewhere(study: Study) -> list[str]:
    """Files that a study sends to judges and that are not in its folder, wherever links lead."""
    named = [study.items.file, *(wording.file for wording in study.prompts.values() if wording.file is not None)]
    found = {(study.folder / name).resolve() for name in named}
    return sorted(str(path) for path in found if not path.is_relative_to(study.folder.resolve()))


def meanwhile(update: Update) -> None:
    """Print how far the run is, over the line before."""
    eta = "" if update.eta is None else f", {update.eta:,.0f} s to go"
    money = f", {update.spend.money:,.4f} in money" if update.spend.money else ""
    line = f"{update.finished:,} finished, {update.left:,} left, {update.rate:,.1f}/s{eta}; "
    line += f"{update.spend.calls:,} calls{money}"
    line += f"; {update.held:,} questions wait in batches, also after Ctrl-C" if update.held else ""
    for name, why in update.silent.items():
        line += f"; waiting for {name}, which does not answer ({why})"
    if update.stopping:
        line = f"stopping: {update.in_flight:,} calls in flight are waited for; Ctrl-C again does not wait"
    sys.stderr.write(f"{CLEARED}{safe(line)[: shutil.get_terminal_size().columns - 1]}")
    sys.stderr.flush()


def _show_outcome(out: Console, path: Path, carried: Carried, outcome: RunOutcome, far: Status) -> None:
    """Print how a run ended, what it cost, and what comes next."""
    if carried.reached and not far.looks:  # which were printed as they were made
        say(out, carried.reached)
    say(out, f"{outcome.sentence}.")
    spend = outcome.spend
    unknown = f", {spend.unpriced:,} of them of unknown price" if spend.unpriced else ""
    safe = f", {far.unbilled:,.4f} of it charged for safety" if far.unbilled else ""
    say(out, f"Spent in all runs: {spend.calls:,} calls{unknown}; {spend.money:,.4f} in money{safe}.")
    for sentence in far.unscored:
        say(out, sentence)
    if far.scoreless:
        say(out, "No cell has a score, so there is nothing to analyze: mend the judge or the prompt first.")
    elif far.looks:
        whole(out, f"The path to the goal: quorate status --interim {path} --report path.html")
    elif far.finished:
        whole(out, f"Now: quorate analyze {far.ledger}")
    last = far.looks[-1].ending if far.looks else None
    if last == "futile" or (outcome.ended.name == "BUDGET" and not far.looks):
        say(out, f"To go on, raise the budget in {path}.")
    if outcome.people:
        whole(out, f"To let people answer: quorate serve {path}")
    if not outcome.complete:
        whole(out, f"How far every judge is: quorate status {path}")


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
    for sentence in (sentence for one in found.judges for sentence in _status_remarks(found, one)):
        say(out, sentence)


def _status_remarks(found: Status, one: JudgeStatus) -> Iterator[str]:
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


@command
def interim(study: StudyFile, level: Level = 0.95, *, files: Files, out: Output) -> int:
    """What a study says so far, while people or models still answer.

    The estimate as answers came in, with an interval to watch and one to decide by, whenever you stop; where its
    uncertainty comes from, what to buy next, and how alike judges answer. Asks nothing. Exit codes as for quorate
    status: 0 all cells are answered or given up; 2 some are left; 1 failed to run.
    """
    from quorate.analysis.interim import interim as found_in

    found = found_in(study, level=level)
    out.show(found, files)
    return 0 if found.status.complete else INCOMPLETE


@command
def serve(
    study: StudyFile,
    port: int = option("", "Port of the pages.", default=8000),
    host: str = option("ADDRESS", "Address that is listened at.", default="127.0.0.1"),
    public: bool = option("", "Let other machines reach the pages, which are not encrypted.", default=False),
    links: bool = option("", "Make and show new links for everybody; the old ones end.", default=False),
    link: list[str] | None = option(
        "NAME", "Make and show a new link for one, who has lost theirs; repeat for others."
    ),
) -> int:
    """Serve a study's pages to people who judge and to its owner.

    They are there until Ctrl-C. Every seat has a link of its own, shown once; the ledger holds a hash of it. Answers
    are in the study's ledger at once, beside those of models, and nothing is lost if the server is stopped.
    """
    from quorate.web.serve import SELF
    from quorate.web.serve import serve as serve_pages

    def show(opened: Opened) -> None:
        out = console()
        if opened.links:
            say(out, "One link for each; they are not shown again." + " Those from before end." * opened.replaced)
            for name, address in opened.links.items():
                whole(out, f"  {name or SELF}: {address}")
        say(out, f"Pages at http://{host}:{port} until Ctrl-C.")
        if public:
            say(out, "Other machines can reach them, and what they send is not encrypted.")

    serve_pages(study, port=port, host=host, public=public, links=links or link or (), on_start=show)
    return 0


@command
def annotation_tasks(
    study: StudyFile,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", writable=True, help="Folder of the files, made if there is none.")
    ],
    *,
    out: Output,
) -> int:
    """Questions to people as tasks of Label Studio.

    A file of tasks for each person, and the labelling interface; quorate import records the answers.
    """
    from quorate.study.people import annotation_tasks as written_to

    out.typeset(written_to(study, folder), show_tasks)
    return 0


def show_tasks(out: Console, written: AnnotationTasks) -> None:
    """Print what was written."""
    say(out, written.sentence)
    table(out, {"file": "left", "tasks": "right"}, [(name, f"{count:,}") for name, count in written.tasks.items()])


@command
def take_annotations(
    study: StudyFile,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Export of Label Studio: JSON, JSON_MIN or CSV.")],
    *,
    out: Output,
) -> int:
    """Annotations of Label Studio as the answers of people.

    Of tasks that quorate export --tasks wrote, in the study's ledger. Take an export as often as there is more in it.
    """
    from quorate.study.people import take_annotations as taken_from

    out.typeset(taken_from(study, source), lambda console, taken: say(console, taken.sentence))
    return 0
