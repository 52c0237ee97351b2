"""What `quorate agree` and `quorate pipelines` read, and the tables that they print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from quorate.cli import either_reading, reading, vote_reading
from quorate.cli.console import heading, points, say, table
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.agreement import AgreementView
    from quorate.estimate.agreement.agreement import Agreement, PipelineDifference, Rate
    from quorate.estimate.agreement.cells import Cell, Cells
    from quorate.estimate.agreement.position import PositionBias
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

Of = TypeVar("Of", "Rate", "PipelineDifference")
MOST_ROWS = 40
"""Rows of a table on the terminal; the report and the JSON have all."""
MOST_CELLS = 120

Human = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A level of the role judge that is a person; repeat for each person."),
]
HumanWinner = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Instead of --human: column of the outcome that people gave.")
]
People = Annotated[
    Path | None,
    typer.Option(metavar="VOTES", help="Instead of --human: a file of people's votes; FILE may then have scores."),
]
Key = Annotated[str, typer.Option(metavar="ROLE", help="What the two models answered.")]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="MARGIN",
        help="Least margin that is no tie: share of votes above one half (default .05), or difference of scores "
        "(default half a point on scales of 4 to 10 points).",
    ),
]


def sources(
    file: Path, people: Path | None, human: list[str] | None, human_winner: str | None, options: Mapping[str, Any]
) -> tuple[Votes | Judgments, Votes | list[str] | None]:
    """What judges said, and what people said, or which judges are people; None where no option names people.

    Parameters
    ----------
    file : Path
        Votes, or scores where people have a file of their own.
    people : Path or None
        That file.
    human, human_winner
        As the options say.
    options : mapping
        Options of `quorate.cli.reading` and `quorate.cli.vote_reading`, by their names.
    """
    named = [bool(human), human_winner is not None and people is None, people is not None]
    if sum(named) > 1:
        raise InvalidInput("--human: people are judges, a column (--human-winner) or a file (--people); give one")
    votes = {name: options[name] for name in ("model_a", "model_b", "winner", "wins", "outcomes", "roles")}
    votes["status"] = options["status"]
    if people is not None:
        theirs = vote_reading.votes(people, **{**votes, "winner": human_winner or votes["winner"]})
        if not either_reading.has_votes(file, options):
            return _scores(file, options), theirs
        return vote_reading.votes(file, **votes, facets=options["facets"]), theirs
    judged = vote_reading.votes(file, **votes, facets=options["facets"])
    if human_winner is None:
        return judged, list(human) if human else None
    named_by = {**votes, "winner": human_winner, "wins": None, "facets": options["facets"]}
    return judged, vote_reading.votes(file, **named_by)


def either(
    file: Path, people: Path | None, human: list[str] | None, human_winner: str | None, options: Mapping[str, Any]
) -> tuple[Votes | Judgments, Votes | list[str] | None]:
    """As `sources`, but a file without votes is read as scores even if nothing is known of people.

    Parameters
    ----------
    file, people, human, human_winner, options
        As for `sources`.
    """
    alone = people is None and not human and human_winner is None
    if alone and not either_reading.has_votes(file, options):
        return _scores(file, options), None
    return sources(file, people, human, human_winner, options)


def _scores(file: Path, options: Mapping[str, Any]) -> Judgments:
    names = ("score", "facets", "object_", "nested", "fixed", "status", "missing")
    return reading.judgments(file, **{name: options[name] for name in names})


def show(out: Console, view: AgreementView) -> None:
    """Print how often pipelines agree with people, which does so more often, and what else was asked."""
    from quorate.analysis.agreement import KINDS

    found = view.found
    say(out, found.sentence, style="bold")
    interval = f"{100 * found.level:.4g}% interval"
    heading(out, "Battles decided as people do")
    heads = {"judged by": "left", "of": "left", "ties": "left", "battles": "right", "share": "right", interval: "right"}
    clusters = {} if found.cluster is None else {"clusters": "right"}
    _table(out, heads | clusters, [_rate(one, KINDS) for one in _all_first(found.rates)])
    if found.differences:
        heading(out, "Differences, on the same battles")
        heads = {"first": "left", "less": "left", "of": "left", "ties": "left", "points": "right"}
        rows = [_difference(one, KINDS) for one in _all_first(found.differences)]
        _table(out, heads | {interval: "right", "p": "right"}, rows)
    heading(out, "Ties")
    _table(out, {"judged by": "left", "share": "right", "people": "right", "threshold": "right"}, list(_ties(found)))
    if view.positions:
        _show_positions(out, view.positions, interval)
    if view.cells is not None:
        _show_cells(out, view.cells, interval)
    if view.caveats:
        heading(out, "Caveats")
        points(out, (in_options(one.sentence) for one in view.caveats))


def _all_first(rows: Sequence[Of]) -> list[Of]:
    """Rows on all battles before those of categories."""
    return sorted(rows, key=lambda one: one.category != "all")


def _table(out: Console, heads: Mapping[str, str], rows: Sequence[tuple[str, ...]], most: int = 0) -> None:
    most = most or MOST_ROWS
    table(out, heads, (row[: len(heads)] for row in rows[:most]))
    if len(rows) > most:
        say(out, f"  And {len(rows) - most:,} more rows; --report and --json have all.")


def _show_positions(out: Console, positions: Iterable[PositionBias], interval: str) -> None:
    heading(out, "Position bias: choices that were shown first, in battles judged in both orders")
    heads = {"judge": "left", "battles": "right", "share": "right", interval: "right", "p": "right"}
    _table(out, heads | {"same winner": "right"}, [_position(one) for one in positions])


def _show_cells(out: Console, found: Cells, interval: str) -> None:
    from quorate.estimate.agreement.cells import named

    heading(out, "Single judgments that are right, cell by cell")
    say(out, found.sentence)
    rows = [
        (named(one), f"{one.n:,}", f"{one.clusters:,}", *_shares(one))
        for one in sorted(found.cells, key=lambda one: -one.value)
    ]
    heads = {", ".join(found.roles): "left", "n": "right", f"{found.cluster}s": "right", "right": "right"}
    _table(out, heads | {interval: "right", "for all at once": "right"}, rows, MOST_CELLS)


def _rate(one: Rate, kinds: Mapping[str, str]) -> tuple[str, ...]:
    if one.n == 0:
        return one.pipeline, one.category, kinds[one.kind], "0", "-", "-", "-"
    clusters = "-" if one.clusters is None else f"{one.clusters:,}"
    numbers = f"{one.n:,}", _share(one.value), _ends(one.low, one.high), clusters
    return one.pipeline, one.category, kinds[one.kind], *numbers


def _difference(one: PipelineDifference, kinds: Mapping[str, str]) -> tuple[str, ...]:
    from quorate.analysis.words import number

    value, low, high = (number(100 * end, 1) for end in (one.value, one.low, one.high))
    ends = "-" if isnan(one.low) else f"{low} to {high}"
    return one.first, one.second, one.category, kinds[one.kind], value, ends, _chance(one.p)


def _ties(found: Agreement) -> Iterator[tuple[str, ...]]:
    for name, value in found.ties.items():
        yield name, _share(value), _share(found.human_ties[name]), f"{found.thresholds[name]:.3g}"


def _position(one: PositionBias) -> tuple[str, ...]:
    if not one.battles:
        return one.judge, "0", "-", "-", "-", "-"
    numbers = f"{0.5 + one.bias:.1%}", _tenths(0.5 + one.low, 0.5 + one.high), _chance(one.p)
    return one.judge, f"{one.battles:,}", *numbers, _share(one.consistent)


def _share(value: float) -> str:
    from quorate.analysis.words import share

    return share(value)


def _shares(cell: Cell) -> tuple[str, str, str]:
    return _share(cell.value), _ends(cell.low, cell.high), _ends(cell.all_low, cell.all_high)


def _ends(low: float, high: float) -> str:
    return "-" if isnan(low) else f"{_share(low)} to {_share(high)}"


def _tenths(low: float, high: float) -> str:
    return "-" if isnan(low) else f"{low:.1%} to {high:.1%}"


def _chance(p: float) -> str:
    from quorate.analysis.words import p_value

    return "-" if isnan(p) else p_value(p).removeprefix("p ").removeprefix("= ")
