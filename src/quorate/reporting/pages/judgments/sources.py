"""Sources: where the uncertainty of the mean comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import called, cut
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import INK, SHAPES, colour, kind
from quorate.reporting.page import Caption, Figure, Section, Short
from quorate.reporting.pages.judgments.phrases import axis, origin, size
from quorate.wording import listed, whole_percent

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row

AT_ZERO = "estimated at zero, the boundary"


def section(analysis: Analysis) -> Section:
    """Components of the mean, where there are any, and of one judgment."""
    of_mean = [components(analysis)] if analysis.contributions else []
    return Section("sources", "Where the uncertainty comes from", (), (*of_mean, per_judgment(analysis)))


def components(analysis: Analysis) -> Figure:
    """What each component brings to the standard error of the mean, with its interval, the largest share first."""
    rows: list[Row] = [
        {
            "source": cut(called(one.component)),
            "component": cut(one.component),
            "share_of_variance": one.share,
            "se": one.se,
            "low": one.low,
            "high": one.high,
            "variance": one.fitted.variance,
            "levels": one.fitted.levels,
            "estimated_at_zero": one.se == 0,
            "what_shrinks_it": cut(one.advice, 200),
        }
        for one in analysis.contributions
    ]
    finding = "No component was found to differ from zero"
    if analysis.sources:
        first = analysis.sources[0]
        comes = f"{whole_percent(first.share)} of the uncertainty comes from {origin(analysis, first.component)}"
        finding = f"{comes}: {cut(first.advice, 200)}"
    alone = f"Standard error that each component alone would leave in the mean {analysis.readings[-1].scope}".rstrip()
    lines = (
        f"{alone}, and its share of the variance of the mean. 95% intervals; {size(analysis)}.",
        _law(analysis),
        "Circles: main effects; diamonds: interactions; squares: noise. An arrow: the interval goes on.",
    )

    def chart() -> Spec:
        facets, shown = analysis.judgments.names, rows[: marks.MOST_ROWS]
        window = marks.from_zero([row["se"] for row in shown], [row["high"] for row in shown])
        above = [
            AT_ZERO if row["se"] == 0 else f"{whole_percent(row['share_of_variance'])} · {row['what_shrinks_it']}"
            for row in shown
        ]
        drawn = [
            {**row, "text": text}
            | marks.drawn(row, window, colour(row["component"], facets), SHAPES[kind(row["component"])])
            for row, text in zip(shown, above, strict=True)
        ]
        base = marks.chart(drawn, marks.labels("component"), step=46)
        x = marks.axis("se", axis(analysis, "standard error of the mean of"), window)
        text = base.mark("text", dy=-14, align="left", limit={"expr": "width - 4"}, color=INK)
        return marks.finish([*marks.intervals(drawn, base, x), text.encode(x={"value": 3}, text="text:N")])

    heads = {"share_of_variance": "share of Var(mean)", "se": "standard error it brings", "low": "low, 95%"}
    heads |= {"high": "high, 95%"}
    short = Short(
        {"source": "source", "share_of_variance": "share", "what_shrinks_it": "what makes it smaller"},
        percent=("share_of_variance",),
        most=6,
    )
    return Figure("components", Caption(finding, lines), rows, chart, heads, short=short)


def _law(analysis: Analysis) -> str:
    """What the intervals take the effects of levels to be."""
    robust = [one.component for one in analysis.contributions if one.fitted.interval == "robust"]
    if not robust:
        return "The intervals take the effects of levels to be normal."
    rest = "; the others take them to be normal" if len(robust) < len(analysis.contributions) else ""
    return f"Intervals of {listed([cut(name) for name in robust])} are robust, for effects of any law{rest}."


def per_judgment(analysis: Analysis) -> Figure:
    """Share of the variance of one judgment that each component has."""
    names = ("variance", "se", "low", "high", "levels", "kind")
    rows: list[Row] = [
        {"component": cut(one.name), "share_of_variance": one.share, **{name: getattr(one, name) for name in names}}
        for one in sorted(analysis.fit.components, key=lambda one: -one.share)
    ]
    comes = f"of the variance of one judgment comes from {origin(analysis, rows[0]['component'])}"
    finding = f"{whole_percent(rows[0]['share_of_variance'])} {comes}"
    fixed = "For a fixed facet it is the spread of its levels' means, which is no sampling variance."
    line = f"Share of the variance of a single score; {size(analysis)}. {fixed}"

    def chart() -> Spec:
        shown, facets = rows[: marks.MOST_ROWS], analysis.judgments.names
        drawn = [{**row, "colour": colour(row["component"], facets)} for row in shown]
        return marks.bars(drawn, "component", "share_of_variance")

    heads = {"share_of_variance": "share of Var(one judgment)"}
    return Figure("per-judgment", Caption(finding, (line,)), rows, chart, heads, folded=True)
