"""`quorate report`: what a methods section needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli.console import caveats, console, heading, print_json, say, table, whole
from quorate.cli.options import Fit, Output, Prices, ScoreReading, ScoresFile, StudyRecord, Targets, command, only
from quorate.cli.options.groups import refuse_of_labels
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.reporting.paper.writeup import Writeup


@command
def writeup(
    context: typer.Context,
    file: ScoresFile,
    paper: StudyRecord,
    format_: Annotated[
        Literal["text", "markdown", "json"], typer.Option("--format", help="How it is printed; --json is json.")
    ] = "text",
    *,
    fit: Fit,
    targets: Targets,
    prices: Annotated[Prices, only("price")],
    reading: ScoreReading,
    out: Output,
) -> int:
    """A paragraph for a methods section, and the reporting checklist."""
    from quorate.analysis.judgments import analyze_judgments
    from quorate.reporting.paper.writeup import writeup as written

    if out.as_json and format_ == "markdown":
        raise InvalidInput("--json: contradicts --format markdown; give one of them")
    record = paper.record()
    judgments = reading.judgments(file)
    if judgments.labels:
        from quorate.analysis.nominal import labels

        refuse_of_labels(fit, prices, paper)
        found = written(labels(judgments, **fit.model(), level=fit.level, targets=targets.asked()), command=context.obj)
    else:
        analysis = analyze_judgments(judgments, **fit.arguments(), targets=targets.asked(), price=prices.price)
        found = written(analysis, record=record, command=context.obj)
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
