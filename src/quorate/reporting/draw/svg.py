"""Drawings as SVG: one function for each kind of mark, axes and legends around them, at the width that is asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from quorate.reporting.draw.axes import GAP, LINE, MARGIN, SIZE, TALL, Axis, Ground, legends
from quorate.reporting.draw.marks import CORRECTED, FONT, INK, Channel, Layer
from quorate.reporting.draw.scales import Line, attribute, fitted, line, number, path, rect, shape, shown, wide, words

BAND = 0.9
"""Share of its row that a bar fills where nothing is said."""
BLACK = "#14181D"


@dataclass
class Panel(Ground):
    """A drawing at one width: where everything stands, and the parts of it that were drawn.

    Parameters
    ----------
    spec : mapping
        The drawing, in the part of Vega-Lite that `quorate.reporting.draw.marks` writes.
    width : float
        Pixels of all.
    above : sequence of (str, int)
        Lines above it, each with the pixels of its letters.
    """

    spec: Mapping[str, Any]
    width: float
    above: Sequence[tuple[str, int]] = ()
    parts: list[str] = field(default_factory=list)
    tips: dict[tuple[str, ...], dict[int, list[tuple[str, Any]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.layers = [
            Layer(
                one["data"]["name"],
                self.spec["datasets"][one["data"]["name"]],
                one["mark"]["type"],
                one["mark"],
                one.get("encoding", {}),
            )
            for one in self.spec["layer"]
        ]
        self.x, self.y = Axis(self, "x"), Axis(self, "y")
        room = min(220.0, self.width * (0.42 if self.width < 480 else 0.34))
        self.left = self.y.reserve(room) + GAP
        self.right = max(self.x.overhang(), *(_beyond(self, layer) for layer in self.layers))
        self.across = max(self.width - self.left - self.right, 60.0)
        head = sum(math.ceil(size * 1.3) for _, size in self.above)
        self.legends = legends(self)
        keys = sum(height for height, _ in self.legends)
        self.top = head + (GAP if head else 0) + keys + self.y.title_room() + self.x.room(top=True)
        raised = [-layer.mark["y"] for layer in self.layers if isinstance(layer.mark.get("y"), (int, float))]
        self.top = max(self.top, GAP, *(head + keys + LINE for height in raised if height > 0))
        self.down = self._height()
        self.x.place(0.0, self.across)
        self.y.place(0.0, self.down) if self.y.names else self.y.place(self.down, 0.0)

    def _height(self) -> float:
        height = self.spec.get("height", TALL)
        if not isinstance(height, Mapping):
            return float(height)
        return float(height["step"] * max(len(self.y.names), 1))

    def svg(self, label: str, alone: bool) -> str:
        """The drawing, with the words that say what it shows."""
        self.y.draw()
        self.x.draw()
        for layer in self.layers:
            drawn = "".join(_MARKS[layer.kind](self, layer))
            if layer.mark.get("clip"):  # what goes on beyond the panel is cut at its edge
                drawn = f'<svg width="{number(self.across)}" height="{number(self.down)}">{drawn}</svg>'
            opacity = _opacity(self, layer)
            if drawn and opacity > 0:
                self.parts.append(f"<g{attribute('opacity', opacity, 1)}{_constant(layer)}>{drawn}</g>")
        height = self.top + self.down + self.x.room(top=False)
        head, y = "", 0.0
        for text, size in self.above:
            y += math.ceil(size * 1.3)
            head += words(text, 0, y - size * 0.3, size=size, bold=size > SIZE + 1)
        for tall, draw in self.legends:
            head += draw(y + tall / 2 + (GAP if self.above else 0))
            y += tall
        margin = MARGIN if alone else 0
        box = f"{-margin} {-margin} {number(self.width + 2 * margin)} {number(height + 2 * margin)}"
        fixed = f' width="{number(self.width + 2 * margin)}" height="{number(height + 2 * margin)}"' if alone else ""
        paper = f'<rect x="{-margin}" y="{-margin}" width="100%" height="100%" fill="#fff"/>' if alone else ""
        family = f' font-family="{FONT}" color="{BLACK}"' if alone else ""
        space = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
        return (
            f'<svg{space} viewBox="{box}"{fixed}{family} font-size="{SIZE}" '
            f'fill="{INK}" role="img" aria-label="{escape(label)}">{paper}{head}'
            f'<g transform="translate({number(self.left)},{number(self.top)})">{"".join(self.parts)}</g></svg>'
        )

    def tip(self, layer: Layer, row: Mapping[str, Any], place: int) -> str:
        """The attribute by which a pointer over a mark finds what to say of it: which titles, and which row."""
        told: Sequence[Channel] = layer.encoding.get("tooltip", ())  # type: ignore[assignment]
        if not told or layer.mark.get("aria") is False:
            return ""
        heads = (layer.name, *(one.get("title") or one["field"].replace("_", " ") for one in told))
        rows = self.tips.setdefault(heads, {})
        rows.setdefault(place, [(one["field"], row.get(one["field"])) for one in told])
        return f' data-t="{list(self.tips).index(heads)}.{place}"'


def _rule(panel: Panel, layer: Layer) -> Iterator[str]:
    """Lines between two values, or through the whole panel."""
    for place, row in enumerate(layer.rows):
        ends = _box(panel, layer, row)
        if ends is not None:
            x1, y1, x2, y2 = ends
            yield line(x1, y1, x2, y2, _stroke(layer, row) + panel.tip(layer, row, place), bare=True)


def _point(panel: Panel, layer: Layer, row_size: float | None = None) -> Iterator[str]:
    """Circles and other shapes, each with an area; many alike that nobody points at are dots of one broken line."""
    if layer.mark.get("aria") is False:
        radius = math.sqrt(layer.mark.get("size", 30) / math.pi)
        places = ((_at(panel, layer, row, "x"), _at(panel, layer, row, "y")) for row in layer.rows)
        dots = dict.fromkeys(f"M{number(x)} {number(y)}h0" for x, y in places if x is not None and y is not None)
        colour = attribute("stroke", layer.mark.get("color", CORRECTED))
        yield f'<path d="{"".join(dots)}" stroke-width="{number(2 * radius)}" stroke-linecap="round"{colour}/>'
        return
    for place, row in enumerate(layer.rows):
        x, y = _at(panel, layer, row, "x"), _at(panel, layer, row, "y")
        if x is None or y is None:
            continue
        area = row_size or _area(layer, row)
        kind = str(layer.mapped("shape", row) or layer.mark.get("shape", "circle"))
        yield shape(kind, x, y, area, _fill(layer, row) + panel.tip(layer, row, place), layer.mark.get("angle", 0))


def _lines(panel: Panel, layer: Layer) -> Iterator[str]:
    """Curves through the rows of each series, from left to right; they break where a value is missing."""
    for rows in _series(layer).values():
        known = sorted(
            (row for _, row in rows if layer.value("x", row) is not None), key=lambda row: layer.value("x", row)
        )
        part: list[tuple[float, float]] = []
        whole = []
        for row in known:
            y = _at(panel, layer, row, "y")
            if y is None:
                part = []
                continue
            if not part:
                whole.append(part)
            part.append((panel.x.at(layer.value("x", row)), y))
        after = layer.mark.get("interpolate") == "step-after"
        way = "".join(path(part, stepped=after) for part in whole)
        dash = layer.mapped("strokeDash", rows[0][1])
        dashed = f' stroke-dasharray="{" ".join(map(str, dash))}"' if dash and list(dash) != [1, 0] else ""
        yield f'<path d="{way}" fill="none"{_stroke(layer, rows[0][1])}{dashed}/>'
    if layer.encoding.get("tooltip") or layer.mark.get("point"):
        dots = layer.mark.get("point") or {}
        size = dots.get("size", 30) if isinstance(dots, Mapping) else 30
        seen = "" if dots else ' opacity="0"'
        points = Layer(
            layer.name, layer.rows, "point", {"size": size, "color": layer.mark.get("color", CORRECTED)}, layer.encoding
        )
        yield f'<g stroke="none"{_fill(points, {})}{seen}>{"".join(_point(panel, points, None if dots else 80))}</g>'


def _area_of(panel: Panel, layer: Layer) -> Iterator[str]:
    """Bands between two curves."""
    for rows in _series(layer).values():
        known = [row for _, row in rows if all(layer.value(name, row) is not None for name in ("x", "y", "y2"))]
        known.sort(key=lambda row: layer.value("x", row))
        there = [(panel.x.at(layer.value("x", row)), panel.y.at(layer.value("y", row))) for row in known]
        back = [(panel.x.at(layer.value("x", row)), panel.y.at(layer.value("y2", row))) for row in reversed(known)]
        if there:
            yield f'<path d="{path(there + back, stepped=False)}Z"{_fill(layer, known[0])}/>'


def _bar(panel: Panel, layer: Layer) -> Iterator[str]:
    """Bars from zero or where the one before ends, or over the bins of a histogram."""
    if "x2" in layer.encoding:
        space = layer.mark.get("binSpacing", 1)
        for place, row in enumerate(layer.rows):
            ends = _box(panel, layer, row)
            if ends is None:
                continue
            x1, y, x2, _ = ends
            more = _fill(layer, row) + panel.tip(layer, row, place)
            if panel.y.names:
                thick = _thickness(layer, "height", panel.y.step)
                yield rect(x1, y - thick / 2, x2 - x1, thick, more)
            else:
                yield rect(x1 + space / 2, y, max(x2 - x1 - space, 0.5), panel.y.at(0) - y, more)
        return
    lies = layer.lies
    value, name = (panel.x, panel.y) if lies else (panel.y, panel.x)
    thick = _thickness(layer, "height" if lies else "width", name.step)
    for place, (low, high) in layer.stacked(value.channel).items():
        row = layer.rows[place]
        middle = name.at(layer.value(name.channel, row))
        start, end = sorted((value.at(low), value.at(high)))
        more = _fill(layer, row) + panel.tip(layer, row, place)
        if lies:
            yield rect(start, middle - thick / 2, end - start, thick, more)
        else:
            yield rect(middle - thick / 2, start, thick, end - start, more)


def _rects(panel: Panel, layer: Layer) -> Iterator[str]:
    """Fields of a table, and regions of a panel."""
    for place, row in enumerate(layer.rows):
        ends = _box(panel, layer, row, fields=True)
        if ends is not None:
            x1, x2 = sorted(ends[::2])
            y1, y2 = sorted(ends[1::2])
            yield rect(x1, y1, x2 - x1, y2 - y1, _fill(layer, row) + panel.tip(layer, row, place))


def _texts(panel: Panel, layer: Layer) -> Iterator[str]:
    """Words."""
    mark = layer.mark
    size, align = mark.get("fontSize", SIZE), mark.get("align", "center")
    limit = panel.across - 4 if mark.get("limit") else math.inf
    for row in layer.rows:
        beside = panel.across + 10 if isinstance(mark.get("x"), Mapping) else float(mark.get("x") or 0.0)
        x = _at(panel, layer, row, "x") if "x" in layer.encoding else beside
        y = _at(panel, layer, row, "y") if "y" in layer.encoding else mark.get("y", 0)
        text = layer.value("text", row)
        if x is None or y is None or text is None:
            continue
        pattern = layer.encoding["text"].get("format")
        said = shown(float(text), pattern) if pattern and not isinstance(text, str) else str(text)
        colour = layer.mapped("color", row)
        yield words(
            fitted(said, limit, size),
            x + mark.get("dx", 0),
            y + mark.get("dy", 0) + size * 0.35,
            size=size,
            anchor={"left": "start", "right": "end", "center": "middle"}[align],
            bold=mark.get("fontWeight") == "bold",
            colour=str(colour or mark.get("color", INK)),
        )


def _ticks(panel: Panel, layer: Layer) -> Iterator[str]:
    """Short lines across a row."""
    tall = panel.y.step * 0.6
    for place, row in enumerate(layer.rows):
        x, y = _at(panel, layer, row, "x"), _at(panel, layer, row, "y")
        if x is not None and y is not None:
            more = f' stroke-width="{layer.mark.get("thickness", 1)}"'
            more += _stroke(layer, row) + panel.tip(layer, row, place)
            yield line(x, y - tall / 2, x, y + tall / 2, more, bare=True)


_MARKS: Mapping[str, Callable[[Panel, Layer], Iterator[str]]] = {
    "rule": _rule,
    "point": _point,
    "line": _lines,
    "area": _area_of,
    "bar": _bar,
    "rect": _rects,
    "text": _texts,
    "tick": _ticks,
}


def _at(panel: Panel, layer: Layer, row: Mapping[str, Any], channel: str) -> float | None:
    """Pixels of a row in a direction; the middle where it has no such channel, None where the row has no value."""
    axis, encoding = (panel.x if channel[0] == "x" else panel.y), layer.encoding.get(channel, {})
    if "value" in encoding:
        whole = {"width": panel.across, "height": panel.down}
        return whole.get(encoding["value"], encoding["value"])
    if "datum" in encoding:
        return axis.at(encoding["datum"])
    if "field" not in encoding:
        return (panel.across if channel[0] == "x" else panel.down) / 2
    value = layer.value(channel, row)
    if value is None:
        return None
    offset = 0.0
    if channel == "y" and "yOffset" in layer.encoding:  # places within a row, a fifth of which lies between rows
        names = layer.encoding["yOffset"]["sort"]
        place = names.index(layer.value("yOffset", row))
        offset = ((place + 0.5) / len(names) - 0.5) * 0.8 * axis.step
    return axis.at(value) + offset


def _box(
    panel: Panel, layer: Layer, row: Mapping[str, Any], *, fields: bool = False
) -> tuple[float, float, float, float] | None:
    """Where a row begins and ends in both directions; through the panel where it has no such channel."""
    ends = []
    for axis, whole in ((panel.x, panel.across), (panel.y, panel.down)):
        name = axis.channel
        if name not in layer.encoding:
            ends.append((0.0, whole))
            continue
        first = _at(panel, layer, row, name)
        last = _at(panel, layer, row, f"{name}2") if f"{name}2" in layer.encoding else first
        if first is None or last is None:
            return None
        half = axis.step / 2 if fields and f"{name}2" not in layer.encoding else 0.0
        ends.append((first - half, last + half))
    return ends[0][0], ends[1][0], ends[0][1], ends[1][1]


def _beyond(panel: Panel, layer: Layer) -> float:
    """Pixels beyond the panel that words need which begin at a mark near its edge, or beside it."""
    mark, at = layer.mark, layer.encoding.get("x", {})
    fixed = at.get("value")
    if layer.kind != "text" or mark.get("align") != "left" or "limit" in mark or isinstance(fixed, (int, float)):
        return 0.0
    x, start = panel.x, mark.get("dx", GAP) + 4
    line = Line(x.low, x.high, 0.0, 1.0, x.options.get("type") == "log")
    longest = 0.0
    for row in layer.rows:
        left = 1 - line.at(layer.value("x", row) or x.low) if "field" in at else 0.0
        needed = start + wide(str(layer.value("text", row) or ""), mark.get("fontSize", SIZE))
        longest = max(longest, needed - left * (panel.width - panel.left - MARGIN))
    return longest


_ROOM = re.compile(r"(width|bandwidth\('x'\)) < (\d+) \? 0 : 1")


def _opacity(panel: Panel, layer: Layer) -> float:
    """How much of the ground it covers; nothing where it is to be left out for want of room."""
    opacity = layer.mark.get("opacity", 1)
    if isinstance(opacity, Mapping):
        found = _ROOM.fullmatch(opacity["expr"])
        room = panel.across if found and found[1] == "width" else panel.x.step
        return 0.0 if found and room < float(found[2]) else 1.0
    return float(opacity)


def _is_stroke(layer: Layer) -> bool:
    return layer.kind in ("rule", "line", "tick") or layer.mark.get("filled") is False


def _constant(layer: Layer) -> str:
    """Attributes that all marks of a layer share."""
    mark = layer.mark
    colour = "" if "color" in layer.encoding or layer.kind == "text" else str(mark.get("color", CORRECTED))
    dash = mark.get("strokeDash")
    stroked = _is_stroke(layer)
    width = mark.get("strokeWidth", (2 if layer.kind == "line" else 1) if stroked else None)
    return "".join(
        attribute(name, value)
        for name, value in (
            ("stroke" if stroked else "fill", colour),
            ("fill", "none" if stroked and layer.kind == "point" else ""),
            ("stroke", "" if stroked else mark.get("stroke", "")),
            ("stroke-opacity", mark.get("strokeOpacity", "")),
            ("stroke-width", "" if width is None or layer.kind == "tick" else width),
            ("stroke-dasharray", " ".join(map(str, dash)) if dash and list(dash) != [1, 0] else ""),
        )
    )


def _stroke(layer: Layer, row: Mapping[str, Any]) -> str:
    return attribute("stroke", layer.mapped("color", row) or "")


def _fill(layer: Layer, row: Mapping[str, Any]) -> str:
    """The colour of a mark, unless all of its layer have one."""
    opacity = layer.value("opacity", row) if "opacity" in layer.encoding else None
    name = "stroke" if _is_stroke(layer) else "fill"
    more = attribute("rx", layer.mark.get("cornerRadius", "")) if layer.kind == "rect" else ""
    faint = attribute("fill-opacity", "" if opacity is None else opacity)
    return attribute(name, layer.mapped("color", row) or "") + faint + more


def _area(layer: Layer, row: Mapping[str, Any]) -> float:
    """Square pixels of a point."""
    value, scale = layer.value("size", row), layer.encoding.get("size", {}).get("scale", {})
    if value is None:
        return float(layer.mark.get("size", 30))
    (low, high), (least, most) = scale["domain"], scale["range"]
    return float(least + (most - least) * (value - low) / ((high - low) or 1))


def _series(layer: Layer) -> dict[tuple[Any, ...], list[tuple[int, Mapping[str, Any]]]]:
    """Rows of every curve, with their places."""
    by = [name for name in ("color", "strokeDash", "shape", "detail") if "field" in layer.encoding.get(name, ())]
    found: dict[tuple[Any, ...], list[tuple[int, Mapping[str, Any]]]] = {}
    for place, row in enumerate(layer.rows):
        found.setdefault(tuple(layer.value(name, row) for name in by), []).append((place, row))
    return found


def _thickness(layer: Layer, name: str, step: float) -> float:
    size = layer.mark.get(name, {"band": BAND})
    return float(size["band"] * step if isinstance(size, Mapping) else min(size, step * BAND))
