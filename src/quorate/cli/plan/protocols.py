"""`quorate votes protocols`: two ways of collecting votes, and which decides with fewer of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import Files, Group, Level, Output, Power, VoteReading, VotesFile, command
from quorate.cli.options.values import names as listed

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Comparing(Group):
    """What is compared."""

    names: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="What the two are called. Default: the names of the files.")
    ] = None
    by: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE", help="What votes of one level of may be alike. Default: prompt, where there is one."
        ),
    ] = None
    minimum: Annotated[
        int, typer.Option(metavar="N", min=2, help="Decisive votes on a pair that both files must have.")
    ] = 30
    budget: Annotated[int, typer.Option(metavar="N", min=1, help="Votes on a pair at which the two are compared.")] = (
        100
    )
    alpha: Annotated[float, typer.Option(metavar="P", help="Chance of finding a difference that is not there.")] = 0.05
    power: Power = 0.9
    level: Level = 0.95


@command
def protocols(
    file: VotesFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Votes on the same systems by the other protocol.")],
    comparing: Comparing,
    reading: VoteReading,
    files: Files,
    out: Output,
) -> int:
    """Which of two ways of collecting votes decides with fewer of them.

    Both files are votes on the same systems, such as open questions and curated ones: how far apart each finds them,
    how much win rates differ between prompts, what a vote is worth, and what follows for the next study.
    """
    from quorate.planning.power.protocols import protocols as compared

    first, second = reading.votes(file), reading.alike().votes(other)
    called = listed(comparing.names) or (file.stem, other.stem)
    if called[0] == called[1]:
        called = ("A", "B")
    found = compared(first, second, names=called, **{k: v for k, v in comparing.given().items() if k != "names"})
    out.show(found, files, first)
    return 0
