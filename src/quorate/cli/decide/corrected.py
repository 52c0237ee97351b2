"""`quorate compare --human`: what people would find, from judges on everything and people on a part of it."""

from __future__ import annotations

from typing import Annotated

import typer

from quorate.cli.options import Declared, File, Files, Labelled, Output, Reading, command, of

OWN = of("quorate.estimate.agreement.prediction_powered:corrected", "a", "b")


@command
def corrected(
    file: File,
    a: Annotated[
        str | None,
        typer.Argument(
            metavar="A", help="Votes: the system whose win rate is wanted. Scores: whose mean is, less B's."
        ),
    ] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="Against it. Default, of votes: all others.")] = None,
    *,
    labels: Labelled,
    own: Annotated[Declared, OWN],
    reading: Reading,
    files: Files,
    out: Output,
) -> int:
    """What people would find, from judges on everything and people on a part.

    The mean score, the difference of A and B, or the win rate of A, that people would give: their labels correct
    the judges, whose scores make the labels worth more. The part that people labelled must have been chosen at random.
    """
    judged, human = labels.beside(file, reading, lambda: reading.table(file, own), key=own.value("key"))
    out.show(own(judged, human, a=a, b=b), files, judged)
    return 0
