"""`quorate plan --adaptive`: what spending judge calls where scores vary would save."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from quorate.cli.options import UNSCALED, Declared, Files, Group, Output, ScoreReading, ScoresFile, command, of
from quorate.cli.options.reading import with_column
from quorate.errors import InvalidInput

MOST_SCORES = 100_001
OWN = of("quorate.simulate.allocation.allocation:simulate_allocation", "policies", "floor")


@dataclass(frozen=True, kw_only=True)
class Replay(Group):
    """What is replayed, and how."""

    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Facet with a study for every level, such as the dimension that is scored."
        ),
    ] = None
    human: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with a human score of every item, to correlate with.")
    ] = None
    no_floor: Annotated[
        bool,
        typer.Option("--no-floor", help="Take an arm whose answers were all equal so far as one that never varies."),
    ] = False
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCORES",
            help="Possible scores, for the floor: 1:5 for whole numbers, or a list such as 0,0.5,1. Default: those "
            "given.",
        ),
    ] = None
    sweep: Annotated[bool, typer.Option("--sweep", help="Replay with other constants too.")] = False

    def __post_init__(self) -> None:
        """Refuse a column that looks like a pair."""
        if self.by is not None and "=" in self.by:
            fix = f'give that column a name: --facet NAME="{self.by}" --by NAME'
            raise InvalidInput(f'--by: the name of a facet, got "{self.by}"; {fix}')

    def arguments(self) -> dict[str, Any]:
        """As the analysis takes them."""
        return {"by": self.by, "human": self.human, "floor": not self.no_floor, "scale": self.scores()}

    def scores(self) -> list[float] | None:
        """Possible scores from ``LOW:HIGH``, or from a list."""
        if self.scale is None:
            return None
        low, colon, high = self.scale.partition(":")
        try:
            if not colon:
                return [float(score) for score in self.scale.split(",")]
            whole = range(int(low), int(high) + 1)
        except ValueError:
            whole = range(0)
        if 2 <= len(whole) <= MOST_SCORES:
            return list(map(float, whole))
        raise InvalidInput(f'--scale: possible scores such as 1:5, or 0,0.5,1, got "{self.scale}"')


@dataclass(frozen=True, kw_only=True)
class ReplayFiles(Files):
    """The files of a replay, of which charts come with the report."""

    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            writable=True,
            help="Write a report: .html, .md or .json; repeat for others. It has a sweep.",
        ),
    ] = None
    charts: Annotated[
        Path | None,
        typer.Option(metavar="DIR", writable=True, help="With --report: write its charts as files as well."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse charts alone, and places that cannot be written."""
        if self.charts is not None and not self.report:
            raise InvalidInput("--charts: they are those of the report; give --report too")
        super().__post_init__()


@command
def adaptive(
    file: ScoresFile,
    own: Annotated[Declared, OWN],
    replay: Replay,
    reading: Annotated[ScoreReading, UNSCALED],
    files: ReplayFiles,
    out: Output,
) -> int:
    """What asking more where scores vary would save, replayed.

    Uniform allocation, ROBIN-HOOD and ROBIN are replayed on the repeated answers of a file. Ends with exit code 2 if
    ROBIN-HOOD does not surely save calls, or runs are too few to tell.
    """
    from quorate.analysis.allocation import allocation_view

    also = (replay.by,) if replay.by else ()
    swept = replay.sweep or bool(files.report)
    judgments = reading.judgments(file, also=also)
    found = allocation_view(judgments, sweep=swept, **replay.arguments(), **own.arguments())
    out.show(found, files, judgments, notes=with_column(judgments.notes, "human", replay.human))
    return found.exit_code
