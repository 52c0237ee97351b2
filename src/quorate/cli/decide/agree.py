"""`quorate judges --agree`: how often judges decide battles as people do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from quorate.cli.options import (
    File,
    Files,
    For,
    Group,
    Level,
    Output,
    People,
    Reading,
    SeedOrNone,
    command,
    names,
    role_of,
)
from quorate.cli.options.reading import with_column

if TYPE_CHECKING:
    from quorate.estimate.agreement.agreement import PipelineDifference, Rate

Of = TypeVar("Of", "Rate", "PipelineDifference")


@dataclass(frozen=True, kw_only=True)
class Asked(Group):
    """What is compared, and how."""

    each: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE", help="Also every level of this role alone, such as judge; repeat for single cells."
        ),
    ] = None
    by: Annotated[
        str | None, typer.Option(metavar="ROLE", help="Also within every level of this role of people's votes.")
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            help="Role of people's votes whose battles may resemble each other. Default: battles of one --key, if "
            "several.",
        ),
    ] = None
    calibrated: Annotated[
        bool, typer.Option("--calibrated", help="Move thresholds to where judges tie as often as people do.")
    ] = False
    cells: Annotated[
        str | None,
        For("votes"),
        typer.Option(
            metavar="ROLES",
            help="Votes: also how often single votes are right in every cell of these roles, such as judge,variant.",
        ),
    ] = None
    position: Annotated[
        bool,
        For("votes"),
        typer.Option("--position", help="Votes with an order: also whether each judge prefers what is shown first."),
    ] = False
    level: Level = 0.95
    resamples: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples, of differences.")] = 2000
    seed: SeedOrNone = None


@command
def agree(file: File, people: People, asked: Asked, reading: Reading, files: Files, out: Output) -> int:
    """How often judges decide battles as people do.

    Votes of all judges on a battle are averaged, or their scores of its two responses, and compared with what people
    said of it: with ties, and among battles that neither calls a tie. For leaderboards by judges see quorate pipelines.
    """
    from quorate.analysis.agreement import agreement_view
    from quorate.table.votes import Votes

    judged, theirs = people.sources(file, reading, needed=True)
    if not isinstance(judged, Votes):
        asked.refuse("votes", "for votes, and this file has scores; leave it out")
    view = agreement_view(
        judged,
        theirs or [],
        key=people.key,
        threshold=people.threshold,
        each=asked.each or None,
        by=asked.by,
        cluster=role_of(asked.cluster, judged if isinstance(theirs, list) else theirs),
        calibrated=asked.calibrated,
        cells=names(asked.cells),
        positions=asked.position,
        level=asked.level,
        resamples=asked.resamples,
        rng=asked.seed,
    )
    out.show(
        view,
        files,
        judged,
        seed=asked.seed,
        notes=with_column(judged.notes, "people", None if people.people else people.human_label),
    )
    return 0
