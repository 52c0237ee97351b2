"""Layouts: which judge and which prompt see which item, and what that does to the weight of every level.

A layout repeats itself: items fall into a few classes that meet the same judges and prompts. Weights therefore follow
from one period of the assignment, whatever the number of items, and for many numbers of items at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.planning.designs.cycles import Cycle, Draw, cycle_of
from quorate.planning.designs.schemes import GENERATION, Scheme, fewest_turns
from quorate.roles import JUDGE
from quorate.wording import Brief

Count = int | Floats
"""A number of levels, or an array of them for many designs at once."""


@dataclass(frozen=True)
class Layout(Brief):
    """A plan's cells: some facets assigned to items one by one, the others crossed with everything.

    Parameters
    ----------
    item : str
        The facet that others are assigned to.
    counts : mapping of str to int or array
        Levels of every facet; a nested facet counts its levels within one parent. Arrays broadcast together.
    replicates : int or array
        Answers per cell.
    cycle : Cycle, Draw or None
        The assignment; None where everything is crossed.
    groups : mapping of str to int
        Levels of what groups the items.
    judges : tuple of str
        Names of the judges in the order of their levels; empty where any will do.
    """

    item: str
    counts: Mapping[str, Count]
    replicates: Count
    cycle: Cycle | Draw | None
    groups: Mapping[str, int] = field(default_factory=dict)
    judges: tuple[str, ...] = ()

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Facets that are not crossed with everything: the item and what is assigned to it."""
        return frozenset() if self.cycle is None else frozenset({self.item, *self.cycle.facets})

    @property
    def grouped(self) -> dict[str, Any]:
        """Levels of what groups the items, in designs that may have fewer items than that."""
        return {name: np.minimum(count, self.counts[self.item]) for name, count in self.groups.items()}

    @property
    def crossed(self) -> Any:
        """Cells that every assignment is repeated in."""
        return math.prod(count for name, count in self.counts.items() if name not in self.assigned)

    @property
    def cells(self) -> Any:
        """Cells of the plan, before replication."""
        if self.cycle is None:
            return self.crossed
        return self.counts[self.item] * self.cycle.per_item * self.crossed

    @property
    def calls(self) -> Any:
        """Judgments of the plan."""
        return self.cells * self.replicates

    def calls_of(self, facet: str) -> Any:
        """Judgments by level of an assigned facet, shape (..., levels); None where all levels are used equally."""
        if self.cycle is None or facet not in self.cycle.facets:
            return None
        return self.cycle.uses(facet) * np.asarray(self.crossed * self.replicates)[..., None]

    def concentration(self, facets: AbstractSet[str], groups: Any = 1.0) -> Any:
        """``sum_l w_l^2`` over the combinations of these facets (parents of nested facets included).

        With ``groups`` of items, equally large, for each group on its own.
        """
        if self.cycle is not None and self.cycle.per_item == 1 and self.item in facets:
            facets = facets | self.assigned  # an item that meets one combination tells it
        if not isinstance(groups, float):
            return self._concentration(facets, groups)
        asked = (frozenset(facets), groups)
        if asked not in self._known:
            self._known[asked] = self._concentration(*asked)
        return self._known[asked]

    @cached_property
    def _known(self) -> dict[tuple[frozenset[str], float], Any]:
        """Concentrations, which every term and every target ask for again."""
        return {}

    def _concentration(self, facets: AbstractSet[str], groups: Any) -> Any:
        crossed = math.prod(self.counts[name] for name in facets if name not in self.assigned)
        together = facets & self.assigned
        if self.cycle is None or not together:
            return 1 / (crossed * groups)
        names, by_item = sorted(together - {self.item}), self.item in together
        return self.cycle.concentration(names, by_item=by_item, groups=groups) / crossed

    def shares(self, facet: str) -> Any:
        """Total weight of each level of a facet, shape (..., levels)."""
        if self.cycle is None or facet not in self.cycle.facets:
            return self.portion(facet)
        return self.cycle.shares(facet)

    def portion(self, facet: str) -> Any:
        """How the sum of squared weights of all cells is spread over the levels of a facet; sums to 1."""
        if self.cycle is None or facet not in self.cycle.facets:
            count = np.asarray(self.counts[facet], dtype=float)[..., None]
            return np.where(np.arange(int(np.max(count))) < count, 1 / count, 0.0)
        return self.cycle.portion(facet)


def lay_out(
    scheme: Scheme,
    counts: Mapping[str, Count],
    item: str,
    *,
    replicates: Count = 1,
    balance: Sequence[str] = (),
    groups: Mapping[str, int] | None = None,
) -> Layout:
    """Assign judges (and prompts) to items.

    With a facet "generation" every generation of an item is a turn of its own: turn ``i m + j`` for generation ``j`` of
    item ``i``. Without, item ``i`` is turn ``i``.

    Parameters
    ----------
    scheme : Scheme
        The layout.
    counts : mapping of str to int or array
        Levels of every facet. Those of assigned facets other than the item are single numbers.
    item : str
        The facet that others are assigned to.
    replicates : int or array
        Answers per cell.
    balance : sequence of str
        Facets whose levels, or combinations of levels, get equal total weight although turns may not divide evenly, as
        far as the scheme is balanced; those that the layout does not assign are passed over.
    groups : mapping of str to int, optional
        Levels of what groups the items, such as categories.

    Raises
    ------
    InvalidInput
        If a layout does not fit the counts.
    """
    if scheme.layout == "factorial":
        return Layout(item, counts, replicates, None, groups or {}, scheme.judges)
    if item in ("judge", "prompt"):
        raise InvalidInput(f"layout: {scheme.layout!r} assigns judges to what is measured, which is the {item} here")
    per_item = int(counts[GENERATION]) if GENERATION in counts else None
    order = scheme.order(counts)
    items = np.asarray(counts[item], dtype=float)
    if scheme.layout == "random":
        draw = Draw(items, int(counts[JUDGE]), per_item, scheme.balanced if JUDGE in balance else 0.0)
        return Layout(item, counts, replicates, draw, groups or {}, scheme.judges)
    turns = fewest_turns(order)
    least = -(-turns // (per_item or 1))
    if np.any(items < least):
        raise InvalidInput(
            f"layout: {scheme.layout!r} takes {turns} turns to use everything and needs {least} items; "
            f"{np.min(items):.0f} items are too few"
        )
    cycle = cycle_of(order, items, per_item, balance, scheme.balanced)
    return Layout(item, counts, replicates, cycle, groups or {}, scheme.judges)


def fewest_items(scheme: Scheme, counts: Mapping[str, Any]) -> int:
    """Items that a layout needs to use every level, or every pair of them, at least once."""
    if scheme.layout in ("factorial", "random"):
        return 1
    return -(-fewest_turns(scheme.order(counts)) // int(counts.get(GENERATION, 1)))
