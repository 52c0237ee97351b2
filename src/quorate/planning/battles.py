"""Battles to have judged, so that every system meets enough opponents in every category."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.streams import stream
from quorate.table.results import Result, Row

_MOST = 10**9


@dataclass(frozen=True, eq=False)
class BattleSample(Result):
    """Battles chosen from a pool.

    Parameters
    ----------
    chosen : array of int, shape (battles,)
        Places of the chosen battles in the pool, in the order in which they were chosen: for fewer calls, take
        a part of them from the start.
    coverage : tuple of (str, str, int)
        System, category and how many chosen battles it has there.
    short : tuple of (str, str, int)
        System, category and battles of those that stay below the floor: the pool has no more, and all are chosen.
    floor : int
        Battles wanted for every system in every category.
    fewest : int
        A bound: no choice that fills as much has fewer battles.
    """

    chosen: Ints
    coverage: tuple[tuple[str, str, int], ...]
    short: tuple[tuple[str, str, int], ...]
    floor: int
    fewest: int

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        cells = len(self.coverage)
        reach = f"{len(self):,} battles reach the floor of {self.floor:,} for {cells - len(self.short):,} of {cells:,} "
        reach += f"systems by category; no choice does so with fewer than {self.fewest:,}"
        if not self.short:
            return f"{reach}."
        system, category, n = self.short[0]
        where = f" in {category}" if category else ""
        return f"{reach}. For {len(self.short):,} the pool has too few, such as {system}{where} with {n:,}."

    def rows(self) -> list[Row]:
        """One row for every system and category: battles, and whether the floor is reached."""
        return [
            {"system": system, "category": category, "battles": n, "reached": n >= self.floor}
            for system, category, n in self.coverage
        ]


def sample_battles(
    model_a: Sequence[object],
    model_b: Sequence[object],
    category: Sequence[object] | None = None,
    *,
    floor: int,
    seed: int = 1,
) -> BattleSample:
    """Choose battles so that every system has enough of them in every category, with as few as possible.

    The battle that helps two systems below the floor goes before one that helps one; among those, the one whose systems
    lack most; among those, one at random. It ends when every system has its floor in every category, or all that the
    pool has.

    Parameters
    ----------
    model_a, model_b : sequence, length (pool,)
        The two systems of every battle that could be judged; columns of a data frame will do.
    category : sequence, length (pool,), optional
        What each is about; one category without it.
    floor : int
        Battles wanted for every system in every category.
    seed : int
        Of the choice among equals; the same seed chooses the same battles.

    Returns
    -------
    BattleSample

    Raises
    ------
    InvalidInput
        If the columns differ in length or are empty, a battle is of one system with itself, or the floor is below 1.

    References
    ----------
    Messing (2026), appendix R, where ties between battles that help as many systems are broken at random.
    ``docs/methods/pipelines.md``.

    Examples
    --------
    >>> import quorate as q
    >>> pool = [("x", "y"), ("x", "y"), ("x", "z"), ("y", "z"), ("z", "w")]
    >>> sample = q.votes.sample_battles(*zip(*pool, strict=True), floor=2)
    >>> sorted(sample.chosen.tolist()), sample.short
    ([1, 2, 3, 4], (('w', '', 1),))
    """
    try:
        wanted = operator.index(floor)
    except TypeError:
        wanted = 0
    if not 1 <= wanted <= _MOST:
        raise InvalidInput(f"floor: a whole number from 1 to {_MOST:,} is needed, got {floor!r}")
    systems, a, b = _systems(model_a, model_b)
    names, topic = _coded("category", [""] * len(a) if category is None else category, len(a))
    n = len(names)
    first, second = a * n + topic, b * n + topic
    chosen = _greedy(first, second, len(systems) * n, wanted, stream(seed, "battles"))
    there = np.bincount(np.append(first, second), minlength=len(systems) * n)
    count = np.bincount(np.append(first[chosen], second[chosen]), minlength=len(systems) * n)
    cells = np.flatnonzero(there)
    coverage = [(systems[cell // n], names[cell % n], int(count[cell])) for cell in cells.tolist()]
    need = np.minimum(there, wanted).reshape(len(systems), n).sum(axis=0)
    return BattleSample(
        chosen,
        tuple(coverage),
        tuple(cell for cell in coverage if cell[2] < wanted),
        wanted,
        int(((need + 1) // 2).sum()),
    )


def _systems(model_a: Sequence[object], model_b: Sequence[object]) -> tuple[tuple[str, ...], Ints, Ints]:
    if len(model_a) != len(model_b) or not len(model_a):
        raise InvalidInput(
            f"model_a: as many systems as in model_b are needed, at least 1, got {len(model_a)} and {len(model_b)}"
        )
    names, code = _coded("model_a", [*model_a, *model_b], 2 * len(model_a))
    a, b = code[: len(model_a)], code[len(model_a) :]
    if (a == b).any():
        row = int((a == b).argmax())
        raise InvalidInput(f'model_b: battle {row + 1} has "{names[a[row]]}" against itself; leave it out')
    return names, a, b


def _coded(name: str, labels: Sequence[object], rows: int) -> tuple[tuple[str, ...], Ints]:
    if len(labels) != rows:
        raise InvalidInput(f"{name}: one label for each of {rows:,} battles is needed, got {len(labels):,}")
    if any(label is None or (isinstance(label, float) and math.isnan(label)) for label in labels):
        raise InvalidInput(f"{name}: some battles have no label; leave them out")
    if len({str(label) for label in labels}) < len(set(labels)):
        raise InvalidInput(
            f'{name}: numbers and text that look alike would be taken as one, such as 1 and "1"; use text'
        )
    distinct, code = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    return tuple(distinct.tolist()), np.asarray(code, dtype=np.int64)


def _greedy(first: Ints, second: Ints, cells: int, floor: int, rng: np.random.Generator) -> Ints:
    """Battles in the order of choice. Battles of the same two systems and category are alike, and wait in line."""
    order = rng.permutation(len(first))
    key = np.minimum(first, second) * cells + np.maximum(first, second)
    groups, of = np.unique(key[order], return_inverse=True)
    lines = np.split(order[np.argsort(of, kind="stable")], np.cumsum(np.bincount(of))[:-1])
    ends = [divmod(group, cells) for group in groups.tolist()]
    left, taken, lack = [len(line) for line in lines], [0] * len(lines), [floor] * cells
    heap = [(-2, -2 * floor, float(luck), g) for g, luck in enumerate(rng.random(len(groups)))]
    heapify(heap)
    chosen: list[int] = []
    while heap:
        helped, deficit, luck, g = heappop(heap)
        one, two = ends[g]
        now = -(lack[one] > 0) - (lack[two] > 0), -lack[one] - lack[two]
        if (helped, deficit) != now:
            if now[0]:
                heappush(heap, (*now, luck, g))
            continue
        chosen.append(int(lines[g][taken[g]]))
        taken[g] += 1
        lack[one], lack[two] = max(lack[one] - 1, 0), max(lack[two] - 1, 0)
        now = -(lack[one] > 0) - (lack[two] > 0), -lack[one] - lack[two]
        if taken[g] < left[g] and now[0]:
            heappush(heap, (*now, float(rng.random()), g))
    return np.array(chosen, dtype=np.int64)
