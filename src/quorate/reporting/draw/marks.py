"""What charts are put together from: marks in Vega-Lite, dots with intervals, lines, windows to keep them readable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.analysis.words import distinct
from quorate.estimate.components.model import CELL
from quorate.frozen import dataclass
from quorate.reporting.page import Figure
from quorate.roles import REPLICATE

if TYPE_CHECKING:
    from quorate.reporting.page import Caption, Row

Channel = dict[str, Any]
"""How a field is shown, such as a position or a colour, or a value for all marks."""
Spec = dict[str, Any]
"""A drawing."""

_TYPES = {"N": "nominal", "O": "ordinal", "Q": "quantitative"}


def channel(shorthand: str, **options: Any) -> Channel:
    """How a field is shown: its name and, after a colon, N, O or Q for names, ordered values and numbers.

    Examples
    --------
    >>> channel("mean:Q", title=None)
    {'field': 'mean', 'type': 'quantitative', 'title': None}
    """
    name, _, kind = shorthand.rpartition(":")
    return {"field": name, "type": _TYPES[kind], **options} if name else {"field": shorthand, **options}


@dataclass(frozen=True)
class Marks:
    """Marks of one kind, one for each row; every method gives others and leaves these as they are."""

    rows: Sequence[Mapping[str, Any]]
    parts: Spec = field(default_factory=dict)

    def mark(self, kind: str, **options: Any) -> Marks:
        """The same as marks of this kind."""
        return self._with(mark={"type": kind, **options})

    def encode(self, *, tooltip: Sequence[Channel | str] | str = "", **channels: Channel | str) -> Marks:
        """The same with these channels as well; a text is a field that needs no options.

        What a pointer shows may be told in words: fields, those of numbers with their format after a colon.
        """
        told = map(_tip, tooltip.split()) if isinstance(tooltip, str) else map(_channel, tooltip)
        tips = {"tooltip": [*told]} if tooltip else {}
        given = {name: _channel(one) for name, one in channels.items()}
        return self._with(encoding={**self.parts.get("encoding", {}), **given, **tips})

    def only(self, test: Callable[[Mapping[str, Any]], bool]) -> Marks:
        """The same, of rows where a test holds."""
        return replace(self, rows=[row for row in self.rows if test(row)])

    def tall(self, height: float | Mapping[str, Any]) -> Marks:
        """The same on a panel of this height."""
        return self._with(height=height)

    def _with(self, **parts: Any) -> Marks:
        return replace(self, parts={**self.parts, **parts})


def layered(layers: Sequence[Marks], **properties: Any) -> Spec:
    """Marks in one panel, which has the height and the rows of each; rows that several share are there once."""
    names = {id(layer.rows): f"rows{place}" for place, layer in reversed([*enumerate(layers)])}
    heights = [layer.parts["height"] for layer in layers if "height" in layer.parts]
    drawn = [{name: part for name, part in layer.parts.items() if name != "height"} for layer in layers]
    return {
        "datasets": {names[id(layer.rows)]: list(layer.rows) for layer in layers},
        "layer": [{"data": {"name": names[id(layer.rows)]}, **one} for layer, one in zip(layers, drawn, strict=True)],
        **({"height": heights[-1]} if heights else {}),
        **properties,
    }


@dataclass(frozen=True)
class Layer:
    """Marks of one kind: their rows, options, and what the rows decide.

    Parameters
    ----------
    name : str
        Of the rows, which other layers may have too.
    rows : sequence of mapping
    kind : str
        Of the marks.
    mark : mapping
        Options that all have.
    encoding : mapping
        Channels.
    """

    name: str
    rows: Sequence[Mapping[str, Any]]
    kind: str
    mark: Channel
    encoding: Mapping[str, Channel]

    def value(self, channel: str, row: Mapping[str, Any]) -> Any:
        """What a row has in a channel; None where it is no number that can be drawn, or there is no such channel."""
        found = row.get(self.encoding[channel]["field"]) if "field" in self.encoding.get(channel, ()) else None
        return None if isinstance(found, float) and not math.isfinite(found) else found

    @property
    def lies(self) -> bool:
        """Whether bars go from left to right."""
        return self.encoding.get("y", {}).get("type") != "quantitative"

    def numbers(self, channel: str) -> Iterator[float]:
        """All that a channel holds."""
        if "datum" in self.encoding.get(channel, ()):
            yield float(self.encoding[channel]["datum"])
        values = (self.value(channel, row) for row in self.rows)
        yield from (float(value) for value in values if value is not None and not isinstance(value, str))

    def mapped(self, channel: str, row: Mapping[str, Any]) -> Any:
        """What a channel makes of a row, such as a colour or a shape; None where there is no such channel."""
        encoding = self.encoding.get(channel, {})
        value = self.value(channel, row)
        scale = encoding.get("scale") or {}
        if value is None or "range" not in scale:
            return value
        if encoding["type"] == "quantitative":
            return shade(float(value), scale["domain"], scale["range"])
        return scale["range"][scale["domain"].index(value)]

    def stacked(self, channel: str) -> dict[int, tuple[float, float]]:
        """Where every bar begins and ends: those of one name stand on each other, in the order that rows name."""
        other = "y" if channel == "x" else "x"
        order = range(len(self.rows))
        if "order" in self.encoding:
            order = sorted(order, key=lambda place: self.value("order", self.rows[place]))  # type: ignore[assignment]
        ends: dict[object, float] = {}
        found = {}
        for place in order:
            row = self.rows[place]
            value, name = self.value(channel, row), self.value(other, row)
            if value is not None and not isinstance(value, str):
                start = ends.get(name, 0.0)
                ends[name] = start + float(value)
                found[place] = (start, ends[name])
        return found


def shade(value: float, domain: Sequence[float], colours: Sequence[str]) -> str:
    """The colour of a number between the colours of others.

    Examples
    --------
    >>> shade(1.0, (0.0, 2.0), ("#000000", "#FFFFFF"))
    '#808080'
    """
    at = min(max(value, domain[0]), domain[-1])
    place = next((i for i in range(len(domain) - 1) if at <= domain[i + 1]), len(domain) - 2)
    share = (at - domain[place]) / ((domain[place + 1] - domain[place]) or 1.0)
    pairs = [[int(colours[place + end][i : i + 2], 16) for end in (0, 1)] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(low + share * (high - low)):02X}" for low, high in pairs)


def _tip(told: str) -> Channel:
    name, number, pattern = told.partition(":")
    return channel(f"{name}:Q", **({"format": pattern} if pattern else {})) if number else channel(f"{name}:N")


def _channel(one: Channel | str) -> Channel:
    return channel(one) if isinstance(one, str) else one


# Colours and chart settings: one colour per facet everywhere, legible on white, on black and on paper.


FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK = "currentColor"
"""Text and axes take the colour of the text around the chart, so dark mode and print need no second chart."""

CORRECTED = "#0072B2"
NAIVE = "#7F7F7F"
MISSED = "#C77C00"
NOISE = "#7F7F7F"

KNOWN = {"item": "#3A96CC", "judge": "#D55E00", "prompt": "#009E73", "temperature": "#CC79A7", "category": "#999933"}
"""Okabe and Ito's colours, sky blue a little darker so that it holds on white; olive is Tol's."""

Styles = dict[str, tuple[str, list[int]]]
"""Colour and dashes of lines, by their names."""
SOLID, DASHED, DOTTED = [1, 0], [6, 3], [2, 3]

OTHERS = ("#AA4499", "#8A6D3B", "#6A78C7", "#44A099")
SEQUENTIAL = ("#F0F5FA", "#08519C")
SHAPES = {"main": "circle", "interaction": "diamond", "noise": "square"}


def palette(facets: Sequence[str]) -> dict[str, str]:
    """A colour for every facet, the same for the same facet of the same study in every chart."""
    others = [name for name in facets if name not in KNOWN]
    return {**KNOWN, **{name: OTHERS[i % len(OTHERS)] for i, name in enumerate(others)}}


def colour(component: str, facets: Sequence[str]) -> str:
    """Colour of a component: its facet's; that of the later facet for an interaction; grey for cells and replicates.

    A sum of components takes the colour of its first.
    """
    first = component.partition(" + ")[0].partition("[")[0]
    if first in (CELL, REPLICATE):
        return NOISE
    return palette(facets).get(first.split(":")[-1], NOISE)


def kind(component: str) -> str:
    """Whether a component is a main effect, an interaction or noise, which is its shape in charts."""
    first = component.partition(" + ")[0].partition("[")[0]
    if first in (CELL, REPLICATE):
        return "noise"
    return "interaction" if ":" in first else "main"


def settings() -> dict[str, Any]:
    """Vega-Lite configuration shared by all charts."""
    text = {"labelColor": INK, "titleColor": INK}
    lines = {"gridColor": INK, "domainColor": INK, "tickColor": INK}
    faint = {"gridOpacity": 0.12, "domainOpacity": 0.4, "tickOpacity": 0.4}
    sizes = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 8}
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None, "continuousWidth": 300, "continuousHeight": 300},
        "axis": {**text, **lines, **faint, **sizes},
        "axisX": {
            "tickCount": 5,
            "labelOverlap": "greedy",
            "labelSeparation": 6,
            "labelFlush": False,
            "titleAnchor": "end",
        },
        "axisY": {"labelLimit": 180, "grid": False},
        "legend": {**text, "labelFontSize": 12, "titleFontSize": 12, "orient": "top", "titleFontWeight": "normal"},
        "text": {"color": INK, "fontSize": 12},
        "title": {"color": INK, "subtitleColor": INK, "anchor": "start", "fontSize": 15, "subtitleFontSize": 12},
    }


WIDTH = 600
"""Pixels in a notebook; in the report charts are as wide as the page."""

MOST_CHARACTERS = 34
"""Characters of a line of a label that an axis has room for; the table and the pointer show all."""

TWO_LINES = 26
"""Pixels of a row from which on its label may take two lines."""

MOST_ROWS = 50
"""Rows that a chart shows; the table under it has all."""

MANY = 24
"""Rows from which on they are drawn smaller, with the axis over the chart."""

_DRAWING = frozenset(
    ("colour", "shape", "text", "ink", "from", "side", "why_not", "rows", "shown_low", "shown_high", "beyond_low")
) | {"beyond_high"}


def chart(rows: Sequence[Mapping[str, Any]], y: Channel, *, step: int) -> Marks:
    """A chart over rows of plain values, with ``step`` pixels per row."""
    field = y["field"]
    texts = list(dict.fromkeys(row[field] for row in rows if isinstance(row.get(field), str)))
    most = MOST_CHARACTERS * (2 if step >= TWO_LINES else 1)
    cut = zip(texts, distinct(texts, most), strict=True) if y["type"] == "nominal" else ()
    if short := {text: label for text, label in cut if label != text}:  # still to be told apart
        rows = [{**row, field: short.get(row[field], row[field]), "in_full": row[field]} for row in rows]
    finite = [
        {name: None if isinstance(value, float) and not np.isfinite(value) else value for name, value in row.items()}
        for row in rows
    ]
    tips = []  # what a pointer over a mark shows: the row of the table, without what only draws it
    for key in dict.fromkeys(key for row in rows for key in row if key not in _DRAWING):
        kinds, title = {type(row.get(key)) for row in rows}, key.replace("_", " ")
        number = channel(f"{key}:Q", title=title, format=".4~r" if float in kinds else ",")
        tips.append(number if kinds & {int, float} else channel(f"{key}:N", title=title))
    return Marks(finite).encode(y=y, tooltip=tips).tall({"step": step})


def labels(field: str, title: str | None = None) -> Channel:
    """The axis of rows, in the order they have."""
    return channel(f"{field}:N", sort=None, title=title)


def axis(field: str, title: str, window: tuple[float, float], rows: int = 0) -> Channel:
    """A numeric axis that ends where the window does; of many rows it stands over the chart."""
    scale = {"domain": list(window), "nice": False, "zero": False}
    return channel(f"{field}:Q", title=title, scale=scale, **over(rows))


def over(rows: int, **settings: Any) -> dict[str, Any]:
    """Settings of an axis that stands over a chart of many rows, and under one of few."""
    settings |= {"orient": "top"} if rows > MANY else {}
    return {"axis": settings} if settings else {}


def own_colour() -> Channel:
    """The colour that a row names itself."""
    return channel("colour:N", scale=None)


WHITE, BLACK = "#FFFFFF", "#14181D"


def readable(rows: Iterable[Mapping[str, Any]], field: str, scale: Mapping[str, Any]) -> list[Row]:
    """Rows with the ink of words on them, white or black: which stands out more from the shade of the field."""
    under = [(row, shade(row[field], scale["domain"], scale["range"])) for row in rows]
    return [{**row, "ink": max((WHITE, BLACK), key=lambda ink: contrast(ink, ground))} for row, ground in under]


def contrast(one: str, other: str) -> float:
    """How far a colour stands out from another, 1 to 21, by the luminances of WCAG 2.

    Examples
    --------
    >>> contrast("#FFFFFF", "#000000"), contrast("#777777", "#FFFFFF") > 4
    (21.0, True)
    """
    parts = [[int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)] for code in (one, other)]
    linear = [[part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in own] for own in parts]
    low, high = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in linear)
    return (high + 0.05) / (low + 0.05)


def own_ink() -> Channel:
    """The ink that a row names itself."""
    return channel("ink:N", scale=None)


def intervals(rows: Sequence[Row], base: Marks, x: Channel, *, thickness: float = 2.5) -> list[Marks]:
    """A line from low to high with a dot, and an arrow where the interval goes on beyond the axis."""
    line = base.mark("rule", strokeWidth=thickness, opacity=0.85)
    dots = base.mark("point", filled=True, opacity=1, size=90, stroke=INK, strokeWidth=0.5)
    layers = [
        line.encode(x=like(x, "shown_low"), x2="shown_high", color=own_colour()),
        dots.encode(x=x, color=own_colour(), shape=channel("shape:N", scale=None)),
    ]
    for end, angle in (("low", 270), ("high", 90)):
        if any(row[f"beyond_{end}"] for row in rows):
            arrow = base.mark("point", shape="triangle", filled=True, size=80, angle=angle, opacity=1)
            at = arrow.only(itemgetter(f"beyond_{end}"))
            layers.append(at.encode(x=like(x, f"shown_{end}"), color=own_colour()))
    return layers


def like(x: Channel, field: str) -> Channel:
    """The same axis for another field."""
    return {**x, "field": field}


def line_at(value: float, axis: Channel, along: str = "x") -> Marks:
    """A dashed line at a value, from one end of the panel to the other."""
    line = Marks([{"at": value}]).mark("rule", color=INK, opacity=0.6, strokeDash=[4, 3])
    place = like(axis, "at")
    return line.encode(x=place) if along == "x" else line.encode(y=place)


def against(rows: Sequence[Row], names: Sequence[str], x: str, y: str) -> tuple[Channel, Channel, Marks]:
    """Axes with these titles for two numbers on one scale, and the dashed line where they are the same.

    The first two of ``names`` are theirs; the scale holds the others too.
    """
    window = span([float(row[name]) for row in rows for name in names] + [0.0])
    across, up = axis(names[0], x, window), axis(names[1], y, window)
    ends = Marks([dict.fromkeys(names[:2], end) for end in window])
    line = ends.mark("line", color=INK, opacity=0.6, strokeDash=[4, 3], strokeWidth=1)
    return across, up, line.encode(x=across, y=up)


def finish(layers: Sequence[Marks], **properties: Any) -> Spec:
    """Layers with the shared settings; printers add the title."""
    return layered(layers, config=settings(), **{"width": WIDTH, **properties})


def drawn(row: Mapping[str, Any], window: tuple[float, float], colour: str, shape: str = "circle") -> Row:
    """A row with how to draw it: colour, shape, the part of its interval inside the window, and what goes on beyond."""
    low, high = row["low"], row["high"]
    known = not any(end is None or np.isnan(end) for end in (low, high))
    inside = {
        "shown_low": max(low, window[0]) if known else None,
        "shown_high": min(high, window[1]) if known else None,
        "beyond_low": bool(known and low < window[0]),
        "beyond_high": bool(known and high > window[1]),
    }
    return {**row, **inside, "colour": colour, "shape": shape}


def around(rows: Sequence[Mapping[str, Any]], name: str, *also: float) -> tuple[float, float]:
    """A window that holds every point and every interval, except the far parts of very long ones."""
    values = [*(row[name] for row in rows), *also]
    widths = [row["high"] - row["low"] for row in rows if np.isfinite(row["high"] - row["low"])]
    reach = 3 * max(max(values) - min(values), float(np.median(widths)) if widths else 0.0)
    ends = [row[end] for row in rows for end in ("low", "high") if not np.isnan(row[end])]
    return span([*values, *(min(max(end, min(values) - reach), max(values) + reach) for end in ends)])


def from_zero(points: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    """A window from zero that shows every point, and intervals up to a few times the largest point."""
    finite = [high for high in highs if np.isfinite(high)]
    most = max(points, default=0.0)
    top = max([most, *(min(high, 2.5 * most) if most > 0 else high for high in finite)])
    return 0.0, 1.05 * top if top > 0 else 1.0


def span(values: Sequence[float]) -> tuple[float, float]:
    """Least and greatest of the finite values, with a margin."""
    finite = [value for value in values if np.isfinite(value)]
    low, high = min(finite), max(finite)
    margin = 0.06 * (high - low) or 0.05 * max(abs(high), 1.0)
    return low - margin, high + margin


def furthest(rows: Sequence[Row], name: str) -> list[Row]:
    """As many rows as a chart shows: those furthest from zero, in the order they had."""
    kept = sorted(range(len(rows)), key=lambda i: -abs(rows[i][name]))[:MOST_ROWS]
    return [rows[i] for i in sorted(kept)]


def known(rows: Iterable[Mapping[str, Any]], *names: str) -> list[Row]:
    """The rows in which all of these are finite numbers."""
    return [dict(row) for row in rows if all(row[name] is not None and np.isfinite(row[name]) for name in names)]


def first(rows: Sequence[Row]) -> list[str]:
    """Colours of rows of which the first is the one that counts."""
    return [CORRECTED, *[NAIVE] * (len(rows) - 1)]


def spread(rows: Sequence[Row]) -> list[Row]:
    """As many rows as a chart shows, evenly spaced in the order they have."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    return [rows[i] for i in np.linspace(0, len(rows) - 1, MOST_ROWS).round().astype(int)]


def step(rows: Sequence[Row]) -> int:
    """Pixels per row."""
    return 26 if len(rows) <= 20 else 18


def bars(rows: Sequence[Row], label: str, share: str, look: str | Sequence[str] = ()) -> Callable[[], Spec]:
    """The first shares as bars, in one colour, or each in that of its component where these are the facets."""

    def drawn() -> Spec:
        every = ((row, look if isinstance(look, str) else colour(row[label], look)) for row in rows[:MOST_ROWS])
        shown = [{**row, "colour": own} for row, own in every]
        x = channel(f"{share}:Q", title="share", axis={"format": "~%", "tickCount": 4}, scale={"zero": True})
        bar = chart(shown, labels(label), step=step(shown)).mark("bar", height=14)
        return finish([bar.encode(x=x, color=own_colour())])

    return drawn


def dots(
    rows: Sequence[Row],
    label: str,
    value: str,
    title: str,
    colour: str | Sequence[str | tuple[str, str]],
    *,
    at: float | None = None,
    edges: Sequence[float] = (),
    window: tuple[float, float] | None = None,
    tall: int | None = None,
    side: str | None = None,
    thickness: float = 2.5,
    wide: tuple[str, str] | None = None,
) -> Spec:
    """One dot with its interval in every row, of one colour or each with a colour, or colour and shape, of its own.

    A line is dashed at ``at`` and dotted at ``edges``. Under the interval there may be a wide one, ``wide``: what its
    columns begin with, and its colour.
    """
    looks = [colour] * len(rows) if isinstance(colour, str) else colour
    window = window or around(rows, value, *([] if at is None else [at]), *edges)
    shown = [
        drawn(row, window, *((look,) if isinstance(look, str) else look)) for row, look in zip(rows, looks, strict=True)
    ]
    base = chart(shown, labels(label, side), step=tall or step(shown))
    x = axis(value, title, window, len(rows))
    lines = [*([] if at is None else [line_at(at, x)])]
    lines += [line_at(edge, x).mark("rule", strokeDash=[1, 3]) for edge in edges]
    if wide is not None:
        name, own = wide
        under = base.mark("rule", strokeWidth=6, opacity=0.5, color=own)
        lines.append(under.encode(x=like(x, f"{name}_low"), x2=f"{name}_high"))
    return finish([*lines, *intervals(shown, base, x, thickness=thickness)])


def dotted(
    name: str,
    caption: Caption,
    rows: Sequence[Row],
    heads: Mapping[str, str],
    title: str,
    *,
    drawn: Sequence[Row] | None = None,
    look: str | Sequence[str | tuple[str, str]] = CORRECTED,
    label: str | None = None,
    side: str | None = None,
    at: float | None = None,
    line: float | None = None,
    edges: Sequence[float] = (),
    window: tuple[float, float] | None = None,
    tall: int | None = None,
    titles: Mapping[str, str] | None = None,
    unfolded: bool = False,
    **short: Any,
) -> Figure:
    """The figure of a table of intervals: a dot with its interval in every row, the numbers, and some on a terminal.

    Parameters
    ----------
    name, caption, rows, unfolded
        As for `Figure`.
    heads : mapping of str to str
        Columns of a terminal with their titles, before ``low`` what it is the interval of; titles of the table too.
    title : str
        Of the axis.
    drawn : sequence of dict, optional
        Rows of the chart where they are others; there is no chart of none.
    look, side, edges, window, tall
        As for `dots`.
    label : str, optional
        What a row of the chart is called by; the first of ``heads`` unless said.
    at, line : float, optional
        Value that intervals are held against; ``line`` in the chart alone.
    titles : mapping of str to str, optional
        Titles of the table that differ.
    **short
        As for `Short`.
    """
    shown, (first, *_) = rows if drawn is None else drawn, heads
    of = [*heads][[*heads].index("low") - 1]
    draw = partial(dots, at=at if line is None else line, edges=edges, window=window, tall=tall, side=side)
    chart = partial(draw, shown, label or first, of, title, look) if shown else None
    named = {**({} if heads[first] else {first: " "}), **(titles or {})}
    return Figure.of(name, caption, rows, heads, chart, titles=named, unfolded=unfolded, of=of, at=at, **short)


def coloured(styles: Styles, field: str = "policy", columns: int = 3) -> Channel:
    """Colours with a legend of strokes that fits a narrow page."""
    legend = {
        "title": None,
        "columns": columns,
        "symbolType": "stroke",
        "symbolStrokeWidth": 3,
        "symbolOpacity": 1,
        "labelLimit": 260,
    }
    scale = {"domain": list(styles), "range": [shade for shade, _ in styles.values()]}
    return channel(f"{field}:N", scale=scale, legend=legend)


def curves(
    rows: Sequence[Row],
    x: Channel,
    y: Channel,
    styles: Styles,
    tips: str,
    *,
    dots: int = 0,
    within: Mapping[str, Any] | None = None,
    columns: int = 3,
) -> list[Marks]:
    """A line over a number for every style, whose name the first field of what a pointer shows holds.

    Parameters
    ----------
    dots : int
        Size of those on the line; 0 for none.
    within : mapping, optional
        What is drawn from ``low`` to ``high``, such as an area, with its options.
    """
    by = tips.split(maxsplit=1)[0]
    base = Marks(rows).encode(x=x, y=y, color=coloured(styles, by, columns))
    ends = [] if within is None else [base.mark(**within).encode(y=like(y, "low"), y2="high")]
    strokes = {"domain": list(styles), "range": [stroke for _, stroke in styles.values()]}
    dashes = channel(f"{by}:N", scale=strokes, legend=None)  # so that lines are told apart without colours
    lines = base.mark("line", strokeWidth=2.5).encode(strokeDash=dashes, tooltip="" if dots else tips)
    points = [base.mark("point", filled=True, size=dots, opacity=1).encode(tooltip=tips)] if dots else []
    return [*ends, lines, *points]
