"""`quorate plan --adaptive`: what spending judge calls where scores vary would save."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli.options import UNSCALED, Files, Group, Output, ScoreReading, ScoresFile, Seed, command
from quorate.cli.options.reading import with_column
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    pass

MOST_SCORES = 100_001


@dataclass(frozen=True, kw_only=True)
class Replay(Group):
    """What is replayed, and how."""

    budget: Annotated[int, typer.Option(metavar="CALLS", min=1, help="Judge calls that could be paid for.")]
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Facet with a study for every level, such as the dimension that is scored."
        ),
    ] = None
    human: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with a human score of every item, to correlate with.")
    ] = None
    cycle: Annotated[
        str | None,
        typer.Option(
            metavar="FACET",
            help="Ask every level of this facet in each pull, such as every judge; compared with single ones.",
        ),
    ] = None
    delta: Annotated[
        float,
        typer.Option(metavar="P", help="Chance of failure of ROBIN-HOOD; a smaller one has a longer warm-up."),
    ] = 0.007
    variant: Annotated[
        Literal["experiment", "theory"], typer.Option(help="Constants of its experiments or of its theorems.")
    ] = "experiment"
    runs: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Replays; intervals take 20, and hold as often as they say from 50 on."),
    ] = 50
    seed: Seed = 1
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
        same = {name: getattr(self, name) for name in ("by", "human", "cycle", "delta", "variant", "runs", "seed")}
        return {**same, "floor": not self.no_floor, "scale": self.scores()}

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
    file: ScoresFile, replay: Replay, reading: Annotated[ScoreReading, UNSCALED], files: ReplayFiles, out: Output
) -> int:
    """What asking more where scores vary would save, replayed.

    Uniform allocation, ROBIN-HOOD and ROBIN are replayed on the repeated answers of a file. Ends with exit code 2 if
    ROBIN-HOOD does not surely save calls, or runs are too few to tell.
    """
    from quorate.analysis.allocation import allocation_view

    also = (replay.by,) if replay.by else ()
    swept = replay.sweep or bool(files.report)
    judgments = reading.judgments(file, also=also)
    found = allocation_view(judgments, replay.budget, sweep=swept, **replay.arguments())
    out.show(found, files, judgments, notes=with_column(judgments.notes, "human", replay.human))
    return found.exit_code
