"""Replays of an adaptive rule with draws from pools: all pulls of a run by one sort.

The priority of an arm depends on its own draws alone, so that pulls happen in the order of the running minimum of the
priorities along each arm's path. ``docs/methods/adaptive.md`` proves it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.numerics.sequential.bandit import Constants, Pools, Rule, in_turn, uniform

_CHUNK = 2**16
"""Draws worked on at a time, few enough to stay in the processor's cache."""
_ROOM = 2**40
"""Random numbers kept for every arm beyond the first block, more than any budget."""


class Block(NamedTuple):
    """Running sums of draws ``start + 1, start + 2, ...`` of some arms, as differences from the arm's origin.

    Parameters
    ----------
    start : int
        Draws before the block.
    sums, squares : array, shape (rows, length)
        Sum, and sum of squares, of all draws so far.
    """

    start: int
    sums: Floats
    squares: Floats

    @property
    def end(self) -> int:
        """Draws after the last one of the block."""
        return self.start + int(self.sums.shape[1])


class Paths:
    """Draws of every arm in one run, the same for every policy; an arm's path grows when a policy gets to its end.

    Parameters
    ----------
    pools : Pools
        What is drawn from.
    length : int
        Draws of every arm to begin with.
    first, further : numpy.random.Generator
        Random numbers of the first draws, and of those beyond; the latter with a PCG64, whose stream has room for
        every arm, so that an arm's draws do not depend on which other arms get that far.
    """

    def __init__(self, pools: Pools, length: int, first: np.random.Generator, further: np.random.Generator) -> None:
        self.pools = pools
        self.origin: Floats = pools.values[:, :, 0].mean(axis=1)
        self._values = (pools.values - pools.values[:, :, :1]).reshape(-1)
        self._further, self._position = further, 0
        arms, parts = pools.sizes.shape
        sums, squares = np.empty((2, arms, length))
        chunk = max(1, _CHUNK // (length * parts))
        for start in range(0, arms, chunk):
            rows = slice(start, min(start + chunk, arms))
            x = self._drawn(np.arange(arms)[rows], first.random((rows.stop - start, parts, length)))
            np.cumsum(x, axis=1, out=sums[rows])
            np.cumsum(x * x, axis=1, out=squares[rows])
        self._blocks = [Block(0, sums, squares)]
        self._rows: list[Ints] = [np.arange(arms)]

    @property
    def first(self) -> Block:
        """The first draws of every arm."""
        return self._blocks[0]

    def reach(self, level: int) -> int:
        """Draws up to the end of a block of this level: each is as long as all before."""
        return self.first.end << level

    def block(self, level: int, arms: Ints) -> Block:
        """Running sums of some arms on a level, drawn where they have not been."""
        self._grow(level, arms)
        rows, block = self._rows[level][arms], self._blocks[level]
        return Block(block.start, block.sums[rows], block.squares[rows])

    def ends(self, level: int, arms: Ints) -> tuple[Floats, Floats]:
        """Sums and sums of squares of some arms at the end of a level, each of shape (arms, 1)."""
        self._grow(level, arms)
        rows, block = self._rows[level][arms], self._blocks[level]
        return block.sums[rows, -1:], block.squares[rows, -1:]

    def means(self, pulls: Ints) -> Floats:
        """Mean of every arm after its pulls.

        Parameters
        ----------
        pulls : array of int, shape (..., arms)
            Pulls, at least 1.
        """
        arm = np.broadcast_to(np.arange(self.pools.arms), pulls.shape)
        total = self.first.sums.ravel()[arm * self.first.end + np.minimum(pulls, self.first.end) - 1]
        for level in range(1, 64):
            beyond = pulls > self.reach(level - 1)
            if not beyond.any():
                break
            arms, place = np.unique(arm[beyond], return_inverse=True)
            block = self.block(level, arms)
            total[beyond] = block.sums[place, np.minimum(pulls[beyond], block.end) - 1 - block.start]
        return np.asarray(self.origin + total / pulls)

    def _grow(self, level: int, arms: Ints) -> None:
        """Add the arms that a level does not have yet, after all levels below it."""
        if level == 0:
            return
        self._grow(level - 1, arms)
        if level == len(self._blocks):
            none = np.empty((0, self.reach(level - 1)))
            self._blocks.append(Block(self.reach(level - 1), none, none))
            self._rows.append(np.full(self.pools.arms, -1))
        rows = self._rows[level]
        new = arms[rows[arms] < 0]
        if not new.size:
            return
        (sums, squares), block = self.ends(level - 1, new), self._blocks[level]
        # Uniform numbers at fixed places of the stream: arm by arm, part by part, draw by draw.
        parts, length = self.pools.parts, self.reach(level) - block.start
        u = np.empty((len(new), parts, length))
        for row, arm in zip(u, new.tolist(), strict=True):
            for part in range(parts):
                place = (arm * parts + part) * _ROOM + block.start
                self._further.bit_generator.advance(place - self._position)  # type: ignore[attr-defined]
                self._further.random(out=row[part])
                self._position = place + length
        x = self._drawn(new, u)
        sums = sums + np.cumsum(x, axis=1)
        squares = squares + np.cumsum(x * x, axis=1)
        rows[new] = len(block.sums) + np.arange(len(new))
        self._blocks[level] = Block(
            block.start, np.concatenate([block.sums, sums]), np.concatenate([block.squares, squares])
        )

    def _drawn(self, arms: Ints, u: Floats) -> Floats:
        """Pulls, shape (arms, length), from uniform numbers of shape (arms, parts, length)."""
        draws, parts = self.pools.values.shape[2], self.pools.parts
        u *= self.pools.sizes[arms][:, :, None]
        place = u.astype(np.int64)
        place += ((arms[:, None] * parts + np.arange(parts)) * draws)[:, :, None]
        x = self._values[place]
        return x[:, 0] if parts == 1 else np.asarray(x.mean(axis=1))


class _Pulls(NamedTuple):
    """Pulls that may be within the budget, in any order."""

    arm: Ints
    key: Floats


def start_length(arms: int, budget: int) -> int:
    """Draws of every arm that are made at once: enough for most, so that few paths have to grow.

    Parameters
    ----------
    arms, budget : int
        Arms, and pulls in all.
    """
    return math.ceil(1.5 * budget / arms) + 1


def forced(constants: Constants) -> int:
    """Pulls of every arm before its variance counts: the warm-up, and while the bound of the variance is infinite.

    Parameters
    ----------
    constants : Constants
        Of the rule.
    """
    return max(constants.warmup, math.floor(4 * constants.lam) + 1)


def replay(paths: Paths, rule: Rule, warmup: int, budgets: Sequence[int] | Ints) -> Ints:
    """Pulls of every arm after each budget, shape (budgets, arms), as if made one by one.

    Every arm is pulled ``warmup`` times, in turn; then always the one with the greatest priority, the first of equals.
    Where priorities are 0 or infinite, the fewest pulls come first, so that such arms take turns.

    Parameters
    ----------
    paths : Paths
        Draws of a run, whose first block is longer than the warm-up and holds more than the largest budget.
    rule : Rule
        Order of pulls, by scalars.
    warmup : int
        Pulls of every arm before priorities count; see `forced`.
    budgets : sequence of int
        Pulls in all.

    Raises
    ------
    NotEstimable
        If priorities are no numbers.
    """
    arms, budgets = paths.pools.arms, np.asarray(budgets, dtype=np.int64)
    left = np.maximum(budgets - arms * warmup, 0)
    counts = np.array([uniform(arms, min(int(b), arms * warmup)) for b in budgets])
    order = _order(paths, rule, warmup, int(left.max()))
    step = np.searchsorted(np.sort(left), np.arange(len(order)), side="right")
    done = np.bincount(order + arms * step, minlength=arms * (len(budgets) + 1))
    later = np.cumsum(done.reshape(-1, arms)[: len(budgets)], axis=0)
    counts[np.argsort(left, kind="stable")] += later
    made, wanted = int(counts[budgets.argmax()].sum()), int(budgets.max())
    if made != wanted:
        raise NotEstimable(f"priorities: {made:,} of {wanted:,} pulls are made, for some priorities are no numbers")
    return counts


def _order(paths: Paths, rule: Rule, warmup: int, budget: int) -> Ints:
    """The arms pulled after the warm-up, one after the other."""
    if budget == 0:
        return np.empty(0, dtype=np.int64)
    first = paths.first
    arms, length = first.sums.shape
    lows = np.empty((arms, length - warmup))  # least priority so far before every pull, as far as first blocks go
    n = np.arange(warmup, length, dtype=float)
    chunk = max(1, _CHUNK // length)
    for start in range(0, arms, chunk):
        rows = slice(start, start + chunk)
        sums, squares = first.sums[rows, warmup - 1 : -1], first.squares[rows, warmup - 1 : -1]
        np.minimum.accumulate(_priority(rule, n, sums, squares, paths.origin[rows]), axis=1, out=lows[rows])
    last = lows[:, -1].copy()
    least = _largest(lows.ravel(), budget)
    place = np.flatnonzero(lows >= least)
    pulls, level = _Pulls(place // lows.shape[1], lows.ravel()[place]), np.zeros(arms, dtype=np.int64)
    del lows
    while True:
        grow = np.flatnonzero(last > least)
        if not grow.size:
            # From the greatest key to the least, and by arm where keys are equal.
            down = np.argsort(-pulls.key)
            key = pulls.key[down]
            tie = np.cumsum(np.concatenate([[0], key[1:] != key[:-1]]))
            order: Ints = (np.sort(tie * arms + pulls.arm[down]) % arms)[:budget]
            used = np.bincount(order, minlength=arms) == np.bincount(pulls.arm, minlength=arms)
            grow = np.flatnonzero(used & (last >= least))
            if not grow.size or int(paths.reach(int(level[grow].min()))) >= warmup + budget:
                return order
        pulls = _longer(paths, rule, pulls, grow, level, last, least)
        least = _largest(pulls.key, budget)
        kept = pulls.key >= least
        pulls = _Pulls(pulls.arm[kept], pulls.key[kept])


def _longer(paths: Paths, rule: Rule, pulls: _Pulls, grow: Ints, level: Ints, last: Floats, least: float) -> _Pulls:
    """The pulls, and those of some arms on their next level; ``level`` and ``last`` of these arms move on."""
    arms, keys = [pulls.arm], [pulls.key]
    for reached in np.unique(level[grow]):
        at = grow[level[grow] == reached]
        block = paths.block(int(reached) + 1, at)
        sums, squares = paths.ends(int(reached), at)
        n = np.arange(block.start, block.end, dtype=float)
        sums = np.concatenate([sums, block.sums[:, :-1]], axis=1)
        squares = np.concatenate([squares, block.squares[:, :-1]], axis=1)
        lows = _priority(rule, n, sums, squares, paths.origin[at])
        np.minimum(lows[:, 0], last[at], out=lows[:, 0])
        np.minimum.accumulate(lows, axis=1, out=lows)
        level[at] += 1
        last[at] = lows[:, -1]
        row, column = np.nonzero(lows >= least)
        arms.append(at[row])
        keys.append(lows[row, column])
    return _Pulls(np.concatenate(arms), np.concatenate(keys))


def _priority(rule: Rule, n: Floats, sums: Floats, squares: Floats, origin: Floats) -> Floats:
    mean = sums / n
    variance = squares / n
    variance -= mean * mean
    np.maximum(variance, 0.0, out=variance)
    return in_turn(rule.priority(n, mean + origin[:, None], variance), n)


def _largest(keys: Floats, count: int) -> float:
    """The ``count``-th largest."""
    at = len(keys) - count
    return float(np.partition(keys, at)[at])
