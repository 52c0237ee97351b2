"""Crossings of facets: crossed, nested, or in between."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments

COMPLETE, PARTIAL, NESTED, ONE_TO_ONE, ONE_LEVEL = "complete", "partial", "nested", "one-to-one", "one level"


@dataclass(frozen=True)
class Crossing:
    """How two facets meet in the cells.

    Parameters
    ----------
    a, b : str
        Roles. Where one is nested in the other, ``a`` is the inner one.
    kind : str
        ``complete``: every pair of levels occurs; ``nested``: each level of ``a`` occurs with one level of ``b``;
        ``one-to-one``: each is nested in the other; ``one level``: nothing to cross; ``partial``: in between.
    pairs : int
        Pairs of levels that occur.
    share : float
        Of all pairs of levels, those that occur.
    """

    a: str
    b: str
    kind: str
    pairs: int
    share: float


@dataclass(frozen=True)
class FullCrossing:
    """The design if every combination were judged, given the nesting that was declared.

    Parameters
    ----------
    cells : float
        Number of cells; a float because it can be beyond any integer type.
    by_label : mapping of str to array of float, shape (levels,)
        Cells at each label, per facet.
    """

    cells: float
    by_label: dict[str, NDArray[np.float64]]


def crossing(layout: Judgments, a: str, b: str) -> Crossing:
    """How two facets meet."""
    n_a, n_b = layout.n_levels(a), layout.n_levels(b)
    pairs = int(layout.level_codes([a, b]).max(initial=-1)) + 1
    share = pairs / (n_a * n_b)
    if n_a == 1 or n_b == 1:
        return Crossing(a, b, ONE_LEVEL, pairs, share)
    if pairs == n_a == n_b:
        return Crossing(a, b, ONE_TO_ONE, pairs, share)
    if pairs == n_a:
        return Crossing(a, b, NESTED, pairs, share)
    if pairs == n_b:
        return Crossing(b, a, NESTED, pairs, share)
    return Crossing(a, b, COMPLETE if pairs == n_a * n_b else PARTIAL, pairs, share)


def crossings(layout: Judgments) -> tuple[Crossing, ...]:
    """How every two facets meet."""
    names = [facet.name for facet in layout.facets]
    return tuple(crossing(layout, a, b) for a, b in combinations(names, 2))


def full_crossing(layout: Judgments) -> FullCrossing:
    """Cells of the design if every combination of levels were judged."""
    codes = {facet.name: layout.level_codes([facet.name]) for facet in layout.facets}
    above = {f.name: _one_per_level(codes[f.name], codes[f.parent]) for f in layout.facets if f.parent is not None}
    outward = sorted(layout.facets, key=lambda facet: -len(layout.ancestors(facet.name)))
    size = {facet.name: np.ones(layout.n_levels(facet.name)) for facet in layout.facets}
    for facet in outward:
        if facet.parent is not None:
            size[facet.parent] *= np.bincount(above[facet.name], weights=size[facet.name])
    cells = float(np.prod([size[facet.name].sum() for facet in layout.facets if facet.parent is None]))
    share: dict[str, NDArray[np.float64]] = {}
    by_label: dict[str, NDArray[np.float64]] = {}
    for facet in reversed(outward):
        own = size[facet.name]
        if facet.parent is None:
            share[facet.name] = own / float(own.sum())
        else:
            parent = above[facet.name]
            siblings = np.bincount(parent, weights=own).astype(np.float64)
            share[facet.name] = share[facet.parent][parent] * own / siblings[parent]
        label = _one_per_level(codes[facet.name], layout.column(facet.name).astype(np.int64))
        labelled = np.bincount(label, weights=share[facet.name], minlength=len(facet.levels))
        by_label[facet.name] = cells * labelled.astype(np.float64)
    return FullCrossing(cells, {facet.name: by_label[facet.name] for facet in layout.facets})


def _one_per_level(codes: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    out = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    out[codes] = values
    return out
