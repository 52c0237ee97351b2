"""Score intervals by minimum chi-square: Wilson's, of any smooth number of the chances of what an item can show.

Derived in labels.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats


class Number(NamedTuple):
    """A number of sums over items.

    Parameters
    ----------
    value : callable
        From sums, shape (..., columns), to the number.
    slopes : callable
        From such sums to how it changes with each.
    """

    value: Callable[[Floats], Floats]
    slopes: Callable[[Floats], Floats]


class Items(NamedTuple):
    """What was seen of items, and what could have been.

    Parameters
    ----------
    rows : array, shape (items, columns)
        What every item adds to sums.
    possible : array, shape (patterns, columns)
        What an item could have added.
    limit : float
        Square of the quantile of the interval.
    """

    rows: Floats
    possible: Floats
    limit: float


_STEPS = 100
_CLOSE = 1e-8
_SHARPEST = 1e-10
"""Product of chance and shortfall, over the patterns unseen, that is as good as none."""
_AT_ONCE = 64
"""Tables whose ends are looked for together."""


def score_interval(items: Items, number: Number) -> tuple[float, float]:
    """The least and the greatest value over all chances of rows that what was seen does not refuse.

    Chances p are not refused where Pearson's chi-square of n items against them is at most the limit,
    ``n (sum q^2 / p - 1)`` with q the shares seen. What was never seen may have a chance too, as with Wilson's
    interval, which this is of one share.
    """
    ((low, high),) = score_intervals([items], number).tolist()
    return low, high


def score_intervals(tables: Sequence[Items], number: Number) -> Floats:
    """Intervals as of `score_interval`, of tables with the same columns, shape (tables, 2)."""
    parts = [tables[start : start + _AT_ONCE] for start in range(0, len(tables), _AT_ONCE)]
    return np.concatenate([_intervals(part, number) for part in parts] or [np.zeros((0, 2))])


def _intervals(tables: Sequence[Items], number: Number) -> Floats:
    search = _search(tables)
    start = search.value(search.share, number)
    slope = search.slopes(search.mean(search.share), number)
    gain = np.where(search.share + search.unseen > 0, search.gain(slope), -np.inf)
    short = gain.max(axis=1) - np.where(search.share > 0, gain, np.inf).min(axis=1)
    out = start.copy()
    on = np.flatnonzero(short > _CLOSE)  # else nothing that could be moved would gain
    if len(on):
        moving = search.part(on)
        out[on] = moving.side * np.maximum(moving.side * start[on], moving.side * _extremes(moving, number))
    return out.reshape(2, -1).T


class _Search(NamedTuple):
    """Ends that are looked for, all the lower ones first; the first axis of every array is that of ends.

    Parameters
    ----------
    share : array, shape (ends, patterns)
        How often every pattern was seen.
    unseen : array, shape (ends, patterns)
        1 where a pattern was not seen but may have a chance; 0 also for those that fill up the array.
    patterns : array, shape (ends, patterns, columns)
        What each adds to sums, over ``scale``.
    scale : array, shape (ends, columns)
        Sums of all items, where every one adds the most.
    limit : array, shape (ends,)
        Chi-square over items.
    side : array, shape (ends,)
        1 for upper ends, -1 for lower ones.
    """

    share: Floats
    unseen: Floats
    patterns: Floats
    scale: Floats
    limit: Floats
    side: Floats

    def part(self, on: NDArray[np.intp]) -> Self:
        """Some of the ends."""
        return type(self)(*(one[on] for one in self))

    def mean(self, chance: Floats) -> Floats:
        """Mean of what an item adds."""
        return np.asarray((chance[:, None] @ self.patterns)[:, 0])

    def gain(self, slope: Floats) -> Floats:
        """What each pattern gains."""
        return np.asarray((self.patterns @ slope[..., None])[..., 0])

    def value(self, chance: Floats, number: Number) -> Floats:
        """The number itself."""
        return number.value(self.scale * self.mean(chance))

    def slopes(self, mean: Floats, number: Number) -> Floats:
        """How fast a mean moves the number to the side wanted, over any axes after the first."""
        shape = (len(mean), *[1] * (mean.ndim - 2), -1)
        scale = self.scale.reshape(shape)
        return np.asarray(self.side.reshape(shape) * scale * np.nan_to_num(number.slopes(scale * mean)))


def _search(tables: Sequence[Items]) -> _Search:
    """Both ends of every table."""
    each = [_patterns(table) for table in tables]
    most, columns = max(len(share) for share, _ in each), tables[0].rows.shape[1]
    share, unseen = np.zeros((2, len(tables), most))
    patterns = np.zeros((len(tables), most, columns))
    for place, (seen, rows) in enumerate(each):
        share[place, : len(seen)], patterns[place, : len(seen)] = seen, rows
        unseen[place, : len(seen)] = seen == 0
    size = np.maximum(np.abs(patterns).max(axis=1), 1e-300)
    items = np.array([len(table.rows) for table in tables], dtype=float)
    limit = np.array([table.limit for table in tables]) / items
    lower = _Search(share, unseen, patterns / size[:, None], items[:, None] * size, limit, -np.ones(len(tables)))
    upper = lower._replace(side=-lower.side)
    return _Search(*(np.concatenate(both) for both in zip(lower, upper, strict=True)))


def _patterns(table: Items) -> tuple[Floats, Floats]:
    """Different rows, how often each was seen, and then what was possible but not seen."""
    of_column = np.sqrt(np.arange(2.0, 2 + table.rows.shape[1]))
    key, at, times = np.unique(np.round(table.rows @ of_column, 9), return_index=True, return_counts=True)
    others = table.possible[~np.isin(np.round(table.possible @ of_column, 9), key)]
    return np.append(times / len(table.rows), np.zeros(len(others))), np.vstack([table.rows[at], others])


class _State(NamedTuple):
    """Where the search is.

    Parameters
    ----------
    chance : array, shape (ends, patterns)
        Chance of every pattern.
    short : array, shape (ends, patterns)
        By how much a pattern unseen gains less than ``most``; 1 for others.
    most, pull : array, shape (ends,)
        Multipliers of the sum of chances and of chi-square.
    """

    chance: Floats
    short: Floats
    most: Floats
    pull: Floats

    def part(self, on: NDArray[np.intp]) -> Self:
        """Some of the ends."""
        return type(self)(*(one[on] for one in self))


def _extremes(search: _Search, number: Number) -> Floats:
    """The value of every end: the better of two optima, as there can be several.

    One search begins with the unseen patterns alike, one with most for that which gains most from what was seen.
    """
    unseen = search.unseen
    alike = unseen / np.maximum(unseen.sum(axis=1, keepdims=True), 1.0)
    gain = np.where(unseen > 0, search.gain(search.slopes(search.mean(search.share), number)), -np.inf)
    pointed = 0.01 * alike + 0.99 * unseen * (np.arange(gain.shape[1]) == gain.argmax(axis=1)[:, None])
    most = search.limit / (1 + search.limit)  # more would be refused
    rare = np.concatenate([np.minimum(0.1, most / 2)[:, None] * alike, (0.98 * most)[:, None] * pointed])
    twice = search.part(np.tile(np.arange(len(unseen)), 2))
    found = twice.side * _optima(twice, _start(twice, number, rare), number)
    return np.asarray(search.side * np.fmax(*np.split(found, 2)))


def _optima(search: _Search, state: _State, number: Number) -> Floats:
    """Values by Newton's steps on the conditions of an optimum, from inside of them; nan where they lead to none."""
    out, on = np.full(len(search.share), np.nan), np.arange(len(search.share))
    for _ in range(_STEPS):
        moved, off = _step(search, state, number)
        done = off < _CLOSE
        out[on[done]] = search.value(state.chance, number)[done]
        left = np.flatnonzero(~done & (moved.pull > _SHARPEST))
        if not len(left):
            break
        search, state, on = search.part(left), moved.part(left), on[left]
    return out


def _start(search: _Search, number: Number, rare: Floats) -> _State:
    """Chances of the unseen as given; of the seen in proportion to what a straight line from there asks for."""
    share, unseen = search.share, search.unseen
    left = 1 - rare.sum(axis=1, keepdims=True)
    gain = search.gain(search.slopes(search.mean(share * left + rare), number))
    usable = share + unseen > 0
    high, low = np.where(usable, gain, -np.inf).max(axis=1), np.where(usable, gain, np.inf).min(axis=1)
    most = high + 0.01 * (high - low)
    short = np.where(usable, most[:, None] - gain, 1.0)
    seen = share / np.sqrt(short)
    chance = seen * left / seen.sum(axis=1, keepdims=True) + rare
    return _State(chance, np.where(unseen > 0, short, 1.0), most, (share * short).sum(axis=1))


def _step(search: _Search, state: _State, number: Number) -> tuple[_State, Floats]:
    """A step of Newton's, and how far from the optimum it set out, in the units of the number.

    At the optimum a pattern seen gains ``most - pull (q / p)^2``, one unseen ``most - short``, where ``p short`` is
    zero; on the way there that product is the same for all.
    """
    share, unseen = search.share, search.unseen
    chance, short, most, pull = state
    seen = share > 0
    safe = np.where(seen | (unseen > 0), chance, 1.0)
    mean = search.mean(chance)
    ratio = (share / safe) ** 2
    product = unseen * chance * short
    count = np.maximum(unseen.sum(axis=1), 1.0)
    slope, curvature = _bends(search, mean, number)
    apart = search.gain(slope) - most[:, None] + np.where(seen, pull[:, None] * ratio, short)
    apart = np.where(seen | (unseen > 0), apart, 0.0)
    sums, squares = chance.sum(axis=1) - 1, 1 + search.limit - (share**2 / safe).sum(axis=1)
    off = (chance * np.abs(apart)).sum(axis=1) + np.abs(most * sums) + pull * np.abs(squares) + product.sum(axis=1)
    aim = unseen * np.maximum(0.1 * product.sum(axis=1), _SHARPEST)[:, None] / count[:, None]
    wanted = apart - (product - aim) / safe
    give = np.where(seen, safe**3 / (2 * pull[:, None] * np.where(seen, share, 1.0) ** 2), unseen * chance / short)
    columns = np.concatenate([search.patterns, -np.ones((*share.shape, 1)), ratio[..., None]], axis=2)
    weighted = give[..., None] * columns
    right = -(wanted[:, None] @ weighted)[:, 0]
    right[:, -2] += sums
    right[:, -1] -= squares
    system = columns.swapaxes(1, 2) @ weighted

    def towards(bend: Floats) -> tuple[Floats, Floats, Floats]:
        """Steps of chances and multipliers where the number bends so, and whether they lead to a greatest value."""
        by_mean = np.concatenate([system[..., :-2] @ bend, system[..., -2:]], axis=2)
        diagonal = np.arange(bend.shape[1])
        by_mean[:, diagonal, diagonal] -= 1
        found = np.linalg.solve(by_mean, right[..., None])[..., 0]
        bent = (bend @ found[:, :-2, None])[..., 0]
        multipliers = np.concatenate([bent, found[:, -2:]], axis=1)
        moved = give * ((columns @ multipliers[..., None])[..., 0] + wanted)
        stiff = np.where(give > 0, moved**2 / np.where(give > 0, give, 1.0), 0.0).sum(axis=1)
        upwards = (stiff - (found[:, :-2] * bent).sum(axis=1) > 0.1 * stiff) & (found[:, -1] > -0.9 * pull)
        return moved, found[:, -2:], upwards

    moved, by, greatest = towards(curvature)
    if not greatest.all():  # where it bends the wrong way, it is taken as straight
        size, axes = np.linalg.eigh(curvature)
        concave, by_concave, _ = towards((axes * np.minimum(size, 0.0)[:, None]) @ axes.swapaxes(1, 2))
        moved, by = np.where(greatest[:, None], moved, concave), np.where(greatest[:, None], by, by_concave)
    shorter = -unseen * (product - aim + short * moved) / safe
    fastest = np.maximum((-moved / safe).max(axis=1), (-shorter / short).max(axis=1))
    length = np.minimum(1.0, 0.95 / np.maximum(fastest, 1e-9))[:, None]
    pulled = np.maximum(pull + length[:, 0] * by[:, 1], 0.2 * pull)
    return _State(chance + length * moved, short + length * shorter, most + length[:, 0] * by[:, 0], pulled), off


def _bends(search: _Search, mean: Floats, number: Number) -> tuple[Floats, Floats]:
    """Slopes at means, shape (ends, columns), and how they change with the means, shape (ends, columns, columns)."""
    size = mean.shape[1]
    step = 1e-5 * np.eye(size)
    slopes = search.slopes(mean[:, None] + np.concatenate([np.zeros((1, size)), step, -step]), number)
    change = slopes[:, 1 : size + 1] - slopes[:, size + 1 :]
    return slopes[:, 0], (change + change.swapaxes(1, 2)) / 4e-5
