"""Charts of the panel of judges: systems by colour and shape, or as a table of colours where they are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from quorate.analysis import labels
from quorate.analysis.panel import APART, PUBLISHED, SHORT, PanelView
from quorate.plan.panel.strategies import ALL, CYCLIC, RANDOM
from quorate.reporting import panel_captions, panel_tables
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import known
from quorate.reporting.draw.theme import CORRECTED, INK, MISSED, NAIVE, palette
from quorate.reporting.page import Row
from quorate.roles import JUDGE

if TYPE_CHECKING:
    import altair as alt

    from quorate.reporting.draw.marks import Chart
    from quorate.reporting.page import Caption

COLOURS = ("#4477AA", "#CC5566", "#228833", "#A6761D", "#8C6BB1", "#2F9C95")
"""Of systems, in the order of their labels: told apart by shape too, and seen on white and on black."""
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down", "triangle-right")
WHOLE = "diamond"
DIVERGING = ("#B35806", "#F7F7F7", "#08519C")
LETTER, SYMBOL = 7, 24
"""Pixels of a letter, and of a symbol with the space about it, in a legend."""
NARROW, LABELS = 320, 130
"""Pixels of a chart on the narrowest page, and those that the labels of its rows take at most."""
STRATEGIES = {
    ALL: (MISSED, "square", [6, 3]),
    RANDOM: (NAIVE, "triangle-up", [2, 3]),
    CYCLIC: (CORRECTED, "circle", [1, 0]),
}
MODELS = {APART: (CORRECTED, "circle"), PUBLISHED: (MISSED, "square")}


@dataclass(frozen=True)
class Series:
    """What several marks in one row stand for.

    Parameters
    ----------
    field : str
        Column that says which.
    names, colours, shapes : tuple of str
        In the order of the legend.
    room : int
        Pixels that the legend has on the narrowest page: the width without that of the labels of the rows.
    """

    field: str
    names: tuple[str, ...]
    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    room: int = 280

    def colour(self) -> alt.Color:
        """Colour with a legend that fits a narrow page."""
        import altair as alt

        scale = alt.Scale(domain=list(self.names), range=list(self.colours))
        return alt.Color(f"{self.field}:N", scale=scale, legend=self.legend())

    def shape(self) -> alt.Shape:
        """Shape, in the same legend."""
        import altair as alt

        scale = alt.Scale(domain=list(self.names), range=list(self.shapes))
        return alt.Shape(f"{self.field}:N", scale=scale, legend=self.legend())

    def legend(self) -> alt.Legend:
        """As many columns as the narrowest page has room for, and names cut where it has none."""
        import altair as alt

        column = LETTER * min(max(map(len, self.names)), SHORT) + SYMBOL
        columns = min(max(self.room // column, 1), len(self.names))
        limit = alt.expr(f"clamp(width - {SYMBOL}, 60, {LETTER * SHORT})")
        return alt.Legend(title=None, columns=columns, labelLimit=limit, symbolType="circle", symbolStrokeWidth=0)


def bias(view: PanelView) -> Chart:
    """Every judge against the panel, on average and by system."""
    rows = panel_tables.bias(view)
    caption, title = panel_captions.bias(view), panel_captions.score_axis(view, "judge less panel, in")
    if view.alone:
        return _plain(view, marks.furthest(rows, "bias"), "judge", "bias", caption, title)
    if view.many:
        shown = [row for row in rows if row["system"] != panel_tables.ALL_SYSTEMS]
        return _tiles(shown, "bias", ".2f", caption, "bias")
    return _dots(rows, "judge", "bias", _systems(view, whole=True), caption, title, at=0.0)


def rankings(view: PanelView) -> Chart:
    """Mean of every system by the panel and by each judge alone; ranks where they are many."""
    rows, caption = panel_tables.rankings(view), panel_captions.rankings(view)
    if view.many:
        return _tiles(rows, "moved", "d", caption, "places up", text="rank")
    title = panel_captions.score_axis(view, "mean of")
    return _dots(rows, "judge", "mean", _systems(view), caption, title)


def preference(view: PanelView) -> Chart:
    """What every judge gives itself beyond what is expected."""
    rows = marks.furthest(panel_tables.preference(view), "effect")
    title = panel_captions.score_axis(view, "self-preference in")
    return _plain(view, rows, "judge", "effect", panel_captions.preference(view), title)


def components(view: PanelView) -> Chart:
    """Components under both models, side by side."""
    rows = panel_tables.components(view)[: panel_tables.MOST_DRAWN]
    title = f"variance of one score ({labels.shown(view.panel.judgments.score, 30)} squared)"
    series = Series("model", tuple(MODELS), *_columns(list(MODELS.values())))
    return _dots(rows, "component", "variance", series, panel_captions.components(view), title, at=0.0, thick=11)


def strategies(view: PanelView) -> Chart:
    """Standard error against calls per item on log axes: predicted lines, redrawn studies with their error."""
    import altair as alt

    caption, field = panel_captions.strategies(view), "se" if view.check is not None else "se_like_these"
    first = "" if view.alone else view.systems[str(view.drawn)]
    rows = [row for row in panel_tables.strategies(view) if row["system"] == first and row["strategy"] in STRATEGIES]
    rows = [_with_error(row) for row in known(rows, field) if row[field] > 0]
    budgets = sorted({row["calls"] for row in rows})
    series = Series("strategy", tuple(STRATEGIES), *_columns([(c, s) for c, s, _ in STRATEGIES.values()]))
    dash = alt.Scale(domain=list(STRATEGIES), range=[dashes for _, _, dashes in STRATEGIES.values()])
    log = alt.Scale(type="log", padding=20, nice=False)
    x_axis = alt.Axis(values=budgets, format="d", grid=False)
    x = alt.X("calls:Q", title=f"judge calls per {labels.shown(view.item, 30)} (log scale)", scale=log, axis=x_axis)
    y_axis = alt.Axis(grid=True, tickCount=5, format="~g")
    y = partial(alt.Y, title=panel_captions.score_axis(view, "standard error of the mean of"), scale=log, axis=y_axis)
    base = marks.chart(rows, y(f"{field}:Q"), step=1).encode(x=x)
    line = base.mark_line(strokeWidth=2).encode(color=series.colour())
    layers = [line.encode(strokeDash=alt.StrokeDash("strategy:N", scale=dash, legend=None))]
    points = base.mark_point(filled=True, opacity=1, size=80).encode(color=series.colour(), shape=series.shape())
    if view.check is not None:
        rule = base.mark_rule(strokeWidth=2).encode(y=y("low:Q"), y2="high:Q", color=series.colour())
        layers += [rule, points.encode(y=y("redrawn:Q"))]
    else:
        layers.append(points)
    return marks.finish(layers, caption, height=300)


def _systems(view: PanelView, *, whole: bool = False) -> Series:
    """Systems, each in its colour and shape wherever it is drawn; their average in that of the text."""
    at = {name: i for i, name in enumerate(view.panel.means.systems)}
    rows = [(view.systems[name], COLOURS[at[name]], SHAPES[at[name]]) for name in view.order]
    first = [(panel_tables.ALL_SYSTEMS, INK, WHOLE)] if whole else []
    names, colours, shapes = zip(*first, *rows, strict=True)
    return Series("system", names, colours, shapes)


def _columns(rows: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows)


def _dots(
    rows: Sequence[Row],
    label: str,
    value: str,
    series: Series,
    caption: Caption,
    title: str,
    *,
    at: float | None = None,
    thick: int = 9,
) -> Chart:
    """Dots with intervals, those of a row above each other in the order of the legend."""
    import altair as alt

    window = marks.around(known(rows, value), value, *([] if at is None else [at]))
    drawn = [marks.drawn(row, window, INK) for row in known(rows, value)]
    series = replace(series, room=NARROW - min(LETTER * max(len(row[label]) for row in drawn), LABELS))
    tall = alt.Step(thick * len(series.names) + 8, **{"for": "position"})
    lines = alt.Axis(grid=True, tickBand="extent", ticks=False)
    apart = alt.Scale(paddingInner=0.2, paddingOuter=0.1)
    y = alt.Y(f"{label}:N", sort=None, title=None, axis=lines, scale=apart)
    base = marks.chart(drawn, y, step=1).properties(height=tall)
    base = base.encode(yOffset=alt.YOffset(f"{series.field}:N", sort=list(series.names)))
    x = marks.axis(value, title, window)
    rule = base.mark_rule(strokeWidth=2, opacity=0.85)
    rule = rule.encode(x=marks.like(x, "shown_low"), x2="shown_high:Q", color=series.colour())
    points = base.mark_point(filled=True, opacity=1, size=48).encode(x=x, color=series.colour(), shape=series.shape())
    return marks.finish([*([] if at is None else [marks.line_at(at, x)]), rule, points], caption)


def _plain(view: PanelView, rows: Sequence[Row], label: str, value: str, caption: Caption, title: str) -> Chart:
    """One dot with its interval in every row, in the colour of the judges."""
    window = marks.around(rows, value, 0.0)
    colour = palette(view.panel.judgments.names)[JUDGE]
    drawn = [marks.drawn(row, window, colour) for row in rows]
    base = marks.chart(drawn, marks.labels(label), step=26 if len(rows) <= 20 else 18)
    x = marks.axis(value, title, window)
    return marks.finish([marks.line_at(0.0, x), *marks.intervals(drawn, base, x)], caption)


def _tiles(
    rows: Sequence[Row], value: str, pattern: str, caption: Caption, legend: str, *, text: str | None = None
) -> Chart:
    """A table of colours, judges down and systems across: blue above zero, orange below."""
    import altair as alt

    judges, systems = (dict.fromkeys(row[side] for row in rows) for side in ("judge", "system"))
    kept = [set(list(names)[: marks.MOST_ROWS]) for names in (judges, systems)]
    rows = [row for row in rows if row["judge"] in kept[0] and row["system"] in kept[1]]
    most = max(abs(row[value]) for row in rows) or 1
    scale = alt.Scale(range=list(DIVERGING), domain=[-most, 0, most], interpolate="rgb", type="linear")
    base = marks.chart(_shortened(rows), marks.labels("judge"), step=24)
    heads = alt.Axis(labelAngle=-60, labelLimit=130, labelOverlap=False)
    base = base.encode(x=alt.X("across:N", sort=None, title=None, axis=heads))
    key = alt.Legend(title=legend, gradientLength=180, titleLimit=280, format="~g")
    fill = alt.Color(f"{value}:Q", scale=scale, legend=key)
    dark = f"datum.{value} > {0.72 * most} || datum.{value} < {-0.88 * most}"
    ink = alt.condition(dark, alt.value("white"), alt.value("#14181D"))
    fits = alt.expr("bandwidth('x') < 30 ? 0 : 1")
    words = base.mark_text(fontSize=11, opacity=fits).encode(
        text=alt.Text(f"{text or value}:Q", format=pattern), color=ink
    )
    return marks.finish([base.mark_rect().encode(color=fill), words], caption)


def _shortened(rows: Sequence[Row]) -> list[Row]:
    """Rows with heads that an axis has room for."""
    names = list(dict.fromkeys(row["system"] for row in rows))
    short: Mapping[str, str] = dict(zip(names, labels.distinct(names, 14), strict=True))
    return [{**row, "across": short[row["system"]]} for row in rows]


def _with_error(row: Row) -> Row:
    """A row with the ends of its Monte Carlo error."""
    if row["redrawn"] is None:
        return row
    return {**row, "low": row["redrawn"] - row["error"], "high": row["redrawn"] + row["error"]}
