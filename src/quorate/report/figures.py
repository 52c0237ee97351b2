"""Charts: one function, one analysis in, one Altair chart out, with the finding as its title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorate.report import captions, marks, tables
from quorate.report.labels import shown
from quorate.report.marks import MOST_ROWS
from quorate.report.summary import Analysis
from quorate.report.tables import Row, known
from quorate.report.theme import CORRECTED, INK, MISSED, NAIVE, SEQUENTIAL, SHAPES, colour, kind, palette
from quorate.report.views import JUDGE

if TYPE_CHECKING:
    from quorate.report.captions import Caption
    from quorate.report.marks import Chart


def intervals(analysis: Analysis) -> Chart:
    """The naive interval, the one for this panel and the one for judges like these, on one axis."""
    found = tables.intervals(analysis)
    window = _score_window(analysis, found)
    rows = [
        {**row, "text": captions.limits(analysis, row)}
        | marks.drawn(row, window, NAIVE if row["interval"] == tables.NAIVE else CORRECTED)
        for row in found
    ]
    base = marks.chart(rows, marks.labels("interval"), step=60)
    x = marks.axis("mean", captions.axis(analysis), window)
    text = base.mark_text(dy=-17, color=INK).encode(x=x, text="text:N")
    return marks.finish([*marks.intervals(rows, base, x, thickness=7), text], captions.intervals(analysis))


def components(analysis: Analysis) -> Chart:
    """What each component brings to the standard error of the mean, with its interval, the largest share first."""
    import altair as alt

    found = tables.components(analysis)[:MOST_ROWS]
    window = marks.from_zero([row["se"] for row in found], [row["high"] for row in found])
    facets = analysis.judgments.names
    rows = [
        {**row, "text": captions.component(row)}
        | marks.drawn(row, window, colour(row["component"], facets), SHAPES[kind(row["component"])])
        for row in found
    ]
    base = marks.chart(rows, marks.labels("component"), step=46)
    x = marks.axis("se", captions.se_axis(analysis), window)
    text = base.mark_text(dy=-14, align="left", limit=alt.expr("width - 4"), color=INK)
    layers = [*marks.intervals(rows, base, x), text.encode(x=alt.value(3), text="text:N")]
    return marks.finish(layers, captions.components(analysis))


def per_judgment(analysis: Analysis) -> Chart:
    """Share of the variance of one judgment that each component has."""
    facets = analysis.judgments.names
    found = tables.per_judgment(analysis)[:MOST_ROWS]
    rows = [{**row, "colour": colour(row["component"], facets)} for row in found]
    return _bars(rows, "component", "share_of_variance", captions.per_judgment(analysis))


def what_if(analysis: Analysis) -> Chart:
    """Calls against the standard error of the mean, for the design as it is and for changes to it."""
    import altair as alt

    found = known(tables.what_if(analysis), "se", "calls")
    colours = {**palette(analysis.judgments.names), "": CORRECTED}
    best = {shown(one.label) for one in analysis.purchases}
    rows = [
        {**row, "colour": colours.get(row["facet"], NAIVE), "large": row["number"] == 0 or row["change"] in best}
        for row in reversed(found)
    ]
    y_scale = alt.Scale(zero=False, padding=20)
    y = alt.Y("se:Q", title=captions.se_axis(analysis), scale=y_scale, axis=alt.Axis(grid=True, tickCount=5))
    scale = alt.Scale(type="log", padding=20, nice=False)
    ticks = alt.Axis(format="~s", tickCount=4, grid=False)
    calls = alt.X("calls:Q", title="judgments in all (log scale)", scale=scale, axis=ticks)
    base = marks.chart(rows, y, step=1).encode(x=calls)
    size = alt.condition("datum.large", alt.value(520), alt.value(300))
    points = base.mark_point(filled=True, opacity=1, shape="circle").encode(color=marks.own_colour(), size=size)
    text = base.mark_text(color="white", fontWeight="bold", fontSize=11).encode(text="number:Q")
    here = base.mark_text(dy=-20, color=INK).transform_filter("datum.number === 0").encode(text="change:N")
    return marks.finish([points, text, here], captions.what_if(analysis), height=320)


def effects(analysis: Analysis, facet: str) -> Chart:
    """How far each level of a facet is from the mean over the levels, with intervals."""
    found = marks.furthest(tables.effects(analysis, facet), "effect")
    window = marks.around(found, "effect", 0.0)
    rows = [marks.drawn(row, window, palette(analysis.judgments.names)[facet]) for row in found]
    base = marks.chart(rows, marks.labels("level"), step=_step(rows))
    x = marks.axis("effect", captions.effect_axis(analysis), window)
    return marks.finish([marks.line_at(0.0, x), *marks.intervals(rows, base, x)], captions.effects(analysis, facet))


def means(analysis: Analysis) -> Chart:
    """Mean score of every combination of judge and prompt."""
    import altair as alt

    found = known(tables.means(analysis), "mean")
    down, across = _sides(found)
    rows = _corner(found, down, across)
    values = [row["mean"] for row in rows]
    scale = alt.Scale(range=list(SEQUENTIAL), domain=[min(values), max(values)])
    base = marks.chart(rows, marks.labels(down, captions.facet_of(analysis, down)), step=30)
    short = sum(map(len, {row[across] for row in rows})) <= 24
    heads = alt.Axis(labelAngle=0 if short else -40, labelLimit=110, labelOverlap=False)
    base = base.encode(x=alt.X(f"{across}:N", sort=None, title=captions.facet_of(analysis, across), axis=heads))
    legend = alt.Legend(title=captions.axis(analysis), gradientLength=180, titleLimit=280)
    layers = [base.mark_rect().encode(color=alt.Color("mean:Q", scale=scale, legend=legend))]
    middle = (min(values) + max(values)) / 2
    dark = alt.condition(f"datum.mean > {middle}", alt.value("white"), alt.value("#14181D"))
    label = alt.Text("mean:Q", format=f".{captions.places(analysis)}f")
    fits = alt.expr("bandwidth('x') < 32 ? 0 : 1")
    layers.append(base.mark_text(fontSize=11, opacity=fits).encode(text=label, color=dark))
    return marks.finish(layers, captions.means(analysis))


def leave_one_out(analysis: Analysis) -> Chart:
    """The mean without each judge in turn, with its interval, against the mean with all of them."""
    found = sorted(known(tables.leave_one_out(analysis), "mean"), key=lambda row: -row["mean"])
    rows = marks.furthest(found, "change")
    return _against(analysis, rows, palette(analysis.judgments.names)[JUDGE], captions.leave_one_out(analysis))


def by_category(analysis: Analysis) -> Chart:
    """The mean within each category, with its interval, against the mean over all."""
    rows = sorted(known(tables.by_category(analysis), "mean"), key=lambda row: -row["mean"])[:MOST_ROWS]
    chosen = palette(analysis.judgments.names)[str(analysis.grouping)]
    return _against(analysis, rows, chosen, captions.by_category(analysis))


def single(analysis: Analysis) -> Chart:
    """Naive intervals of single configurations against the corrected ones and the mean over all configurations."""
    import altair as alt

    verdicts = {True: "naive: misses it", False: "naive: holds it"}
    rows = [{**row, "verdict": verdicts[row["naive_misses"]]} for row in marks.spread(tables.single(analysis))]
    ends = ("naive_low", "naive_high", "corrected_low", "corrected_high")
    window = marks.span([row[end] for row in rows for end in ends])
    base = marks.chart(rows, marks.labels("configuration"), step=_step(rows))
    x = marks.axis("mean", captions.axis(analysis), window)
    wide = base.mark_rule(color=CORRECTED, strokeWidth=1.5)
    wide = wide.encode(x=marks.like(x, "corrected_low"), x2="corrected_high:Q")
    scale = alt.Scale(domain=list(verdicts.values()), range=[MISSED, NAIVE])
    legend = alt.Legend(title=None, symbolType="stroke", symbolStrokeWidth=6, columns=1, labelLimit=400)
    narrow = base.mark_rule(strokeWidth=6).encode(
        x=marks.like(x, "naive_low"), x2="naive_high:Q", color=alt.Color("verdict:N", scale=scale, legend=legend)
    )
    dots = base.mark_point(filled=True, opacity=1, color=INK, size=14).encode(x=x)
    return marks.finish([marks.line_at(analysis.naive.target, x), wide, narrow, dots], captions.single(analysis))


def missing(analysis: Analysis, facet: str) -> Chart:
    """Share of the judgments without a usable score at each level of a facet, the largest first."""
    chosen = palette(analysis.judgments.names).get(facet, NAIVE)
    rows = [{**row, "colour": chosen} for row in tables.missing(analysis, facet) if row["without_score"]]
    return _bars(rows[:MOST_ROWS], "level", "share", captions.missing(analysis, facet))


def _bars(rows: Sequence[Row], label: str, share: str, caption: Caption) -> Chart:
    """Shares as bars."""
    import altair as alt

    base = marks.chart(rows, marks.labels(label), step=_step(rows))
    x = alt.X(f"{share}:Q", title="share", axis=alt.Axis(format="~%", tickCount=4), scale=alt.Scale(zero=True))
    return marks.finish([base.mark_bar(height=14).encode(x=x, color=marks.own_colour())], caption)


def _against(analysis: Analysis, found: Sequence[Row], chosen: str, caption: Caption) -> Chart:
    """Means of parts with intervals, and a line at the mean of the whole."""
    window = marks.around(found, "mean", analysis.mean.value)
    rows = [marks.drawn(row, window, chosen) for row in found]
    base = marks.chart(rows, marks.labels("level"), step=_step(rows))
    x = marks.axis("mean", captions.axis(analysis), window)
    return marks.finish([marks.line_at(analysis.mean.value, x), *marks.intervals(rows, base, x)], caption)


def _score_window(analysis: Analysis, rows: Sequence[Row]) -> tuple[float, float]:
    """Where the intervals lie, but not beyond the scores themselves: a mean cannot be there."""
    scores = tables.facts(analysis).scores
    low, high = marks.span([row[end] for row in rows for end in ("low", "high")])
    return max(low, scores.low), min(high, scores.high)


def _step(rows: Sequence[Row]) -> int:
    """Pixels per row."""
    return 26 if len(rows) <= 20 else 18


def _corner(rows: Sequence[Row], down: str, across: str) -> list[Row]:
    """The first rows and columns, as many as a chart shows."""
    first = {side: set(list(dict.fromkeys(row[side] for row in rows))[:MOST_ROWS]) for side in (down, across)}
    return [row for row in rows if row[down] in first[down] and row[across] in first[across]]


def _sides(rows: Sequence[Row]) -> tuple[str, str]:
    """Which side of the table goes down the page: the one with more levels."""
    n_rows, n_columns = (len({row[name] for row in rows}) for name in ("row", "column"))
    return ("row", "column") if n_rows >= n_columns else ("column", "row")
