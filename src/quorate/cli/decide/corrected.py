"""`quorate compare --human`: what people would find, from judges on everything and people on a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import caveats, say, table
from quorate.cli.options import File, Files, Level, Output, Reading, Wanted, command
from quorate.cli.options.systems import clusters_of

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.agreement.corrected import Corrected


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
    out.typeset(found, show, notes=judged.notes)
    files.write(found, judged, out)
    return 0


def show(out: Console, found: Corrected) -> None:
    """Print the corrected mean beside that of the labels alone and of the judges, and how far judges are off."""
    say(out, found.sentence, style="bold")
    out.print()
    low, high = found.interval()
    alone = found.people_interval()
    rows = [
        ("labels and predictions", f"{found.value:.3f}", f"{low:.3f} to {high:.3f}"),
        ("labels alone", f"{found.people:.3f}", f"{alone[0]:.3f} to {alone[1]:.3f}"),
        ("judges alone, not corrected", f"{found.judges:.3f}", ""),
        ("judges less people, where both are", f"{found.bias:+.3f}", f"standard error {found.bias_se:.3f}"),
    ]
    table(out, {"by": "left", "mean": "right", f"{100 * found.level:.4g}% interval": "left"}, rows)
    caveats(out, (one.sentence for one in found.caveats))
