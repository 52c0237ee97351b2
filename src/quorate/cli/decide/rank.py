"""`quorate rank`: a leaderboard whose order can be trusted, from scores or from votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from quorate.cli.decide.watch import Watched
from quorate.cli.options import File, Files, Fit, For, Group, Output, Reading, Seed, Systems, command, only
from quorate.cli.options.output import Certifying, as_more, certified
from quorate.cli.options.reading import role_of
from quorate.errors import InvalidInput
from quorate.estimate.ratings.reweight import Reweight
from quorate.numerics.ratings.ties.registry import Ties

UNDECIDED = 2


@dataclass(frozen=True, kw_only=True)
class Ranking(Group):
    """How votes are made into ratings, and of what there are boards."""

    by: Annotated[
        str | None, typer.Option(metavar="ROLE", help="A board for every level of a facet, such as a language.")
    ] = None

    pooled: Annotated[
        bool,
        For("votes"),
        typer.Option("--pooled", help="Votes: with --by, shrink the ratings of every level to those of all levels."),
    ] = False

    elo: Annotated[
        bool, For("votes"), typer.Option("--elo", help="Votes: points of the Elo scale, 1000 on average.")
    ] = False
    ties: Annotated[
        Ties | None,
        For("votes"),
        typer.Option(help="Votes: how ties count. Default: davidson, as outcomes of their own."),
    ] = None
    position: Annotated[
        bool, For("votes"), typer.Option("--position", help="Votes: estimate what being shown first does.")
    ] = False
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Votes: rate systems as if they did not differ in this, such as length; a column of differences, or "
            "two named NAME_a and NAME_b; repeat for each. Scores: a facet that shifts the mean.",
        ),
    ] = None
    ties_by_system: Annotated[
        bool,
        For("votes"),
        typer.Option("--ties-by-system", help="Votes: let some systems tie more readily than others."),
    ] = False
    discrimination: Annotated[
        str | None,
        For("votes"),
        typer.Option(
            metavar="ROLE", help="Votes: a facet whose levels tell systems apart more or less sharply, such as judge."
        ),
    ] = None
    rankings: Annotated[
        str | None,
        For("votes"),
        typer.Option(
            metavar="ROLE",
            help="Votes: a facet whose levels are rankings of several systems, such as cluster: the model of Plackett "
            "and Luce of these, whole.",
        ),
    ] = None
    regularisation: Annotated[
        float | None,
        For("votes"),
        typer.Option(metavar="X", min=0, help="Votes: ridge that keeps ratings finite. Default: 0."),
    ] = None
    resamples: Annotated[
        int | None,
        For("votes"),
        typer.Option(metavar="N", help="Votes: intervals by so many refits of resampled votes. Default: none."),
    ] = None
    reweight: Annotated[
        Reweight | None,
        For("votes"),
        typer.Option(
            help="Votes with chances at which they were asked (--role propensity=COLUMN): how they are weighted by "
            "these. Default: stabilised."
        ),
    ] = None
    fragility: Annotated[
        bool,
        For("votes"),
        typer.Option(
            "--fragility",
            help="Votes: how few of them, left out, would put another system first, and in which rows they are.",
        ),
    ] = False


@command
def rank(
    file: File,
    systems: Systems,
    how: Ranking,
    watched: Watched,
    fit: Annotated[Fit, only("random", "method", "residual_by")],
    certifying: Certifying,
    reading: Reading,
    files: Files,
    out: Output,
    seed: Seed = 1,
) -> int:
    """A leaderboard: ranks, ratings and intervals.

    From scores: means, with intervals that count judges and prompts. From votes: Bradley-Terry ratings. Ranks hold for
    all systems at once; with --watch, at all times at once. Ends with exit code 2 if no system is surely better than
    another; with --watch, if some order is open.
    """
    from quorate.analysis.ratings import RatingsAnalysis
    from quorate.estimate.ratings.categories import Boards
    from quorate.estimate.ratings.rank import rank as ranked
    from quorate.estimate.ratings.ratings import Ratings
    from quorate.table.votes import Votes

    watched.check(how)
    if certifying.certify is not None and how.by is not None:
        raise InvalidInput("--certify: is for one board; leave out --by")
    counted = not (how.fragility or watched.watch)
    table = reading.table(file, systems, how, watched, fit, certifying, covariates=how.covariate or (), counted=counted)
    options: dict[str, Any] = {"level": systems.level, "seed": seed, "covariates": how.covariate or None}
    if isinstance(table, Votes):
        given = how.given() | {"cluster": systems.clusters(table), "elo": None, "by": None, "covariate": None}
        table = systems.told_apart(table)
        if watched.watch:
            standings = watched.standings(table, how.ties, level=systems.level, cluster=given["cluster"])
            out.show(standings, files, table)
            return standings.exit_code
    else:
        given = {"facet": systems.system, "targets": systems.targets(), **fit.chosen()}
    if given.get("discrimination"):
        given["discrimination"] = role_of(how.discrimination, table)
    if given.get("rankings"):
        given["rankings"] = role_of(how.rankings, table)
    options |= {name: value for name, value in given.items() if value is not None}
    by = role_of(how.by, table)
    found: Any = ranked(table, **options) if by is None else ranked(table, by=by, **options)
    scaled = found.elo() if how.elo and isinstance(found, (Ratings, Boards)) else found
    boards = scaled.boards.values() if isinstance(scaled, Boards) else [scaled]
    views = [RatingsAnalysis(board, table) for board in boards]
    certificate = certifying.certificate(found)
    shown = scaled if isinstance(scaled, Boards) else views[0]
    out.show(shown, files, table, also=certified(certificate), **as_more(certificate))
    return 0 if any(view.told_apart for view in views) else UNDECIDED
