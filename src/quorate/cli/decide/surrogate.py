"""`quorate regress --surrogate`: how far a judge's label of an item would move with other prompts and calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import (
    MODEL,
    Files,
    Fit,
    Group,
    Level,
    Output,
    ScoreReading,
    ScoresFile,
    command,
    counts,
    names,
)

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Label(Group):
    """What a label is the mean of, and what of it might have been another."""

    levels: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=N", help="Levels that a label is the mean of, such as prompt=3; repeat for each."),
    ] = None
    replicates: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of each cell in a label.")] = 1
    drawn: Annotated[
        str | None,
        typer.Option(
            metavar="ROLES",
            help="Facets whose levels might have been others, with commas. Default: all random ones but items.",
        ),
    ] = None
    bias: Annotated[
        float, typer.Option(metavar="V", help="Variance of what judges get wrong however often they are asked.")
    ] = 0.0
    level: Level = 0.95


@command
def surrogate(
    file: ScoresFile, label: Label, fit: Annotated[Fit, MODEL], reading: ScoreReading, files: Files, out: Output
) -> int:
    """How far a judge's label of an item would move with other prompts and calls.

    From a pilot in which judges labelled some items under several prompts, or more than once. Its variance over that of
    a regression's residuals is the --ratio of quorate regress --sign-flip.
    """
    from quorate.estimate.components.decompose import decompose
    from quorate.estimate.regression.surrogate import surrogate as found_by

    judgments = reading.judgments(file)
    found = found_by(
        decompose(judgments, **fit.model()),
        levels=counts("--levels", label.levels, "prompt=3"),
        replicates=label.replicates,
        drawn=None if label.drawn is None else names(label.drawn),
        bias=label.bias,
        level=label.level,
    )
    out.show(found, files, judgments)
    return 0
