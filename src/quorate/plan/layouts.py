"""Layouts: which judge and which prompt see which item, and what that does to the weight of every level.

A layout repeats itself: items fall into a few classes that meet the same judges and prompts. Weights therefore follow
from one period of the assignment, whatever the number of items, and for many numbers of items at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Count = int | Floats
"""A number of levels, or an array of them for many designs at once."""
LayoutName = Literal["factorial", "cyclic", "latin", "blocks"]
LAYOUTS: tuple[LayoutName, ...] = ("factorial", "cyclic", "latin", "blocks")
_MOST_ROWS = 10_000_000


@dataclass(frozen=True)
class Cycle:
    """One period of an assignment, a row for each (class of items, assigned levels).

    Parameters
    ----------
    of_class : array of int, shape (rows,)
        Class of items of each row.
    levels : mapping of str to array of int, shape (rows,)
        Level of every assigned facet in each row.
    items : array, shape (..., rows)
        Items in the class of each row, for every number of items asked about.
    weight : array, shape (..., rows)
        Weight of one item's assignment in each row; over all items and rows they sum to 1.
    """

    of_class: Ints
    levels: Mapping[str, Ints]
    items: Floats
    weight: Floats

    def concentration(self, facets: Iterable[str], *, by_item: bool) -> Floats:
        """``sum_l w_l^2`` over combinations of assigned facets, for each item on its own or over all items."""
        key = self.of_class if by_item else np.zeros_like(self.of_class)
        for name in facets:
            key = key * (int(self.levels[name].max()) + 1) + self.levels[name]
        if not by_item:
            return np.asarray(np.sum(_totals(self.items * self.weight, key) ** 2, axis=-1))
        first = np.unique(key, return_index=True)[1]
        return np.asarray(np.sum(_totals(self.weight, key) ** 2 * self.items[..., first], axis=-1))

    def uses(self, facet: str) -> Floats:
        """Assignments that use each level of a facet, shape (..., levels)."""
        return _totals(self.items, self.levels[facet])


@dataclass(frozen=True)
class Layout:
    """A plan's cells: some facets assigned to items one by one, the others crossed with everything.

    Parameters
    ----------
    item : str
        The facet that others are assigned to.
    counts : mapping of str to int or array
        Levels of every facet; a nested facet counts its levels within one parent. Arrays broadcast together.
    replicates : int or array
        Answers per cell.
    cycle : Cycle or None
        The assignment; None where everything is crossed.
    groups : mapping of str to int
        Levels of what groups the items.
    """

    item: str
    counts: Mapping[str, Count]
    replicates: Count
    cycle: Cycle | None
    groups: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Facets that are not crossed with everything: the item and what is assigned to it."""
        return frozenset() if self.cycle is None else frozenset({self.item, *self.cycle.levels})

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
        per_item = len(self.cycle.of_class) // (int(self.cycle.of_class[-1]) + 1)
        return self.counts[self.item] * per_item * self.crossed

    @property
    def calls(self) -> Any:
        """Judgments of the plan."""
        return self.cells * self.replicates

    def calls_of(self, facet: str) -> Any:
        """Judgments by level of an assigned facet, shape (..., levels); None where all levels are used equally."""
        if self.cycle is None or facet not in self.cycle.levels:
            return None
        return self.cycle.uses(facet) * np.asarray(self.crossed * self.replicates)[..., None]

    def concentration(self, facets: frozenset[str]) -> Any:
        """``sum_l w_l^2`` over the combinations of these facets (parents of nested facets included)."""
        crossed = math.prod(self.counts[name] for name in facets if name not in self.assigned)
        together = facets & self.assigned
        if self.cycle is None or not together:
            return 1 / crossed
        return self.cycle.concentration(sorted(together - {self.item}), by_item=self.item in together) / crossed


def lay_out(
    layout: LayoutName,
    counts: Mapping[str, Count],
    item: str,
    *,
    replicates: Count = 1,
    per_item: int | None = None,
    balance: Sequence[str] = (),
    groups: Mapping[str, int] | None = None,
) -> Layout:
    """Assign judges (and prompts) to items.

    Parameters
    ----------
    layout : {"factorial", "cyclic", "latin", "blocks"}
        Everything crossed; judge ``i mod M`` for item ``i``; (prompt, judge) pair ``i mod VM`` for item ``i``; or
        ``per_item`` consecutive judges for each item.
    counts : mapping of str to int or array
        Levels of every facet. Those of assigned facets other than the item are single numbers.
    item : str
        The facet that others are assigned to.
    replicates : int or array
        Answers per cell.
    per_item : int, optional
        Judges per item, for ``blocks`` only.
    balance : sequence of str
        Facets; the levels of the first that is assigned get equal total weight although items may not divide evenly.
    groups : mapping of str to int, optional
        Levels of what groups the items, such as categories.

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
        return Layout(item, counts, replicates, None, groups or {})
    if item in ("judge", "prompt"):
        raise InvalidInput(f"layout: {layout!r} assigns judges to what is measured, which is the {item} here")
    of_class, levels = _period(layout, counts, counts[item], per_item or 1)
    items = _class_sizes(np.asarray(counts[item], dtype=float), of_class)
    return Layout(
        item, counts, replicates, Cycle(of_class, levels, items, _weight(levels, items, balance)), groups or {}
    )


def _period(layout: str, counts: Mapping[str, Count], items: Count, per_item: int) -> tuple[Ints, dict[str, Ints]]:
    """Class of items of each row of one period, and the levels it meets."""
    needed = ("judge", "prompt") if layout == "latin" else ("judge",)
    absent = [name for name in needed if name not in counts]
    if absent:
        raise InvalidInput(f"layout: {layout!r} assigns {' and '.join(needed)}, and there is no {absent[0]} here")
    judges, prompts = int(counts["judge"]), int(counts["prompt"]) if layout == "latin" else 1
    if per_item > judges or per_item < 1:
        raise InvalidInput(f"per_item: must be between 1 and the number of judges, {judges}; got {per_item}")
    if judges * prompts * per_item > _MOST_ROWS:
        raise InvalidInput(f"layout: a cycle has at most {_MOST_ROWS:,} combinations; got {judges * prompts:,}")
    least = fewest_items(layout, counts, per_item)
    if np.any(items < least):
        raise InvalidInput(
            f"layout: {layout!r} cycles through {judges * prompts} combinations and needs {least} items; "
            f"{np.min(items):.0f} items are too few"
        )
    of_class = np.repeat(np.arange(judges * prompts), per_item)
    judge = (of_class + np.tile(np.arange(per_item), judges * prompts)) % judges
    return of_class, {"judge": judge, **({"prompt": of_class // judges} if layout == "latin" else {})}


def fewest_items(layout: str, counts: Mapping[str, Any], per_item: int = 1) -> int:
    """Items that a layout needs to use every level, or every pair of them, at least once."""
    if layout == "factorial":
        return 1
    judges = int(counts["judge"])
    return judges * int(counts["prompt"]) if layout == "latin" else judges - per_item + 1


def _class_sizes(items: Floats, of_class: Ints) -> Floats:
    """Items in the class of each row: equal but for a remainder, which goes to the first classes."""
    whole, rest = np.divmod(items, int(of_class[-1]) + 1)
    return np.asarray(whole[..., None] + (of_class < rest[..., None]))


def _weight(levels: Mapping[str, Ints], items: Floats, balance: Sequence[str]) -> Floats:
    """Weight of one item's assignment in every row: equal, or such that the levels of a facet weigh equally."""
    chosen = next((name for name in balance if name in levels), None)
    if chosen is None:
        return np.asarray(np.ones_like(items) / items.sum(axis=-1, keepdims=True))
    size = _totals(items, levels[chosen])
    return np.asarray(1 / (size.shape[-1] * size[..., levels[chosen]]))


def _totals(values: Floats, key: Ints) -> Floats:
    """Sums over the last axis by key, in the order of the keys; shape (..., distinct keys)."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))
