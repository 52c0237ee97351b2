"""`quorate rank --pipelines`: how far a leaderboard by judges would move with other judges, prompts and orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli.options import (
    File,
    Files,
    For,
    Group,
    Output,
    People,
    Reading,
    Seed,
    command,
    names,
    pairs,
    role_of,
)
from quorate.cli.options.reading import with_column
from quorate.numerics.ratings.ties.registry import Ties

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Asked(Group):
    """How leaderboards are made, and what is drawn again."""

    by: Annotated[Literal["bradley-terry", "win rate"], typer.Option(help="What systems are ranked by.")] = (
        "bradley-terry"
    )
    ties: Annotated[Ties, typer.Option(help="How ties count.")] = "half"
    cells: Annotated[
        str | None,
        typer.Option(
            metavar="ROLES", help="Roles that tell cells apart, such as judge,variant. Default: all there are."
        ),
    ] = None
    cell: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=LEVEL", help="The single cell that is used; repeat for each role. Default: any."),
    ] = None
    system: Annotated[str, For("scores"), typer.Option(metavar="ROLE", help="Scores: role of the systems.")] = "system"
    cluster: Annotated[
        str | None,
        For("votes"),
        typer.Option(metavar="ROLE", help="Votes: role whose battles are drawn together, such as prompt."),
    ] = None
    regularisation: Annotated[float, typer.Option(metavar="X", min=0, help="Ridge that keeps ratings finite.")] = 0.0
    resamples: Annotated[int, typer.Option(metavar="N", help="Draws: at least 100, and 4 for every cell.")] = 1000
    seed: Seed = 1


@command
def pipelines(file: File, people: People, asked: Asked, reading: Reading, files: Files, out: Output) -> int:
    """Leaderboards by judges: error bars that count them.

    How far a leaderboard by judges would move with other judges, prompts and orders: error bars over battles alone,
    and over judges, prompts and orders like these too, for one cell of them and for the mean of all; with people, the
    correlation of each leaderboard with theirs.
    """
    from quorate.simulate.pipelines.pipelines import pipelines as compared
    from quorate.table.votes import Votes

    judged, theirs = people.sources(file, reading)
    of_votes = isinstance(judged, Votes)
    kind, other = ("votes", "scores") if of_votes else ("scores", "votes")
    asked.refuse(other, f"for {other}, and this file has {kind}; leave it out")
    found = compared(
        judged,
        theirs,
        by=asked.by,
        ties=asked.ties,
        cells=None if asked.cells is None else names(asked.cells),
        cell=pairs("--cell", asked.cell, "judge=gpt") or None,
        key=people.key,
        system=asked.system,
        cluster=role_of(asked.cluster, judged),
        threshold=people.threshold,
        regularisation=asked.regularisation,
        resamples=asked.resamples,
        seed=asked.seed,
    )
    out.show(
        found,
        files,
        judged,
        seed=asked.seed,
        notes=with_column(judged.notes, "people", None if people.people else people.human_label),
    )
    return 0
