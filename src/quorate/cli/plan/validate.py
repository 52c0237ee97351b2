"""`quorate validate`: whether plans by a pilot would have done better on a table that exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import (
    Files,
    Group,
    Level,
    Output,
    ScoreReading,
    ScoresFile,
    SeedOrNone,
    command,
    grid,
    names,
)

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Drawing(Group):
    """What is drawn from the table."""

    budgets: Annotated[
        str, typer.Option(metavar="NUMBERS", help="Judgments of a plan, such as 100,300,1000; the pilot's on top.")
    ]
    plans: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="naive: one configuration, each item up to three times; standard: once; optimal: by the pilot.",
        ),
    ] = "naive,standard,optimal"
    pilot: Annotated[
        int | None, typer.Option(metavar="N", help="Items of a pilot. Default: a third of them, at most 30.")
    ] = None
    runs: Annotated[int, typer.Option(metavar="N", help="Pilots drawn.")] = 200
    level: Level = 0.95
    seed: SeedOrNone = None


@command
def validate(file: ScoresFile, drawing: Drawing, reading: ScoreReading, files: Files, out: Output) -> int:
    """Whether plans by a pilot would have done better on a table that exists.

    Pilots are drawn from a crossed table again and again; the plan that each leads to is drawn from the other items,
    as are plans that need no pilot, and compared with the mean of all judgments of these.
    """
    from quorate.simulate.validate import validate as drawn

    judgments = reading.judgments(file)
    found = drawn(
        judgments,
        grid("--budgets", drawing.budgets),
        names(drawing.plans),  # type: ignore[arg-type]  # checked there
        pilot=drawing.pilot,
        runs=drawing.runs,
        level=drawing.level,
        rng=drawing.seed,
    )
    out.show(found, files, judgments, seed=drawing.seed)
    return 0
