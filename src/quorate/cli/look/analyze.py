"""`quorate analyze`: from a file of judgments to honest error bars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.look.analysis import AnalysisFiles
from quorate.cli.options import (
    Fit,
    For,
    Group,
    Output,
    Prices,
    ScoreReading,
    ScoresFile,
    StudyRecord,
    Targets,
    command,
    only,
)
from quorate.cli.options.reading import is_ledger_of_votes
from quorate.cli.votes.analyze import analyzed_ledger

UNDECIDED = 2


@dataclass(frozen=True, kw_only=True)
class Question(Group):
    """What is asked of the mean."""

    half_width: Annotated[
        float | None,
        For("scores"),
        typer.Option(
            metavar="X",
            help="Ask whether the interval is at most ±X: the one for judges like these where there are two or more. "
            "Exit code 2 if it is not.",
        ),
    ] = None


@command
def analyze(
    file: ScoresFile,
    question: Question,
    fit: Fit,
    targets: Targets,
    prices: Annotated[Prices, only("price")],
    paper: StudyRecord,
    reading: ScoreReading,
    files: AnalysisFiles,
    out: Output,
) -> int:
    """Honest error bars for the mean, and what to buy next.

    Of a ledger that holds votes: the verdict on its two systems, as quorate votes analyze.
    """
    from quorate.analysis.judgments import analyze_judgments

    pages = files.pages(page_name(file), out)
    if is_ledger_of_votes(file):
        for group in (question, fit, targets, paper, reading, files):
            group.refuse("scores", f"is for scores, and {file} holds votes between two systems; leave it out")
        return analyzed_ledger(file, prices.price, reading, replace(files, report=pages), out)
    record = paper.record()
    options = {**fit.arguments(), "targets": targets.asked(), "price": prices.price}
    found = analyze_judgments(reading.judgments(file), **options, half_width=question.half_width)
    files.deliver(found, pages, out, record=record)
    return UNDECIDED if found.answer is not None and not found.answer.met else 0


def page_name(file: Path) -> str:
    """Where the page goes unless it is said: named after the file, in the current folder."""
    return f"{file.name.removesuffix('.gz').rsplit('.', 1)[0]}-quorate.html"
