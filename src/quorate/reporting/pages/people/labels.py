"""How many labels to buy: the page of a split between people and judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import capitalised, counted

if TYPE_CHECKING:
    from quorate.planning.labels_plan import LabelsPlan
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table

_LONG = 200
_HEADS = {"half_width": "half-width", "cost": "price", "units": "units predicted"}


def page(result: LabelsPlan, table: Table | None = None) -> Page:
    """The page of a plan of labels."""
    best = result.best
    facts: dict[str, object] = {"labels of the pilot": result.pilot}
    facts |= {"price of a label": result.label_price, "price of a prediction": result.prediction_price}
    facts |= {"price of an item on top": result.unit_price} if result.unit_price else {}
    facts |= {"correlation of label and prediction": result.correlation, "correlation needed": result.worth_from}
    facts |= {"alpha of people": result.reliability.value} if result.reliability else {}
    tiles = [Tile(f"{best.labels:,}", "labels by people"), Tile(f"{best.units:,}", "units that judges predict")]
    tiles.append(Tile(f"{best.half_width:.3g}", f"half of the interval, for {best.cost:,.6g}"))
    return Page(
        title=title_of(table, "How many labels to buy"),
        sentence=result.sentence,
        sections=(Section("labels", "People and judges", result.says, tuple(exhibits(result))),),
        facts=particulars("labels-rest", f"What it rests on: {counted(result.pilot, 'label')}", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=tuple(tiles),
        source=source_of(table),
        options=f"{result.goal} {result.asked:g}, level {result.level:g}",
    )


def exhibits(result: LabelsPlan) -> list[Figure]:
    """The split beside people alone, other splits of the same price, and labels by stratum."""
    lines = (f"{capitalised(cut(result.what, _LONG))}; half-widths of {100 * result.level:.4g}% intervals.",)
    finding = "People alone are as good"
    if result.best.units:
        finding = "The split, and people alone"
        if result.saved is not None:
            finding = f"The split saves {result.saved:.0%} of the price of people alone"
    out = [
        Figure(
            "ways",
            Caption(finding, lines),
            result.rows(),
            headers=_HEADS,
            unfolded=True,
            short=Short(
                {"way": "way", "labels": "labels", "units": "units", "cost": "cost", "half_width": "half-width"}
            ),
        )
    ]
    if len(result.same_price) > 1:
        out.append(same_price(result))
    if result.strata:
        rows: list[Row] = [
            {"stratum": one.name, "share": one.share, "labels": one.labels, "units": one.units} for one in result.strata
        ]
        said = "More labels where people vary and judges do not see it; predictions in proportion."
        caption = Caption("Labels and predictions by stratum", (said,))
        out.append(
            Figure(
                "strata",
                caption,
                rows,
                headers=_HEADS,
                unfolded=True,
                short=Short({name: name for name in rows[0]}, percent=("share",), first=True),
            )
        )
    return out


def same_price(result: LabelsPlan) -> Figure:
    """Half-width of splits of the same price."""
    ways = ((way, "people and judges" if way.units else "people alone") for way in result.same_price)
    rows: list[Row] = [
        {"way": name, "labels": way.labels, "units": way.units, "half_width": way.half_width} for way, name in ways
    ]
    caption = Caption(
        f"{counted(result.best.labels, 'label')} are best for the price",
        (f"Half-width of every split of {result.best.cost:,.6g}, by the number of labels.",),
    )

    def chart() -> Spec:
        shown = [row | {"colour": CORRECTED if row["units"] else NAIVE} for row in rows]
        x = channel("labels:Q", title="labels by people", scale={"type": "log", "nice": False})
        y = channel("half_width:Q", title="half-width", scale={"zero": True})
        base = marks.chart(shown, y, step=1).encode(x=x)
        dots = base.mark("point", filled=True, size=60, opacity=1).encode(color=marks.own_colour())
        return marks.finish([base.mark("line", strokeWidth=2, color=CORRECTED), dots], height=260)

    return Figure("same-price", caption, rows, chart, _HEADS)


def methods(result: LabelsPlan) -> str:
    """The paragraph for a methods section."""
    by = ", within strata by Neyman's allocation" if result.strata else ""
    return (
        "The numbers of labels by people and of predictions by judges were chosen by two-phase sampling (Cochran, "
        f"1977, 12.7){by}, for the prediction-powered mean (Angelopoulos, Duchi and Zrnic, 2023), from a pilot of "
        f"{result.pilot:,} labels whose correlation with the predictions is {result.correlation:.2f} "
        f"({result.low:.2f} to {result.high:.2f}), at prices of {result.label_price:g} for a label and "
        f"{result.prediction_price:g} for a prediction."
    )
