"""Mean by a pilot: the page of a mean whose variance another study knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import cut, number, significant
from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE, colour
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import counted, decimals, whole_percent

if TYPE_CHECKING:
    from quorate.estimate.means.mean_from import MeanFrom
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table
    from quorate.table.results import Interval


def page(result: MeanFrom, table: Table | None = None) -> Page:
    """The page of a mean by a pilot."""
    low, high = result.estimate.ends
    places = 1 + decimals((high - low) / 2)
    level = f"{100 * result.level:.4g}% interval"
    alone = result.alone
    why = (f"Alone, the production scores do not tell: {alone}.",) if isinstance(alone, str) else ()
    spread = f"{result.spread:.2f} (standard error {result.spread_se:.2f})"
    facts: dict[str, object] = {
        "production answers": result.estimate.n,
        "pilot answers": result.pilot.judgments.n_answers,
    }
    facts |= {"standard error": result.estimate.se, "degrees of freedom": result.weighed.df}
    facts |= {"spread of production scores over what the pilot says": spread}
    facts |= {f"{one.facet} stands for": str(one.target) for one in result.levels}
    return Page(
        title=title_of(table, "The mean, by a pilot"),
        sentence=result.sentence,
        sections=(
            Section("mean", "The mean", why, (means(result),)),
            Section("sources", "Where its uncertainty comes from", figures=(components(result),)),
            Section("levels", "What the two tables share", figures=(levels(result),)),
        ),
        facts=particulars("rests", "What it rests on", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=(
            Tile(number(result.estimate.value, places), f"{level} {number(low, places)} to {number(high, places)}"),
            Tile(
                significant(result.estimate.se),
                f"standard error, on {result.weighed.df:.3g} degrees of freedom of the pilot",
            ),
            Tile(f"{result.spread:.2f}", "times as much do scores vary as the pilot says"),
        ),
        source=source_of(table),
        options=f"level {result.level:g}",
    )


def means(result: MeanFrom) -> Figure:
    """The mean by the pilot's components, by its own where it has any, and the pilot's mean."""
    pilot = result.pilot.mean_for(**{one.facet: one.target for one in result.levels})
    each: list[tuple[str, Interval, float]] = [("production, by the pilot", result.estimate, result.weighed.df)]
    if not isinstance(result.alone, str):
        each.append(("production, by its own components", result.alone.at(result.level), result.alone.df))
    each.append(("the pilot itself", pilot.at(result.level), pilot.df))
    rows: list[Row] = [
        {"by": name, "value": one.value, "low": one.low, "high": one.high, "se": one.se, "df": df, "n": one.n}
        for name, one, df in each
    ]
    half, alone = (float(row["high"] - row["low"]) / 2 for row in (rows[0], rows[-1]))
    finding = f"Half an interval is {significant(half)}; that of the pilot's own mean is {significant(alone)}"
    lines = (f"Mean score with {100 * result.level:.4g}% intervals for the same targets.",)

    def chart() -> Spec:
        looks = [(CORRECTED, "circle")] + [(NAIVE, "circle")] * (len(rows) - 1)
        return marks.dots(rows, "by", "value", "mean score", looks, at=None, tall=34)

    heads = {"value": "mean", "se": "standard error", "df": "degrees of freedom"}
    return Figure(
        "means",
        Caption(finding, lines),
        rows,
        chart,
        heads,
        unfolded=True,
        short=Short({"by": "by", "value": "mean", "low": f"{100 * result.level:.4g}% interval"}, of="value"),
    )


def components(result: MeanFrom) -> Figure:
    """What each component of the pilot brings to the variance of the production mean."""
    pilot, shares = result.pilot, result.weighed.shares
    values = {**pilot.variances, **{one.name: one.variance for one in pilot.components if one.kind != "random"}}
    rows: list[Row] = [
        {
            "component": cut(name),
            "share": share,
            "se": result.estimate.se * float(np.sqrt(share)),
            "variance": values.get(name, np.nan),
        }
        for name, share in sorted(shares.items(), key=lambda one: -one[1])
        if share > 0
    ]
    finding = "No component was found to differ from zero"
    if rows:
        finding = f"{whole_percent(rows[0]['share'])} of the variance of the mean comes from {rows[0]['component']}"
    line = "Share of the variance of the production mean: components of the pilot times their weights in these scores."

    def chart() -> Spec:
        facets = result.production.names
        shown = [{**row, "colour": colour(row["component"], facets)} for row in rows[: marks.MOST_ROWS]]
        return marks.bars(shown, "component", "share")

    heads = {"share": "share of Var(mean)", "se": "standard error it brings", "variance": "variance, of the pilot"}
    return Figure(
        "components",
        Caption(finding, (line,)),
        rows,
        chart if rows else None,
        heads,
        short=Short({"component": "source", "share": "share"}, percent=("share",), most=6),
    )


def levels(result: MeanFrom) -> Figure:
    """Levels of every facet in both tables."""
    new = [one for one in result.levels if one.shared < one.production]
    finding = "All levels were in the pilot"
    if new:
        finding = f"{counted(len(new), 'facet')} with levels that the pilot did not see"
    lines = ("Levels may be shared or new: what counts is that they are of the same kind.",)
    heads = {"pilot": "levels in the pilot", "production": "in production", "shared": "labels in both"}
    return Figure(
        "levels",
        Caption(finding, lines),
        result.rows(),
        None,
        heads | {"target": "stands for"},
        short=Short(
            {
                "facet": "facet",
                "pilot": "pilot",
                "production": "production",
                "shared": "in both",
                "target": "stands for",
            }
        ),
    )


def methods(result: MeanFrom) -> str:
    """The paragraph for a methods section."""
    pilot = result.pilot.judgments
    return (
        f"The mean of {counted(result.estimate.n, 'answer')} is the generalised least squares estimate at the variance "
        f"components of a pilot ({counted(pilot.n_answers, 'answer')}; {result.pilot.method.upper()}), which also give "
        "its standard error and Satterthwaite's degrees of freedom. Both tables are taken as samples of the same kinds "
        "of items, prompts and judges. The scores of the mean vary "
        f"{result.spread:.2f} times as much as these components say (standard error {result.spread_se:.2f})."
    )
