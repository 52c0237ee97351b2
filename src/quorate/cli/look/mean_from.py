"""`quorate analyze --pilot`: the mean of scores whose uncertainty a pilot knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import (
    MODEL,
    Declared,
    Files,
    Level,
    Output,
    ScoreReading,
    ScoresFile,
    Targets,
    command,
)
from quorate.errors import InvalidInput, UnknownColumn

if TYPE_CHECKING:
    pass

Pilot = Annotated[
    Path, typer.Option(metavar="FILE", help="The crossed study whose components the mean is judged by; read alike.")
]


@command
def mean_from(
    file: ScoresFile,
    pilot: Pilot,
    level: Level = 0.95,
    *,
    targets: Targets,
    fit: Annotated[Declared, MODEL],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """The mean of scores whose uncertainty a pilot knows.

    Scores that each item got from one judge in turn cannot tell what another judge would change. The mean is theirs,
    what varies and how well that is known comes from the crossed pilot.
    """
    from quorate.estimate.means.mean_from import mean_from as found_by
    from quorate.table.reading.reading import Unsure

    try:
        fitted = fit(reading.alike().judgments(pilot))
    except (UnknownColumn, Unsure) as error:
        why = error.problem if isinstance(error, Unsure) else error
        raise InvalidInput(f"--pilot: {pilot} is read as the production file is, and {why}") from None
    judgments = reading.judgments(file)
    found = found_by(judgments, fitted, targets=targets.asked(), level=level)
    out.show(found, files, judgments)
    return 0
