"""`quorate report`: what a methods section needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli.console import caveats, console, heading, print_json, say, table, whole
from quorate.cli.options import Declared, Output, ScoreReading, ScoresFile, StudyRecord, command, of
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.reporting.paper.writeup import Writeup

OF_VOTES = ("a", "b", "power", "margin", "ties", "claim", "budget", "cluster", "minimum", "most")
OWN = of("quorate.analysis.analyze:analyze", *OF_VOTES, "half_width", "link")


@command
def writeup(
    context: typer.Context,
    file: ScoresFile,
    paper: StudyRecord,
    format_: Annotated[
        Literal["text", "markdown", "json"], typer.Option("--format", help="How it is printed; --json is json.")
    ] = "text",
    *,
    own: Annotated[Declared, OWN],
    reading: ScoreReading,
    out: Output,
) -> int:
    """A paragraph for a methods section, and the reporting checklist."""
    from quorate.reporting.paper.writeup import writeup as written

    if out.as_json and format_ == "markdown":
        raise InvalidInput("--json: contradicts --format markdown; give one of them")
    record = None if paper.study is None else paper.record()
    judgments = reading.judgments(file)
    if judgments.labels:
        paper.refuse("scores", "is for scores, and these are labels; leave it out")
    found = written(own(judgments), record=record, source=judgments, command=context.obj)
    if out.as_json or format_ == "json":
        print_json(found.to_dict())
    elif format_ == "markdown":
        for line in found.to_markdown().splitlines():
            whole(console(), line)
    else:
        show(console(), found)
    return 0


def show(out: Console, found: Writeup) -> None:
    """Print the paragraph, the checklist, and what is needed to do it again."""
    say(out, found.paragraph)
    if found.checklist:
        heading(out, f"Reporting checklist: {len(found.missing)} of {len(found.checklist)} missing")
        rows = [(one.tier, one.name, one.status) for one in found.checklist]
        table(out, {"tier": "left", "what to state": "left", "status": "left"}, rows)
    caveats(out, (f"{one.name}: " + one.text for one in found.missing), "Missing")
    heading(out, "To do it again")
    table(out, {" ": "left", "  ": "left"}, list(found.reproduction.items()))
