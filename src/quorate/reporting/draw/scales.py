"""Scales of drawings: where a value stands, ticks, numbers and words on axes; and the elements of drawings."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

from quorate.frozen import dataclass
from quorate.reporting.draw.marks import INK

Number = int | float

_NARROW, _THIN, _WIDE = frozenset("iljI.,:;'|! "), frozenset('ftr()[]-/"`'), frozenset("mwMW%@&")
_STEPS: tuple[tuple[int, ...], ...] = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9))
_PREFIXES = {9: "G", 6: "M", 3: "k"}
_FEWEST_TICKS = 3


@dataclass(frozen=True)
class Line:
    """Numbers along an axis.

    Parameters
    ----------
    low, high : float
        Values at its ends.
    start, end : float
        Pixels at its ends.
    log, clamp : bool
        Whether ratios are as far apart as they are large, and whether what lies beyond stands at the end.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    clamp: bool = False

    def at(self, value: float) -> float:
        """Pixels at which a value stands."""
        low, high, here = (math.log(max(one, 1e-300)) if self.log else one for one in (self.low, self.high, value))
        share = (here - low) / (high - low or 1.0)
        return self.start + (min(max(share, 0.0), 1.0) if self.clamp else share) * (self.end - self.start)

    def ticks(self, count: int) -> list[float]:
        """About so many round values between the ends."""
        return _log_ticks(self.low, self.high, count) if self.log else ticks(self.low, self.high, count)


@dataclass(frozen=True)
class Rows:
    """Names along an axis, a step for each.

    Parameters
    ----------
    names : sequence
        In their order.
    start, step : float
        Pixels of the first's beginning, and of each.
    """

    names: Sequence[object]
    start: float
    step: float

    @property
    def places(self) -> Mapping[object, int]:
        """Which each is."""
        return {name: place for place, name in enumerate(self.names)}

    def middle(self, name: object) -> float:
        """Pixels of the middle of one."""
        return self.start + (self.places[name] + 0.5) * self.step


def ticks(low: float, high: float, count: int, least: float = 0.0) -> list[float]:
    """About so many values between two, each a multiple of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> ticks(0.13, 0.94, 4), ticks(-0.3, 0.3, 5), ticks(2.0, 2.0, 5)
    ([0.2, 0.4, 0.6, 0.8], [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3], [2.0])
    """
    step, exponent = spacing(low, high, count, least)
    if not step:
        return [low]
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, max(0, -exponent)) for place in range(first, last + 1)]


def spacing(low: float, high: float, count: int, least: float = 0.0) -> tuple[float, int]:
    """Distance of ticks, and its power of ten; nothing where the ends are one."""
    wanted = max((high - low) / max(count, 1), least)
    if wanted <= 0:
        return 0.0, 0
    exponent = math.floor(math.log10(wanted))
    ratio = wanted / 10.0**exponent
    factor = next(factor for edge, factor in ((50**0.5, 10), (10**0.5, 5), (2**0.5, 2), (0, 1)) if ratio >= edge)
    return factor * 10.0**exponent, exponent


def nice(low: float, high: float, count: int) -> tuple[float, float]:
    """The ends moved outwards to multiples of the distance of ticks.

    Examples
    --------
    >>> nice(0.03, 0.97, 5)
    (0.0, 1.0)
    """
    step, exponent = spacing(low, high, count)
    if not step:
        return low, high
    places = max(0, -exponent)
    return (round(math.floor(low / step + 1e-9) * step, places), round(math.ceil(high / step - 1e-9) * step, places))


def _log_ticks(low: float, high: float, count: int) -> list[float]:
    """About so many round values between two that stand apart by their ratio.

    Examples
    --------
    >>> _log_ticks(1, 1000, 4), _log_ticks(20, 45, 5)
    ([1.0, 10.0, 100.0, 1000.0], [20.0, 30.0, 40.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    best: list[float] = []
    for factors in _STEPS:
        found = [factor * 10.0**power for power in powers for factor in factors]
        found = [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(found) <= count + 1 or not best:
            best = found
    return best if len(best) >= _FEWEST_TICKS else ticks(low, high, count)


def shown(value: float, pattern: str | None, step: float = 0.0) -> str:
    """A number as a pattern of D3 has it; without one as many places as the distance of the ticks needs.

    Examples
    --------
    >>> shown(0.25, "~%"), shown(12000, "~s"), shown(0.5, None, 0.05), shown(1234.5, ",.0f"), shown(-2.0, "~g")
    ('25%', '12k', '0.50', '1,234', '−2')
    """
    if pattern is None:
        places = max(0, -math.floor(math.log10(step) + 1e-9)) if step else 6
        text = f"{value:,.{places}f}" if step else f"{value:.6g}"
    elif pattern.endswith("%"):
        places = 0 if pattern in ("%", "~%") and not step else max(0, -math.floor(math.log10(step * 100) + 1e-9))
        text = f"{value * 100:.{places}f}%" if step else f"{value * 100:.6g}%"
    elif pattern.endswith("s"):
        power = next((power for power in _PREFIXES if abs(value) >= 10**power), 0)
        text = f"{value / 10**power:.6g}{_PREFIXES.get(power, '')}"
    elif pattern.endswith("d"):
        text = f"{value:,.0f}"
    elif "g" in pattern or pattern == ",":
        text = f"{value:{',' if ',' in pattern else ''}.6g}"
    else:
        text = f"{value:{pattern}}"
    return text.replace("-", "\u2212")


def wide(text: str, size: float) -> float:
    """About how many pixels a text takes, rather more than fewer.

    Examples
    --------
    >>> wide("judge", 12) < wide("WWWWW", 12)
    True
    """
    return size * sum(map(_letter, text))


@cache
def _letter(letter: str) -> float:
    """Width of a letter of a rather wide face without serifs, by its height."""
    if letter in _NARROW:
        return 0.32
    if letter in _THIN:
        return 0.4
    if letter in _WIDE:
        return 0.92
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.72 if letter.isupper() or letter == "\u2212" else 0.62


def fitted(text: str, room: float, size: float) -> str:
    """A text cut to the pixels that there are."""
    if wide(text, size) <= room:
        return text
    while text and wide(text, size) + size > room:
        text = text[:-1]
    return f"{text.rstrip()}\u2026"


def broken(text: str, room: float, size: float) -> tuple[str, str]:
    """A text in two lines of so many pixels: at the space that makes them most alike, or within a word.

    Examples
    --------
    >>> broken("noise of one judgment, another asked again", 200, 12)
    ('noise of one judgment,', 'another asked again')
    """
    spaces = [at for at, letter in enumerate(text) if letter == " "]
    pairs = [(text[:at], text[at + 1 :]) for at in spaces]
    first, rest = min(pairs, key=lambda pair: max(wide(line, size) for line in pair), default=(text, ""))
    if max(wide(first, size), wide(rest, size)) > room:
        end = next(end for end in range(len(text) - 1, -1, -1) if wide(text[:end], size) <= room)
        end = max((at for at in spaces if end // 2 < at <= end), default=end)
        first, rest = text[:end], text[end:].lstrip()
    return first, fitted(rest, room, size)


_CORNERS = {
    "diamond": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "triangle-up": ((0, -1), (1, 0.75), (-1, 0.75)),
    "triangle-down": ((0, 1), (1, -0.75), (-1, -0.75)),
    "triangle-right": ((1, 0), (-0.75, 1), (-0.75, -1)),
    "cross": (
        *((-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4), (1, 0.4), (0.4, 0.4)),
        *((0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4), (-1, -0.4), (-0.4, -0.4)),
    ),
}
"""Corners of shapes other than circles, in halves of their width."""


def number(value: float) -> str:
    """Pixels, to a tenth.

    Examples
    --------
    >>> number(12.04), number(-0.01), number(0.25)
    ('12', '0', '0.2')
    """
    text = f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
    return "0" if text in ("-0", "") else text


def attribute(name: str, value: object, otherwise: object = "") -> str:
    """An attribute of an element; nothing where it has no value or that which holds otherwise."""
    return "" if value in ("", otherwise) else f' {name}="{escape(str(value))}"'


def line(x1: float, y1: float, x2: float, y2: float, more: str = "", *, bare: bool = False) -> str:
    """A line, in the colour of the text unless its own is among its attributes or those of what it stands in."""
    stroke = "" if bare else f' stroke="{INK}"'
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f"<line {ends}{stroke}{more}/>"


def rect(x: float, y: float, width: float, height: float, more: str) -> str:
    """A rectangle."""
    size = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {size}{more}/>'


def path(points: Sequence[tuple[float, float]], *, stepped: bool) -> str:
    """The way through points: straight, or level until the next."""
    first, *others = points
    way = f"M{number(first[0])} {number(first[1])}"
    return way + "".join(f"H{number(x)}V{number(y)}" if stepped else f"L{number(x)} {number(y)}" for x, y in others)


def shape(kind: str, x: float, y: float, area: float, more: str, angle: float = 0) -> str:
    """A shape about a point, turned to the right by some degrees."""
    if kind == "circle":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(math.sqrt(area / math.pi))}"{more}/>'
    half = math.sqrt(area) / 2 * (1.25 if kind == "diamond" else 1)
    turn, corners = math.radians(angle), _CORNERS["triangle-up" if kind == "triangle" else kind]
    turned = [
        (x + half * (a * math.cos(turn) - b * math.sin(turn)), y + half * (a * math.sin(turn) + b * math.cos(turn)))
        for a, b in corners
    ]
    return f'<path d="{path(turned, stepped=False)}Z"{more}/>'


def words(
    text: str,
    x: float,
    y: float,
    *,
    size: float,
    anchor: str = "start",
    bold: bool = False,
    faint: bool = False,
    colour: str = INK,
) -> str:
    """A line of words on a base line; where it begins unless said otherwise by what it stands in."""
    more = "".join(
        attribute(name, value, otherwise)
        for name, value, otherwise in (
            ("text-anchor", anchor, "start"),
            ("font-size", number(size), "12"),
            ("font-weight", "bold" if bold else "", ""),
            ("opacity", ".75" if faint else "", ""),
            ("fill", colour, INK),
        )
    )
    return f'<text x="{number(x)}" y="{number(y)}"{more}>{escape(text, quote=False)}</text>'
