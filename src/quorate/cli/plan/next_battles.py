"""`quorate assign --after`: which pairs of systems to ask about next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import Files, Output, Seed, VoteReading, VotesFile, command
from quorate.numerics.ratings.next_vote import Criterion

if TYPE_CHECKING:
    pass


@command
def next_battles(
    file: VotesFile,
    number: Annotated[int, typer.Option(metavar="N", min=1, help="Votes to draw now.")],
    criterion: Annotated[
        Criterion,
        typer.Option(help="What is made small: A, the sum of the variances of ratings; D, their determinant."),
    ] = "A",
    floor: Annotated[
        float, typer.Option(metavar="P", help="Part of the chances that all pairs share alike, above 0 and up to 1.")
    ] = 0.2,
    horizon: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Votes to come in all. Default: those of --number.")
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A system without votes so far that is to be rated too; repeat for each."),
    ] = None,
    chosen: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            writable=True,
            help="Where the battles are written: .csv, .tsv, .jsonl or .parquet.",
        ),
    ] = None,
    seed: Seed = 1,
    *,
    reading: VoteReading,
    files: Files,
    out: Output,
) -> int:
    """Which pairs of systems to ask about next.

    Pairs whose votes make the ratings precise get more of them, each by a chance that is written beside it: keep the
    column propensity with the votes, and quorate rank weights by it.
    """
    import numpy as np

    from quorate.planning.next_battles import next_battles as planned
    from quorate.table.cells import writable, write_columns

    if chosen is not None:
        writable(chosen, "--out")
    votes = reading.votes(file)
    found = planned(
        votes, number, criterion=criterion, floor=floor, horizon=horizon, systems=tuple(system or ()), seed=seed
    )
    if chosen is not None:
        write_columns({name: np.array(values, dtype=object) for name, values in found.battles().items()}, chosen)
    out.show(found, files, votes, seed=seed, written=None if chosen is None else str(chosen))
    return 0
