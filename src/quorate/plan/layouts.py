"""Layouts: which judge and which prompt see which item, and what that does to the weight of every level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.numerics.assignment import concentration

Ints = NDArray[np.int64]
LayoutName = Literal["factorial", "cyclic", "latin", "blocks"]
_MOST = 10_000_000
LAYOUTS: tuple[LayoutName, ...] = ("factorial", "cyclic", "latin", "blocks")


@dataclass(frozen=True)
class Layout:
    """A plan's cells: some facets assigned to items one by one, the others crossed with everything.

    Parameters
    ----------
    item : str
        The facet that others are assigned to.
    counts : mapping of str to int
        Levels of every facet; a nested facet counts its levels within one parent.
    assigned : mapping of str to array of int, shape (assignments,)
        Level of the assigned facets, the object included, in every assignment. Empty for a factorial.
    weight : array, shape (assignments,)
        Weight of each assignment, such that fixed facets weigh equally.
    """

    item: str
    counts: Mapping[str, int]
    assigned: Mapping[str, Ints]
    weight: NDArray[np.float64]

    @property
    def cells(self) -> int:
        """Cells of the plan, before replication."""
        crossed = [count for name, count in self.counts.items() if name not in self.assigned]
        return int(np.prod([len(self.weight), *crossed], dtype=np.int64))

    def concentration(self, facets: frozenset[str]) -> float:
        """``sum_l w_l^2`` over the combinations of these facets (parents of nested facets included)."""
        crossed = np.prod([self.counts[name] for name in facets if name not in self.assigned], dtype=float)
        together = [name for name in facets if name in self.assigned]
        if not together:
            return float(1 / crossed)
        key = np.zeros(len(self.weight), dtype=np.int64)
        for name in together:
            key = key * self.counts[name] + self.assigned[name]
        return concentration(np.unique(key, return_inverse=True)[1], self.weight) / float(crossed)


def lay_out(
    layout: LayoutName, counts: Mapping[str, int], item: str, *, per_item: int | None = None, balance: str | None = None
) -> Layout:
    """Assign judges (and prompts) to items.

    Parameters
    ----------
    layout : {"factorial", "cyclic", "latin", "blocks"}
        Everything crossed; judge ``i mod M`` for item ``i``; (prompt, judge) pair ``i mod VM`` for item ``i``; or
        ``per_item`` consecutive judges for each item.
    counts : mapping of str to int
        Levels of every facet.
    item : str
        The facet that others are assigned to.
    per_item : int, optional
        Judges per item, for ``blocks`` only.
    balance : str, optional
        Facet whose levels get equal total weight although items may not divide evenly.

    Raises
    ------
    InvalidInput
        If a layout does not exist or does not fit the counts.
    """
    if layout not in LAYOUTS:
        raise InvalidInput(f"layout: one of {', '.join(LAYOUTS)} is needed, got {layout!r}")
    if (per_item is not None) != (layout == "blocks"):
        raise InvalidInput(f'per_item: goes with layout="blocks", and only with it; got {per_item!r} with {layout!r}')
    if layout == "factorial":
        return Layout(item, counts, {}, np.ones(1))
    assigned = _assign(layout, counts, item, per_item or 1)
    weight = np.full(len(assigned[item]), 1 / len(assigned[item]))
    if balance in assigned:
        size = np.bincount(assigned[balance], minlength=counts[balance])
        weight = 1 / (counts[balance] * size[assigned[balance]])
    return Layout(item, counts, assigned, weight)


def _assign(layout: str, counts: Mapping[str, int], item: str, per_item: int) -> dict[str, Ints]:
    needed = ("judge", "prompt") if layout == "latin" else ("judge",)
    absent = [name for name in needed if name not in counts]
    if absent:
        raise InvalidInput(f"layout: {layout!r} assigns {' and '.join(needed)}, and there is no {absent[0]} here")
    items, judges = counts[item], counts["judge"]
    if per_item > judges or per_item < 1:
        raise InvalidInput(f"per_item: must be between 1 and the number of judges, {judges}; got {per_item}")
    cycle = judges * counts["prompt"] if layout == "latin" else judges
    if items * per_item < cycle:
        raise InvalidInput(f"layout: {layout!r} cycles through {cycle} combinations; {items} items are too few")
    if items * per_item > _MOST:
        raise InvalidInput(f"items: {layout!r} assigns items one by one, at most {_MOST:,}; got {items * per_item:,}")
    index = np.repeat(np.arange(items), per_item)
    if layout == "latin":
        return {item: index, "prompt": index % cycle // judges, "judge": index % judges}
    return {item: index, "judge": (index + np.tile(np.arange(per_item), items)) % judges}
