"""`quorate votes protocols`: two ways of collecting votes, and which decides with fewer of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.options import Declared, Files, Output, VoteReading, VotesFile, command, of

OWN = of("quorate.planning.power.protocols:protocols")


@command
def protocols(
    file: VotesFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Votes on the same systems by the other protocol.")],
    own: Annotated[Declared, OWN],
    reading: VoteReading,
    files: Files,
    out: Output,
) -> int:
    """Which of two ways of collecting votes decides with fewer of them.

    Both files are votes on the same systems, such as open questions and curated ones: how far apart each finds them,
    how much win rates differ between prompts, what a vote is worth, and what follows for the next study.
    """
    first, second = reading.votes(file), reading.alike().votes(other)
    stems = {"names": (file.stem, other.stem)} if file.stem != other.stem else {}
    out.show(own(first, second, **({} if "names" in own.given() else stems)), files, first)
    return 0
