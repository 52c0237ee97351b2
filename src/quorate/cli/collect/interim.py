"""`quorate status --interim`: what a study says that is still being filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.cli.collect.quoting import INCOMPLETE, StudyFile
from quorate.cli.console import caveats, heading, say, table
from quorate.cli.options import Files, Level, Output, command
from quorate.wording import decimals

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.goals.path import GoalPath
    from quorate.analysis.interim.result import Interim


@command
def interim(study: StudyFile, level: Level = 0.95, *, files: Files, out: Output) -> int:
    """What a study says so far, while people or models still answer.

    The estimate as answers came in, with an interval to watch and one to decide by, whenever you stop; where its
    uncertainty comes from, what to buy next, and how alike judges answer. Asks nothing. Exit codes as for quorate
    status: 0 all cells are answered or given up; 2 some are left; 1 failed to run.
    """
    from quorate.analysis.interim.interim import interim as found_in

    found = found_in(study, level=level)
    out.typeset(found, show)
    files.write(found, None, out)
    return 0 if found.status.complete else INCOMPLETE


def show(out: Console, found: Interim) -> None:
    """Print the estimate at every look, what is decided, and what it all rests on."""
    say(out, found.sentence, style="bold")
    if found.path is not None:
        show_path(out, found.path)
    elif found.looks:
        heading(out, f"The {found.what}, as answers came in")
        heads = {"answers": "right", "so far": "right", "to watch": "right", "to decide by": "right"}
        table(out, heads, [(f"{look.n:,}", *unless_unknown(found.shown(look))) for look in found.looks])
    if found.verdicts:
        heading(out, "Decided whenever you look")
        for sentence in found.verdicts:
            say(out, f"  {sentence}")
    if found.sources:
        heading(out, "Where the uncertainty comes from")
        rows = [(one.component, f"{one.share:.0%}", one.advice) for one in found.sources]
        table(out, {"component": "left", "share": "right", "what makes it smaller": "left"}, rows)
    if found.advice:
        heading(out, "What to buy next")
        for sentence in found.advice:
            say(out, f"  {sentence}")
    if found.agreement:
        heading(out, "Who agrees with whom")
        same = found.kind == "votes"
        heads = {"answers of": "left", "and of": "left", "the same" if same else "apart by": "right"}
        shown = [f"{one.value:.0%}" if same else f"{one.value:.2f}" for one in found.agreement]
        pairs = zip(found.agreement, shown, strict=True)
        table(out, heads | {"items": "right"}, [(one.first, one.second, text, f"{one.items:,}") for one, text in pairs])
    caveats(out, (one.sentence for one in found.caveats))


def show_path(out: Console, path: GoalPath) -> None:
    """Print the looks of a study with a goal."""
    from quorate.analysis.words import number

    say(out, f"Goal: {path.goal}.")
    if path.looks:
        heading(out, "The path to the goal")
        parts = path.looks[-1].parts
        value = "known least" if parts else path.looks[-1].question
        heads = {"round": "right", path.unit: "right", value: "right", "interval": "right"}
        rows = []
        for look in path.looks:
            digits = decimals((look.high - look.low) / 4)
            interval = f"{number(look.low, digits)} to {number(look.high, digits)}"
            spent = f"{path.price(look):,.2f}" if path.unit == "money" else f"{path.price(look):,.0f}"
            rows.append((f"{look.number}", spent, number(look.value, digits), interval, look.outcome))
        table(out, heads | {"": "left"}, rows)
        if parts:
            heading(out, "Its parts")
            shown = []
            for look in parts:
                digits = decimals((look.high - look.low) / 4)
                interval = f"{number(look.low, digits)} to {number(look.high, digits)}"
                shown.append((look.question, number(look.value, digits), interval, look.outcome))
            table(out, {"part": "left", "value": "right", "interval": "right", "": "left"}, shown)
    if path.hindsight:
        say(out, path.hindsight)


def unless_unknown(shown: tuple[str, str, str]) -> tuple[str, str, str]:
    """The value and its intervals, with a dash for one that is not known."""
    value, once, always = ("-" if "not known" in text else text for text in shown)
    return value, once, always
