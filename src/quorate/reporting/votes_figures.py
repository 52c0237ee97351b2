"""Charts of the report of votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.reporting import votes_captions, votes_tables
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import known
from quorate.reporting.draw.theme import CORRECTED, INK, MISSED, palette

if TYPE_CHECKING:
    import altair as alt

    from quorate.analysis.votes import VotesView
    from quorate.estimate.votes.stability import Stability
    from quorate.reporting.draw.marks import Chart

LEVEL = 0.05
"""Below it, the first votes of a pair and the others differ."""
SAME, CHANGED = "as before, as far as can be seen", "changed, at level 0.05"
TICKS = (25, 50, 100, 200, 500, 1000, 2000, 5000)
"""Numbers of votes on the axis."""
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
    ticks = alt.Axis(format=",", values=TICKS, grid=False)
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


def equal(view: VotesView) -> Chart:
    """Standard errors from one half: the median study, and the range of most, by votes for every pair."""
    rows = known(votes_tables.equal(view), "z")
    window = marks.around(rows, "z", view.reach)
    drawn = [marks.drawn(row, window, CORRECTED) for row in rows]
    x = marks.axis("z", "standard errors from one half (z)", window)
    base = marks.chart(drawn, marks.labels("votes", "votes for each pair"), step=30)
    return marks.finish([marks.line_at(view.reach, x), *marks.intervals(drawn, base, x)], votes_captions.equal(view))


def drift(found: Stability) -> Chart:
    """Margin of every pair in its first votes against that in its others."""
    import altair as alt

    rows = [{**row, "which": CHANGED if row["drift_p"] <= LEVEL else SAME} for row in votes_tables.drift(found)]
    window = marks.span([row[name] for row in rows for name in ("early", "rest")] + [0.0])
    x = marks.axis("early", "margin in the first votes", window)
    y = alt.Y("rest:Q", title="margin in the others", scale=alt.Scale(domain=list(window), nice=False, zero=False))
    colours = alt.Scale(domain=[SAME, CHANGED], range=[CORRECTED, MISSED])
    legend = alt.Legend(title=None, columns=1, labelLimit=260)
    tips = [alt.Tooltip("pair:N"), *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("early", "rest", "drift_p"))]
    dots = alt.Chart(alt.InlineData(values=rows)).mark_point(filled=True, size=45, opacity=0.75)
    shapes = alt.Shape("which:N", scale=alt.Scale(domain=[SAME, CHANGED], range=["circle", "diamond"]), legend=legend)
    cloud = dots.encode(x=x, y=y, color=alt.Color("which:N", scale=colours, legend=legend), shape=shapes, tooltip=tips)
    ends = alt.InlineData(values=[{"early": end, "rest": end} for end in window])
    line = alt.Chart(ends).mark_line(color=INK, opacity=0.6, strokeDash=[4, 3], strokeWidth=1).encode(x=x, y=y)
    return marks.finish([line, cloud], votes_captions.drift(found), height=360)


def _colour() -> alt.Color:
    """As estimated and without noise, in a legend of strokes that fits a narrow page."""
    import altair as alt

    legend = alt.Legend(title=None, columns=1, symbolType="stroke", symbolStrokeWidth=3, labelLimit=260)
    return alt.Color("law:N", scale=alt.Scale(domain=list(LAWS), range=list(LAWS.values())), legend=legend)


def _share(field: str, title: str) -> alt.Y:
    import altair as alt

    axis = alt.Axis(format="~%", grid=True, tickCount=5)
    return alt.Y(f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]))
