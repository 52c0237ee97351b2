"""Mean squares of a design: what its interval rests on, from what every term brings to the variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.estimate.means.targets import FEWEST_DRAWN, POPULATION
from quorate.planning.designs.degrees import item_freedom, reach_of
from quorate.planning.designs.layouts import Layout
from quorate.planning.designs.sources import Source
from quorate.wording import Brief


@dataclass(frozen=True)
class MeanSquares(Brief):
    """Parts of the variance of a design by what they are found from; of many designs, arrays.

    Parameters
    ----------
    items : float or array
        What varies with items, or with what groups them where that stands for others.
    df : float or array
        Its degrees of freedom.
    effects : mapping of str to (array, array, array)
        Of every facet that stands for others: what its levels bring, what items bring to their spread, and levels
        less one; infinite spread where a design has fewer than three levels, which say nothing of others.
    rest : float or array
        What varies with neither.
    """

    items: Any
    df: Any
    effects: Mapping[str, tuple[Any, Any, Any]]
    rest: Any


def mean_squares(source: Source, laid: Layout, parts: Mapping[str, Any]) -> MeanSquares:
    """The mean squares of a layout, from what every term brings to the variance for the targets of its source."""
    drawn_groups = [name for name in laid.groups if source.targets.get(name) == POPULATION]
    over = {source.item, *drawn_groups}
    of_items = {name for name in parts if reach_of(source, laid, name) & over}
    apart = {source.item, *laid.groups}
    drawn = [
        name
        for name in laid.counts
        if source.targets.get(name) == POPULATION
        and name not in apart
        and source.item not in source.above.get(name, ())
    ]
    effects = {}
    for facet in drawn:
        levels = np.asarray(laid.counts[facet], dtype=float)
        own = [name for name in parts if facet in reach_of(source, laid, name)]
        spread = _total(parts[name] for name in own if name not in of_items)
        noise = _total(parts[name] for name in own if name in of_items)
        effects[facet] = np.where(levels < FEWEST_DRAWN, np.inf, spread), noise, np.maximum(levels - 1, 1.0)
    known = {name for facet in drawn for name in parts if facet in reach_of(source, laid, name)}
    free = (
        np.min([np.asarray(laid.grouped[name], float) - 1 for name in drawn_groups], axis=0) if drawn_groups else None
    )
    return MeanSquares(
        items=_total(parts[name] for name in of_items),
        df=np.maximum(item_freedom(source, laid) if free is None else free, 1.0),
        effects=effects,
        rest=_total(part for name, part in parts.items() if name not in of_items and name not in known),
    )


def _total(parts: Any) -> Any:
    return sum(parts, np.zeros(()))
