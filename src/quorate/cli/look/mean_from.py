"""`quorate analyze --pilot`: the mean of scores whose uncertainty a pilot knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.options import (
    MODEL,
    Declared,
    Files,
    Output,
    ScoreReading,
    ScoresFile,
    command,
    of,
)
from quorate.errors import InvalidInput, UnknownColumn

OWN = of("quorate.estimate.means.mean_from:mean_from")
Pilot = Annotated[
    Path, typer.Option(metavar="FILE", help="The crossed study whose components the mean is judged by; read alike.")
]


@command
def mean_from(
    file: ScoresFile,
    pilot: Pilot,
    own: Annotated[Declared, OWN],
    fit: Annotated[Declared, MODEL],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """The mean of scores whose uncertainty a pilot knows.

    Scores that each item got from one judge in turn cannot tell what another judge would change. The mean is theirs,
    what varies and how well that is known comes from the crossed pilot.
    """
    from quorate.table.reading.reading import Unsure

    try:
        fitted = fit(reading.alike().judgments(pilot))
    except (UnknownColumn, Unsure) as error:
        why = error.problem if isinstance(error, Unsure) else error
        raise InvalidInput(f"--pilot: {pilot} is read as the production file is, and {why}") from None
    judgments = reading.judgments(file)
    out.show(own(judgments, fitted), files, judgments)
    return 0
