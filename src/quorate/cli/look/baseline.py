"""`quorate analyze --baseline`: whether a stream of scores keeps to a baseline, at any look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from quorate.cli.options import Files, Group, Level, Output, ScoreReading, ScoresFile, command


@dataclass(frozen=True, kw_only=True)
class Stated(Group):
    """What the mean is to keep to."""

    baseline: Annotated[float, typer.Option(metavar="M", help="The mean, or pass rate, to keep to.")]
    order: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Orders the rows. Default: a time that names tell, else as they stand."),
    ] = None
    level: Level = 0.95


@command
def baseline(file: ScoresFile, stated: Stated, reading: ScoreReading, files: Files, out: Output) -> int:
    """Whether scores that come in still keep to a baseline, and since when not.

    Look as often as you like: an alarm is false in at most 5% of streams, however long they are. Ends with exit code 2
    if the mean is shown to have left the baseline.
    """
    from quorate.estimate.means.baseline import against_baseline

    judgments = reading.judgments(file)
    found = against_baseline(judgments, stated.baseline, order=stated.order, level=stated.level)
    out.show(found, files, judgments)
    return found.exit_code
