"""Limits for a study that names none: designs around the one at hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quorate.estimate.means.targets import FINITE, PANEL
from quorate.plan.designs.prices import Prices, cheapest
from quorate.plan.designs.schemes import JUDGE
from quorate.plan.designs.sources import Source
from quorate.plan.search.grid import REPLICATE

_MOST_ITEMS = 2_000
_MOST_LEVELS = 50


def around(source: Source, prices: Prices) -> dict[str, tuple[int, ...]]:
    """Up to four times the items, twice the levels of facets that are drawn, and a few replicates.

    Facets that stand for themselves keep their levels: with fewer, the mean would be of something else. Judges are at
    most as many as have a price.

    Parameters
    ----------
    source : Source
        The design at hand.
    prices : mapping
        As for `quorate.project`.
    """
    items = source.counts[source.item]
    out = {"items": _spaced(2, 4 * items)}
    for name, count in source.counts.items():
        if name != source.item and source.targets[name] not in (PANEL, FINITE):
            out[name] = tuple(range(1, min(max(2 * count, count + 2), _MOST_LEVELS) + 1))
    return out | {REPLICATE + "s": tuple(range(1, max(source.replicates, 3) + 1))} | _priced(out, prices)


def _spaced(low: int, high: int) -> tuple[int, ...]:
    """Every number, or as many at equal steps as are worth looking at."""
    return tuple(np.unique(np.linspace(low, high, min(high - low + 1, _MOST_ITEMS)).astype(int)).tolist())


def _priced(levels: Mapping[str, tuple[int, ...]], prices: Prices) -> dict[str, tuple[int, ...]]:
    named = len(cheapest(prices))
    return {JUDGE: tuple(n for n in levels[JUDGE] if n <= named)} if named and JUDGE in levels else {}
