"""`quorate agents ensemble`: what the mean of several agents is worth, whose errors go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import MODEL, Files, Fit, Group, Output, ScoreReading, ScoresFile, command, counts

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Agents(Group):
    """Which agents, and what each does."""

    over: Annotated[str, typer.Option(metavar="ROLE", help="The facet of the agents.")] = "judge"
    agents: Annotated[int | None, typer.Option(metavar="N", min=1, help="How many. Default: those in the file.")] = None
    levels: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=N", help="Levels that a score is the mean of, such as prompt=3; repeat for each."),
    ] = None
    replicates: Annotated[int, typer.Option(metavar="N", min=1, help="Answers of each cell in a score.")] = 1


@command
def ensemble(
    file: ScoresFile, agents: Agents, fit: Annotated[Fit, MODEL], reading: ScoreReading, files: Files, out: Output
) -> int:
    """What the mean of several agents is worth, whose errors go together.

    Errors of agents on one item that are their own shrink with their number; those that all share, such as a prompt's,
    stay.
    """
    from quorate.estimate.agents.ensemble import ensemble as found_by
    from quorate.estimate.components.decompose import decompose

    judgments = reading.judgments(file)
    found = found_by(
        decompose(judgments, **fit.model()),
        over=agents.over,
        agents=agents.agents,
        levels=counts("--levels", agents.levels, "prompt=3"),
        replicates=agents.replicates,
    )
    out.show(found, files, judgments)
    return 0
