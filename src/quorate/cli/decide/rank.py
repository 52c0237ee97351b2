"""`quorate rank`: a leaderboard whose order can be trusted, from scores or from votes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quorate.cli.options import Declared, File, Files, For, Output, Reading, Within, command, of
from quorate.cli.options.output import Certifying, as_more, certified
from quorate.errors import InvalidInput

UNDECIDED = 2
OWN = of("quorate.estimate.ratings.rank:rank")


@command
def rank(
    file: File,
    own: Annotated[Declared, OWN],
    within: Within,
    elo: Annotated[
        bool, For("votes"), typer.Option("--elo", help="Votes: points of the Elo scale, 1000 on average.")
    ] = False,
    *,
    certifying: Certifying,
    reading: Reading,
    files: Files,
    out: Output,
) -> int:
    """A leaderboard: ranks, ratings and intervals.

    From scores: means, with intervals that count judges and prompts. From votes: Bradley-Terry ratings. Ranks hold for
    all systems at once; with --watch, at all times at once. Ends with exit code 2 if no system is surely better than
    another.
    """
    from quorate.analysis.ratings import RatingsAnalysis
    from quorate.estimate.ratings.categories import Boards
    from quorate.estimate.ratings.ratings import Ratings
    from quorate.table.votes import Votes

    if certifying.certify is not None and "by" in own.given():
        raise InvalidInput("--certify: is for one board; leave out --by")
    counted, covariates = not own.value("fragility"), own.value("covariates") or ()
    table = reading.table(file, own, within, certifying, covariates=covariates, counted=counted)
    if elo and not isinstance(table, Votes):
        raise InvalidInput("--elo: for votes, and this file has scores; leave it out")
    found: Any = own(within.told_apart(table))
    shown = found.elo() if elo and isinstance(found, (Ratings, Boards)) else found
    boards = shown.boards.values() if isinstance(shown, Boards) else [shown]
    views = [RatingsAnalysis(board, table) for board in boards]
    certificate = certifying.certificate(found)
    also = certified(certificate)
    out.show(shown if isinstance(shown, Boards) else views[0], files, table, also=also, **as_more(certificate))
    return 0 if any(view.told_apart for view in views) else UNDECIDED
