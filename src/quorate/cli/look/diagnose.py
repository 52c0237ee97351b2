"""`quorate analyze --check`: whether the model describes the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import MODEL, Files, Fit, Group, Output, ScoreReading, ScoresFile, Seed, command

if TYPE_CHECKING:
    pass

FOUND = 2


@dataclass(frozen=True, kw_only=True)
class Looks(Group):
    """What is looked at."""

    order: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that says when a score was given, as numbers or dates. Default: one not used otherwise and "
            "called like it, such as time.",
        ),
    ] = None
    resamples: Annotated[
        int,
        typer.Option(metavar="N", help="Data sets drawn from the fit, at least 99; 0 leaves out what needs them."),
    ] = 499
    seed: Seed = 0


@command
def diagnose(
    file: ScoresFile,
    looks: Looks,
    fit: Annotated[Fit, MODEL],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """What stands out in a fit: noise, odd judges, interactions, tails, drift.

    Every check is a row with its statistic, what it means for the interval and what to do; p-values are read together.
    Exit code 2 if something stands out.
    """
    from quorate.estimate.components.decompose import decompose
    from quorate.estimate.diagnostics.diagnose import diagnose as diagnosed

    judgments = reading.judgments(file)
    found = diagnosed(decompose(judgments, **fit.model()), order=looks.order, resamples=looks.resamples, rng=looks.seed)
    out.show(found, files, judgments, seed=looks.seed)
    return FOUND if found.standing_out else 0
