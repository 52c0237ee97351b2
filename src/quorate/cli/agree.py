"""`quorate agree`: how often judges decide battles as people do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import reading, vote_reading
from quorate.cli.console import console, heading, print_json, say, table
from quorate.cli.parts import show_columns, with_column
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.agreement import Agreement, Difference, Rate
    from quorate.table.votes import Votes

Human = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A level of the role judge that is a person; repeat for each person."),
]
HumanWinner = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Instead of --human: column of the outcome that people gave.")
]
Each = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE", help="Also every level of this role alone, such as judge; repeat for single cells."),
]
Key = Annotated[str, typer.Option(metavar="ROLE", help="What the two models answered.")]
By = Annotated[str | None, typer.Option(metavar="ROLE", help="Also within every level of this role.")]
Calibrated = Annotated[
    bool, typer.Option("--calibrated", help="Move thresholds to where judges tie as often as people do.")
]
Threshold = Annotated[
    float | None, typer.Option(metavar="SHARE", help="Share of votes above one half that is no tie; .05 without it.")
]
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Coverage of the intervals.")]
Resamples = Annotated[int, typer.Option(metavar="N", help="Bootstrap samples, of differences.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Root of the random numbers.")]


def agree(
    file: vote_reading.File,
    human: Human = None,
    human_winner: HumanWinner = None,
    each: Each = None,
    key: Key = "prompt",
    by: By = None,
    threshold: Threshold = None,
    calibrated: Calibrated = False,
    level: Level = 0.95,
    resamples: Resamples = 2000,
    seed: Seed = None,
    as_json: reading.Json = False,
    model_a: vote_reading.ModelA = "model_a",
    model_b: vote_reading.ModelB = "model_b",
    winner: vote_reading.Winner = "winner",
    wins: vote_reading.Wins = None,
    outcome: vote_reading.Outcomes = None,
    role: vote_reading.Roles = None,
    status: vote_reading.Status = None,
    _debug: reading.Debug = False,
) -> int:
    """How often judges decide battles as people do.

    Votes of all judges on a battle are averaged, and compared with what people said of it: with ties, and among battles
    that neither calls a tie.
    """
    from quorate.estimate.agreement import agreement

    if (human_winner is None) == (not human):
        raise InvalidInput("--human: name the judges who are people, or give --human-winner: the column of their votes")
    read: dict[str, Any] = {"wins": wins, "outcomes": outcome, "roles": role, "status": status}
    judged = vote_reading.votes(file, model_a, model_b, winner, **read)
    people: Votes | list[str] = list(human or ())
    if human_winner is not None:
        people = vote_reading.votes(file, model_a, model_b, human_winner, **{**read, "wins": None})
    options: dict[str, Any] = {"each": each or None, "key": key, "by": by, "calibrated": calibrated}
    options |= {"threshold": threshold}
    found = agreement(judged, people, **options, level=level, resamples=resamples, rng=seed)
    if as_json:
        print_json(found.to_dict())
    else:
        show(console(), found)
        show_columns(console(), with_column(judged.notes, "people", human_winner))
    return 0


def show(out: Console, found: Agreement) -> None:
    """Print how often pipelines agree with people, and which does so more often."""
    say(out, found.sentence, style="bold")
    interval = f"{100 * found.level:.4g}% interval"
    heading(out, "Battles decided as people do")
    kinds = {"overall": "with ties", "decisive": "without"}
    heads = {"judged by": "left", "of": "left", "ties": "left", "battles": "right", "share": "right", interval: "right"}
    table(out, heads, (_rate(one, kinds) for one in found.rates))
    if found.differences:
        heading(out, "Differences, on the same battles")
        heads = {"first": "left", "less": "left", "of": "left", "ties": "left", "points": "right"}
        table(out, heads | {interval: "right", "p": "right"}, (_difference(one, kinds) for one in found.differences))
    heading(out, "Ties")
    table(out, {"judged by": "left", "share": "right", "people": "right"}, _ties(found))


def _rate(one: Rate, kinds: dict[str, str]) -> tuple[str, ...]:
    from quorate.report.votes_words import share

    if one.n == 0:
        return one.pipeline, one.category, kinds[one.kind], "0", "-", "-"
    value, ends = share(one.value), f"{share(one.low)} to {share(one.high)}"
    return one.pipeline, one.category, kinds[one.kind], f"{one.n:,}", value, ends


def _difference(one: Difference, kinds: dict[str, str]) -> tuple[str, ...]:
    from quorate.report.votes_words import p_value
    from quorate.report.words import number

    value, low, high = (number(100 * end, 1) for end in (one.value, one.low, one.high))
    ends = f"{low} to {high}" if one.low == one.low else "-"
    chance = p_value(one.p).removeprefix("p ").removeprefix("= ")
    return one.first, one.second, one.category, kinds[one.kind], value, ends, chance


def _ties(found: Agreement) -> Iterator[tuple[str, str, str]]:
    from quorate.report.votes_words import share

    yield from ((name, share(value), share(found.human_ties[name])) for name, value in found.ties.items())
