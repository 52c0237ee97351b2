"""`quorate export`: judgments as a plain file, or in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.console import console, print_json, say
from quorate.cli.options import Output, ScoreReading, ScoresFile, command, only
from quorate.cli.spelling import in_options


@command
def export(
    file: ScoresFile,
    to: Annotated[
        Path,
        typer.Argument(metavar="OUT", writable=True, help="The file that is written, or a folder for every-eval-ever."),
    ],
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="every-eval-ever, or inspect-scores for what precomputed_scores of Inspect AI takes. Default: the end "
            "of OUT says it: .csv, .tsv, .jsonl or .parquet.",
        ),
    ] = None,
    no_formulas: Annotated[
        bool,
        typer.Option(
            "--no-formulas",
            help="For a spreadsheet: lead texts that it would compute, which begin with = + - or @, by an apostrophe.",
        ),
    ] = False,
    *,
    reading: ScoreReading,
    out: Annotated[Output, only("as_json")],
) -> int:
    """The judgments of a file as another file: plain, or for another tool."""
    from quorate.reporting.exports.export import export as exported

    written = exported(reading.judgments(file), to, format=format_, no_formulas=no_formulas)  # type: ignore[arg-type]  # it says what it knows
    if out.as_json:
        print_json(written.to_dict())
        return 0
    say(console(), written.sentence)
    for note in written.notes:
        say(console(), in_options(note))
    return 0
