"""What tests read out of charts: rows, scales, colours."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import altair as alt

from quorate.reporting.print.files import svg


def spec(figure: Any) -> dict[str, Any]:
    """The chart of a figure, checked against the schema of Vega-Lite as a whole."""
    out: dict[str, Any] = figure.chart()
    check(json.dumps(plain({**out, "datasets": {}}), sort_keys=True))
    return out


@cache
def check(spec: str) -> None:
    """Check a specification against the schema; charts that differ in words and numbers alone are checked once."""
    alt.LayerChart.validate(json.loads(spec))


def plain(part: Any, name: str = "") -> Any:
    """A specification without its data, and with nothing for the words of titles, names of data and ends of axes."""
    if isinstance(part, dict):
        return {key: [] if (name, key) == ("data", "values") else plain(value, key) for key, value in part.items()}
    if isinstance(part, list):
        return [plain(one, name) for one in part]
    free = name in ("title", "domain", "height", "name") and not isinstance(part, bool)
    return type(part)() if free and isinstance(part, (str, float, int)) else part


def image(figure: Any) -> str:
    """The chart of a figure as it is drawn, in which every place is known."""
    out = svg(figure, 720)
    assert "nan" not in out.lower()
    return out


def drawn(figure: Any) -> list[dict[str, Any]]:
    """Rows of the data of a chart, each once, without those of the lines across."""
    chart = spec(figure)
    data = [*chart.get("datasets", {}).values(), chart.get("data", {}).get("values", [])]
    data += [layer.get("data", {}).get("values", []) for layer in chart["layer"]]
    return list({str(row): row for rows in data for row in rows if "at" not in row}.values())


def marks_of(figure: Any) -> list[str]:
    """Kinds of marks, layer by layer."""
    return [layer["mark"]["type"] for layer in spec(figure)["layer"]]


def scale(figure: Any, channel: str) -> dict[str, Any]:
    """The first scale of a channel."""
    layers = [layer["encoding"].get(channel, {}).get("scale") for layer in spec(figure)["layer"]]
    return next(one for one in layers if one)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours after WCAG 2."""

    def luminance(colour: str) -> float:
        text = {"white": "#FFFFFF"}.get(colour, colour).lstrip("#")
        parts = [int(text[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
