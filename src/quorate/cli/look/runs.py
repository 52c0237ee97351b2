"""`quorate analyze --runs`: how often all and any of several runs of an item pass, and which items flip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from quorate.cli.options import Files, Group, Level, Output, ScoreReading, ScoresFile, command


@dataclass(frozen=True, kw_only=True)
class Passing(Group):
    """What passes, and of how many runs."""

    run: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            help="The facet of runs. Default: run, trial, attempt, seed, epoch or sample; without one, repeats.",
        ),
    ] = None
    k: Annotated[
        list[int] | None,
        typer.Option("--k", metavar="K", help="Runs; repeat for others. Default: 1, and as many as every item has."),
    ] = None
    passes: Annotated[
        float | None,
        typer.Option(
            metavar="X", help="Score from which on a run passes. Of 0 and 1: more than half of its judgments."
        ),
    ] = None
    level: Level = 0.95


@command
def runs(file: ScoresFile, passing: Passing, reading: ScoreReading, files: Files, out: Output) -> int:
    """How often all or any of several runs of an item pass, and which items flip.

    pass^k and pass@k with intervals over items, the chance that two runs differ, and whether the runs or the judges do
    that.
    """
    from quorate.estimate.agents.runs import repeated_runs

    judgments = reading.judgments(file)
    found = repeated_runs(judgments, run=passing.run, k=tuple(passing.k or ()), at=passing.passes, level=passing.level)
    out.show(found, files, judgments)
    return 0
