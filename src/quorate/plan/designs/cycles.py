"""One period of an assignment, and the weights that follow from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.plan.designs.schemes import GENERATION

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

    @property
    def facets(self) -> frozenset[str]:
        """Facets that are assigned."""
        return frozenset(self.levels)

    @property
    def classes(self) -> int:
        """Classes of items."""
        return int(self.of_class[-1]) + 1

    @property
    def per_item(self) -> int:
        """Assignments of every item."""
        return len(self.of_class) // self.classes

    def concentration(self, facets: Iterable[str], *, by_item: bool, groups: Floats | float = 1.0) -> Floats:
        """``sum_l w_l^2`` over combinations of assigned facets, for each item on its own or over all items.

        With ``groups`` of items, equally large, for each group on its own: a run of turns then has its own remainder.
        """
        key = self.of_class if by_item else np.zeros_like(self.of_class)
        key = _together([key, *(self.levels[name] for name in facets)])
        if not by_item:
            whole = np.asarray(np.sum(_totals(self.items * self.weight, key) ** 2, axis=-1))
            return whole if np.all(np.asarray(groups) == 1) else self._by_run(whole, groups)
        first = np.unique(key, return_index=True)[1]
        return np.asarray(np.sum(_totals(self.weight, key) ** 2 * self.items[..., first], axis=-1))

    def uses(self, facet: str) -> Floats:
        """Assignments that use each level of a facet, shape (..., levels)."""
        return _totals(self.items, self.levels[facet])

    def _by_run(self, whole: Floats, groups: Floats | float) -> Floats:
        """The same over groups: n turns that go through K combinations and leave r meet them by n / K or one more.

        ``K`` is what the whole comes to, rounded; exact where combinations come equally often.
        """
        turns = _sizes(self.items, self.of_class) * self.per_item / groups
        kinds = np.maximum(np.rint(1 / whole), 1)
        rest = np.mod(turns, kinds)
        return np.asarray(np.minimum(whole * (1 + rest * (kinds - rest) / turns**2), 1.0) / groups)

    def shares(self, facet: str) -> Floats:
        """Total weight of each level of a facet, shape (..., levels)."""
        return _totals(self.items * self.weight, self.levels[facet])

    def portion(self, facet: str) -> Floats:
        """How the sum of squared weights is spread over the levels of a facet, shape (..., levels)."""
        part = _totals(self.items * self.weight**2, self.levels[facet])
        return np.asarray(part / part.sum(axis=-1, keepdims=True))


def cycle_of(
    order: Mapping[str, Ints],
    items: Floats,
    generations: int | None,
    balance: Sequence[str],
    balanced: float = 1.0,
) -> Cycle:
    """The cycle in which items, or their generations one after the other, go through an order of levels.

    Parameters
    ----------
    order : mapping of str to array of int, shape (turns, per turn)
        Levels that one turn after the other meets.
    items : array
        Numbers of items.
    generations : int or None
        Turns of every item; None where the item itself is the turn.
    balance : sequence of str
        Facets whose levels, or combinations of levels, get equal total weight.
    balanced : float
        How far they do: 0 for equal weights of all judgments, 1 for equal weights of levels.

    Raises
    ------
    InvalidInput
        If a period has more than 10 million rows.
    """
    turns, per_turn = next(iter(order.values())).shape
    each = generations or 1
    classes = turns // math.gcd(each, turns)
    if classes * each * per_turn > _MOST_ROWS:
        raise InvalidInput(f"layout: a cycle has at most {_MOST_ROWS:,} judgments; got {classes * each * per_turn:,}")
    turn = np.arange(classes * each) % turns
    levels = {name: codes[turn].ravel() for name, codes in order.items()}
    if generations is not None:
        levels[GENERATION] = np.repeat(np.tile(np.arange(each), classes), per_turn)
    of_class = np.repeat(np.arange(classes), each * per_turn)
    sizes = _class_sizes(items, of_class)
    return Cycle(of_class, levels, sizes, _weight(levels, sizes, balance, balanced))


def _sizes(items: Floats, of_class: Ints) -> Floats:
    """Items in all."""
    first = np.unique(of_class, return_index=True)[1]
    return np.asarray(items[..., first].sum(axis=-1))


def _class_sizes(items: Floats, of_class: Ints) -> Floats:
    """Items in the class of each row: equal but for a remainder, which goes to the first classes."""
    whole, rest = np.divmod(items, int(of_class[-1]) + 1)
    return np.asarray(whole[..., None] + (of_class < rest[..., None]))


def _weight(levels: Mapping[str, Ints], items: Floats, balance: Sequence[str], balanced: float) -> Floats:
    """Weight of one item's assignment in every row: equal, or such that levels or pairs of levels weigh equally."""
    equal = np.asarray(np.ones_like(items) / items.sum(axis=-1, keepdims=True))
    chosen = [levels[name] for name in balance if name in levels]
    if not chosen:
        return equal
    code = np.unique(_together(chosen), return_inverse=True)[1]
    size = _totals(items, code)
    return np.asarray(balanced / (size.shape[-1] * size[..., code]) + (1 - balanced) * equal)


def _together(codes: Sequence[Ints]) -> Ints:
    """One key for a combination of levels."""
    key = codes[0]
    for more in codes[1:]:
        key = key * (int(more.max()) + 1) + more
    return key


def _totals(values: Floats, key: Ints) -> Floats:
    """Sums over the last axis by key, in the order of the keys; shape (..., distinct keys)."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))
