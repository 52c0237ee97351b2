"""What stands around a panel: axes with their ticks and words, and legends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from quorate.reporting.draw import scales
from quorate.reporting.draw.marks import INK, TWO_LINES, Layer, shade
from quorate.reporting.draw.scales import (
    Line,
    Rows,
    attribute,
    broken,
    fitted,
    line,
    number,
    rect,
    shape,
    shown,
    wide,
    words,
)

SIZE = 12
"""Pixels of words on axes and in legends."""
GAP, LINE, MARGIN = 8, 18, 12
"""Pixels between an axis and its words, of a line of words, and at the right edge."""
TALL = 300
"""Pixels of a panel that says nothing of its height."""
SHADES = 24
"""Rectangles that a legend of shades consists of."""
SYMBOL = 20
"""Pixels of a symbol in a legend, with the space after it."""


class Ground:
    """What axes and legends are drawn on: its size, its layers, and the parts that were drawn."""

    spec: Mapping[str, Any]
    width: float
    parts: list[str]
    layers: list[Layer]
    x: Axis
    left: float
    across: float
    down: float


class Axis:
    """One direction of a panel: its scale, and the words along it."""

    def __init__(self, panel: Ground, channel: str) -> None:
        self.panel, self.channel = panel, channel
        self.used = [layer.encoding[channel] for layer in panel.layers if "field" in layer.encoding.get(channel, ())]
        self.names = self._names()
        self.axis: dict[str, Any] = {}
        self.options: dict[str, Any] = {}
        for one in reversed(self.used):
            self.axis |= one.get("axis") or {}
            self.options |= one.get("scale") or {}
        titled = [one["title"] for one in self.used if "title" in one]
        self.title = str((titled[0] if titled else self.used[0]["field"].replace("_", " ")) or "") if self.used else ""
        self.low, self.high = (0.0, 1.0) if self.names or not self.used else self._ends()
        self.scale: Line | Rows = Line(self.low, self.high, 0.0, 1.0)
        self.cut = math.inf
        self.turned = False

    def _names(self) -> list[object]:
        """Names along it, in their order; none where it has numbers."""
        named = [one for one in self.used if one["type"] != "quantitative"]
        if not named:
            return []
        held = (layer.value(self.channel, row) for layer in self.panel.layers for row in layer.rows)
        names: list[Any] = [*dict.fromkeys(name for name in held if name is not None)]
        return sorted(names) if named[0]["type"] == "ordinal" else names

    def _ends(self) -> tuple[float, float]:
        options = self.options
        if "domain" in options:
            return float(options["domain"][0]), float(options["domain"][1])
        layers, c = self.panel.layers, self.channel
        values = [value for layer in layers for name in (c, f"{c}2") for value in layer.numbers(name)]
        for layer in layers:
            if layer.kind == "bar" and layer.lies == (c == "x"):
                values += [high for _, high in layer.stacked(c).values()]
        low, high = min(values, default=0.0), max(values, default=1.0)
        log = options.get("type") == "log"
        binned = any(one.get("bin") for one in self.used)
        if options.get("zero", not (log or binned)):
            low, high = min(low, 0.0), max(high, 0.0)
        low = float(options.get("domainMin", low))
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - (abs(low) or 1) / 20, high + (abs(high) or 1) / 20)
        if options.get("nice", not binned) and not log:
            low, high = scales.nice(low, high, 10)
        if padding := options.get("padding"):
            about = self.panel.width * 0.7 if c == "x" else self.panel.spec.get("height", TALL)
            share = padding / (about - 2 * padding)
            if log:
                factor = (high / low) ** share
                return low / factor, high * factor
            low, high = low - share * (high - low), high + share * (high - low)
        return low, high

    def place(self, start: float, end: float) -> None:
        """Give it its pixels."""
        if self.names:
            self.scale = Rows(self.names, start, (end - start) / len(self.names))
        else:
            options = self.options
            self.scale = Line(self.low, self.high, start, end, options.get("type") == "log", bool(options.get("clamp")))

    def at(self, value: Any) -> float:
        """Pixels of a value; of a name, of its middle."""
        return self.scale.middle(value) if isinstance(self.scale, Rows) else self.scale.at(float(value))

    @property
    def step(self) -> float:
        """Pixels of one name."""
        return self.scale.step if isinstance(self.scale, Rows) else 0.0

    def marked(self) -> list[tuple[float, str]]:
        """Values of the ticks, and what stands beside them."""
        options = self.options
        line = Line(self.low, self.high, 0.0, 1.0, options.get("type") == "log")
        pattern = self.axis.get("format")
        if "values" in self.axis:
            return [(float(value), shown(value, pattern)) for value in self.axis["values"]]
        count = int(self.axis.get("tickCount", 5))
        if self.channel == "x":
            count = max(2, min(count, int((self.panel.width - 100) / 75)))
        values = line.ticks(count)
        if least := self.axis.get("tickMinStep"):
            values = scales.ticks(self.low, self.high, count, least)
        values = [0.0 if abs(value) < 1e-12 else value for value in values]
        between = 0.0 if line.log else min((b - a for a, b in pairwise(values)), default=0.0)
        if pattern is None and line.log:
            pattern = ","
        return [(value, shown(value, pattern, between)) for value in values]

    def size(self) -> float:
        """Pixels of its words."""
        tall = self.panel.spec.get("height", TALL)
        most = tall["step"] * 0.9 if self.channel == "y" and self.names and isinstance(tall, Mapping) else SIZE
        return float(min(self.axis.get("labelFontSize", SIZE), max(most, 7)))

    def reserve(self, room: float) -> float:
        """Pixels beside the panel that the words along it take, at most so many."""
        texts = [str(name) for name in self.names] or ([text for _, text in self.marked()] if self.used else [])
        self.cut = room
        return max((wide(line, self.size()) for text in texts for line in self.lines(text)), default=0.0)

    def lines(self, text: str) -> tuple[str, ...]:
        """A label at the side: in two lines where it is too long for one and its row is tall enough."""
        size, tall = self.size(), self.panel.spec.get("height", TALL)
        if wide(text, size) <= self.cut or not isinstance(tall, Mapping) or tall["step"] < TWO_LINES:
            return (fitted(text, self.cut, size),)
        return broken(text, self.cut, size)

    def overhang(self) -> float:
        """Pixels right of the panel that the last of its words takes, at least a margin."""
        if not self.used or self.names:
            return MARGIN
        value, text = max(self.marked())
        share = Line(self.low, self.high, 0.0, 1.0, self.options.get("type") == "log").at(value)
        return max(MARGIN, wide(text, SIZE) / 2 + 2 if share > 0.9 else 0.0)

    def title_room(self) -> float:
        """Pixels above the panel for the title of the axis at its side."""
        return LINE + 8 if self.title else 0.0

    def room(self, *, top: bool) -> float:
        """Pixels that the words along it take above or below the panel."""
        if not self.used or top != self.above():
            return 0.0 if self.used or top else 4.0
        return self._tall() + (LINE + 2 if self.title else 0)

    def above(self) -> bool:
        """Whether its words stand over the panel."""
        turned = bool(self.names) and self._tall() > LINE + 4
        return self.axis.get("orient") == "top" or turned

    def _tall(self) -> float:
        """Pixels of the words along it without its title; they are turned where there is no room for them upright."""
        if not self.names:
            return LINE + 4.0
        longest = max(wide(str(name), SIZE) for name in self.names)
        self.turned = longest + 4 > self.panel.across / len(self.names)
        self.cut = min(longest, 130.0)
        return self.cut * math.sin(math.pi / 3) + LINE if self.turned else LINE + 4.0

    def draw(self) -> None:
        """Grid, line, words and title."""
        if not self.used:
            return
        if self.channel == "y":
            self._side()
        else:
            self._along()

    def _side(self) -> None:
        panel, out = self.panel, self.panel.parts
        if isinstance(self.scale, Rows):
            if self.axis.get("grid"):
                edges = [place * self.step for place in range(len(self.names) + 1)]
                out.append(_grid(panel.across, edges, flat=True))
            marked = [
                (self.at(name) + (place - (len(lines) - 1) / 2) * self.size(), text)
                for name in self.names
                for lines in [self.lines(str(name))]
                for place, text in enumerate(lines)
            ]
        else:
            marked = [(self.at(value), text) for value, text in self.marked()]
            if self.axis.get("grid"):
                out.append(_grid(panel.across, [place for place, _ in marked], flat=True))
        if self.axis.get("domain", True):
            out.append(line(0, 0, 0, panel.down, ' stroke-opacity=".4"'))
        size = self.size()
        texts = "".join(words(text, -GAP, y + size * 0.35, size=size) for y, text in marked)
        out.append(f'<g text-anchor="end">{texts}</g>')
        if self.title:
            over = panel.x.room(top=True)
            out.append(
                words(fitted(self.title, panel.width, SIZE), -panel.left, -over - GAP - 4, size=SIZE, faint=True)
            )

    def _along(self) -> None:
        panel, out, over = self.panel, self.panel.parts, self.above()
        foot = 0.0 if over else panel.down
        side = -1 if over else 1
        if isinstance(self.scale, Rows):
            marked = [(self.at(name), fitted(str(name), self.cut, SIZE)) for name in self.names]
        else:
            marked = [(self.at(value), text) for value, text in self.marked()]
            marked = [(x, text) for x, text in marked if -1 <= x <= panel.across + 1]
            if self.axis.get("grid", True):
                out.append(_grid(panel.down, [place for place, _ in marked], flat=False))
            marked = _apart(marked)
        if self.axis.get("domain", True):
            out.append(line(0, foot, panel.across, foot, ' stroke-opacity=".4"'))
        y = foot + side * GAP + (SIZE * 0.8 if side > 0 else 0)
        if self.turned:
            size = max(min(SIZE, 0.95 * self.step), 8.0)
            marked = marked[:: max(1, math.ceil(size / self.step))]  # others are in the table
            texts = "".join(
                f'<text transform="translate({number(x + size / 3)},{number(y)}) rotate(-60)">{escape(text)}</text>'
                for x, text in marked
            )
            texts = f'<g font-size="{number(size)}">{texts}</g>'
        else:
            texts = "".join(words(text, x, y, size=SIZE) for x, text in marked)
            texts = f'<g text-anchor="middle">{texts}</g>'
        out.append(texts)
        if self.title:
            text = fitted(self.title, panel.width, SIZE)
            y = foot + side * (self._tall() + LINE - 6) + (4 if over else 0)
            x = max(panel.across, wide(text, SIZE) - panel.left)
            out.append(f'<g text-anchor="end">{words(text, x, y, size=SIZE, faint=True)}</g>')


def _grid(end: float, places: Sequence[float], *, flat: bool) -> str:
    move = "".join(f"M0 {number(at)}H{number(end)}" if flat else f"M{number(at)} 0V{number(end)}" for at in places)
    return f'<path d="{move}" stroke="{INK}" stroke-opacity=".12"/>'


def _apart(marked: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Words that do not touch the one before."""
    kept: list[tuple[float, str]] = []
    end = -math.inf
    for x, text in sorted(marked):
        half = wide(text, SIZE) / 2
        if x - half >= end:
            kept.append((x, text))
            end = x + half + 6
    return kept


Legend = tuple[float, Callable[[float], str]]
"""Pixels of its height, and what draws it around a line at a height."""


def legends(panel: Ground) -> list[Legend]:
    """What colours, shapes and dashes mean, those of one field together."""
    keys: dict[str, dict[str, Any]] = {}
    for layer in panel.layers:
        for channel in ("color", "shape", "strokeDash"):
            one = layer.encoding.get(channel, {})
            if not one.get("scale") or "domain" not in one["scale"]:
                continue
            if one.get("legend", {}) is None and one["field"] not in keys:
                continue
            key = keys.setdefault(one["field"], {"kind": layer.kind, "title": one["field"].replace("_", " ")})
            key.setdefault(channel, one)
            key |= {"title": one.get("title", key["title"]), **(one.get("legend") or {})}
    found: list[Legend] = []
    for key in keys.values():
        if key.get("color", {}).get("type") == "quantitative":
            found.append(_shades(panel, key))
        else:
            found += _entries(panel, key)
    return found


def _entries(panel: Ground, key: Mapping[str, Any]) -> list[Legend]:
    """Symbols with their names, in as many lines as they need."""
    scales_of = {name: key[name]["scale"] for name in ("color", "shape", "strokeDash") if name in key}
    names = next(iter(scales_of.values()))["domain"]
    room = panel.width - SYMBOL
    lines: list[list[tuple[float, str]]] = [[]]
    x = 0.0
    if key["title"]:
        text = fitted(str(key["title"]), room, SIZE)
        lines[0].append((0.0, words(text, 0, SIZE * 0.35, size=SIZE, faint=True)))
        x = wide(text, SIZE) + GAP
    for place, name in enumerate(names):
        text = fitted(str(name), room, SIZE)
        length = SYMBOL + wide(text, SIZE)
        if x and x + length > panel.width:
            lines.append([])
            x = 0.0
        colour = str(scales_of["color"]["range"][place]) if "color" in scales_of else INK
        dash = scales_of["strokeDash"]["range"][place] if "strokeDash" in scales_of else None
        if key.get("symbolType") == "stroke" or dash or (key["kind"] in ("line", "rule") and "shape" not in scales_of):
            dashed = attribute("stroke-dasharray", " ".join(map(str, dash)) if dash and list(dash) != [1, 0] else "")
            thick = min(float(key.get("symbolStrokeWidth") or 2.5), 5.0)
            symbol = line(
                0, 0, 14, 0, f'{attribute("stroke", colour)} stroke-width="{number(thick)}"{dashed}', bare=True
            )
        elif key["kind"] in ("bar", "rect", "area"):
            symbol = rect(0, -6, 12, 12, attribute("fill", colour))
        else:
            kind = str(scales_of["shape"]["range"][place]) if "shape" in scales_of else "circle"
            symbol = shape(kind, 7, 0, 80, attribute("fill", colour))
        lines[-1].append((x, symbol + words(text, SYMBOL, SIZE * 0.35, size=SIZE)))
        x += length + 14
    return [(float(LINE + 2), _placed(one)) for one in lines]


def _placed(entries: Sequence[tuple[float, str]]) -> Callable[[float], str]:
    return lambda y: "".join(f'<g transform="translate({number(x)},{number(y)})">{one}</g>' for x, one in entries)


def _shades(panel: Ground, key: Mapping[str, Any]) -> Legend:
    """A ramp of shades from the least to the greatest number."""
    domain, colours = key["color"]["scale"]["domain"], key["color"]["scale"]["range"]
    low, high = float(domain[0]), float(domain[-1])
    long = min(180.0, panel.width / 2)
    each = long / SHADES
    ramp = "".join(
        rect(
            i * each,
            -5,
            each + 0.5,
            10,
            attribute("fill", shade(low + (high - low) * (i + 0.5) / SHADES, domain, colours)),
        )
        for i in range(SHADES)
    )
    pattern = key.get("format")
    first, last = (shown(float(f"{value:.3g}"), pattern) for value in (low, high))
    start = wide(first, SIZE) + 6
    title = fitted(str(key["title"] or ""), panel.width, SIZE)
    ends = words(first, 0, SIZE * 0.35, size=SIZE) + words(last, start + long + 6, SIZE * 0.35, size=SIZE)

    def placed(y: float) -> str:
        above = words(title, 0, y - LINE / 2 + SIZE * 0.35, size=SIZE, faint=True) if title else ""
        below = y + (LINE / 2 if title else 0)
        moved = f'<g transform="translate({number(start)},0)">{ramp}</g>'
        return f'{above}<g transform="translate(0,{number(below)})">{moved}{ends}</g>'

    return (2.0 if title else 1.0) * LINE + 6, placed
