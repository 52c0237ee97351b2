"""Vega-Lite: marks over rows and what they encode, as plain values; tests check drawings against its schema."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from quorate.frozen import dataclass

Channel = dict[str, Any]
"""How a field is shown, such as a position or a colour, or a value for all marks."""
Spec = dict[str, Any]
"""A drawing."""
Row = Mapping[str, Any]

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
    rows: Sequence[Row]
    kind: str
    mark: Channel
    encoding: Mapping[str, Channel]

    def value(self, channel: str, row: Row) -> Any:
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

    def mapped(self, channel: str, row: Row) -> Any:
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
