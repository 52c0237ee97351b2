"""`quorate votes analyze`: the verdict on two systems, or how far apart all pairs are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli.console import console, whole
from quorate.cli.options import Files, For, Group, Level, Output, Power, ScoreReading, VoteReading, VotesFile, command
from quorate.cli.options.groups import TWO
from quorate.cli.options.systems import Clustering
from quorate.cli.votes.asked import Pair, clustered_by
from quorate.cli.votes.show import show
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.table.votes import Votes

MINIMUM = 200


@dataclass(frozen=True, kw_only=True)
class Asked(Group):
    """What is asked of the two systems, or of all pairs."""

    margin: Annotated[
        float | None,
        For(TWO),
        typer.Option(metavar="D", help="With --a: shares within .5 +- D count as equal; stated before looking."),
    ] = None
    level: Level = 0.95
    power: Power = 0.9
    cluster: Clustering = None
    claim: Annotated[
        Literal["better", "equivalent", "not worse"] | None,
        For(TWO),
        typer.Option(help="What is to be shown of --a, for the exit code. Default: better or equivalent."),
    ] = None
    ties: Annotated[
        Literal["drop", "half", "pessimistic"] | None,
        For(TWO),
        typer.Option(help="With --a: how ties count. Default: drop."),
    ] = None
    budget: Annotated[
        int | None,
        For(TWO),
        typer.Option(metavar="N", min=1, help="With --a: votes that can still be collected."),
    ] = None
    price: Annotated[float | None, For(TWO), typer.Option(metavar="USD", min=0, help="With --a: price of a vote.")] = (
        None
    )
    minimum: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="Decisive votes that a pair must have, among all pairs. Default: 200."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class VotesFiles(Files):
    """The files of an analysis of votes, each on a line."""

    def said(self, out: Output, written: Sequence[Path], drawn: Sequence[Path]) -> None:
        """Print where they are, unless JSON is printed."""
        lines = [
            *(f"Report: {path}" for path in written),
            *([f"Charts: {', '.join(map(str, drawn))}"] if drawn else []),
        ]
        for line in () if out.as_json else lines:
            whole(console(), line)


@command
def analyze(file: VotesFile, pair: Pair, asked: Asked, reading: VoteReading, files: VotesFiles, out: Output) -> int:
    """The verdict on two systems, or how far apart all pairs are.

    With --a and --b: better, worse, equivalent or undecided, and what would decide it; exit code 2 if what is claimed
    is not shown. Without: margins of all pairs with enough votes, near ties, and how many votes would tell them apart.
    """
    pair.check(asked)
    if pair.systems is not None and asked.minimum is not None and not files.report and files.charts is None:
        raise InvalidInput("--minimum: is for all pairs, which --a and --b leave to the report; give --report too")
    return analyzed(reading.votes(file), pair, asked, files, out)


def analyzed(votes: Votes, pair: Pair, asked: Asked, files: VotesFiles, out: Output) -> int:
    """Print and write what is asked of votes that are read."""
    from quorate.analysis.pair import pair_view
    from quorate.analysis.votes import votes_view

    votes = pair.of(votes)
    options = asked.given() | clustered_by(votes, asked.cluster)
    found = votes_view(votes, **options) if pair.systems is None else pair_view(votes, *pair.systems, **options)
    out.show(found, show)
    files.write(found, None, out)
    return found.exit_code


def analyzed_ledger(file: Path, price: float | None, reading: ScoreReading, files: Files, out: Output) -> int:
    """As `quorate votes analyze`, with both systems named where there are two."""
    votes = VoteReading(status=reading.status, where=reading.where, only=reading.only).votes(file)
    a, b = votes.models if len(votes.models) == 2 else (None, None)
    pair, least = Pair(a=a, b=b), votes.pairs().decisive.min(initial=MINIMUM)
    asked = Asked(price=price, minimum=max(2, int(least)))
    if pair.systems is None:
        asked.refuse(TWO, "is for two systems; name them with --a and --b")
    written = VotesFiles(
        context=files.context, report=files.report, charts=files.charts, chart_format=files.chart_format
    )
    return analyzed(votes, pair, asked, written, out)
