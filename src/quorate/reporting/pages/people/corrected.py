"""What people would find: means, win rates and boards that few labels correct, and how many labels to buy."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.estimate.agreement.prediction_powered import Corrected
from quorate.estimate.ratings.corrected_board import CorrectedRatings
from quorate.planning.labels_plan import BoardPlan, LabelsPlan, plan_board_labels
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Step, Table, Tile, particulars, title_of
from quorate.reporting.pages.ratings.page import page as page_page
from quorate.table.results import picked, plain
from quorate.wording import at_level, capitalised, counted, listed

_LABELS_LONG = 200
_HEADS = {"half_width": "half-width", "cost": "price", "units": "units predicted"}


def labels_page(result: LabelsPlan, table: Table | None = None) -> Page:
    """The page of a plan of labels."""
    facts: dict[str, object] = {"labels of the pilot": result.pilot}
    facts |= {"price of a label": result.label_price, "price of a prediction": result.prediction_price}
    facts |= {"price of an item on top": result.unit_price} if result.unit_price else {}
    facts |= {"correlation of label and prediction": result.correlation, "correlation needed": result.worth_from}
    facts |= {"alpha of people": result.reliability.value} if result.reliability else {}
    by = ", within strata by Neyman's allocation" if result.strata else ""
    how = (
        "The numbers of labels by people and of predictions by judges were chosen by two-phase sampling (Cochran, "
        f"1977, 12.7){by}, for the prediction-powered mean (Angelopoulos, Duchi and Zrnic, 2023), from a pilot of "
        f"{result.pilot:,} labels whose correlation with the predictions is {result.correlation:.2f} "
        f"({result.low:.2f} to {result.high:.2f}), at prices of {result.label_price:g} for a label and "
        f"{result.prediction_price:g} for a prediction."
    )
    return Page.of(
        result,
        table,
        "How many labels to buy",
        sections=(Section("labels", "People and judges", result.says, tuple(exhibits(result))),),
        facts=particulars("labels-rest", f"What it rests on: {counted(result.pilot, 'label')}", facts),
        methods=how,
        options=f"{result.goal} {result.asked:g}, level {result.level:g}",
    )


def exhibits(result: LabelsPlan) -> list[Figure]:
    """The split beside people alone, other splits of the same price, and labels by stratum."""
    lines = (f"{capitalised(cut(result.what, _LABELS_LONG))}; half-widths of {at_level(result.level)} intervals.",)
    finding = "People alone are as good"
    if result.best.units:
        finding = "The split, and people alone"
        if result.saved is not None:
            finding = f"The split saves {result.saved:.0%} of the price of people alone"
    heads = Short.titles("way", "labels", "units", "cost", half_width="half-width")
    out = [Figure.of("ways", Caption(finding, lines), result.rows(), heads, titles=_HEADS, unfolded=True)]
    if len(result.same_price) > 1:
        out.append(same_price(result))
    if result.strata:
        rows: list[Row] = [
            {"stratum": one.name, "share": one.share, "labels": one.labels, "units": one.units} for one in result.strata
        ]
        said = "More labels where people vary and judges do not see it; predictions in proportion."
        caption = Caption("Labels and predictions by stratum", (said,))
        heads = {name: _HEADS.get(name, name) for name in rows[0]}
        out.append(Figure.of("strata", caption, rows, heads, unfolded=True, percent="share", first=True))
    return out


def same_price(result: LabelsPlan) -> Figure:
    """Half-width of splits of the same price."""
    ways = ((way, "people and judges" if way.units else "people alone") for way in result.same_price)
    rows: list[Row] = [
        {"way": name, "labels": way.labels, "units": way.units, "half_width": way.half_width} for way, name in ways
    ]
    line = f"Half-width of every split of {result.best.cost:,.6g}, by the number of labels."
    grey = "" if all(row["units"] for row in rows) else " Grey: people alone."
    caption = Caption(f"{counted(result.best.labels, 'label')} are best for the price", (line + grey,))

    def chart() -> Spec:
        shown = [row | {"colour": CORRECTED if row["units"] else NAIVE} for row in rows]
        x = channel("labels:Q", title="labels by people", scale={"type": "log", "nice": False})
        y = channel("half_width:Q", title="half-width", scale={"zero": True})
        base = marks.chart(shown, y, step=1).encode(x=x)
        dots = base.mark("point", filled=True, size=60, opacity=1).encode(color=marks.own_colour())
        return marks.finish([base.mark("line", strokeWidth=2, color=CORRECTED), dots], height=260)

    return Figure("same-price", caption, rows, chart, _HEADS)


_SHORT = 40


def ratings_page(result: CorrectedRatings | BoardPlan, table: Table | None = None) -> Page:
    """The page of a corrected board: that of its ratings, with people and judges beside them."""
    plan = plan_board_labels(result) if isinstance(result, CorrectedRatings) else result
    board, more = plan.board, plan.more
    own = page_page(board.ratings, table)
    facts: dict[str, object] = {"battles that people voted on": board.labels}
    facts |= {"battles of judges alone": board.predictions, "labels that are as precise alone": board.effective}
    clusters = zip(board.ratings.cluster, board.ratings.clusters, strict=True)
    facts |= {f"levels of {name} among the labels": n for name, n in clusters}
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
        facts=particulars("labelled", f"What it rests on: {counted(board.labels, 'label')}", facts),
        methods=_methods_of_board(board),
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
            Tile("no number" if more is None else f"{more:,}", "more labels for the gaps of all neighbours"),
        ),
    )


def sides(board: CorrectedRatings) -> Figure:
    """Every system by labels and judges, by labels alone and by judges alone."""
    rows: list[Row] = [{**row, "system": cut(str(row["system"]), _SHORT)} for row in board.rows()]
    level = at_level(board.level)
    names = ("system", "rating", "low", "high", "people", "people_low", "people_high", "judges", "labels", "worth")
    shown = [{name: plain(row[name]) for name in names} for row in rows]
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
        unit, looks = board.ratings.measure, [(colour, shape) for _, colour, shape in each]
        return marks.dots([row for row, *_ in each], "system", "rating", unit, looks, tall=20)

    gained = board.effective / board.labels
    finding = f"The judges make {counted(board.labels, 'label')} worth {board.effective:,.0f}"
    if gained < 1.05:
        finding = f"The judges add next to nothing to {counted(board.labels, 'label')}"
    heads = Short.titles("rank", "system", "rating", low="interval", people="people", judges="judges", labels="labels")
    titles = {"people": "labels alone", "people_low": "its low", "people_high": "its high", "judges": "judges alone"}
    titles |= {"worth": "times as many labels"}
    return Figure.of("sides", Caption(finding, lines), shown, heads, chart, titles=titles, unfolded=True, of="rating")


def weights(board: CorrectedRatings) -> Figure:
    """What every judge counts."""
    rows: list[Row] = [
        {**({"stratum": one.stratum} if board.strata else {}), "judge": one.judge or "judges", "weight": one.weight}
        for one in board.weights
    ]
    total = f"{counted(len({one.judge for one in board.weights}), 'judge')} weighed by what they say of people's votes"
    line = "Weight of the difference between what a judge says of the other battles and of those with a label: 0 to 1."
    return Figure.of("judge-weights", Caption(total, (line,)), rows, Short.titles("stratum", "judge", "weight"))


def gaps(plan: BoardPlan) -> Figure:
    """Labels that the gap of every two neighbours takes."""
    rows: list[Row] = [
        {"neighbours": f"{cut(one.first, _SHORT)} - {cut(one.second, _SHORT)}"}
        | picked(one, "gap half_width labels people")
        for one in plan.gaps
    ]
    lines = (
        f"Labelled battles in all, of {plan.battles:,} that judges vote on; there are {plan.have:,} labels.",
        "Gaps are taken as estimated, each by its own interval. A number beyond the battles takes more of these too.",
    )
    have = "has" if plan.done == 1 else "have"
    caption = Caption(f"{plan.done} of {counted(len(rows), 'gap')} {have} labels enough", lines)
    heads = Short.titles(
        "neighbours", "gap", half_width="half-width", labels="labels it takes", people="without judges"
    )
    titles = {"half_width": "half-width now", "labels": "labels", "people": "labels without judges"}
    return Figure.of("gaps", caption, rows, heads, titles=titles, unfolded=True)


def _methods_of_board(board: CorrectedRatings) -> str:
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


_LONG = 200


def page(result: Corrected, table: Table | None = None) -> Page:
    """The page of a corrected mean."""
    levels = zip(result.cluster, result.clusters, strict=True)
    facts: dict[str, object] = {"labels": result.labels, "predictions without a label": result.predictions}
    facts |= {f"levels of {name} among the labels": count for name, count in levels}
    facts |= {"weight of the predictions, 0 to 1": result.tuning, "labels that are as precise alone": result.effective}
    facts |= {"standard error": result.se, "degrees of freedom": result.df}
    facts |= {} if result.rarer is None else {"labels of the rarer answer": result.rarer}
    level = f"{at_level(result.level)} interval"
    low, high = result.estimate.ends
    parts = (
        Section("corrected", "People and judges", figures=(means(result),)),
        *([Section("segments", "By category", figures=(segments(result),))] if result.segments else []),
    )
    rests = particulars("corrected", f"What it rests on: {counted(result.labels, 'label')}", facts)
    tiles = (
        Tile(f"{result.value:.3f}", f"as people would give it ({level} {low:.3f} to {high:.3f})"),
        Tile(f"{result.bias:+.3f}", f"judges less people, where both are (standard error {result.bias_se:.3f})"),
        Tile(f"{result.effective:,.0f}", f"labels alone that would be as precise, for {result.labels:,}"),
    )
    return Page.of(result, table, "What people would find", parts, rests, methods(result), tiles=tiles)


def means(result: Corrected) -> Figure:
    """The corrected mean beside that of the labels alone and that of the judges."""
    low, high = result.estimate.ends
    least, most = result.alone.ends
    rows: list[Row] = [
        {"by": "labels and predictions", "value": result.value, "low": low, "high": high},
        {"by": "labels alone", "value": result.people, "low": least, "high": most},
        {"by": "judges, not corrected", "value": result.judges, "low": None, "high": None},
    ]
    saved = result.effective - result.labels
    finding = f"The predictions make {counted(result.labels, 'label')} worth {result.effective:,.0f}"
    if saved < 1:
        finding = f"The predictions add nothing to {counted(result.labels, 'label')}"
    covers = f"{at_level(result.level)} intervals"
    lines = (f"{capitalised(cut(result.what, _LONG))}, with {covers}; judges have none for what people find.",)
    drawn = [row | {end: float("nan") if row[end] is None else row[end] for end in ("low", "high")} for row in rows]
    heads = Short.titles("by", value="mean", low=f"{at_level(result.level)} interval")
    caption, title, look = Caption(finding, lines), cut(result.what, 60), marks.first(drawn)
    return marks.dotted("means", caption, rows, heads, title, unfolded=True, drawn=drawn, look=look, tall=34)


def segments(result: Corrected) -> Figure:
    """What people would find in every category."""
    rows: list[Row] = [{"category": cut(one.name)} | picked(one, "labels value low high p") for one in result.segments]
    odd = [cut(one.name, 30) for one in result.segments if one.p <= 1 - result.level]
    apart = " less that of " in result.what
    finding = f"No category is shown to {'differ from 0' if apart else 'be unlike the others'}"
    if odd:
        finding = f"{listed(odd)} {'is' if len(odd) == 1 else 'are'} {'not 0' if apart else 'unlike the others'}"
    lines = (
        f"{capitalised(cut(result.what, _LONG))}, each with its own {at_level(result.level)} interval.",
        f"p: {'of no difference' if apart else 'that it is as in the others'}, for all categories together (Holm).",
    )
    caption = Caption(finding, lines)
    heads = {"category": "category", "labels": "labels", "value": "mean", "low": "interval", "p": "p, adjusted"}
    return marks.dotted(
        "segments", caption, rows, heads, "mean", line=0.0 if apart else result.value, at=0.0 if apart else None
    )


def methods(result: Corrected) -> str:
    """The paragraph for a methods section."""
    kind = "Wilson's score interval, its number of trials and quantile those of the standard error"
    how = "Student's interval" if result.trials is None else kind
    apart = "units are taken as independent"
    if result.cluster:
        apart = f"standard errors are clustered by {listed(result.cluster)}"
    if result.strata:
        apart += f"; every {result.strata} is corrected by its own labels and counts by its share of all units"
    return (
        f"{result.labels:,} labels by people correct {result.labels + result.predictions:,} predictions by judges "
        "(prediction-powered inference with the weight that is best for the labels, here "
        f"{result.tuning:.3g}; Angelopoulos, Duchi and Zrnic, 2023). Intervals: {how}; {apart}. The labelled units are "
        "taken as chosen at random."
    )
