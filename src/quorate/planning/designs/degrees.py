"""Degrees of freedom that a design's standard error will have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.model import CELL
from quorate.estimate.means.targets import POPULATION, Pool
from quorate.planning.designs.layouts import Layout
from quorate.planning.designs.sources import Source
from quorate.roles import REPLICATE

_MOST = 1e7
"""Degrees of freedom that are as good as endless."""


def degrees_of_freedom(source: Source, laid: Layout, parts: Mapping[str, Any]) -> Floats:
    """Satterthwaite degrees of freedom of the variance of a design's mean, at least 1; for many designs at once.

    Facets that are drawn, and nested in no other that is, each tell as much as they have levels less one, and every
    set of them as the product says: the variance is the sum over sets ``c`` of ``(-1)^(|c| + 1) M_c``, with ``M_c``
    what the terms bring that vary with all of ``c``, and mean squares estimate each ``M_c`` on its own.

    Parameters
    ----------
    source : Source
        Where the variance comes from.
    laid : Layout
        Designs that share a layout.
    parts : mapping of str to array
        What every term brings to the variance.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114; ``docs/methods/optimize.md``.
    """
    drawn = _tops(source, laid)
    varies = {name: reach_of(source, laid, name) & drawn for name in parts}
    variance, spread = sum(parts.values(), np.zeros(())), np.zeros(())
    for chosen in _sets(drawn):
        square: Any = sum((part for name, part in parts.items() if chosen <= varies[name]), np.zeros(()))
        free: Any = math.prod(_levels(source, laid, facet) - 1.0 for facet in chosen)
        spread = spread + np.where(square > 0, square**2 / np.maximum(free, 1e-9), 0.0)
    return np.clip(variance**2 / np.maximum(spread, 1e-300), 1.0, _MOST)


def item_freedom(source: Source, laid: Layout) -> Any:
    """Degrees of freedom over items: less one, or less the levels assigned to them in turn, of each stratum."""
    fixed = [laid.grouped[name] for name in laid.groups if source.targets.get(name) != POPULATION]
    return _levels(source, laid, source.item) - math.prod(fixed, start=1.0)


def _tops(source: Source, laid: Layout) -> frozenset[str]:
    """Facets that stand for more than their levels, and are nested in none that does."""
    drawn = {
        name
        for name in (*laid.counts, *laid.groups)
        if source.targets.get(name) == POPULATION or isinstance(source.targets.get(name), Pool)
    }
    return frozenset(name for name in drawn if not parents_of(source, laid, name) & drawn)


def parents_of(source: Source, laid: Layout, name: str) -> set[str]:
    """What a facet is nested in: what it belongs to; of items, what groups them and what they meet one level of."""
    over = set(source.above.get(name, ()))
    if name != source.item:
        return over
    alone = laid.cycle is not None and laid.cycle.per_item == 1
    return over | {*laid.groups} | (laid.assigned - {source.item} if alone else set())


def reach_of(source: Source, laid: Layout, names: str | Iterable[str]) -> frozenset[str]:
    """Facets and what they are nested in; those of a term, or of a sum of some, by its name."""
    facets: set[str] = set()
    for one in names.split(" + ") if isinstance(names, str) else names:
        base = one.partition("[")[0]
        facets |= set(laid.counts) if base in (CELL, REPLICATE) else set(base.split(":"))
    while more := {up for name in facets for up in parents_of(source, laid, name)} - facets:
        facets |= more
    return frozenset(facets & {*laid.counts, *laid.groups})


def _sets(drawn: frozenset[str]) -> Iterator[frozenset[str]]:
    """Every set of some of them."""
    names = sorted(drawn)
    every = chain.from_iterable(combinations(names, size) for size in range(1, len(names) + 1))
    return map(frozenset, every)


def _levels(source: Source, laid: Layout, facet: str) -> Any:
    """Levels that tell how a facet varies: items less those that fixed levels assigned to them take up."""
    if facet in laid.groups:
        return laid.grouped[facet]
    if facet != source.item or laid.cycle is None:
        return laid.counts[facet]
    fixed = math.prod(laid.counts[name] for name in laid.assigned - {source.item} if name in laid.counts)
    return laid.counts[facet] - fixed + 1
