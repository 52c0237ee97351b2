"""The board that people would give: the page of ratings by few labels and many votes of judges."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from quorate.analysis.ratings import RatingsAnalysis
from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.estimate.ratings.corrected_board import CorrectedRatings
from quorate.planning.board_plan import BoardPlan, plan_board_labels
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Step, Tile, particulars, title_of
from quorate.reporting.pages.ratings import page as ratings
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table

_SHORT = 40


def page(result: CorrectedRatings | BoardPlan, table: Table | None = None) -> Page:
    """The page of a corrected board: that of its ratings, with people and judges beside them."""
    plan = plan_board_labels(result) if isinstance(result, CorrectedRatings) else result
    board, more = plan.board, plan.more
    own = ratings.page(RatingsAnalysis(board.ratings, None), table)
    facts: dict[str, object] = {"battles that people voted on": board.labels}
    facts |= {"battles of judges alone": board.predictions, "labels that are as precise alone": board.effective}
    facts |= {f"levels of {name} among the labels": n for name, n in _clusters(board)}
    return replace(
        own,
        title=title_of(table, "The leaderboard that people would give"),
        sentence=board.sentence,
        sections=(
            Section(
                "corrected-ratings",
                "People and judges",
                tuple(filter(None, (board.favoured,))),
                (sides(board), weights(board)),
            ),
            *own.sections,
            Section("needed", "Labels that it takes", (plan.sentence,), (gaps(plan),)),
        ),
        facts=particulars("labelled", f"What it rests on: {counted(board.labels, 'label')}", facts.items()),
        methods=methods(board),
        next_step=Step(plan.sentence),
        content=result.to_dict,
        caveats=weightiest_first(board.caveats),
        tiles=(
            Tile(f"{board.effective:,.0f}", f"labels alone that would be as precise, for {board.labels:,}"),
            Tile(
                f"{int(board.ratings.ranks.above.sum()):,}",
                f"of {counted(len(board) * (len(board) - 1) // 2, 'pair')} told apart; "
                f"{int(board.people.ranks.above.sum()):,} by labels alone",
            ),
            Tile(
                "no number" if more is None else f"{more:,}",
                "more labels for the gaps of all neighbours",
            ),
        ),
    )


def _clusters(board: CorrectedRatings) -> list[tuple[str, int]]:
    return list(zip(board.ratings.cluster, board.ratings.clusters, strict=True))


def sides(board: CorrectedRatings) -> Figure:
    """Every system by labels and judges, by labels alone and by judges alone."""
    rows: list[Row] = [{**row, "system": cut(str(row["system"]), _SHORT)} for row in board.rows()]
    level = f"{100 * board.level:.4g}%"
    names = ("system", "rating", "low", "high", "people", "people_low", "people_high", "judges", "labels", "worth")
    shown = [{name: _known(row[name]) for name in names} for row in rows]
    lines = (
        f"Ratings about the mean of all systems with {level} intervals, in grey those by labels alone.",
        "Diamonds: judges alone, which have no interval for what people find.",
    )

    def chart() -> Spec:
        each = []
        for row in marks.spread(rows):
            alone = {"rating": row["people"], "low": row["people_low"], "high": row["people_high"]}
            judges = {"rating": row["judges"], "low": float("nan"), "high": float("nan")}
            each.append(({**row}, CORRECTED, "circle"))
            each.append(({"system": f"{row['system']}, labels alone", **alone}, NAIVE, "circle"))
            if not isnan(row["judges"]):
                each.append(({**judges, "system": row["system"]}, NAIVE, "diamond"))
        window = marks.around([row for row, _, _ in each], "rating")
        drawn = [marks.drawn(row, window, colour, shape) for row, colour, shape in each]
        x = marks.axis("rating", ratings_unit(board), window)
        return marks.finish(marks.intervals(drawn, marks.chart(drawn, marks.labels("system"), step=20), x))

    gained = board.effective / board.labels
    finding = f"The judges make {counted(board.labels, 'label')} worth {board.effective:,.0f}"
    if gained < 1.05:
        finding = f"The judges add next to nothing to {counted(board.labels, 'label')}"
    heads = {"people": "labels alone", "people_low": "its low", "people_high": "its high", "judges": "judges alone"}
    heads |= {"worth": "times as many labels"}
    return Figure(
        "sides",
        Caption(finding, lines),
        shown,
        chart,
        heads,
        unfolded=True,
        short=Short(
            {
                "rank": "rank",
                "system": "system",
                "rating": "rating",
                "low": "interval",
                "people": "people",
                "judges": "judges",
                "labels": "labels",
            },
            of="rating",
        ),
    )


def _known(value: object) -> object:
    return None if isinstance(value, float) and isnan(value) else value


def ratings_unit(board: CorrectedRatings) -> str:
    """What ratings are counted in."""
    return RatingsAnalysis(board.ratings, None).unit


def weights(board: CorrectedRatings) -> Figure:
    """What every judge counts."""
    rows: list[Row] = [
        {**({"stratum": one.stratum} if board.strata else {}), "judge": one.judge or "judges", "weight": one.weight}
        for one in board.weights
    ]
    total = f"{counted(len({one.judge for one in board.weights}), 'judge')} weighed by what they say of people's votes"
    line = "Weight of the difference between what a judge says of the other battles and of those with a label: 0 to 1."
    return Figure(
        "judge-weights",
        Caption(total, (line,)),
        rows,
        short=Short({"stratum": "stratum", "judge": "judge", "weight": "weight"}),
    )


def gaps(plan: BoardPlan) -> Figure:
    """Labels that the gap of every two neighbours takes."""
    rows: list[Row] = [
        {
            "neighbours": f"{cut(one.first, _SHORT)} - {cut(one.second, _SHORT)}",
            "gap": one.gap,
            "half_width": one.half_width,
            "labels": one.labels,
            "people": one.people,
        }
        for one in plan.gaps
    ]
    done = sum(one.labels is not None and one.labels <= plan.have for one in plan.gaps)
    lines = (
        f"Labelled battles in all, of {plan.battles:,} that judges vote on; there are {plan.have:,} labels.",
        "Gaps are taken as estimated, each by its own interval. A number beyond the battles takes more of these too.",
    )
    heads = {"half_width": "half-width now", "labels": "labels", "people": "labels without judges"}
    caption = Caption(f"{done} of {counted(len(rows), 'gap')} {'has' if done == 1 else 'have'} labels enough", lines)
    return Figure(
        "gaps",
        caption,
        rows,
        headers=heads,
        unfolded=True,
        short=Short(
            {
                "neighbours": "neighbours",
                "gap": "gap",
                "half_width": "half-width",
                "labels": "labels it takes",
                "people": "without judges",
            }
        ),
    )


def methods(board: CorrectedRatings) -> str:
    """The paragraph for a methods section."""
    by = "battles are taken as independent"
    if board.ratings.cluster:
        by = f"standard errors are clustered by {listed(board.ratings.cluster)}"
    if board.strata:
        by += f"; every {board.strata} has its own weights and counts by its share of all battles"
    judges = len({one.judge for one in board.weights})
    return (
        f"Ratings are those at which the scores of {board.labels:,} battles that people voted on, corrected by what "
        f"{counted(judges, 'judge')} said of these and of {board.predictions:,} others, add up to 0 "
        "(prediction-powered inference, Angelopoulos, Duchi and Zrnic, 2023, for paired comparisons; ties: "
        f"{board.ratings.model.words}). Weights of judges are least squares, each without the cluster that it "
        f"multiplies. Intervals are sandwich intervals with leverage by the labels; {by}. The labelled battles are "
        "taken as chosen at random."
    )
