"""Goals: questions that a study buys judgments for until they are answered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from numbers import Real
from typing import Literal

import numpy as np

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.means.targets import Target
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.planning.designs.dstudy import Prices, cheapest
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.power.prompt_types import two_stage
from quorate.roles import JUDGE
from quorate.streams import stream
from quorate.table.cells import Cells, labels
from quorate.wording import listed

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
        rules.whole("replicates", self.replicates, 1, 1000)
        rules.whole("looks", self.looks, 1, 100)
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


MOST_NAMED = 5
"""Categories or systems that a sentence names."""


def _check(power: float, margin: float | None, most: float = float("inf")) -> None:
    if isinstance(power, bool) or not isinstance(power, Real) or not 0.5 <= power < 1:
        raise InvalidInput(f"power: a number from 0.5 and below 1 is needed, got {power!r}")
    if margin is not None and (isinstance(margin, bool) or not isinstance(margin, Real) or not 0 < margin < most):
        raise InvalidInput(
            f"margin: a number above 0{'' if most > 1 else f' and below {most:g}'} is needed, got {margin!r}"
        )


def check_shares(shares: Mapping[str, float], names: Iterable[str] | None = None) -> None:
    """Refuse shares that are not above 0, do not sum to 1, or are not those of some categories."""
    values, wanted = tuple(shares.values()), tuple(shares if names is None else dict.fromkeys(names))
    fit = all(not isinstance(x, bool) and isinstance(x, Real) and 0 < x <= 1 for x in values)
    if not fit or abs(sum(values) - 1) > 1e-9 or set(wanted) != set(shares):
        of = f" ({listed(wanted, most=MOST_NAMED)})" if wanted else ""
        raise InvalidInput(
            f"category_shares: a share above 0 for each of the categories{of}, summing to 1, is needed, "
            f"got {dict(shares)!r}"
        )


def _one_of_both(by: str | None, shares: Mapping[str, float] | None) -> None:
    if by not in (None, "category"):
        raise InvalidInput(f'by: "category" or nothing is needed, got {by!r}')
    if by is not None and shares is not None:
        raise InvalidInput("category_shares: are those of a mean over all categories; leave them or by out")
    if shares is not None:
        check_shares(shares)
        if len(shares) < 2:
            raise InvalidInput("category_shares: two categories or more are needed; leave them out")


def _two(a: str, b: str) -> None:
    if a == b:
        raise InvalidInput(f"b: another system than {a!r} is needed")


@dataclass(frozen=True)
class CompareGoal:
    """Which of two systems has the higher mean score, or, with a margin, whether they are equivalent.

    Parameters
    ----------
    a, b : str
        The two systems.
    margin : float, optional
        Half-width of the range that counts as equal, in score units. With it the study is sized so that a difference
        as large as the margin is found, and two equal systems are shown to be equivalent, each with a chance of
        ``power``. Without it the study may use the whole budget.
    power : float
        That chance.
    level : float
        Coverage of the interval; the chance of a false claim is at most ``1 - level``.
    target : mapping of str to str or Pool, optional
        What facets stand for, as for `quorate.compare`.
    by : {"category"}, optional
        Ask it of every category of items by itself; ``1 - level`` is then the chance of a false claim about any of
        them, and ``power`` that of each.
    category_shares : mapping of str to float, optional
        What each category counts for in both means; they sum to 1. Categories then stand for themselves. Without them
        they count as the study has them, and stand for others unless ``target`` says otherwise.

    Raises
    ------
    InvalidInput
        If a number is out of range, both systems are the same, or shares are given with ``by``.
    """

    a: str
    b: str
    margin: float | None = None
    power: float = 0.9
    level: float = 0.95
    target: Mapping[str, Target] | None = None
    by: Literal["category"] | None = None
    category_shares: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        _two(self.a, self.b)
        _check(self.power, self.margin)
        _one_of_both(self.by, self.category_shares)


@dataclass(frozen=True)
class HalfWidthGoal:
    """A mean score known to within so much; of several systems that of each.

    Parameters
    ----------
    half_width : float
        Half the width of its interval, in score units.
    target : mapping of str to str or Pool, optional
        What facets stand for, as for `Decomposition.mean_for`: ``{"judge": "population"}``.
    level : float
        Coverage of the interval; of several that of each of them.
    by : {"category"}, optional
        Ask for the mean of every category of items.
    category_shares : mapping of str to float, optional
        What each category counts for in the mean, as for `CompareGoal`.

    Raises
    ------
    InvalidInput
        If a number is out of range, or shares are given with ``by``.
    """

    half_width: float
    target: Mapping[str, Target] | None = None
    level: float = 0.95
    by: Literal["category"] | None = None
    category_shares: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        width = self.half_width
        rules.number("half_width", width, above=0)
        _one_of_both(self.by, self.category_shares)


@dataclass(frozen=True)
class BestGoal:
    """Which system has the highest mean score or, of battles, which is preferred in votes to each of the others.

    Parameters
    ----------
    level : float
        Chance that a system that is named best is the best, whatever the truth.
    target : mapping of str to str or Pool, optional
        What facets of scores stand for, as for `quorate.compare`.

    Raises
    ------
    InvalidInput
        If the level is out of range.
    """

    level: float = 0.95
    target: Mapping[str, Target] | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)


@dataclass(frozen=True)
class PreferGoal:
    """Which of two systems is preferred in votes, or, with a margin, whether neither is.

    Parameters
    ----------
    a, b : str
        The two systems.
    margin : float, optional
        Half-width of the range about one half that counts as equal: 0.05 for shares from 45% to 55%.
    power : float
        Chance that a preference as large as the margin is found.
    level : float
        Chance that every claim is true.

    Raises
    ------
    InvalidInput
        If a number is out of range, or both systems are the same.
    """

    a: str
    b: str
    margin: float | None = None
    power: float = 0.9
    level: float = 0.95

    def __post_init__(self) -> None:
        checked_level(self.level)
        _two(self.a, self.b)
        _check(self.power, self.margin, 0.5)


@dataclass(frozen=True)
class StagedGoal:
    """Which of two systems is preferred on those types of items where they seem to differ most.

    The first stage asks of every type; the second of those alone whose votes were furthest from one half.

    Parameters
    ----------
    a, b : str
        The two systems.
    retained : float
        Part of the types that the second stage asks of.
    per_type : int, optional
        Votes of each type in the first stage; ``10 log`` of the number of types, rounded up, by default.
    level : float
        Chance that what is said at the end is true, whichever types were kept.

    Raises
    ------
    InvalidInput
        If a number is out of range, or both systems are the same.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Algorithm 1.
    """

    a: str
    b: str
    retained: float = 0.2
    per_type: int | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        checked_level(self.level)
        _two(self.a, self.b)
        two_stage(10**9, [1.0, 1.0], retained=self.retained, per_type=self.per_type)


Goal = CompareGoal | HalfWidthGoal | BestGoal | PreferGoal | StagedGoal
