"""`quorate rank`: a leaderboard whose order can be trusted, from scores or from votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import caveats, read_as, say, table
from quorate.cli.decide.watch import Watched, show_standings
from quorate.cli.options import File, Files, Fit, For, Group, Output, Reading, Seed, Systems, command, only
from quorate.cli.options.certificate import Certifying, as_more, said
from quorate.cli.options.reading import role_of
from quorate.errors import InvalidInput
from quorate.estimate.ratings.reweight import Reweight
from quorate.numerics.ratings.ties.registry import Ties
from quorate.wording import plural

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.ratings import RatingsAnalysis
    from quorate.estimate.ratings.categories.boards import Boards
    from quorate.estimate.ratings.categories.pooled import PooledRatings

UNDECIDED = 2
MOST_SYSTEMS = 100
"""Systems that are listed; the report has all."""
MOST_ROWS = 20
"""Rows of fragile votes that are listed."""


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
    from quorate.estimate.ratings.categories.boards import Boards
    from quorate.estimate.ratings.leaderboard import Leaderboard
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
            out.show(standings, show_standings, notes=table.notes)
            files.write(standings, table, out)
            return standings.exit_code
    else:
        given = {"facet": systems.system, "targets": systems.targets(), **fit.chosen()}
    if given.get("discrimination"):
        given["discrimination"] = role_of(how.discrimination, table)
    if given.get("rankings"):
        given["rankings"] = role_of(how.rankings, table)
    options |= {name: value for name, value in given.items() if value is not None}
    by = role_of(how.by, table)
    found: Ratings | Leaderboard | Boards
    found = ranked(table, **options) if by is None else ranked(table, by=by, **options)
    shown: Ratings | Leaderboard | Boards
    if isinstance(found, Boards):
        shown = found.elo() if how.elo else found
        views = [RatingsAnalysis(board, table) for board in shown.boards.values()]
        out.show(shown, show_boards)
    else:
        board = found.elo() if how.elo and isinstance(found, Ratings) else found
        shown, views = board, [RatingsAnalysis(board, table)]
        certificate = certifying.certificate(found)
        out.show(views[0], show, **as_more(certificate))
        if not out.as_json:
            said(certificate)
    files.write(shown, table, out)
    return 0 if any(view.told_apart for view in views) else UNDECIDED


def show_boards(out: Console, boards: Boards) -> None:
    """Print every board under its level."""
    from quorate.analysis.ratings import RatingsAnalysis
    from quorate.estimate.ratings.ranked import at_once, taken_as_independent

    say(out, boards.sentence, style="bold")
    for level, board in boards.boards.items():
        out.print()
        say(out, f"{boards.by}: {level}", style="bold")
        view = RatingsAnalysis(board)
        listing(out, view)
        if view.fragile_words:
            say(out, view.fragile_words)
    if boards.pooled is not None:
        show_pooled(out, boards.pooled, RatingsAnalysis(next(iter(boards.boards.values()))).places)
    out.print()
    best = RatingsAnalysis(next(iter(boards.boards.values()))).best_words
    dependent = [board for board in boards.boards.values() if taken_as_independent(board)]
    held = at_once((dependent or [*boards.boards.values()])[0])
    say(out, f"Ranks of each board hold {held}. Best: {best}.")
    caveats(out, (one.sentence for one in boards.caveats))


def show_pooled(out: Console, found: PooledRatings, places: int) -> None:
    """Print the ratings of all levels, each by its own votes and pooled."""
    from quorate.analysis.words import number, share
    from quorate.estimate.ratings.categories.pooled import ASSUMED

    out.print()
    say(out, f"Pooled over {plural(found.by)}", style="bold")
    say(out, found.sentence)
    rows = []
    for row in found.rows()[:MOST_SYSTEMS]:
        ends = " to ".join(number(row[end], places) for end in ("pooled_low", "pooled_high"))
        ratings = (number(row[name], places) for name in ("own", "pooled"))
        rows.append((row[found.by], row["system"], *ratings, ends, share(row["shrunk"])))
    heads = {found.by: "left", "system": "left", "own": "right", "pooled": "right"}
    table(out, heads | {f"{100 * found.level:.4g}% interval": "right", "shrunk": "right"}, rows)
    if len(found.rows()) > MOST_SYSTEMS:
        say(out, f"And {len(found.rows()) - MOST_SYSTEMS:,} more; --report and --json have all.")
    say(out, f"Shrunk: part of the way from its own rating to the overall one. {ASSUMED}.")


def show(out: Console, view: RatingsAnalysis) -> None:
    """Print the leaderboard: the sentence, every system, and what to know before relying on it."""
    from quorate.estimate.ratings.leaderboard import Leaderboard
    from quorate.estimate.ratings.ranked import at_once

    listing(out, view)
    say(out, f"{view.told_words}, {at_once(view.found)}. Best: {view.best_words}.")
    if isinstance(view.found, Leaderboard) and view.found.by_judges is not None:
        say(out, view.found.by_judges.sentence)
    if view.position_words:
        say(out, view.position_words)
    for line in (*view.covariate_words, view.slope_words, view.tie_words, view.neighbours_words, view.fragile_words):
        if line:
            say(out, line)
    fragile_rows(out, view)
    caveats(out, (one.sentence for one in view.caveats))
    if view.table is not None:
        read_as(out, view.table.notes)


def fragile_rows(out: Console, view: RatingsAnalysis) -> None:
    """Print the rows whose votes, left out, put another system first."""
    few = getattr(view.found, "fragility", None)
    if few is None or not few.dropped_rows:
        return
    rows = [
        tuple(f"{value:,}" if isinstance(value, int) else str(value) for value in one.to_row().values())
        for one in few.dropped_rows[:MOST_ROWS]
    ]
    heads = {name: "right" if name in ("row", "votes") else "left" for name in few.dropped_rows[0].to_row()}
    table(out, heads, rows)
    if len(few.dropped_rows) > MOST_ROWS:
        say(out, f"And {len(few.dropped_rows) - MOST_ROWS:,} more rows; --report and --json have all.")


def listing(out: Console, view: RatingsAnalysis) -> None:
    """Print the sentence and a line for every system; groups only where there are cuts."""
    from quorate.analysis.words import drawn_share, number
    from quorate.reporting.pages.ratings.page import leaderboard

    say(out, view.found.sentence, style="bold")
    out.print()
    unit = ("Elo" if "Elo" in view.unit else "rating") if view.of_votes else "mean"
    cuts = {"group": "right"} if len(view.found.groups) > 1 else {}
    heads = {"rank": "right", **cuts, "system": "left", unit: "right"}
    no_group = [""] if cuts else []
    rows = [
        (str(one["rank"]), *no_group, str(one["system"]), "-", "never lost", "") for one in view.unbeaten[:MOST_SYSTEMS]
    ]
    for row in leaderboard(view).rows[:MOST_SYSTEMS]:
        ends = " to ".join(number(row[end], view.places) for end in ("low", "high"))
        group = [str(row["group"])] if cuts else []
        chance = drawn_share(row["share"])
        rows.append((row["rank"], *group, row["system"], number(row["rating"], view.places), ends, chance))
    table(out, heads | {f"{100 * view.level:.4g}% interval": "right", "best": "right"}, rows)
    if len(view.found) > MOST_SYSTEMS:
        say(out, f"And {len(view.found) - MOST_SYSTEMS:,} more systems; --report and --json have all.")
