"""Drawing of panels: systems by colour and shape, or as a table of colours where they are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quorate.analysis.panel import SHORT, PanelAnalysis
from quorate.analysis.words import cut, distinct
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import INK
from quorate.reporting.draw.vega import channel

if TYPE_CHECKING:
    from quorate.reporting.draw.vega import Channel, Spec
    from quorate.reporting.page import Row

ALL_SYSTEMS = "on average"
COLOURS = ("#4477AA", "#CC5566", "#228833", "#A6761D", "#8C6BB1", "#2F9C95")
"""Of systems, in the order of their labels: told apart by shape too, and seen on white and on black."""
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down", "triangle-right")
WHOLE = "diamond"
DIVERGING = ("#B35806", "#F7F7F7", "#08519C")
LETTER, SYMBOL = 7, 24
"""Pixels of a letter, and of a symbol with the space about it, in a legend."""
NARROW, LABELS = 320, 130
"""Pixels of a chart on the narrowest page, and those that the labels of its rows take at most."""


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

    def colour(self) -> Channel:
        """Colour with a legend that fits a narrow page."""
        scale = {"domain": list(self.names), "range": list(self.colours)}
        return channel(f"{self.field}:N", scale=scale, legend=self.legend())

    def shape(self) -> Channel:
        """Shape, in the same legend."""
        scale = {"domain": list(self.names), "range": list(self.shapes)}
        return channel(f"{self.field}:N", scale=scale, legend=self.legend())

    def legend(self) -> Channel:
        """As many columns as the narrowest page has room for, and names cut where it has none."""
        column = LETTER * min(max(map(len, self.names)), SHORT) + SYMBOL
        columns = min(max(self.room // column, 1), len(self.names))
        limit = {"expr": f"clamp(width - {SYMBOL}, 60, {LETTER * SHORT})"}
        return {"title": None, "columns": columns, "labelLimit": limit, "symbolType": "circle", "symbolStrokeWidth": 0}


def systems(view: PanelAnalysis, *, whole: bool = False) -> Series:
    """Systems, each in its colour and shape wherever it is drawn; their average in that of the text."""
    at = {name: i for i, name in enumerate(view.panel.means.systems)}
    rows = [(view.systems[name], COLOURS[at[name]], SHAPES[at[name]]) for name in view.order]
    first = [(ALL_SYSTEMS, INK, WHOLE)] if whole else []
    names, colours, shapes = zip(*first, *rows, strict=True)
    return Series("system", names, colours, shapes)


def headers(view: PanelAnalysis) -> dict[str, str]:
    """Titles of the columns that many tables have."""
    ends = {end: f"{end}, {view.coverage}" for end in ("low", "high")}
    return {**ends, "se": "standard error", "p_holm": "p (Holm)"}


def axis(view: PanelAnalysis, what: str) -> str:
    """Title of an axis in score units."""
    return f"{what} {cut(view.panel.judgments.score, 30)} (score units)"


def grouped(
    rows: Sequence[Row],
    label: str,
    value: str,
    series: Series,
    title: str,
    *,
    at: float | None = None,
    thick: int = 9,
) -> Spec:
    """Dots with intervals, those of a row above each other in the order of the legend."""
    known = marks.known(rows, value)
    window = marks.around(known, value, *([] if at is None else [at]))
    drawn = [marks.drawn(row, window, INK) for row in known]
    series = replace(series, room=NARROW - min(LETTER * max(len(row[label]) for row in drawn), LABELS))
    tall = {"step": thick * len(series.names) + 8, "for": "position"}
    lines = {"grid": True, "tickBand": "extent", "ticks": False}
    apart = {"paddingInner": 0.2, "paddingOuter": 0.1}
    y = channel(f"{label}:N", sort=None, title=None, axis=lines, scale=apart)
    base = marks.chart(drawn, y, step=1).tall(tall)
    base = base.encode(yOffset=channel(f"{series.field}:N", sort=list(series.names)))
    x = marks.axis(value, title, window)
    rule = base.mark("rule", strokeWidth=2, opacity=0.85)
    rule = rule.encode(x=marks.like(x, "shown_low"), x2="shown_high", color=series.colour())
    points = base.mark("point", filled=True, opacity=1, size=48).encode(
        x=x, color=series.colour(), shape=series.shape()
    )
    return marks.finish([*([] if at is None else [marks.line_at(at, x)]), rule, points])


def tiles(rows: Sequence[Row], value: str, pattern: str, legend: str, *, text: str | None = None) -> Spec:
    """A table of colours, judges down and systems across: blue above zero, orange below."""
    judges, across = (dict.fromkeys(row[side] for row in rows) for side in ("judge", "system"))
    kept = [set(list(names)[: marks.MOST_ROWS]) for names in (judges, across)]
    rows = [row for row in rows if row["judge"] in kept[0] and row["system"] in kept[1]]
    names = list(dict.fromkeys(row["system"] for row in rows))
    short: Mapping[str, str] = dict(zip(names, distinct(names, 14), strict=True))
    most = max(abs(row[value]) for row in rows) or 1
    scale = {"range": list(DIVERGING), "domain": [-most, 0, most], "interpolate": "rgb", "type": "linear"}
    named = [{**row, "across": short[row["system"]]} for row in rows]
    drawn = marks.readable(named, lambda row: row[value] > 0.72 * most or row[value] < -0.88 * most)
    base = marks.chart(drawn, marks.labels("judge"), step=24)
    heads = {"labelAngle": -60, "labelLimit": 130, "labelOverlap": False}
    base = base.encode(x=channel("across:N", sort=None, title=None, axis=heads))
    key = {"title": legend, "gradientLength": 180, "titleLimit": 280, "format": "~g"}
    fill = channel(f"{value}:Q", scale=scale, legend=key)
    fits = {"expr": "bandwidth('x') < 30 ? 0 : 1"}
    words = base.mark("text", fontSize=11, opacity=fits).encode(
        text=channel(f"{text or value}:Q", format=pattern), color=marks.own_ink()
    )
    return marks.finish([base.mark("rect").encode(color=fill), words])
