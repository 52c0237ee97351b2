"""Boards by a facet: a leaderboard for every level, and on which of them somebody is first."""

from __future__ import annotations

from dataclasses import replace

from quorate.analysis.words import cut
from quorate.estimate.ratings.categories import ASSUMED, Boards, PooledRatings
from quorate.estimate.ratings.ranked import at_once, may_be_first, taken_as_independent
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, particulars
from quorate.reporting.pages.ratings.page import leaderboard, methods
from quorate.wording import at_level, capitalised, counted, listed, plural

_NAMED, _LONG = 3, 40


def page(result: Boards, table: Table | None = None) -> Page:
    """The page of boards by a facet."""
    first = next(iter(result.boards.values()))
    sections = [Section("boards", f"Who is first, by {result.by}", figures=(overview(result),))]
    pooling = ""
    if result.pooled is not None:
        pooling = (
            "Their ratings were pooled by a random-effects model with deviations of one variance (REML; interval by "
            "the Q-profile, Viechtbauer, 2007), averaged over it by its restricted likelihood (Morris, 1983). "
        )
        title = f"Pooled over {plural(result.by)}"
        sections.append(Section("pooled", title, (result.pooled.sentence,), (pooled(result.pooled, first.measure),)))
    for number, (level, board) in enumerate(result.boards.items(), 1):
        figure = leaderboard(board)
        titled = replace(figure.caption, finding=f"{cut(level, _LONG)}: {figure.caption.finding}")
        figure = replace(figure, name=f"leaderboard-{number}", caption=titled)
        said = tuple(filter(None, (board.sentence, board.fragile_words)))
        sections.append(Section(f"board-{number}", cut(level, _LONG), said, (figure,)))
    values = {"boards": len(result), "without a board": len(result.refused), "by": result.by}
    return Page.of(
        result,
        table,
        f"Leaderboards by {result.by}",
        sections=tuple(sections),
        facts=particulars("ranked", f"What was ranked: {counted(len(result), 'board')}", values),
        methods=f"Every {result.by} has a board of its own. {pooling}Of the first: {methods(first)}",
        options=f"level {first.level:g}, by {result.by}",
        seed=first.seed,
    )


def pooled(found: PooledRatings, unit: str) -> Figure:
    """One row per level and system: by its own votes, by those of all levels, and pooled."""
    rows: list[Row] = [{**row, "level": row[found.by]} for row in found.rows()]
    level, most = f"{at_level(found.level)}", max(row["shrunk"] for row in rows)
    about = (
        f"{capitalised(unit)} about the mean of the systems of a {found.by}, with {level} intervals for each, which "
    )
    about += "count what is not known of how far levels differ."
    line = (
        f"Shrunk: part of the way from its own rating to the overall one. {ASSUMED}; errors of levels are independent."
    )
    titles = {"own": "by own votes", "overall": "over all", "pooled_se": "standard error"}
    titles |= {"pooled_low": f"low, {level}", "pooled_high": f"high, {level}"}
    heads = Short.titles(level=found.by, system="system", own="own", pooled="pooled", pooled_low=f"{level} interval")
    heads |= {"shrunk": "shrunk"}
    keys = ("level", "system", "own", "overall", "pooled", "pooled_se", "pooled_low", "pooled_high", "shrunk")
    shown: list[Row] = [{key: row[key] for key in keys} for row in rows]
    finding = f"Ratings of a {found.by} are shrunk by up to {most:.0%}"
    caption, of, low, high = Caption(finding, (about, line)), "pooled", "pooled_low", "pooled_high"
    return Figure.of(
        "pooled", caption, shown, heads, titles=titles, unfolded=True, percent="shrunk", of=of, low=low, high=high
    )


def overview(result: Boards) -> Figure:
    """One row per board: its systems, which of them may be first, and how many pairs are told apart."""
    rows, boards = list[Row](), [*result.boards.values()]
    for level, board in result.boards.items():
        first = may_be_first(board)
        named = listed((cut(name, _LONG) for name in first), most=_NAMED)
        row: Row = {"level": level, "systems": len(board), "votes": board.n, "first": named}
        rows.append(row | {"told": board.told_apart, "pairs": board.n_pairs})
    sure = sum(len(may_be_first(board)) == 1 for board in boards)
    level = at_level(boards[0].level)
    dependent = [board for board in boards if taken_as_independent(board)]
    held = at_once((dependent or boards)[0])
    line = f"Of each board {held}, with {level} confidence."
    caption = Caption(f"On {sure} of {counted(len(rows), 'board')} one system is first", (line,))
    heads = {"level": result.by, "votes": "votes or scores", "first": "may be first"}
    heads |= {"told": "told apart", "pairs": "of pairs"}
    return Figure.of("boards", caption, rows, heads, titles={"told": "pairs told apart"}, first=True)
