"""Offers: what a study may buy, at which prices, and the most that it may spend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.decide.goals.goal import check_shares
from quorate.errors import InvalidInput
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.prices import Prices, cheapest
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.cells import Cells, labels, whole

_SLACK = 1e-9  # relative: a budget of .3 buys three calls at .1


@dataclass(frozen=True)
class Spent:
    """What was spent.

    Parameters
    ----------
    calls : int
        Calls, whatever came of them.
    money : float
        Their price; 0 where calls have none.
    """

    calls: int
    money: float = 0.0


@dataclass(frozen=True)
class Offer:
    """What may be bought.

    Parameters
    ----------
    items : tuple of str
        Items, of which some are judged.
    judges : tuple of str
        Judges.
    prompts : tuple of str
        Wordings; none for one without a name.
    systems : tuple of str
        Systems whose answers are judged; none where there is nothing to compare.
    categories : tuple of str, optional
        Category of every item, in their order.
    pairs : tuple of pairs of str
        The two systems of every item, in their order, where items are battles of several; else none.
    category_shares : mapping of str to float, optional
        What each category counts for: items are taken in these proportions, until one of them has no more. By default
        in those of all items.
    people : tuple of str
        Judges who are people; the others are models.
    prices : mapping of str to float, optional
        Price of a call, by judge, in money.
    replicates : int
        Most calls per cell.
    layouts : tuple of str
        Layouts allowed, as for `quorate.plan`.
    calls, money : float, optional
        The most that may be spent; at least one is given, and money needs prices.
    looks : int
        Analyses at most.
    seed : int
        What the order of the items is drawn from.

    Raises
    ------
    InvalidInput
        If labels repeat or are missing, or a number is out of range.
    """

    items: tuple[str, ...]
    judges: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    categories: tuple[str, ...] | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    people: tuple[str, ...] = ()
    prices: Mapping[str, float] | None = None
    replicates: int = 1
    layouts: Sequence[LayoutName] = ("factorial", "cyclic", "latin")
    calls: int | None = None
    money: float | None = None
    looks: int = 5
    seed: int = 1
    category_shares: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        for name in ("items", "judges", "prompts", "systems"):
            object.__setattr__(self, name, labels(getattr(self, name), name))
        if not self.items or not self.judges:
            raise InvalidInput("items, judges: at least one of each is needed")
        self._check_items()
        if strangers := [name for name in self.people if name not in self.judges]:
            raise InvalidInput(f"people: judges are wanted, and {strangers[0]!r} is none of them")
        whole(self.replicates, "replicates", 1, 1000)
        whole(self.looks, "looks", 1, 100)
        if strangers := [name for name in self.layouts if name not in LAYOUTS]:
            raise InvalidInput(f"layouts: {', '.join(LAYOUTS)} are allowed, got {strangers[0]!r}")
        if self.prices is not None and (unpriced := [name for name in self.judges if name not in self.prices]):
            raise InvalidInput(f"prices: one for each judge is needed; {unpriced[0]!r} has none")
        if self.calls is None and self.money is None:
            raise InvalidInput("calls, money: the most that may be spent is needed")
        if self.money is not None and self.prices is None:
            raise InvalidInput("prices: one for each judge is needed with a budget in money")

    def _check_items(self) -> None:
        """Refuse what is not said of every item, and shares of other categories than theirs."""
        for name, own in (("categories", self.categories), ("pairs", self.pairs or None)):
            if own is not None and len(own) != len(self.items):
                raise InvalidInput(f"{name}: one for each of {len(self.items)} items is needed, got {len(own)}")
        if self.category_shares is not None:
            check_shares(self.category_shares, self.categories or ())

    @cached_property
    def order(self) -> Ints:
        """Items in the order in which they are taken, as places: at random, those of every category in proportion."""
        shuffled = stream(self.seed, "goal/items").permutation(len(self.items))
        if self.categories is None:
            return shuffled
        names, group = np.unique(np.array(self.categories)[shuffled], return_inverse=True)
        by_group, sizes = np.argsort(group, kind="stable"), np.bincount(group)
        rank = np.arange(len(group)) - np.searchsorted(group[by_group], group[by_group])
        shares, last = sizes, np.inf
        if self.category_shares is not None:
            shares = np.array([self.category_shares[name] for name in names.tolist()])
            last = float((sizes / shares).min())
        turn = np.empty(len(group))
        turn[by_group] = (rank + 0.5) / shares[group[by_group]]
        order = np.argsort(turn, kind="stable")
        return np.asarray(shuffled[order[turn[order] <= last]])

    @cached_property
    def item_order(self) -> tuple[str, ...]:
        """Items in the order in which they are taken."""
        return tuple(self.items[at] for at in self.order)

    @cached_property
    def group_order(self) -> tuple[str, ...]:
        """Category of every item, in the same order; none where there are none."""
        return () if self.categories is None else tuple(self.categories[at] for at in self.order)

    @cached_property
    def judge_order(self) -> tuple[str, ...]:
        """Judges in the order in which plans take them: the cheapest first."""
        return cheapest(self.prices_of(1)) or self.judges

    def prices_of(self, calls: float) -> Prices:
        """Prices of a judgment that takes so many calls, such as one of each system; in calls without money."""
        own = self.prices
        if own is None or self.money is None:
            return {"call": calls}
        return {"judge": {name: calls * float(own[name]) for name in self.judges}}

    def left(self, spent: Spent) -> float:
        """What may still be spent, in the unit of these prices."""
        if self.money is not None:
            return max(self.money - spent.money, 0.0) * (1 + _SLACK)
        return self.room(spent)

    def room(self, spent: Spent) -> float:
        """Calls that may still be made."""
        return math.inf if self.calls is None else max(self.calls - spent.calls, 0)

    def price(self, cells: Cells) -> Floats:
        """Price of every call, in money; 0 without prices."""
        own = self.prices
        each = np.array([0.0 if own is None else float(own[name]) for name in cells.levels[JUDGE]])
        return np.asarray(each[cells.code(JUDGE)])

    def affordable(self, cells: Cells, spent: Spent) -> Cells:
        """The first of some calls, as many as there is room for."""
        mask = np.arange(len(cells)) < self.room(spent)
        if self.money is not None:
            mask &= np.cumsum(self.price(cells)) <= self.left(spent)
        return cells.keep(mask)
