"""`quorate rank`: a leaderboard whose order can be trusted, from scores or from votes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import either_reading, reading, vote_reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.parts import show_columns
from quorate.cli.places import check_places
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.ratings import RatingsView
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

UNDECIDED = 2
MOST_SYSTEMS = 100
"""Systems that are listed; the report has all."""

Level = Annotated[float, typer.Option(metavar="LEVEL", help="Coverage of the intervals.")]
System = Annotated[str | None, typer.Option(metavar="ROLE", help="Scores: the facet that is ranked. Default: system.")]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="ROLE=TARGET",
        help="Scores: what a facet stands for, population or panel, such as judge=population; repeat for each.",
    ),
]
Ties = Annotated[
    Literal["davidson", "half", "drop"] | None,
    typer.Option(help="Votes: how ties count. Default: davidson, as outcomes of their own."),
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ROLE", help="Votes: facet whose votes resemble each other: prompt, judge or cluster."),
]
Position = Annotated[bool, typer.Option("--position", help="Votes: estimate what being shown first does.")]
Regularisation = Annotated[
    float | None, typer.Option(metavar="X", min=0, help="Votes: ridge that keeps ratings finite. Default: 0.")
]
Resamples = Annotated[
    int | None, typer.Option(metavar="N", help="Votes: intervals by so many refits of resampled votes. Default: none.")
]
Elo = Annotated[bool, typer.Option("--elo", help="Votes: points of the Elo scale, 1000 on average.")]
Within = Annotated[
    str | None,
    typer.Option(metavar="ROLE", help="Votes: tell systems of the same name apart by this facet."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Root of the random numbers.")]


def rank(
    context: typer.Context,
    file: either_reading.File,
    level: Level = 0.95,
    elo: Elo = False,
    cluster: Cluster = None,
    ties: Ties = None,
    position: Position = False,
    regularisation: Regularisation = None,
    resamples: Resamples = None,
    within: Within = None,
    system: System = None,
    target: Targets = None,
    seed: Seed = 1,
    report: either_reading.Report = None,
    charts: either_reading.Charts = None,
    chart_format: either_reading.ChartFormat = "svg",
    as_json: reading.Json = False,
    score: reading.Score = "score",
    facet: reading.Facets = None,
    object_: reading.Object = "item",
    nested: reading.Nested = None,
    fixed: reading.Fixed = None,
    status: reading.Status = None,
    missing: reading.Missing = None,
    model_a: vote_reading.ModelA = "model_a",
    model_b: vote_reading.ModelB = "model_b",
    winner: vote_reading.Winner = "winner",
    wins: vote_reading.Wins = None,
    outcome: vote_reading.Outcomes = None,
    role: vote_reading.Roles = None,
    _debug: reading.Debug = False,
) -> int:
    """A leaderboard: ranks, groups and intervals.

    From scores: means, with intervals that count judges and prompts. From votes: Bradley-Terry ratings. Ranks and
    groups hold for all systems at once. Ends with exit code 2 if no system is surely better than another, or if noise
    exceeds what systems differ by.
    """
    from quorate.analysis.ratings import RatingsView

    check_places(report, charts=charts)
    scores = {"score": score, "facet": facet, "object": object_, "nested": nested, "fixed": fixed, "missing": missing}
    votes = {"model_a": model_a, "model_b": model_b, "winner": winner, "wins": wins, "outcome": outcome, "role": role}
    read = either_reading.table_of(file, status, scores, votes)
    cluster, within = (either_reading.role_of(name, read) for name in (cluster, within))
    of_votes: dict[str, Any] = {"cluster": cluster, "ties": ties, "position": position or None}
    of_votes |= {"regularisation": regularisation, "resamples": resamples}
    of_scores = {"system": system, "target": target or None}
    view = RatingsView(*_ranked(read, of_votes, of_scores, {"elo": elo, "within": within}, level=level, seed=seed))
    if as_json:
        print_json(view.to_dict())
    else:
        show(console(), view)
    either_reading.write_files(view.found, view.table, report, charts, chart_format, context.obj, quiet=as_json)
    return 0 if view.told_apart and not view.not_rankable else UNDECIDED


def _ranked(
    read: Votes | Judgments,
    of_votes: dict[str, Any],
    of_scores: dict[str, Any],
    shown: dict[str, Any],
    **options: Any,
) -> tuple[Any, Votes | Judgments]:
    """The ranking, and the table that it is of."""
    from quorate.estimate.ratings.rank import rank as ranked
    from quorate.table.votes import Votes

    if not isinstance(read, Votes):
        either_reading.refuse({**of_votes, **shown}, "for votes, and this file has scores")
        targets = reading.pairs("--target", of_scores["target"], "judge=population")
        return ranked(read, facet=of_scores["system"], targets=targets or None, **options), read
    either_reading.refuse(of_scores, "for scores, and this file has votes")
    voted = read.within(shown["within"]) if shown["within"] else read
    found = ranked(voted, **either_reading.given(of_votes), **options)
    return (found.elo() if shown["elo"] else found), voted


def show(out: Console, view: RatingsView) -> None:
    """Print the leaderboard: the sentence, every system, and what to know before relying on it."""
    say(out, view.found.sentence, style="bold")
    out.print()
    heads = {"rank": "right", "group": "right", "system": "left", _short(view): "right"}
    table(out, heads | {f"{100 * view.level:.4g}% interval": "right", "best": "right"}, _rows(view))
    if len(view.found) > MOST_SYSTEMS:
        say(out, f"And {len(view.found) - MOST_SYSTEMS:,} more systems; --report and --json have all.")
    say(out, _how_to_read(view))
    if view.position_words:
        say(out, view.position_words)
    if view.caveats:
        heading(out, "Caveats")
        points(out, (in_options(one.sentence) for one in view.caveats))
    hint = _order_hint(view)
    if hint:
        say(out, hint)
    if view.table is not None:
        show_columns(out, view.table.notes)


def _order_hint(view: RatingsView) -> str:
    """What to ask next where the system shown first wins beyond chance, and nothing was asked of it."""
    from quorate.analysis.votes import order_noticed
    from quorate.table.votes import Votes

    noticed = "" if view.position_words or not isinstance(view.table, Votes) else order_noticed(view.table)
    return noticed and f"{noticed}: --position says how much of that is the order's doing."


def _rows(view: RatingsView) -> Iterable[tuple[str, ...]]:
    from quorate.analysis.words import number, share
    from quorate.reporting.pages.ratings import leaderboard

    for row in leaderboard(view).rows[:MOST_SYSTEMS]:
        ends = " to ".join(number(row[end], view.places) for end in ("low", "high"))
        chance = share(row["share"])
        yield row["rank"], str(row["group"]), row["system"], number(row["rating"], view.places), ends, chance


def _short(view: RatingsView) -> str:
    return ("Elo" if "Elo" in view.unit else "rating") if view.of_votes else "mean"


def _how_to_read(view: RatingsView) -> str:
    told = f"{view.told_apart:,} of {view.pairs:,} pairs of systems are told apart"
    return f"Ranks, for all systems at once: {told}. Best: probability of being the best of these."
