"""Subsets of judges whose mean stands for a whole pool.

A subset S of k judges, each judging items of its own, has the variance ``sum_S t_l / n_l / k^2 + 1_S' M 1_S / k^2``:
what a judgment of judge l varies by, and what remains of the subset's bias. With ``n_l`` proportional to
``sqrt(t_l / p_l)``, which is best at prices ``p_l``, the first is ``(sum_S sqrt(t_l p_l))^2 / (k^2 B)`` at a budget B.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.frozen import dataclass

BEYOND = 1e200
"""Values from here on are of subsets that no money, or not this money, can buy; the least of them comes closest."""
_LONGEST_CYCLE = 30
_CLOSE = 1.005
_GAIN = 1 - 1e-12


@dataclass(frozen=True)
class Choice:
    """A pool to choose judges from; leading axes are choices of their own.

    Parameters
    ----------
    spread : array, shape (..., K)
        Variance ``t_l`` of one judgment by each judge, over items.
    error : array, shape (..., K, K)
        Covariance, about zero, of what remains of the judges' biases; its rows sum to zero.
    price : array, shape (K,)
        Price of one judgment, all above 0.
    budget : float or None
        Money for the main study; the value of a subset is its variance.
    target : float or None
        Variance wanted, where no budget is given; the value of a subset is its price.
    fewest, most : int
        Limits of the size.
    """

    spread: Floats
    error: Floats
    price: Floats
    budget: float | None
    target: float | None
    fewest: int
    most: int

    @cached_property
    def weight(self) -> Floats:
        """``sqrt(t_l p_l)``, which add up to what a subset costs in precision."""
        return np.asarray(np.sqrt(self.spread * self.price))

    def value(self, size: Floats, weight: Floats, price: Floats, error: Floats) -> Floats:
        """Variance or price of subsets, from sums over their members; arrays broadcast together."""
        square, left = (weight / size) ** 2, error / size**2
        if self.budget is not None:
            return np.asarray(np.where(price <= self.budget, square / self.budget + left, BEYOND * (1 + price)))
        goal = float(self.target or 0.0)
        bought = np.maximum(square / np.maximum(goal - left, goal * 1e-12), price)
        return np.asarray(np.where(left < goal * (1 - 1e-9), bought, BEYOND * (1 + left / goal)))

    def of(self, members: Bools) -> Floats:
        """Value of subsets given as members, shape (..., K)."""
        chosen = members.astype(float)
        error = np.einsum("...k,...kl,...l->...", chosen, self.error, chosen)
        return self.value(chosen.sum(-1), (chosen * self.weight).sum(-1), chosen @ self.price, error)

    def sized(self, members: Bools) -> Floats:
        """Value of several subsets for each choice, shape (..., subsets, K)."""
        return np.stack([self.of(members[..., i, :]) for i in range(members.shape[-2])], axis=-1)

    def at(self, budget: float) -> Choice:
        """The same choice for a sum of money."""
        return replace(self, budget=budget, target=None)


def exhaustive(choice: Choice, top: int = 1) -> tuple[Bools, Floats]:
    """The best subsets of every size, out of all ``2^K``.

    Sums over a subset are sums over its two halves, so that all of them are outer sums of two tables of ``2^(K/2)``.

    Parameters
    ----------
    choice : Choice
        Without leading axes; 25 judges need 2 GB.
    top : int
        Subsets of each size.

    Returns
    -------
    members : array of bool, shape (subsets, K)
        By size, and from the best to the worst.
    values : array, shape (subsets,)
        Their values, those beyond reach left out.
    """
    judges = len(choice.price)
    first = judges // 2
    a, b = _all_subsets(first), _all_subsets(judges - first)
    size = np.add.outer(a.sum(axis=1), b.sum(axis=1))
    weight = np.add.outer(a @ choice.weight[:first], b @ choice.weight[first:])
    price = np.add.outer(a @ choice.price[:first], b @ choice.price[first:])
    error = 2 * (a @ choice.error[:first, first:] @ b.T)
    error += np.einsum("sk,kl,sl->s", a, choice.error[:first, :first], a)[:, None]
    error += np.einsum("sk,kl,sl->s", b, choice.error[first:, first:], b)
    value = choice.value(np.maximum(size, 1.0), weight, price, error).ravel()
    by_size = np.argsort(size.ravel().astype(np.uint8), kind="stable")
    ends = np.cumsum([math.comb(judges, k) for k in range(judges + 1)])
    least = []
    for k in range(choice.fewest, min(choice.most, judges) + 1):
        where = by_size[ends[k - 1] if k else 0 : ends[k]]
        part = where[np.argpartition(value[where], top - 1)[:top]] if len(where) > top else where
        ordered = part[np.argsort(value[part], kind="stable")]
        least.append(ordered[value[ordered] < BEYOND])
    chosen = np.concatenate(least)
    members = np.hstack([a[chosen // len(b)], b[chosen % len(b)]]) > 0
    return members, value[chosen]


def _all_subsets(judges: int) -> Floats:
    return ((np.arange(2**judges)[:, None] >> np.arange(judges)) & 1).astype(float)


def exchange(choice: Choice) -> tuple[Bools, Floats]:
    """Good subsets of every size: judges enter or leave one by one, and after each are exchanged as long as that helps.

    Nothing proves that these are the best; leading axes are solved together.

    Returns
    -------
    members : array of bool, shape (..., sizes, K)
        One subset of each size from ``fewest`` to ``most``.
    values : array, shape (..., sizes)
        Their values; from `BEYOND` on, out of reach.
    """
    judges = choice.spread.shape[-1]
    members, grown = np.zeros(choice.spread.shape, dtype=bool), []
    for size in range(1, choice.most + 1):
        entering = _changed(choice, members, size, 1).argmin(axis=-1)
        members = _exchanged(choice, members | (entering[..., None] == np.arange(judges)), size)
        grown.append(members)
    members, shrunk = np.ones(choice.spread.shape, dtype=bool), []
    for size in range(judges, choice.fewest - 1, -1):
        if size < judges:
            leaving = _changed(choice, members, size, -1).argmin(axis=-1)
            members = _exchanged(choice, members & (leaving[..., None] != np.arange(judges)), size)
        shrunk.append(members)
    up = np.stack(grown[choice.fewest - 1 :], axis=-2)
    down = np.stack(shrunk[::-1][: choice.most - choice.fewest + 1], axis=-2)
    better = choice.sized(up) <= choice.sized(down)
    members = np.where(better[..., None], up, down)
    return members, choice.sized(members)


def _exchanged(choice: Choice, members: Bools, size: int) -> Bools:
    """Exchange two judges, the best pair first, until no exchange helps any of the choices."""
    judges = members.shape[-1]
    bias = np.einsum("...kk->...k", choice.error)
    while True:
        weight, price, error, row = _sums(choice, members)
        value = choice.value(  # after judge l takes the place of j, by (j, l)
            np.asarray(float(size)),
            weight[..., None] + choice.weight[..., None, :] - choice.weight[..., :, None],
            price[..., None] + choice.price - choice.price[:, None],
            error[..., None] + (bias + 2 * row)[..., None, :] + (bias - 2 * row)[..., :, None] - 2 * choice.error,
        )
        allowed = members[..., :, None] & ~members[..., None, :]
        moves = np.where(allowed, value, np.inf).reshape(*members.shape[:-1], -1)
        best = moves.argmin(axis=-1)
        better = np.take_along_axis(moves, best[..., None], axis=-1)[..., 0] < choice.of(members) * _GAIN
        if not better.any():
            return members
        pair = np.stack(np.divmod(best, judges), axis=-1)
        flipped = (pair[..., None] == np.arange(judges)).any(axis=-2) & better[..., None]
        members = members ^ flipped


def _sums(choice: Choice, members: Bools) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums of weights, prices and errors over the members, with an axis for a change; error of each judge with them."""
    chosen = members.astype(float)
    row = np.einsum("...kl,...l->...k", choice.error, chosen)
    weight, error = (chosen * choice.weight).sum(-1), (chosen * row).sum(-1)
    return weight[..., None], (chosen @ choice.price)[..., None], error[..., None], row


def _changed(choice: Choice, members: Bools, size: int, sign: int) -> Floats:
    """Value of the subset with each judge added (1) or taken out (-1), shape (..., K); infinite where it cannot."""
    weight, price, error, row = _sums(choice, members)
    bias = np.einsum("...kk->...k", choice.error)
    value = choice.value(
        np.asarray(float(size)),
        weight + sign * choice.weight,
        price + sign * choice.price,
        error + sign * 2 * row + bias,
    )
    return np.asarray(np.where(members == (sign > 0), np.inf, value))


@dataclass(frozen=True)
class Turns:
    """A cycle of whole turns, and how often it is run.

    Parameters
    ----------
    places : array of int, shape (k,)
        Places of each judge in one cycle.
    cycles : int
        Times the cycle is run.
    """

    places: Ints
    cycles: int

    @property
    def counts(self) -> Ints:
        """Items that each judge judges."""
        return self.places * self.cycles


def turns(choice: Choice, members: Bools) -> Turns | None:
    """Whole places for a subset, as good as any cycle of about 3 turns per judge (at least 30) to within 0.5%.

    Parameters
    ----------
    choice : Choice
        Without leading axes.
    members : array of bool, shape (K,)
        The subset.

    Returns
    -------
    Turns or None
        The shortest such cycle; none if not even one judgment of each judge can be paid or be enough.
    """
    spread, price = choice.spread[members], choice.price[members]
    size = len(price)
    ideal = np.sqrt(spread / price) if spread.any() else np.ones(size)
    periods = np.arange(size, max(3 * size, _LONGEST_CYCLE) + 1)
    places = np.maximum(np.rint(np.outer(periods, ideal / ideal.sum())), 1.0)
    places = np.vstack([np.ones(size), places])
    variance, bill = (spread / places).sum(axis=1) / size**2, places @ price
    left = float(choice.error[np.ix_(members, members)].sum()) / size**2
    if choice.budget is not None:
        cycles = np.floor(choice.budget / bill * (1 + 1e-12))
        value = np.where(cycles > 0, variance / np.maximum(cycles, 1.0) + left, math.inf)
    else:
        room = float(choice.target or 0.0) - left
        cycles = np.maximum(np.ceil(variance / room * (1 - 1e-12)), 1.0) if room > 0 else np.zeros(len(bill))
        value = np.where(cycles > 0, cycles * bill, math.inf)
    if not np.isfinite(value).any():
        return None
    close = np.flatnonzero(value <= value.min() * _CLOSE)
    best = close[np.argmin(places[close].sum(axis=1))]
    once = places[best].astype(np.int64)
    common = int(np.gcd.reduce(once))
    return Turns(once // common, int(cycles[best]) * common)


# Judges whose errors go together: what two share of an item beyond what all judges see in it.


_AT_ONCE = 2**16
"""Numbers of one block of items by two judges: they stay in the cache of a core."""

FEWEST = 4
"""Judges: with three, what two share of an item is not told from what the third does not see."""


def error_correlations(scores: Floats) -> tuple[Floats, Floats]:
    """Correlations of the errors of every two judges, and how many standard errors their covariance is from 0.

    The covariance of judge a less c with b less d has nothing of the item: it is that of the errors of a and b, if no
    other two go together. It is averaged over all others c and d; its standard error is that of a mean over items.

    Parameters
    ----------
    scores : array, shape (items, judges)
        At least four judges.

    Returns
    -------
    correlation, t : array, shape (judges, judges)

    References
    ----------
    Spearman (1927), The Abilities of Man: tetrad differences.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> own, item = rng.normal(size=(400, 4)), rng.normal(size=(400, 1))
    >>> r, t = error_correlations(item + own[:, [0, 0, 1, 2]] + 0.1 * own)
    >>> bool(r[0, 1] > 0.9), bool(t[0, 1] > 5), bool(t[0, 2] > 2)
    (True, True, False)
    """
    x = scores - scores.mean(axis=0)
    n, k = x.shape
    rest, pairs = k - 2, (k - 2) * (k - 3)
    first, second = np.zeros((k, k)), np.zeros((k, k))
    for start in range(0, n, rows := max(1, _AT_ONCE // k**2)):
        some = x[start : start + rows]
        one, other = some[:, :, None], some[:, None, :]
        total = some.sum(axis=1)[:, None, None] - one - other
        square = (some**2).sum(axis=1)[:, None, None] - one**2 - other**2
        each = one * other - (one + other) * total / rest + (total**2 - square) / pairs
        first += each.sum(axis=0)
        second += (each**2).sum(axis=0)
    shared = first / n
    error = np.sqrt(np.maximum(second - n * shared**2, 0.0) / (n - 1) / n)
    covariance = x.T @ x / n
    variance = np.diag(covariance)
    row, whole = covariance.sum(axis=1) - variance, covariance.sum() - variance.sum()
    own = np.maximum(variance - 2 * row / (k - 1) + (whole - 2 * row) / ((k - 1) * (k - 2)), 1e-12 * variance.max())
    return np.clip(shared / np.sqrt(np.outer(own, own)), -1.0, 1.0), shared / np.maximum(error, 1e-300)
