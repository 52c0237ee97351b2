"""Layouts: which judge and which prompt see which item, and what that does to the weight of every level.

A layout repeats itself: items fall into a few classes that meet the same judges and prompts. Weights therefore follow
from one period of the assignment, whatever the number of items, and for many numbers of items at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.numerics.distributions import mean_reciprocal
from quorate.planning.designs.schemes import Scheme, fewest_turns, together
from quorate.roles import GENERATION, JUDGE
from quorate.wording import Brief

_MOST_ROWS = 10_000_000


@dataclass(frozen=True)
class Cycle(Brief):
    """One period of an assignment, a row for each (class of items, assigned levels).

    Every class has as many items, and the first ones one more where numbers do not divide: what rows sum to is found
    for every remainder once, however many numbers of items are asked about.

    Parameters
    ----------
    of_class : array of int, shape (rows,)
        Class of items of each row.
    levels : mapping of str to array of int, shape (rows,)
        Level of every assigned facet in each row.
    items : array, shape (...)
        Numbers of items asked about.
    balance : sequence of str
        Facets whose levels, or combinations of levels, get equal total weight.
    balanced : float
        How far they do: 0 for equal weights of all judgments, 1 for equal weights of levels.
    """

    of_class: Ints
    levels: Mapping[str, Ints]
    items: Floats
    balance: Sequence[str] = ()
    balanced: float = 1.0

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

    @cached_property
    def kind(self) -> Ints:
        """Combination of balanced levels that each row is of; one for all where none are, shape (rows,)."""
        chosen = [self.levels[name] for name in self.balance if name in self.levels]
        return _codes(chosen) if chosen else np.zeros_like(self.of_class)

    @cached_property
    def weight(self) -> Floats:
        """Weight of one assignment of an item, by its kind, shape (..., kinds); over all items they sum to 1."""
        size, turns = self._sizes(self.kind), self.items * self.per_item
        return np.asarray(self.balanced / (size.shape[-1] * size) + (1 - self.balanced) / turns[..., None])

    def concentration(self, facets: Iterable[str], *, by_item: bool, groups: Floats | float = 1.0) -> Floats:
        """``sum_l w_l^2`` over combinations of assigned facets, for each item on its own or over all items.

        With ``groups`` of items, equally large, for each group on its own: a run of turns then has its own remainder.
        """
        levels = [self.levels[name] for name in facets]
        if by_item:
            return self._within_items(_codes([self.of_class, *levels]))
        whole = self._over_items(_codes([np.zeros_like(self.of_class), *levels]))
        if np.all(np.asarray(groups) == 1):
            return whole
        # n turns of a group that go through K combinations and leave r meet them by n / K or one more; K is what the
        # whole comes to, rounded: exact where combinations come equally often
        turns = self.items * self.per_item / groups
        kinds = np.maximum(np.rint(1 / whole), 1)
        rest = np.mod(turns, kinds)
        return np.asarray(np.minimum(whole * (1 + rest * (kinds - rest) / turns**2), 1.0) / groups)

    def uses(self, facet: str) -> Floats:
        """Assignments that use each level of a facet, shape (..., levels)."""
        return self._sizes(_codes([self.levels[facet]]))

    def shares(self, facet: str) -> Floats:
        """Total weight of each level of a facet, shape (..., levels)."""
        return self._totals(_codes([self.levels[facet]]), self.weight)

    def portion(self, facet: str) -> Floats:
        """How the sum of squared weights is spread over the levels of a facet, shape (..., levels)."""
        part = self._totals(_codes([self.levels[facet]]), self.weight**2)
        return np.asarray(part / part.sum(axis=-1, keepdims=True))

    @cached_property
    def _round(self) -> tuple[Floats, Ints, Ints]:
        """Items that every class has, the remainders that occur, and which of them each number of items leaves."""
        whole, rest = np.divmod(self.items, self.classes)
        some, which = np.unique(rest.astype(np.int64), return_inverse=True)
        return whole[..., None], some, which.reshape(np.shape(self.items))

    def _early(self, of_class: Ints, code: Ints, value: Floats) -> Floats:
        """Sums by code over the classes that have one item more, shape (remainders, codes)."""
        some, codes = self._round[1], int(code.max()) + 1
        place = np.searchsorted(some, of_class, side="right") * codes + code  # the first remainder above the class
        return np.bincount(place, value, (len(some) + 1) * codes).reshape(-1, codes)[:-1].cumsum(axis=0)

    def _counts(self, code: Ints) -> tuple[Floats, Floats]:
        """Assignments by code: of one item in every class, and of one in those that have one more."""
        once = np.ones(len(code))
        return np.asarray(np.bincount(code, once), dtype=float), self._early(self.of_class, code, once)

    def _sizes(self, code: Ints) -> Floats:
        """Assignments of all items by code, shape (..., codes)."""
        (whole, _, which), (period, early) = self._round, self._counts(code)
        return np.asarray(whole * period + early[which])

    def _cells(self, key: Ints) -> tuple[Ints, Ints, bool]:
        """Rows by kind and key, in that order, the first row of each, and whether every key is of one kind."""
        _, first, cell = np.unique(together([self.kind, key]), return_index=True, return_inverse=True)
        return cell, first, len(first) == int(key.max()) + 1

    def _totals(self, key: Ints, weight: Floats) -> Floats:
        """Sums of what an assignment weighs, by key, shape (..., keys)."""
        cell, first, _ = self._cells(key)
        return _sums(self._sizes(cell) * weight[..., self.kind[first]], key[first])

    def _over_items(self, key: Ints) -> Floats:
        """Sum of squared weights by key over all items."""
        cell, first, single = self._cells(key)
        if not single:
            totals = self._totals(key, self.weight)
            return np.asarray(np.einsum("...i,...i->...", totals, totals))
        # sizes are whole * period + early, so that their squares are summed by kind for every remainder
        (whole, _, which), (period, early), kind = self._round, self._counts(cell), self.kind[first]
        once, square = _sums(2 * period * early, kind)[which], _sums(early**2, kind)[which]
        return self._of_kinds(whole**2 * _sums(period**2, kind) + whole * once + square)

    def _within_items(self, key: Ints) -> Floats:
        """Sum of squared weights by key, which tells classes apart, in each item on its own."""
        whole, some, which = self._round
        cell, first, single = self._cells(key)
        of_class, kind, rows = self.of_class[first], self.kind[first], np.bincount(cell).astype(float)
        if single:
            return self._of_kinds(whole * _sums(rows**2, kind) + self._early(of_class, kind, rows**2)[which])
        each = _sums(rows * self.weight[..., kind], key[first])
        first = np.unique(key, return_index=True)[1]
        items = whole + (self.of_class[first] < some[:, None])[which]
        return np.asarray(np.einsum("...i,...i,...i->...", each, each, items))

    def _of_kinds(self, squares: Floats) -> Floats:
        """Sum of squared weights, from squared numbers of assignments by kind."""
        return np.asarray(np.einsum("...i,...i,...i->...", self.weight, self.weight, squares))


@dataclass(frozen=True)
class Draw:
    """A judge drawn at random, with equal chances and independently, for every turn; weights on average over draws.

    Parameters
    ----------
    items : array
        Number of items, for every design asked about.
    judges : int
        Judges to draw from.
    generations : int or None
        Turns of every item; None where the item itself is the turn.
    balanced : float
        How far judges weigh equally in the mean, however often they were drawn: 1 for equal weights of judges, 0 for
        equal weights of turns. It is taken that every judge is drawn at least once, which is nearly sure from about
        five turns per judge.
    """

    items: Floats
    judges: int
    generations: int | None
    balanced: float = 0.0

    @property
    def facets(self) -> frozenset[str]:
        """Facets that are assigned."""
        return frozenset({JUDGE} if self.generations is None else {JUDGE, GENERATION})

    @property
    def per_item(self) -> int:
        """Assignments of every item."""
        return self.generations or 1

    @property
    def turns(self) -> Floats:
        """Turns in all."""
        return self.items * self.per_item

    def concentration(self, facets: Iterable[str], *, by_item: bool, groups: Floats | float = 1.0) -> Floats:
        """Expectation of ``sum_l w_l^2``: turns that are alike but for the judge share it by chance.

        Parameters
        ----------
        facets : iterable of str
            Assigned facets.
        by_item : bool
            Whether for each item on its own.
        groups : float
            Groups of items, equally large, each on its own.
        """
        names, turns, judges, b = set(facets), self.turns, self.judges, self.balanced
        alike = (1 if by_item else self.items / groups) * (1 if GENERATION in names else self.per_item)
        others = np.divide(alike - 1, turns - 1, out=np.zeros(np.shape(turns)), where=turns > 1)
        single = mean_reciprocal(turns, 1 / judges) / judges
        # equal weights of turns, the product of both weights, equal weights of judges: single turns, and pairs of turns
        # that are alike (a share ``others`` of all pairs) and, with the judge, have the same one
        if JUDGE in names:
            equal = 1 / turns + others * (1 - 1 / turns) / judges
            mixed = 1 / turns + others * (1 / judges - 1 / turns)
            own = single + others * (1 / judges - single)
        else:
            equal = mixed = 1 / turns + others * (1 - 1 / turns)
            own = single + others * (1 - single)
        return np.asarray(b**2 * own + 2 * b * (1 - b) * mixed + (1 - b) ** 2 * equal)

    def uses(self, facet: str) -> Floats:
        """Turns that each level of a facet can expect, shape (..., levels)."""
        levels = self.judges if facet == JUDGE else self.per_item
        return np.asarray(np.repeat((self.turns / levels)[..., None], levels, axis=-1))

    def portion(self, facet: str) -> Floats:
        """How the sum of squared weights is spread over the levels of a facet, shape (..., levels)."""
        uses = self.uses(facet)
        return np.asarray(uses / uses.sum(axis=-1, keepdims=True))

    def shares(self, facet: str) -> Floats:
        """Total weight of each level of a facet, shape (..., levels)."""
        return self.portion(facet)


def cycle_of(
    order: Mapping[str, Ints], items: Floats, generations: int | None, balance: Sequence[str], balanced: float = 1.0
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
    return Cycle(np.repeat(np.arange(classes), each * per_turn), levels, items, balance, balanced)


def _codes(levels: Sequence[Ints]) -> Ints:
    """Combinations of levels that occur, numbered in the order of the levels."""
    return np.asarray(np.unique(together(levels), return_inverse=True)[1])


def _sums(values: Floats, key: Ints) -> Floats:
    """Sums over the last axis by key, shape (..., keys)."""
    order = np.argsort(key, kind="stable")
    starts = np.searchsorted(key[order], np.arange(int(key.max()) + 1))
    arranged = values if np.all(key[1:] >= key[:-1]) else values[..., order]
    return np.asarray(arranged if len(starts) == len(key) else np.add.reduceat(arranged, starts, axis=-1))


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
