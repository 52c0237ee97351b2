"""Vega-Lite: marks over rows and what they encode, as plain values; tests check drawings against its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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

    def encode(self, *, tooltip: Sequence[Channel | str] = (), **channels: Channel | str) -> Marks:
        """The same with these channels as well; a text is a field that needs no options."""
        tips = {"tooltip": [_channel(one) for one in tooltip]} if tooltip else {}
        given = {name: _channel(one) for name, one in channels.items()}
        return self._with(encoding={**self.parts.get("encoding", {}), **given, **tips})

    def only(self, test: str) -> Marks:
        """The same, of rows where a test in Vega's language of expressions holds."""
        return self._with(transform=[*self.parts.get("transform", ()), {"filter": test}])

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


def _channel(one: Channel | str) -> Channel:
    return channel(one) if isinstance(one, str) else one
