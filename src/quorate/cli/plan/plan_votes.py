"""`quorate plan --votes`: how many votes are needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli.options import Files, Output, Power, VoteReading, command
from quorate.cli.options.groups import spelled
from quorate.cli.options.values import numbers
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.table.votes import Votes

UNDERPOWERED = 2


@command
def plan_votes(
    margin: Annotated[
        float | None,
        typer.Option(metavar="D", help="Margin to be seen: the share of votes for the better model, less .5."),
    ] = None,
    equivalence: Annotated[
        float | None,
        typer.Option(
            metavar="D", help="Instead: show that the margin is below D; --margin is then the one taken for true."
        ),
    ] = None,
    pilot: Annotated[
        str | None,
        typer.Option(
            metavar="WINS/N|FILE",
            help="Votes for one model among the decisive of a pilot; or its votes, as for compare, whose prompts and "
            "judges then say what votes that share one are worth.",
        ),
    ] = None,
    a: Annotated[
        str | None, typer.Option(metavar="MODEL", help="With a pilot of votes on more than two models: the first.")
    ] = None,
    b: Annotated[str | None, typer.Option(metavar="MODEL", help="The second.")] = None,
    margins_from: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Votes on other systems by a like protocol: plan for the margin of the pair at a quarter of theirs.",
        ),
    ] = None,
    budget: Annotated[int | None, typer.Option(metavar="N", min=1, help="Votes that can be paid for.")] = None,
    alpha: Annotated[float, typer.Option(metavar="P", help="Chance of finding a difference that is not there.")] = 0.05,
    power: Power = 0.9,
    method: Annotated[
        Literal["exact", "normal", "variance"],
        typer.Option(help="The exact test; the normal formula; or that with the variance at the margin."),
    ] = "exact",
    icc: Annotated[
        str | None,
        typer.Option(
            metavar="RHO",
            help="Correlation of two votes that share a prompt or an annotator; of each, where they may share either: "
            "prompt=.1,judge=.05.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Votes that share one, with --icc, or prompt=3,judge=40. Default: all of them do."
        ),
    ] = None,
    *,
    reading: VoteReading,
    files: Files,
    out: Output,
) -> int:
    """How many votes are needed, for a margin, for equivalence or from a pilot.

    With a budget alone: the margin that it could see. Ends with exit code 2 if a budget is too small, or if no number
    of votes is enough.
    """
    from quorate.planning.power.votes_plan import plan_votes as planned

    counts = re.fullmatch(r"(\d{1,9})/(\d{1,9})", pilot or "")
    of_file = pilot is not None and counts is None
    if pilot is not None and of_file and "." not in pilot and not Path(pilot).exists():
        raise InvalidInput(
            "--pilot: expects votes for one model of all decisive ones, such as 31/50, or a file of votes, got "
            f'"{pilot}"'
        )
    for name in () if of_file or margins_from else reading.given():
        raise InvalidInput(
            f"{spelled(VoteReading, name)}: for votes in a file; give one with --pilot or --margins-from"
        )
    wins: tuple[int, int] | Votes | None = (int(counts[1]), int(counts[2])) if counts else None
    if pilot is not None and of_file:
        wins = reading.votes(Path(pilot))
    found = planned(
        margin,
        equivalence=equivalence,
        pilot=wins,
        a=a,
        b=b,
        margins_from=None if margins_from is None else reading.votes(margins_from),
        budget=budget,
        alpha=alpha,
        power=power,
        method=method,
        icc=numbers("--icc", icc, "0.1 or prompt=.1,judge=.05"),
        cluster=numbers("--cluster", cluster, "3 or prompt=3,judge=40"),
    )
    out.show(found, files, sentence=in_options(found.sentence))
    return 0 if found.enough else UNDERPOWERED
