"""`quorate pipelines`: how far a leaderboard by judges would move with other judges, prompts and orders."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import agree_parts, either_reading, reading, vote_reading
from quorate.cli.console import console, heading, print_json, say, table
from quorate.cli.parts import show_columns, with_column
from quorate.cli.places import check_places

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.agreement.leaderboards import Leaderboards
    from quorate.simulate.pipelines.result import PipelineErrors, Pipelines

MOST_SYSTEMS = 100

By = Annotated[Literal["bradley-terry", "win rate"], typer.Option(help="What systems are ranked by.")]
Ties = Annotated[Literal["half", "davidson", "drop"], typer.Option(help="How ties count.")]
CellRoles = Annotated[
    str | None,
    typer.Option(
        "--cells", metavar="ROLES", help="Roles that tell cells apart, such as judge,variant. Default: all there are."
    ),
]
Cell = Annotated[
    list[str] | None,
    typer.Option(
        "--cell", metavar="ROLE=LEVEL", help="The single cell that is used; repeat for each role. Default: any."
    ),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ROLE", help="Votes: role whose battles are drawn together, such as prompt.")
]
Regularisation = Annotated[float, typer.Option(metavar="X", min=0, help="Ridge that keeps ratings finite.")]
Resamples = Annotated[int, typer.Option(metavar="N", help="Draws: at least 100, and 4 for every cell.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Root of the random numbers.")]


def pipelines(
    context: typer.Context,
    file: either_reading.File,
    human: agree_parts.Human = None,
    human_winner: agree_parts.HumanWinner = None,
    people: agree_parts.People = None,
    by: By = "bradley-terry",
    ties: Ties = "half",
    cells: CellRoles = None,
    cell: Cell = None,
    key: agree_parts.Key = "prompt",
    system: Annotated[str, typer.Option(metavar="ROLE", help="Scores: role of the systems.")] = "system",
    cluster: Cluster = None,
    threshold: agree_parts.Threshold = None,
    regularisation: Regularisation = 0.0,
    resamples: Resamples = 1000,
    seed: Seed = 1,
    report: either_reading.Report = None,
    charts: either_reading.Charts = None,
    chart_format: either_reading.ChartFormat = "svg",
    as_json: reading.Json = False,
    model_a: vote_reading.ModelA = "model_a",
    model_b: vote_reading.ModelB = "model_b",
    winner: vote_reading.Winner = "winner",
    wins: vote_reading.Wins = None,
    outcome: vote_reading.Outcomes = None,
    role: vote_reading.Roles = None,
    score: reading.Score = "score",
    facet: reading.Facets = None,
    object_: reading.Object = "item",
    nested: reading.Nested = None,
    fixed: reading.Fixed = None,
    status: reading.Status = None,
    missing: reading.Missing = None,
    _debug: reading.Debug = False,
) -> int:
    """Leaderboards by judges: error bars that count them.

    How far a leaderboard by judges would move with other judges, prompts and orders: error bars over battles alone,
    and over judges, prompts and orders like these too, for one cell of them and for the mean of all; with people, the
    correlation of each leaderboard with theirs.
    """
    from quorate.simulate.pipelines.pipelines import pipelines as compared

    check_places(report, charts=charts)
    read: dict[str, Any] = {"model_a": model_a, "model_b": model_b, "winner": winner, "wins": wins}
    read |= {"outcomes": outcome, "roles": role, "score": score, "facets": facet, "object_": object_}
    read |= {"nested": nested, "fixed": fixed, "status": status, "missing": missing}
    judged, theirs = agree_parts.either(file, people, human, human_winner, read)
    cluster = either_reading.role_of(cluster, judged)
    options: dict[str, Any] = {"by": by, "ties": ties, "key": key, "system": system, "cluster": cluster}
    options |= {"cells": None if cells is None else reading.names(cells), "threshold": threshold}
    chosen = reading.pairs("--cell", cell, "judge=gpt") if cell else None
    options |= {"cell": chosen, "regularisation": regularisation, "resamples": resamples, "seed": seed}
    found = compared(judged, theirs, **options)
    if as_json:
        print_json(found.to_dict())
    else:
        show(console(), found)
        show_columns(console(), with_column(judged.notes, "people", None if people else human_winner))
    either_reading.write_files(found, judged, report, charts, chart_format, context.obj, seed=seed, quiet=as_json)
    return 0


def show(out: Console, found: Pipelines) -> None:
    """Print every leaderboard with both error bars, and how close each is to that of people."""
    say(out, found.sentence, style="bold")
    kinds = {"single": "one cell for all battles", "average": "the mean of all cells"}
    unit = "rating" if found.by == "bradley-terry" else "win rate"
    for one in found.errors:
        heading(out, f"By {kinds[one.kind]}: error bars over cells too are {one.ratio:.2f} times the naive")
        heads = {"system": "left", unit: "right", "naive se": "right", "aware se": "right", "times": "right"}
        table(out, heads | {"95% interval": "right"}, _rows(one))
        if len(one.systems) > MOST_SYSTEMS:
            say(out, f"  And {len(one.systems) - MOST_SYSTEMS:,} more systems; --report and --json have all.")
    if found.leaderboards is not None:
        _people(out, found.leaderboards)


def _rows(errors: PipelineErrors) -> Iterator[tuple[str, ...]]:
    from quorate.analysis.words import number
    from quorate.reporting.pages.pipelines import systems

    for row in systems(errors)[:MOST_SYSTEMS]:
        numbers = (number(row[name], 3) for name in ("value", "naive", "aware"))
        times = "-" if isnan(row["ratio"]) else f"{row['ratio']:.2f}"
        yield row["system"], *numbers, times, " to ".join(number(row[end], 2) for end in ("low", "high"))


def _people(out: Console, boards: Leaderboards) -> None:
    heading(out, "Correlation with the leaderboard by people")
    rows = ((one.board, *(f"{x:.2f}" for x in (one.pearson, one.spearman, one.kendall))) for one in boards.boards)
    table(out, {"leaderboard": "left", "Pearson": "right", "Spearman": "right", "Kendall": "right"}, rows)
    for one in boards.differences:
        test = "no test exists" if isnan(one.p) else f"Williams' test p = {one.p:.2g}"
        say(out, f"  {one.first} less {one.second}: {one.difference:+.2f} ({test})")
