"""Strata of a layout: the mean squares that an analysis of its scores has, and what each tells of the variance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np

from quorate.plan.designs.degrees import parents_of, reach_of
from quorate.plan.designs.layouts import Layout
from quorate.plan.designs.sources import Source
from quorate.wording import Brief

Facets = frozenset[str]


@dataclass(frozen=True)
class Strata(Brief):
    """The mean squares of a layout, one for every set of facets that holds what its facets are nested in.

    A mean square is that of the effects that vary with just these facets. It is in units of the variance of the mean of
    a study whose facets are all drawn: then what it is expected to be is the sum of the parts of the terms that vary
    with these facets at least, and every part is a difference of mean squares.

    Parameters
    ----------
    source : Source
        Where the variance comes from, with all facets drawn that can be.
    laid : Layout
        Designs that share a layout.
    """

    source: Source
    laid: Layout

    @cached_property
    def each(self) -> tuple[Facets, ...]:
        """Every stratum, those with most facets first."""
        facets = (*self.laid.counts, *self.laid.groups)
        sets = chain.from_iterable(combinations(facets, size) for size in range(1, len(facets) + 1))
        return tuple(sorted({self.reach(names) for names in sets}, key=lambda one: (-len(one), sorted(one))))

    def reach(self, facets: tuple[str, ...]) -> Facets:
        """Facets and what they are nested in."""
        return reach_of(self.source, self.laid, facets)

    def of_term(self, term: str) -> Facets:
        """The stratum of a term."""
        return reach_of(self.source, self.laid, term)

    @cached_property
    def df(self) -> Mapping[Facets, Any]:
        """Degrees of freedom of every mean square; 0 where a facet has one level."""
        out: dict[Facets, Any] = {}
        item, cycle = self.source.item, self.laid.cycle
        for stratum in reversed(self.each):
            some = stratum & self.laid.assigned - {item} if cycle is not None and cycle.per_item > 1 else frozenset()
            if cycle is None or item not in stratum or not some:
                out[stratum] = math.prod(self._own(facet, stratum) for facet in stratum)
                continue
            # of several levels, but not all, that an item meets: those combinations, less what smaller strata take up
            met = self.laid.counts[item] * np.minimum(
                cycle.per_item, math.prod(self.laid.counts[name] for name in some)
            )
            taken = sum(df for other, df in out.items() if other < some | {item})
            others = math.prod(self._own(facet, stratum) for facet in stratum - some - {item})
            out[stratum] = np.maximum(met - 1 - taken, 0.0) * others
        return out

    def _own(self, facet: str, stratum: Facets) -> Any:
        """What a facet brings to the degrees of freedom of a stratum: levels within its parents, less one if last."""
        over = parents_of(self.source, self.laid, facet)
        sizes = {**self.laid.counts, **self.laid.grouped}
        within = sizes[facet]
        if facet == self.source.item:
            within = within / math.prod(sizes[up] for up in over if up in sizes)
        last = not any(facet in parents_of(self.source, self.laid, other) for other in stratum)
        return np.maximum(within - last, 0.0)

    @cached_property
    def differences(self) -> Mapping[Facets, Mapping[Facets, int]]:
        """The part of every stratum as a sum of mean squares, each so many times."""
        out: dict[Facets, dict[Facets, int]] = {}
        for stratum in self.each:
            out[stratum] = {stratum: 1}
            for square, times in chain.from_iterable(part.items() for other, part in out.items() if stratum < other):
                out[stratum][square] = out[stratum].get(square, 0) - times
        return out
