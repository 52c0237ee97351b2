"""`quorate analyze --pilot`: the mean of scores whose uncertainty a pilot knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import caveats, heading, say, table
from quorate.cli.options import (
    MODEL,
    Files,
    Fit,
    Level,
    Output,
    ScoreReading,
    ScoresFile,
    Targets,
    command,
)
from quorate.errors import InvalidInput, UnknownColumn

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.means.mean_from import MeanFrom

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
    fit: Annotated[Fit, MODEL],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """The mean of scores whose uncertainty a pilot knows.

    Scores that each item got from one judge in turn cannot tell what another judge would change. The mean is theirs,
    what varies and how well that is known comes from the crossed pilot.
    """
    from quorate.estimate.components.decompose import decompose
    from quorate.estimate.means.mean_from import mean_from as found_by
    from quorate.table.reading.reading import Unsure

    try:
        fitted = decompose(reading.alike().judgments(pilot), **fit.model())
    except (UnknownColumn, Unsure) as error:
        why = error.problem if isinstance(error, Unsure) else error
        raise InvalidInput(f"--pilot: {pilot} is read as the production file is, and {why}") from None
    judgments = reading.judgments(file)
    found = found_by(judgments, fitted, targets=targets.asked(), level=level)
    out.typeset(found, show, notes=judgments.notes)
    files.write(found, judgments, out)
    return 0


def show(out: Console, found: MeanFrom) -> None:
    """Print the mean, where its uncertainty comes from, and what the two tables share."""
    from quorate.analysis.words import significant
    from quorate.reporting.pages.mean_from import means
    from quorate.wording import whole_percent

    say(out, found.sentence, style="bold")
    heading(out, "The mean, by what is known of its variance")
    rows = [
        (row["by"], significant(row["value"], 4), f"{significant(row['low'], 4)} to {significant(row['high'], 4)}")
        for row in means(found).rows
    ]
    table(out, {"by": "left", "mean": "right", f"{100 * found.level:.4g}% interval": "left"}, rows)
    if isinstance(found.alone, str):
        say(out, f"  Alone, the production scores do not tell: {found.alone}.")
    heading(out, "Where its uncertainty comes from")
    shares = sorted(found.estimate.shares.items(), key=lambda one: -one[1])
    table(out, {"component": "left", "share": "right"}, [(name, whole_percent(x)) for name, x in shares if x > 0])
    heading(out, "Levels")
    header = {"facet": "left", "pilot": "right", "production": "right", "in both": "right", "stands for": "left"}
    each = ((one.facet, one.pilot, one.production, one.shared, one.target) for one in found.levels)
    table(out, header, [(name, f"{a:,}", f"{b:,}", f"{both:,}", target) for name, a, b, both, target in each])
    caveats(out, (one.sentence for one in found.caveats))
