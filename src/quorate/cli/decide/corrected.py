"""`quorate compare --human`: what people would find, from judges on everything and people on a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options import File, Files, Level, Output, Reading, Wanted, command
from quorate.cli.options.systems import clusters_of

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Labels(Wanted):
    """What people said, and what is wanted of it."""

    tuning: Annotated[
        float | None, typer.Option(metavar="X", min=0, max=1, help="Weight of the predictions. Default: the best.")
    ] = None
    finite: Annotated[
        bool, typer.Option("--finite", help="About exactly these items or battles, not others like them.")
    ] = False
    level: Level = 0.95
    a: Annotated[
        str | None,
        typer.Argument(
            metavar="A", help="Votes: the system whose win rate is wanted. Scores: whose mean is, less B's."
        ),
    ] = None
    b: Annotated[str | None, typer.Argument(metavar="B", help="Against it. Default, of votes: all others.")] = None


@command
def corrected(file: File, labels: Labels, reading: Reading, files: Files, out: Output) -> int:
    """What people would find, from judges on everything and people on a part.

    The mean score, the difference of A and B, or the win rate of A, that people would give: their labels correct
    the judges, whose scores make the labels worth more. The part that people labelled must have been chosen at random.
    """
    from quorate.estimate.agreement.prediction_powered import corrected as found_by

    judged = reading.table(file, labels)
    human = labels.said(file, reading, judged)
    named = ("a", "b", "key", "strata", "tuning", "finite", "level")
    options: dict[str, Any] = {name: value for name, value in labels.given().items() if name in named}
    clusters = clusters_of(labels.cluster, judged)
    found = found_by(judged, human, cluster=clusters, **options)
    out.show(found, files, judged)
    return 0
