"""`quorate plan-votes`: how many votes are needed."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import typer

from quorate.cli.console import say
from quorate.cli.options import Files, Output, Power, command
from quorate.cli.options.values import numbers
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

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
        str | None, typer.Option(metavar="WINS/N", help="Votes for one model among the decisive of a pilot.")
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
    files: Files,
    out: Output,
) -> int:
    """How many votes are needed, for a margin, for equivalence or from a pilot.

    With a budget alone: the margin that it could see. Ends with exit code 2 if a budget is too small, or if no number
    of votes is enough.
    """
    from quorate.plan.power.votes_plan import plan_votes as planned

    counts = re.fullmatch(r"(\d{1,9})/(\d{1,9})", pilot or "")
    if pilot is not None and counts is None:
        raise InvalidInput(f'--pilot: expects votes for one model of all decisive ones, such as 31/50, got "{pilot}"')
    wins = (int(counts[1]), int(counts[2])) if counts else None
    found = planned(
        margin,
        equivalence=equivalence,
        pilot=wins,
        budget=budget,
        alpha=alpha,
        power=power,
        method=method,
        icc=numbers("--icc", icc, "0.1 or prompt=.1,judge=.05"),
        cluster=numbers("--cluster", cluster, "3 or prompt=3,judge=40"),
    )
    sentence = in_options(found.sentence)
    out.show(found, lambda console, _: say(console, sentence, style="bold"), sentence=sentence)
    files.write(found, None, out)
    return 0 if found.enough else UNDERPOWERED
