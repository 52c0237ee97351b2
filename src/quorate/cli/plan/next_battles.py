"""`quorate assign --after`: which pairs of systems to ask about next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.options import Declared, Files, Output, VoteReading, VotesFile, command, of

OWN = of("quorate.planning.battles:next_battles", n="--number", systems="--system")


@command
def next_battles(
    file: VotesFile,
    own: Annotated[Declared, OWN],
    chosen: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            writable=True,
            help="Where the battles are written: .csv, .tsv, .jsonl or .parquet.",
        ),
    ] = None,
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

    from quorate.table.cells import writable, write_columns

    if chosen is not None:
        writable(chosen, "--out")
    votes = reading.votes(file)
    found = own(votes)
    if chosen is not None:
        write_columns({name: np.array(values, dtype=object) for name, values in found.battles().items()}, chosen)
    out.show(found, files, votes, seed=own.value("seed"), written=None if chosen is None else str(chosen))
    return 0
