"""Elements of SVG: lines, rectangles, curves, shapes and words, as short as they can be written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from quorate.reporting.draw.marks import INK

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
        (
            x + half * (a * math.cos(turn) - b * math.sin(turn)),
            y + half * (a * math.sin(turn) + b * math.cos(turn)),
        )
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
