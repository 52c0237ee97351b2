"""Degrees of freedom that a design's standard error will have, and how wide its interval will then be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.estimate.components.model import CELL
from quorate.estimate.means.targets import POPULATION, Pool
from quorate.numerics.inference import checked_level
from quorate.plan.designs.layouts import Layout
from quorate.plan.designs.sources import Source
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
    tops = _tops(source, laid)
    varies = {name: _varies(source, laid, name, tops) for name in parts}
    variance, spread = sum(parts.values(), np.zeros(())), np.zeros(())
    for chosen in _sets(tops):
        square: Any = sum((part for name, part in parts.items() if chosen <= varies[name]), np.zeros(()))
        free: Any = math.prod(_levels(source, laid, facet) - 1.0 for facet in chosen)
        spread = spread + np.where(square > 0, square**2 / np.maximum(free, 1e-9), 0.0)
    return np.clip(variance**2 / np.maximum(spread, 1e-300), 1.0, _MOST)


def interval_half_width(se: ArrayLike, df: ArrayLike, level: float = 0.95) -> Floats:
    """Half the interval that the middle one of many such studies has, each with a standard error of its own.

    Student's quantile times the median of the standard error, which is a chi variable of ``df`` over their root.
    """
    from scipy.special import gammaincinv, stdtrit

    free = np.minimum(np.asarray(df, dtype=float), _MOST)
    median = np.sqrt(2 * gammaincinv(free / 2, 0.5) / free)
    return np.asarray(stdtrit(free, (1 + checked_level(level)) / 2) * median * np.asarray(se))


def _tops(source: Source, laid: Layout) -> frozenset[str]:
    """Facets that stand for more than their levels, and are nested in none that does."""
    drawn = {
        name
        for name in (*laid.counts, *laid.groups)
        if source.targets.get(name) == POPULATION or isinstance(source.targets.get(name), Pool)
    }
    return frozenset(name for name in drawn if not _parents(source, laid, name) & drawn)


def _parents(source: Source, laid: Layout, name: str) -> set[str]:
    """What a facet is nested in: what it belongs to, what groups the items, and what they are assigned."""
    over = set(source.above.get(name, ()))
    return over | (({*laid.groups} | laid.assigned) - {source.item} if name == source.item else set())


def _varies(source: Source, laid: Layout, term: str, tops: frozenset[str]) -> frozenset[str]:
    """The tops that a term varies with, its parents included."""
    facets: set[str] = set()
    for one in term.split(" + "):
        base = one.partition("[")[0]
        facets |= set(laid.counts) if base in (CELL, REPLICATE) else set(base.split(":"))
    while more := {up for name in facets for up in _parents(source, laid, name)} - facets:
        facets |= more
    return frozenset(facets & tops)


def _sets(tops: frozenset[str]) -> Iterator[frozenset[str]]:
    """Every set of some of them."""
    names = sorted(tops)
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
