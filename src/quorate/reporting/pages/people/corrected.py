"""What people would find: the page of a mean or win rate that few labels correct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import capitalised, counted, listed

if TYPE_CHECKING:
    from quorate.estimate.agreement.prediction_powered import Corrected
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table

_LONG = 200


def page(result: Corrected, table: Table | None = None) -> Page:
    """The page of a corrected mean."""
    levels = zip(result.cluster, result.clusters, strict=True)
    facts: dict[str, object] = {"labels": result.labels, "predictions without a label": result.predictions}
    facts |= {f"levels of {name} among the labels": count for name, count in levels}
    facts |= {"weight of the predictions, 0 to 1": result.tuning, "labels that are as precise alone": result.effective}
    facts |= {"standard error": result.se, "degrees of freedom": result.df}
    facts |= {} if result.rarer is None else {"labels of the rarer answer": result.rarer}
    level = f"{100 * result.level:.4g}% interval"
    low, high = result.estimate.ends
    return Page(
        title=title_of(table, "What people would find"),
        sentence=result.sentence,
        sections=(
            Section("corrected", "People and judges", figures=(means(result),)),
            *([Section("segments", "By category", figures=(segments(result),))] if result.segments else []),
        ),
        facts=particulars("corrected", f"What it rests on: {counted(result.labels, 'label')}", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=(
            Tile(f"{result.value:.3f}", f"as people would give it ({level} {low:.3f} to {high:.3f})"),
            Tile(f"{result.bias:+.3f}", f"judges less people, where both are (standard error {result.bias_se:.3f})"),
            Tile(f"{result.effective:,.0f}", f"labels alone that would be as precise, for {result.labels:,}"),
        ),
        source=source_of(table),
        options=f"level {result.level:g}",
    )


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
    covers = f"{100 * result.level:.4g}% intervals"
    lines = (f"{capitalised(cut(result.what, _LONG))}, with {covers}; judges have none for what people find.",)

    def chart() -> Spec:
        ends = ("low", "high")
        drawable = [row | {end: float("nan") if row[end] is None else row[end] for end in ends} for row in rows]
        window = marks.around(drawable, "value")
        drawn = [marks.drawn(row, window, NAIVE if i else CORRECTED) for i, row in enumerate(drawable)]
        x = marks.axis("value", "mean", window)
        return marks.finish(marks.intervals(drawn, marks.chart(drawn, marks.labels("by"), step=34), x))

    return Figure(
        "means",
        Caption(finding, lines),
        rows,
        chart,
        {"value": "mean"},
        unfolded=True,
        short=Short({"by": "by", "value": "mean", "low": f"{100 * result.level:.4g}% interval"}, of="value"),
    )


def segments(result: Corrected) -> Figure:
    """What people would find in every category."""
    rows: list[Row] = [
        {
            "category": cut(one.name),
            "labels": one.labels,
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "p": one.p,
        }
        for one in result.segments
    ]
    odd = [cut(one.name, 30) for one in result.segments if one.p <= 1 - result.level]
    apart = " less that of " in result.what
    finding = f"No category is shown to {'differ from 0' if apart else 'be unlike the others'}"
    if odd:
        finding = f"{listed(odd)} {'is' if len(odd) == 1 else 'are'} {'not 0' if apart else 'unlike the others'}"
    lines = (
        f"{capitalised(cut(result.what, _LONG))}, each with its own {100 * result.level:.4g}% interval.",
        f"p: {'of no difference' if apart else 'that it is as in the others'}, for all categories together (Holm).",
    )

    def chart() -> Spec:
        return marks.dots(rows, "category", "value", "mean", CORRECTED, at=0.0 if apart else result.value)

    heads = {"category": "category", "labels": "labels", "value": "mean", "low": "interval", "p": "p, adjusted"}
    short = Short(heads, of="value", at=0.0 if apart else None)
    return Figure("segments", Caption(finding, lines), rows, chart, {"value": "mean", "p": "p, adjusted"}, short=short)


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
