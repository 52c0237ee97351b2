"""`quorate rank --pipelines`: how far a leaderboard by judges would move with other judges, prompts and orders."""

from __future__ import annotations

from typing import Annotated

from quorate.cli.options import Declared, File, Files, Output, People, Reading, command, of
from quorate.cli.options.reading import with_column

OWN = of("quorate.simulate.pipelines.pipelines:pipelines")


@command
def pipelines(
    file: File, people: People, own: Annotated[Declared, OWN], reading: Reading, files: Files, out: Output
) -> int:
    """Leaderboards by judges: error bars that count them.

    How far a leaderboard by judges would move with other judges, prompts and orders: error bars over battles alone,
    and over judges, prompts and orders like these too, for one cell of them and for the mean of all; with people, the
    correlation of each leaderboard with theirs.
    """
    from quorate.table.votes import Votes

    judged, theirs = people.sources(file, reading, own.value("key"))
    kind, other = ("votes", "scores") if isinstance(judged, Votes) else ("scores", "votes")
    own.refuse(other, f"for {other}, and this file has {kind}; leave it out")
    found = own(judged, theirs)
    notes = with_column(judged.notes, "people", None if people.people else people.human_label)
    out.show(found, files, judged, seed=own.value("seed"), notes=notes)
    return 0
