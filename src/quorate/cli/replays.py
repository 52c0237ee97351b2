"""Replays: `plan --adaptive`, `votes replay` and `votes protocols`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from quorate.cli import options
from quorate.cli.options import command, grid, of, option
from quorate.cli.options.groups import ALL, TWO
from quorate.cli.options.reading import with_column
from quorate.cli.options.systems import Pair, check_facet, clustered_by
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

MOST_SCORES = 100_001


@dataclass(frozen=True, kw_only=True)
class Replay(options.Group):
    """What is replayed, and how."""

    by: str | None = option("COLUMN", "Facet with a study for every level, such as the dimension that is scored.")
    human: str | None = option("COLUMN", "Column with a human score of every item, to correlate with.")
    no_floor: bool = option(
        "", "Take an arm whose answers were all equal so far as one that never varies.", default=False
    )
    scale: str | None = option(
        "SCORES",
        "Possible scores, for the floor: 1:5 for whole numbers, or a list such as 0,0.5,1. Default: those given.",
    )
    sweep: bool = option("", "Replay with other constants too.", default=False)

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
class ReplayFiles(options.Files):
    """The files of a replay, of which charts come with the report."""

    report: list[Path] | None = option(
        "PATH", "Write a report: .html, .md or .json; repeat for others. It has a sweep.", writable=True
    )
    charts: Path | None = option("DIR", "With --report: write its charts as files as well.", writable=True)

    def __post_init__(self) -> None:
        """Refuse charts alone, and places that cannot be written."""
        if self.charts is not None and not self.report:
            raise InvalidInput("--charts: they are those of the report; give --report too")
        super().__post_init__()


@command
def adaptive(
    file: options.ScoresFile,
    own: Annotated[
        options.Declared, of("quorate.simulate.allocation.allocation:simulate_allocation", "policies", "floor")
    ],
    replay: Replay,
    reading: Annotated[options.ScoreReading, options.UNSCALED],
    files: ReplayFiles,
    out: options.Output,
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


@dataclass(frozen=True, kw_only=True)
class Studies(options.Group):
    """The smaller studies."""

    budgets: str = option("NUMBERS", "Votes of a study, such as 50,200,500.", default="50,200,500")
    by: str | None = option("ROLE", "With --a: types of prompts. Default: prompt_type.", of=TWO)
    c: float | None = option(
        "C",
        "With --a: C log m votes of each of m types are the first stage. Default: 10, the least of the paper.",
        of=TWO,
    )
    retained: float | None = option(
        "Q", "With --a: part of the types that is kept. Default: .2; .1 to .3 in the paper.", of=TWO
    )
    per_type: int | None = option(
        "B", "With --a: votes of each type in the first stage, instead of by --c.", of=TWO, min=1
    )
    margin: float | None = option("D", "Margin of equivalence, for all pairs. Default: .05.", of=ALL)
    level: options.Level = 0.95
    cluster: str | None = option(
        "ROLE",
        "Facet whose votes are drawn together, for all pairs, or none. Default: prompt, if there is one.",
        of=ALL,
    )
    minimum: int | None = option(
        "N", "Decisive votes that a pair must have, among all pairs. Default: 200.", of=ALL, min=2
    )


@command
def replay(
    file: options.VotesFile, pair: Pair, studies: Studies, reading: options.VoteReading, out: options.Output
) -> int:
    """What smaller studies of these votes would have found.

    Without --a and --b: how often verdicts of smaller studies are wrong, over all pairs. With them: votes over types of
    prompts in proportion, against screening the types first.
    """
    from quorate.analysis.allocation import replay_pair, replay_pairs

    pair.check(studies)
    sizes = grid("--budgets", studies.budgets)
    votes = pair.of(reading.votes(file))
    if pair.systems is not None:
        by = studies.by or "prompt_type"
        check_facet(votes, "--by", by)
        screening = {name: value for name, value in studies.given(TWO).items() if name != "by"}
        two = replay_pair(votes, *pair.systems, sizes, by=by, level=studies.level, **screening)
        beside(two.notes, out)
        out.show(two, source=votes)
        return 0
    every = replay_pairs(votes, sizes, level=studies.level, **studies.given(ALL) | clustered_by(votes, studies.cluster))
    beside(every.notes, out)
    out.show(every, source=votes, plain=every.rows())
    return 0


def beside(notes: Sequence[str], out: options.Output) -> None:
    """Print notes beside JSON, which has no place for them."""
    for note in notes if out.as_json else ():
        typer.echo(f"quorate: {in_options(note)}", err=True)


@command
def protocols(
    file: options.VotesFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Votes on the same systems by the other protocol.")],
    own: Annotated[options.Declared, of("quorate.planning.power.protocols:protocols")],
    reading: options.VoteReading,
    files: options.Files,
    out: options.Output,
) -> int:
    """Which of two ways of collecting votes decides with fewer of them.

    Both files are votes on the same systems, such as open questions and curated ones: how far apart each finds them,
    how much win rates differ between prompts, what a vote is worth, and what follows for the next study.
    """
    first, second = reading.votes(file), reading.alike().votes(other)
    stems = {"names": (file.stem, other.stem)} if file.stem != other.stem else {}
    out.show(own(first, second, **({} if "names" in own.given() else stems)), files, first)
    return 0
