"""`quorate rank --human`: the leaderboard that people would give, from votes of judges and some of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from quorate.cli.options import Files, Group, Level, Output, Power, Seed, VoteReading, VotesFile, command, role_of
from quorate.cli.options.people import Labelled
from quorate.cli.options.systems import Clustering, clusters_of
from quorate.numerics.ratings.ties.registry import Ties

if TYPE_CHECKING:
    from quorate.table.votes import Votes

UNDECIDED = 2


@dataclass(frozen=True, kw_only=True)
class LabelledBattles(Labelled):
    """What people said of some battles, and how it corrects what judges said of all."""

    ties: Annotated[Ties | None, typer.Option(help="How ties count. Default: davidson, as outcomes of their own.")] = (
        None
    )
    key: Annotated[str | None, typer.Option(metavar="ROLE", help="What the two systems answered. Default: prompt.")] = (
        None
    )
    cluster: Clustering = None
    strata: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE", help="Facet such as prompt_type whose levels people voted on at rates of their own."
        ),
    ] = None
    sampling_probability: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of people's votes: chance of the battle to be voted on, if chances differ."
        ),
    ] = None
    tuning: Annotated[
        float | None,
        typer.Option(metavar="X", min=0, max=1, help="Weight of the mean of the judges. Default: the best of each."),
    ] = None
    elo: Annotated[bool, typer.Option("--elo", help="Points of the Elo scale, 1000 on average.")] = False
    level: Level = 0.95


@dataclass(frozen=True, kw_only=True)
class Needed(Group):
    """What the gaps of neighbours are to be known for."""

    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Labels are counted for this half-width of the gaps of neighbours. Default: to tell these apart.",
        ),
    ] = None
    margin: Annotated[
        float | None, typer.Option(metavar="D", help="Instead: labels that find a gap of D between neighbours.")
    ] = None
    power: Power = 0.9
    units: Annotated[
        int | None, typer.Option(metavar="N", help="Battles that judges will have voted on. Default: those there.")
    ] = None
    price: Annotated[float | None, typer.Option(metavar="USD", min=0, help="Price of a label.")] = None


@command
def corrected_ratings(
    file: VotesFile,
    labels: LabelledBattles,
    needed: Needed,
    reading: VoteReading,
    files: Files,
    out: Output,
    seed: Seed = 1,
) -> int:
    """The leaderboard that people would give, from judges on all battles, people on few.

    People's votes correct the judges, whose votes make people's worth more, also where judges favour a system. The
    battles that people voted on must have been chosen at random. Says how many more it takes. Ends with exit code 2 if
    no system is surely better than another.
    """
    from quorate.estimate.labelled.corrected_ratings import corrected_ratings as found_by
    from quorate.planning.labels.board_plan import plan_board_labels

    column = labels.sampling_probability
    chances: dict[str, Any] = {"facets": {column: column}} if column else {}
    votes = reading.votes(file, **(chances if labels.human else {}))
    human = cast("Votes | list[str]", labels.said(file, reading, votes, **chances))
    named = ("ties", "key", "tuning", "sampling_probability", "level")
    options = {name: value for name, value in labels.given().items() if name in named}
    found = found_by(
        votes,
        human,
        cluster=clusters_of(labels.cluster, votes),
        strata=role_of(labels.strata, votes),
        seed=seed,
        **options,
    )
    board = found.elo() if labels.elo else found
    plan = plan_board_labels(board, **needed.given())
    out.show(plan, files, votes, seed=seed)
    return 0 if board.ratings.ranks.above.any() else UNDECIDED
