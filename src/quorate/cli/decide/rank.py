"""`quorate rank`: a leaderboard whose order can be trusted, from scores or from votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import caveats, read_as, say, table
from quorate.cli.options import File, Files, For, Group, Output, Reading, Seed, Systems, command
from quorate.numerics.ratings.ties.registry import Ties

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.ratings import RatingsAnalysis

UNDECIDED = 2
MOST_SYSTEMS = 100
"""Systems that are listed; the report has all."""


@dataclass(frozen=True, kw_only=True)
class Ranking(Group):
    """How votes are made into ratings."""

    elo: Annotated[
        bool, For("votes"), typer.Option("--elo", help="Votes: points of the Elo scale, 1000 on average.")
    ] = False
    ties: Annotated[
        Ties | None,
        For("votes"),
        typer.Option(help="Votes: how ties count. Default: davidson, as outcomes of their own."),
    ] = None
    position: Annotated[
        bool, For("votes"), typer.Option("--position", help="Votes: estimate what being shown first does.")
    ] = False
    regularisation: Annotated[
        float | None,
        For("votes"),
        typer.Option(metavar="X", min=0, help="Votes: ridge that keeps ratings finite. Default: 0."),
    ] = None
    resamples: Annotated[
        int | None,
        For("votes"),
        typer.Option(metavar="N", help="Votes: intervals by so many refits of resampled votes. Default: none."),
    ] = None


@command
def rank(
    file: File, systems: Systems, how: Ranking, reading: Reading, files: Files, out: Output, seed: Seed = 1
) -> int:
    """A leaderboard: ranks, groups and intervals.

    From scores: means, with intervals that count judges and prompts. From votes: Bradley-Terry ratings. Ranks and
    groups hold for all systems at once. Ends with exit code 2 if no system is surely better than another, or if noise
    exceeds what systems differ by.
    """
    from quorate.analysis.ratings import RatingsAnalysis
    from quorate.estimate.ratings.leaderboard import Leaderboard
    from quorate.estimate.ratings.rank import rank as ranked
    from quorate.estimate.ratings.ratings import Ratings
    from quorate.table.votes import Votes

    table = reading.table(file, systems, how)
    options: dict[str, Any] = {"level": systems.level, "seed": seed}
    if isinstance(table, Votes):
        given = how.given() | {"cluster": systems.clusters(table), "elo": None}
        table = systems.told_apart(table)
    else:
        given = {"facet": systems.system, "targets": systems.targets()}
    options |= {name: value for name, value in given.items() if value is not None}
    found: Ratings | Leaderboard = ranked(table, **options)
    shown = found.elo() if how.elo and isinstance(found, Ratings) else found
    view = RatingsAnalysis(shown, table)
    out.show(view, show)
    files.write(shown, table, out)
    return 0 if view.told_apart and not view.not_rankable else UNDECIDED


def show(out: Console, view: RatingsAnalysis) -> None:
    """Print the leaderboard: the sentence, every system, and what to know before relying on it."""
    from quorate.analysis.votes import order_noticed
    from quorate.analysis.words import number, share
    from quorate.reporting.pages.ratings import leaderboard
    from quorate.table.votes import Votes

    say(out, view.found.sentence, style="bold")
    out.print()
    unit = ("Elo" if "Elo" in view.unit else "rating") if view.of_votes else "mean"
    heads = {"rank": "right", "group": "right", "system": "left", unit: "right"}
    rows = []
    for row in leaderboard(view).rows[:MOST_SYSTEMS]:
        ends = " to ".join(number(row[end], view.places) for end in ("low", "high"))
        rating = number(row["rating"], view.places)
        rows.append((row["rank"], str(row["group"]), row["system"], rating, ends, share(row["share"])))
    table(out, heads | {f"{100 * view.level:.4g}% interval": "right", "best": "right"}, rows)
    if len(view.found) > MOST_SYSTEMS:
        say(out, f"And {len(view.found) - MOST_SYSTEMS:,} more systems; --report and --json have all.")
    told = f"{view.told_apart:,} of {view.pairs:,} pairs of systems are told apart"
    say(out, f"Ranks, for all systems at once: {told}. Best: probability of being the best of these.")
    if view.position_words:
        say(out, view.position_words)
    caveats(out, (one.sentence for one in view.caveats))
    noticed = "" if view.position_words or not isinstance(view.table, Votes) else order_noticed(view.table)
    if noticed:
        say(out, f"{noticed}: --position says how much of that is the order's doing.")
    if view.table is not None:
        read_as(out, view.table.notes)
