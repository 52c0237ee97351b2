"""`quorate rank --human`: the leaderboard that people would give, from votes of judges and some of people."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quorate.cli.options import Declared, Files, Labelled, Output, VoteReading, VotesFile, command, of

UNDECIDED = 2
OWN = of("quorate.estimate.ratings.corrected_ratings:corrected_ratings")
NEEDED = of("quorate.planning.board_plan:plan_board_labels")


@command
def corrected_ratings(
    file: VotesFile,
    labels: Labelled,
    own: Annotated[Declared, OWN],
    elo: Annotated[bool, typer.Option("--elo", help="Points of the Elo scale, 1000 on average.")] = False,
    *,
    needed: Annotated[Declared, NEEDED],
    reading: VoteReading,
    files: Files,
    out: Output,
) -> int:
    """The leaderboard that people would give, from judges on all battles, people on few.

    People's votes correct the judges, whose votes make people's worth more, also where judges favour a system. The
    battles that people voted on must have been chosen at random. Says how many more it takes. Ends with exit code 2 if
    no system is surely better than another.
    """
    column = own.value("sampling_probability")
    chances: dict[str, Any] = {"facets": {column: column}} if column else {}
    votes = reading.votes(file, **(chances if labels.human else {}))
    found = own(votes, labels.said(file, reading, votes, key=own.value("key"), **chances))
    board = found.elo() if elo else found
    out.show(needed(board), files, votes, seed=own.value("seed"))
    return 0 if board.ratings.ranks.above.any() else UNDECIDED
