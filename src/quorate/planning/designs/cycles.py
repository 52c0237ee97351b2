"""Cycles and draws: how an assignment goes round or is drawn, and the weights that follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Literal

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.numerics.distributions import mean_reciprocal
from quorate.planning.designs.schemes import GENERATION
from quorate.roles import JUDGE
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
        return whole if np.all(np.asarray(groups) == 1) else self._by_run(whole, groups)

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
        _, first, cell = np.unique(_together([self.kind, key]), return_index=True, return_inverse=True)
        return cell, first, len(first) == int(key.max()) + 1

    def _totals(self, key: Ints, weight: Floats) -> Floats:
        """Sums of what an assignment weighs, by key, shape (..., keys)."""
        cell, first, _ = self._cells(key)
        return _sums(self._sizes(cell) * weight[..., self.kind[first]], key[first])

    def _over_items(self, key: Ints) -> Floats:
        """Sum of squared weights by key over all items."""
        cell, first, single = self._cells(key)
        if not single:
            return _squares(self._totals(key, self.weight))
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

    def _by_run(self, whole: Floats, groups: Floats | float) -> Floats:
        """The same over groups: n turns that go through K combinations and leave r meet them by n / K or one more.

        ``K`` is what the whole comes to, rounded; exact where combinations come equally often.
        """
        turns = self.items * self.per_item / groups
        kinds = np.maximum(np.rint(1 / whole), 1)
        rest = np.mod(turns, kinds)
        return np.asarray(np.minimum(whole * (1 + rest * (kinds - rest) / turns**2), 1.0) / groups)


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
    return Cycle(np.repeat(np.arange(classes), each * per_turn), levels, items, balance, balanced)


def _codes(levels: Sequence[Ints]) -> Ints:
    """Combinations of levels that occur, numbered in the order of the levels."""
    return np.asarray(np.unique(_together(levels), return_inverse=True)[1])


def _together(codes: Sequence[Ints]) -> Ints:
    """One key for a combination of levels."""
    key = codes[0]
    for more in codes[1:]:
        key = key * (int(more.max()) + 1) + more
    return key


def _sums(values: Floats, key: Ints) -> Floats:
    """Sums over the last axis by key, shape (..., keys)."""
    order = np.argsort(key, kind="stable")
    starts = np.searchsorted(key[order], np.arange(int(key.max()) + 1))
    arranged = values if np.all(key[1:] >= key[:-1]) else values[..., order]
    return np.asarray(arranged if len(starts) == len(key) else np.add.reduceat(arranged, starts, axis=-1))


def _squares(values: Floats) -> Floats:
    """Sums of squares over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", values, values))


# Closed forms for the ways to spend judge calls: all judges, a random judge, or judges in turn.
#
# They stand here under the names of Zhu et al. (2026), with the item:judge interaction that the paper leaves out as an
# option. All are special cases of `quorate.project`; ``docs/methods/strategies.md`` has the derivations.


Items = Literal["finite", "population"]


def all_judges(
    beta: float, eps: float, *, n: int, budget: int, pool: int, interaction: float = 0.0, items: Items = "finite"
) -> float:
    """V_A: every judge of the pool scores every one of budget / pool generations.

    Parameters
    ----------
    beta, eps : float
        Variances of generations and of the residual.
    n, budget, pool : int
        Scenarios, judge calls per scenario, judges.
    interaction : float
        Variance of scenario by judge; with 0 this is the paper's formula.
    items : {"finite", "population"}
        What the mean stands for: these scenarios, with the panel's own view of each; or scenarios like these. The
        scenarios' variance over n, the same for every strategy, is left out either way, as in the paper.

    Raises
    ------
    InvalidInput
        If a variance is negative, or the budget is no multiple of the pool.

    References
    ----------
    Zhu et al. (2026), Eqs. 3 and 30.

    Examples
    --------
    >>> round(all_judges(0.266, 1.486, n=80, budget=5, pool=5), 5)
    0.00704
    """
    _check({"beta": beta, "eps": eps, "interaction": interaction}, {"n": n, "budget": budget, "pool": pool}, items)
    if budget % pool:
        raise InvalidInput(f"budget: must be a multiple of {pool}, got {budget}; use {budget - budget % pool + pool}")
    view = interaction / (n * pool) if items == "population" else 0.0
    return (pool * beta + eps) / (n * budget) + view


def random_judge(
    beta: float,
    gamma: float,
    eps: float,
    *,
    n: int,
    budget: int,
    pool: int,
    interaction: float = 0.0,
    items: Items = "finite",
) -> float:
    """V_B: one judge, drawn at random each time, for each of as many generations as there are calls.

    Parameters
    ----------
    beta, gamma, eps : float
        Variances of generations, of the judges' biases (divisor: the pool) and of the residual.
    n, budget, pool, interaction, items
        As for `all_judges`.

    Raises
    ------
    InvalidInput
        If a variance is negative or a count is not a whole number from 1.

    References
    ----------
    Zhu et al. (2026), Eqs. 4 and 32.
    """
    variances = {"beta": beta, "gamma": gamma, "eps": eps, "interaction": interaction}
    _check(variances, {"n": n, "budget": budget, "pool": pool}, items)
    by_chance = interaction * (pool - 1) / pool
    view = interaction / (n * pool) if items == "population" else 0.0
    return (beta + gamma + eps + by_chance) / (n * budget) + view


def cyclic(
    beta: float, eps: float, *, n: int, budget: int, pool: int, interaction: float = 0.0, items: Items = "finite"
) -> float:
    """V_C: the judges in turn, one for each of as many generations as there are calls.

    Where the pool does not divide the budget, the turns go on from scenario to scenario; a budget of 1 cycles over
    scenarios alone. The judges' biases cancel if the pool divides all calls.

    Parameters
    ----------
    beta, eps : float
        Variances of generations and of the residual.
    n, budget, pool, interaction, items
        As for `all_judges`.

    Raises
    ------
    InvalidInput
        If a variance is negative, or ``n * budget`` is no multiple of the pool.

    References
    ----------
    Zhu et al. (2026), Eqs. 5 and 34.
    """
    _check({"beta": beta, "eps": eps, "interaction": interaction}, {"n": n, "budget": budget, "pool": pool}, items)
    if calls_over := n * budget % pool:
        use = n * budget - calls_over + pool
        raise InvalidInput(f"n * budget: must be a multiple of {pool}, got {n * budget}; use {use}")
    over = budget % pool  # judges of a scenario that have one call more than the others
    uneven = over * (pool - over) / (pool * budget**2)
    view = interaction / (n * pool) if items == "population" else 0.0
    return (beta + eps) / (n * budget) + interaction * uneven / n + view


def _check(variances: dict[str, float], counts: dict[str, object], items: str) -> None:
    for name, variance in variances.items():
        if not 0 <= variance < math.inf:
            raise InvalidInput(f"{name}: must be a finite variance of at least 0, got {variance!r}")
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise InvalidInput(f"{name}: must be a whole number of at least 1, got {count!r}")
    if items not in ("finite", "population"):
        raise InvalidInput(f'items: one of "finite" and "population" is needed, got {items!r}')
