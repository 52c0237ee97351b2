"""`quorate plan --votes`: how many votes are needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import Declared, Files, Output, VoteReading, command, of
from quorate.cli.options.groups import spelled
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.table.votes import Votes

UNDERPOWERED = 2
OWN = of("quorate.planning.power.votes_plan:plan_votes")


@command
def plan_votes(
    pilot: Annotated[
        str | None,
        typer.Option(
            metavar="WINS/N|FILE",
            help="Votes for one model among the decisive of a pilot; or its votes, as for compare, whose prompts and "
            "judges then say what votes that share one are worth.",
        ),
    ] = None,
    margins_from: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Votes on other systems by a like protocol: plan for the margin of the pair at a quarter of theirs.",
        ),
    ] = None,
    *,
    own: Annotated[Declared, OWN],
    reading: VoteReading,
    files: Files,
    out: Output,
) -> int:
    """How many votes are needed, for a margin, for equivalence or from a pilot.

    With a budget alone: the margin that it could see. Ends with exit code 2 if a budget is too small, or if no number
    of votes is enough.
    """
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
    found = own(pilot=wins, margins_from=None if margins_from is None else reading.votes(margins_from))
    out.show(found, files, sentence=in_options(found.sentence))
    return 0 if found.enough else UNDERPOWERED
