"""Layers: marks on one panel, put together without the copies that altair makes of each, which are half of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

_OF_ALL = ("width", "height")
"""What layers may not have of their own."""


class Layers(alt.LayerChart):
    """A chart of layers that already share their data and size, kept as they are."""

    def __init__(self, data: Any = alt.Undefined, layer: Sequence[alt.Chart] = (), **rest: Any) -> None:
        alt.TopLevelLayerSpec.__init__(self, data=data, layer=list(layer), **rest)


def layered(layers: Sequence[alt.Chart], **properties: Any) -> Layers:
    """Marks in one panel; the data and the size that they share are those of the panel."""
    own = [layer.copy(deep=False) for layer in layers]
    sizes = {name: layer[name] for layer in own for name in _OF_ALL if layer[name] is not alt.Undefined}
    data = own[0].data
    shared = all(layer.data is data for layer in own)
    for layer in own:
        for name in sizes:
            layer[name] = alt.Undefined
        if shared:
            layer.data = alt.Undefined
    return Layers(data if shared else alt.Undefined, own, **{**sizes, **properties})
