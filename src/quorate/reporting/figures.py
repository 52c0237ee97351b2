"""Charts: one function, one analysis in, one Altair chart out, with the finding as its title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from quorate.analysis.judgments import NAIVE as NAIVE_INTERVAL
from quorate.analysis.judgments import Analysis
from quorate.analysis.labels import shown
from quorate.reporting import captions, tables
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import MOST_ROWS, known
from quorate.reporting.draw.theme import CORRECTED, INK, MISSED, NAIVE, SEQUENTIAL, SHAPES, colour, kind, palette
from quorate.reporting.page import Row
from quorate.roles import JUDGE
from quorate.wording import whole_percent

if TYPE_CHECKING:
    import altair as alt

    from quorate.reporting.draw.marks import Chart
    from quorate.reporting.page import Caption


def intervals(analysis: Analysis) -> Chart:
    """The naive interval, the one for this panel and the one for judges like these, on one axis."""
    found = tables.intervals(analysis)
    window = _score_window(analysis, found)
    rows = [
        {**row, "text": captions.limits(analysis, row)}
        | marks.drawn(row, window, NAIVE if row["interval"] == NAIVE_INTERVAL else CORRECTED)
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


def frontier(analysis: Analysis) -> Chart:
    """Price against standard error: all designs within reach, the best ones, and the study as it is among them."""
    import altair as alt

    found = [row for row in tables.frontier(analysis) if row["cost"] and row["cost"] > 0]
    best = marks.chart([row for row in found if row["place"] == "on the frontier"], _precision(analysis), step=1)
    edge = alt.Chart(alt.InlineData(values=tables.edge(analysis))).encode(y=_precision(analysis))
    named = [{**row, "text": row["place"]} for row in found if row["place"] != "on the frontier"]
    title = "price in USD (log scale)" if analysis.priced else "judgments in all (log scale)"
    ticks = alt.Axis(format="~s", tickCount=5, grid=False)
    x = alt.X("cost:Q", title=title, scale=alt.Scale(type="log", padding=24, nice=False), axis=ticks)
    all_designs = alt.Chart(alt.InlineData(values=tables.cloud(analysis))).encode(x=x, y=_precision(analysis))
    layers = [
        all_designs.mark_point(filled=True, size=14, opacity=0.3, color=NAIVE, aria=False),
        edge.encode(x=x).mark_line(color=CORRECTED, strokeWidth=2.5, interpolate="step-after"),
        best.encode(x=x).mark_point(filled=True, size=26, opacity=1, color=CORRECTED),
    ]
    if named:
        layers += _named(
            marks.chart(_aside(named, [row["cost"] for row in found]), _precision(analysis), step=1).encode(x=x)
        )
    return marks.finish(layers, captions.frontier(analysis), height=340)


def what_if(analysis: Analysis) -> Chart:
    """The standard error that each change to the design would give, from what it is now; the most precise first."""
    import altair as alt

    found = known(tables.what_if(analysis), "se", "calls")
    now = found[0]["se"]
    colours = {**palette(analysis.judgments.names), "": CORRECTED}
    best = {shown(one.label) for one in analysis.purchases}
    rows = [
        {**row, "colour": colours.get(row["facet"], NAIVE), "shape": "diamond" if row["change"] in best else "circle"}
        | {"from": now, "text": f"{row['calls']:,}"}
        for row in sorted(found, key=lambda row: row["se"])
    ]
    base = marks.chart(rows, marks.labels("change"), step=_step(rows))
    x = marks.axis("se", captions.se_axis(analysis), marks.span([row["se"] for row in rows]))
    line = base.mark_rule(strokeWidth=2.5, opacity=0.85)
    dots = base.mark_point(filled=True, opacity=1, size=110).encode(x=x, shape=alt.Shape("shape:N", scale=None))
    calls = base.mark_text(align="left", dx=8, fontSize=11, color=INK).encode(x=alt.value("width"), text="text:N")
    layers = [
        marks.line_at(now, x),
        line.encode(x=marks.like(x, "from"), x2="se:Q", color=marks.own_colour()),
        dots.encode(color=marks.own_colour()),
        calls,
    ]
    return marks.finish(layers, captions.what_if(analysis))


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


def flagged(analysis: Analysis) -> Chart:
    """How far apart the flagged items were scored: single scores from least to greatest, and every configuration."""
    import altair as alt

    found = tables.flagged(analysis)
    scores = tables.flagged_spread(analysis)
    facts = tables.facts(analysis).scores
    window = marks.span([facts.low, facts.high])
    x = marks.axis("lowest", captions.score_axis(analysis), window)
    colour_ = palette(analysis.judgments.names).get(JUDGE, CORRECTED)
    base = marks.chart(found, marks.labels("item"), step=_step(found))
    bar = base.mark_rule(strokeWidth=8, opacity=0.25, color=NAIVE).encode(x=x, x2="highest:Q")
    dots = marks.chart(scores, marks.labels("item"), step=_step(found))
    most = max(row["configurations"] for row in scores)
    scale = alt.Scale(domain=[1, max(most, 2)], range=[40, 40 + 12 * min(most, 20)])
    size = alt.Size("configurations:Q", scale=scale, legend=None)
    points = dots.mark_point(filled=True, opacity=0.7, color=colour_).encode(x=marks.like(x, "mean"), size=size)
    return marks.finish([bar, points], captions.flagged(analysis))


def crossings(analysis: Analysis) -> Chart:
    """How every two facets meet, as a triangle of their pairs."""
    import altair as alt

    rows = [{**row, **_meeting(row)} for row in tables.crossings(analysis)]
    base = marks.chart(rows, marks.labels("with"), step=44)
    heads = alt.Axis(labelAngle=0, labelLimit=110, orient="top", domain=False, ticks=False)
    base = base.encode(x=alt.X("facet:N", sort=None, title=None, axis=heads))
    box = base.mark_rect(stroke=INK, strokeOpacity=0.25, cornerRadius=3).encode(color=marks.own_colour())
    text = base.mark_text(fontSize=11).encode(text="text:N", color=alt.Color("ink:N", scale=None))
    return marks.finish([box, text], captions.crossings(analysis))


def _meeting(row: Row) -> Row:
    """How one pair of facets is drawn."""
    whole = {"complete": "crossed", "nested": f"{row['facet']} in {row['with']}", "one-to-one": "one to one"}
    fills = {"complete": ("#1F6FA8", "white"), "nested": ("#CFCF9A", "#14181D"), "one-to-one": ("#E3B7D0", "#14181D")}
    fills["partial"] = ("#A9CDE6", "#14181D")
    fill, ink = fills.get(row["layout"], ("#D9D9D9", "#14181D"))
    partly = whole_percent(row["share"]) if row["layout"] == "partial" else "one level"
    return {"colour": fill, "ink": ink, "text": whole.get(row["layout"], partly)}


def _precision(analysis: Analysis) -> alt.Y:
    """The axis of standard errors."""
    import altair as alt

    scale = alt.Scale(zero=False, padding=16)
    return alt.Y("se:Q", title=captions.se_axis(analysis), scale=scale, axis=alt.Axis(grid=True, tickCount=5))


_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
_WIDE_ENOUGH = "width < 420 ? 0 : 1"


def _named(base: alt.Chart) -> list[alt.Chart]:
    """Designs with a name: a ring for the study as it is, diamonds for better ones; their names where there is room.

    No design lies below the frontier, so its names do.
    """
    import altair as alt

    ring = base.mark_point(filled=False, size=190, strokeWidth=3, opacity=1, color=MISSED)
    disc = base.mark_point(filled=True, size=150, opacity=1, color=CORRECTED, shape="diamond")
    own, better = "datum.place === 'as it is'", "datum.place !== 'as it is'"
    layers = [ring.transform_filter(own), disc.transform_filter(better)]
    for side in _SIDES:
        for which, dy in ((own, -15), (better, 22)):
            words = base.mark_text(
                dy=dy, align=side, fontWeight="bold", color=INK, opacity=alt.expr(_WIDE_ENOUGH)
            ).encode(text="text:N")
            layers.append(words.transform_filter(f"{which} && datum.side === '{side}'"))
    return layers


def _aside(rows: Sequence[Row], costs: Sequence[float]) -> list[Row]:
    """Rows with the side on which their name has room."""
    low, high = np.log(min(costs)), np.log(max(costs))
    near = low + (high - low) / 5
    return [{**row, "side": "left" if np.log(row["cost"]) < near else "right"} for row in rows]


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
