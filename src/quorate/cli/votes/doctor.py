"""`quorate votes doctor`: what a file of votes supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.cli.console import heading, points, say, table
from quorate.cli.options import Output, VoteReading, VotesFile, command
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.doctor.support import VotesSupport

FOUND = 2
COLUMNS = {" ": "left", "  ": "left"}


@command
def doctor(file: VotesFile, reading: VoteReading, out: Output) -> int:
    """What a file of votes supports, and what stands in the way."""
    from quorate.estimate.doctor.support import doctor as support

    found = support(reading.votes(file))
    out.show(found, show)
    return 0 if found.ok else FOUND


def show(out: Console, found: VotesSupport) -> None:
    """Print what was read and found, and which analyses are possible."""
    possible = [one for one in found.analyses if one.possible]
    closed = [one for one in found.analyses if not one.possible]
    say(out, f"{len(possible)} of {len(found.analyses)} analyses of these votes are possible.", style="bold")
    points(out, [f"columns: {'; '.join(note.brief for note in found.notes)}"] if found.notes else [])
    if found.findings:
        heading(out, "Findings")
        table(out, COLUMNS, [(one.severity, in_options(one.sentence)) for one in found.findings])
    if possible:
        heading(out, "Possible")
        table(out, COLUMNS, [(one.name, one.reason) for one in possible])
    if closed:
        heading(out, "Not possible")
        points(
            out,
            (in_options(f"{one.name}: " + one.reason + (" (" + one.fix + ")" if one.fix else "")) for one in closed),
        )
