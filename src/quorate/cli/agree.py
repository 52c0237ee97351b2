"""`quorate agree`: how often judges decide battles as people do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import agree_parts, either_reading, reading, vote_reading
from quorate.cli.console import console, print_json
from quorate.cli.parts import show_columns, with_column
from quorate.cli.places import check_places
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.analysis.agreement import AgreementView
    from quorate.estimate.agreement.agreement import Agreement
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

Each = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE", help="Also every level of this role alone, such as judge; repeat for single cells."),
]
By = Annotated[str | None, typer.Option(metavar="ROLE", help="Also within every level of this role of people's votes.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE",
        help="Role of people's votes whose battles may resemble each other. Default: battles of one --key, if several.",
    ),
]
Calibrated = Annotated[
    bool, typer.Option("--calibrated", help="Move thresholds to where judges tie as often as people do.")
]
Cells = Annotated[
    str | None,
    typer.Option(
        metavar="ROLES",
        help="Votes: also how often single votes are right in every cell of these roles, such as judge,variant.",
    ),
]
Position = Annotated[
    bool, typer.Option("--position", help="Votes with an order: also whether each judge prefers what is shown first.")
]
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Coverage of the intervals.")]
Resamples = Annotated[int, typer.Option(metavar="N", help="Bootstrap samples, of differences.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Root of the random numbers.")]


def agree(
    context: typer.Context,
    file: either_reading.File,
    human: agree_parts.Human = None,
    human_winner: agree_parts.HumanWinner = None,
    people: agree_parts.People = None,
    each: Each = None,
    key: agree_parts.Key = "prompt",
    by: By = None,
    cluster: Cluster = None,
    threshold: agree_parts.Threshold = None,
    calibrated: Calibrated = False,
    cells: Cells = None,
    position: Position = False,
    level: Level = 0.95,
    resamples: Resamples = 2000,
    seed: Seed = None,
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
    """How often judges decide battles as people do.

    Votes of all judges on a battle are averaged, or their scores of its two responses, and compared with what people
    said of it: with ties, and among battles that neither calls a tie. For leaderboards by judges see quorate pipelines.
    """
    from quorate.estimate.agreement.agreement import agreement

    check_places(report, charts=charts)
    read: dict[str, Any] = {"model_a": model_a, "model_b": model_b, "winner": winner, "wins": wins}
    read |= {"outcomes": outcome, "roles": role, "score": score, "facets": facet, "object_": object_}
    read |= {"nested": nested, "fixed": fixed, "status": status, "missing": missing}
    judged, theirs = agree_parts.sources(file, people, human, human_winner, read)
    if theirs is None:
        raise InvalidInput(
            "--human: name the judges who are people, or give --human-winner, the column of their votes, or --people, "
            "their file"
        )
    cluster = either_reading.role_of(cluster, judged if isinstance(theirs, list) else theirs)
    options: dict[str, Any] = {"each": each or None, "key": key, "by": by, "cluster": cluster}
    options |= {"threshold": threshold, "calibrated": calibrated}
    found = agreement(judged, theirs, **options, level=level, resamples=resamples, rng=seed)
    view = _view(found, judged, theirs, cells, position, {"key": key, "level": level})
    if as_json:
        print_json(view.to_dict())
    else:
        agree_parts.show(console(), view)
        show_columns(console(), with_column(judged.notes, "people", None if people else human_winner))
    either_reading.write_files(view, judged, report, charts, chart_format, context.obj, seed=seed, quiet=as_json)
    return 0


def _view(
    found: Agreement,
    judged: Votes | Judgments,
    theirs: Votes | list[str],
    cells: str | None,
    position: bool,
    options: dict[str, Any],
) -> AgreementView:
    """The agreement with what else is asked of the same votes."""
    from quorate.analysis.agreement import AgreementView
    from quorate.estimate.agreement.cells import accuracy_by_cell
    from quorate.estimate.agreement.position import position_bias
    from quorate.table.votes import Votes

    if not isinstance(judged, Votes):
        either_reading.refuse({"cells": cells, "position": position or None}, "for votes, and this file has scores")
    roles = () if cells is None else reading.names(cells)
    by_cell = accuracy_by_cell(judged, theirs, by=roles, **options) if roles else None
    positions = position_bias(judged, **options) if position and isinstance(judged, Votes) else ()
    return AgreementView(found, by_cell, positions)
