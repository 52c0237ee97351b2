"""`quorate agents hazard`: at which turn conversations cross a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import (
    MODEL,
    SEED,
    Files,
    Fit,
    Group,
    Level,
    Output,
    ScoreReading,
    ScoresFile,
    command,
    counts,
)

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Crossing(Group):
    """What is crossed, and by which scores."""

    threshold: Annotated[float, typer.Option(metavar="X", help="The score that is crossed.")]
    below: Annotated[bool, typer.Option("--below", help="Scores below it count, not those above.")] = False
    turns: Annotated[str, typer.Option(metavar="ROLE", help="The facet of turns, whose levels are numbers.")] = "turn"
    levels: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=N", help="Levels that a score is the mean of, such as judge=3; repeat for each."),
    ] = None
    replicates: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of each cell in a score.")] = 1
    level: Level = 0.95
    seed: Annotated[int | None, SEED] = None


@command
def hazard(
    file: ScoresFile, crossing: Crossing, fit: Annotated[Fit, MODEL], reading: ScoreReading, files: Files, out: Output
) -> int:
    """At which turn conversations cross a threshold, and how many never do.

    The chance that a score is beyond --threshold at each turn, by the means of turns and all components of scores; the
    chance that none so far was, if turns were independent and as conversations differ.
    """
    from quorate.estimate.agents.hazard import hazard as found_by
    from quorate.estimate.components.decompose import decompose

    judgments = reading.judgments(file)
    found = found_by(
        decompose(judgments, **fit.model()),
        crossing.threshold,
        above=not crossing.below,
        facet=crossing.turns,
        levels=counts("--levels", crossing.levels, "judge=3"),
        replicates=crossing.replicates,
        level=crossing.level,
        rng=crossing.seed,
    )
    out.show(found, files, judgments, seed=crossing.seed)
    return 0
