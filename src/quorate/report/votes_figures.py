"""Charts of the report of votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.report import marks, votes_captions, votes_tables
from quorate.report.tables import known
from quorate.report.theme import CORRECTED, MISSED, palette

if TYPE_CHECKING:
    import altair as alt

    from quorate.report.marks import Chart
    from quorate.report.votes_view import VotesView

LAWS = {votes_tables.ESTIMATED: MISSED, votes_tables.CORRECTED: CORRECTED}


def margins(view: VotesView) -> Chart:
    """Cumulative share of pairs against margin: as estimated, and in the law without noise."""
    import altair as alt

    base = alt.Chart(alt.InlineData(values=votes_tables.cumulative(view)))
    x = alt.X("margin:Q", title="margin", scale=alt.Scale(domain=[0, 0.5], nice=False))
    y = _share("share", "share of pairs with at most this margin")
    steps, smooth = (f"datum.law === '{name}'" for name in LAWS)
    line = base.mark_line(strokeWidth=2.5).encode(x=x, y=y, color=_colour())
    stairs = base.mark_line(strokeWidth=2, interpolate="step-after").encode(x=x, y=y, color=_colour())
    layers = [stairs.transform_filter(steps), line.transform_filter(smooth)]
    return marks.finish(layers, votes_captions.margins(view), height=300)


def decided(view: VotesView) -> Chart:
    """Share of pairs decided against votes for each: as estimated with its interval, and without noise."""
    import altair as alt

    found = votes_tables.decided(view)
    names = dict(zip(("decided", "corrected"), LAWS, strict=True))
    rows = [{"law": law, "votes": row["votes"], "share": row[key]} for key, law in names.items() for row in found]
    ticks = alt.Axis(format="~s", tickCount=5, grid=False)
    scale = alt.Scale(type="log", nice=False, padding=8)
    x = alt.X("votes:Q", title="decisive votes for each pair (log scale)", scale=scale, axis=ticks)
    y = _share("share", "share of pairs decided")
    band = alt.Chart(alt.InlineData(values=found)).mark_area(color=MISSED, opacity=0.2)
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y=y, color=_colour())
    points = base.mark_point(filled=True, size=36, opacity=1).encode(tooltip=["law:N", "votes:Q", "share:Q"])
    layers = [band.encode(x=x, y=_share("low", str(y["title"])), y2="high:Q"), base.mark_line(strokeWidth=2.5), points]
    return marks.finish(layers, votes_captions.decided(view), height=320)


def dependence(view: VotesView) -> Chart:
    """Ratios of standard errors: the median pair, and the range of most pairs."""
    rows = known(votes_tables.dependence(view), "ratio")
    window = marks.around(rows, "ratio", 1.0)
    colours = palette([row["by"] for row in rows])
    drawn = [marks.drawn(row, window, colours[row["by"]]) for row in rows]
    x = marks.axis("ratio", "clustered over independent standard error", window)
    base = marks.chart(drawn, marks.labels("by"), step=30)
    return marks.finish([marks.line_at(1.0, x), *marks.intervals(drawn, base, x)], votes_captions.dependence(view))


def _colour() -> alt.Color:
    """As estimated and without noise, in a legend of strokes that fits a narrow page."""
    import altair as alt

    legend = alt.Legend(title=None, columns=1, symbolType="stroke", symbolStrokeWidth=3, labelLimit=260)
    return alt.Color("law:N", scale=alt.Scale(domain=list(LAWS), range=list(LAWS.values())), legend=legend)


def _share(field: str, title: str) -> alt.Y:
    import altair as alt

    axis = alt.Axis(format="~%", grid=True, tickCount=5)
    return alt.Y(f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]))
