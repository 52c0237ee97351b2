"""`quorate compare --watch`: whether votes that are still coming in already decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli.options import Files, Group, Level, Output, VoteReading, VotesFile, command
from quorate.cli.options.systems import Clustering, Pair, clustered_by
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Watched(Group):
    """What votes are watched for."""

    margin: Annotated[
        float | None, typer.Option(metavar="D", help="Shares within .5 +- D count as equal; stated before looking.")
    ] = None
    level: Level = 0.95
    ties: Annotated[Literal["drop", "half", "pessimistic"], typer.Option(help="How ties count.")] = "drop"
    cluster: Clustering = None
    tuned: Annotated[
        float, typer.Option(metavar="D", help="Margin that the test of independent votes finds soonest.")
    ] = 0.1


@command
def monitor(file: VotesFile, pair: Pair, watched: Watched, reading: VoteReading, files: Files, out: Output) -> int:
    """Whether votes still coming in already decide.

    Look as often as you like. Of --a and --b, in the order of time, or of the rows; of all systems quorate rank --watch
    says so. Ends with exit code 0 if --a is better, or equal within --margin; 2 if it is worse, or votes are still
    needed.
    """
    from quorate.decide.stop import monitor as monitored

    votes = reading.votes(file)
    pair = pair.completed(votes)
    if pair.systems is None:
        raise InvalidInput("--a, --b: name the two systems; which order of all is sure is said by quorate rank --watch")
    votes = pair.of(votes)
    options: dict[str, Any] = {
        "margin": watched.margin,
        "level": watched.level,
        "ties": watched.ties,
        "tuned": watched.tuned,
    }
    options |= clustered_by(votes, watched.cluster)
    found = monitored(votes, *pair.systems, **options)
    out.show(found, files, votes)
    return found.exit_code
