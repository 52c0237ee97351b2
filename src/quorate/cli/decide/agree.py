"""`quorate judges --agree`: how often judges decide battles as people do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from quorate.cli.options import Declared, File, Files, For, Group, Output, People, Reading, command, names, of
from quorate.cli.options.reading import with_column

OWN = of("quorate.estimate.agreement.agreement:agreement")


@dataclass(frozen=True, kw_only=True)
class Asked(Group):
    """What else is asked of the same judgments."""

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


@command
def agree(
    file: File,
    people: People,
    own: Annotated[Declared, OWN],
    asked: Asked,
    reading: Reading,
    files: Files,
    out: Output,
) -> int:
    """How often judges decide battles as people do.

    Votes of all judges on a battle are averaged, or their scores of its two responses, and compared with what people
    said of it: with ties, and among battles that neither calls a tie. For leaderboards by judges see quorate rank
    --pipelines.
    """
    from quorate.analysis.agreement import agreement_view
    from quorate.table.votes import Votes

    judged, theirs = people.sources(file, reading, own.value("key"), needed=True)
    if not isinstance(judged, Votes):
        asked.refuse("votes", "for votes, and this file has scores; leave it out")
    options = own.arguments(judged if isinstance(theirs, list) else theirs)
    view = agreement_view(judged, theirs or [], cells=names(asked.cells), positions=asked.position, **options)
    notes = with_column(judged.notes, "people", None if people.people else people.human_label)
    out.show(view, files, judged, seed=own.value("rng"), notes=notes)
    return 0
