"""Rankings that votes come from, put together again and counted for the model of Plackett and Luce.

Every level of a facet is one ranking: its votes are on all pairs of some systems, each pair once, and agree with one
order of them, in which systems may share a place. Of every ranking the model sees the choices: who is first of all,
who is first of the rest, and so on; each is counted at the first of the votes that it decides.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.numerics.ratings.bradley_terry import Design
from quorate.numerics.ratings.draws import Units
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.ties import HALF
from quorate.table.pairs import MISSING
from quorate.table.votes import Votes

MOST_GROUPS = 5_000_000
"""Groups of systems, over all sets that one was chosen from, for which the model is fitted."""
_AHEAD = np.array([1.0, -1.0, 0.0, 0.0])
_OUTCOME = np.array([0, 1, 2, 2])


class Ranked(NamedTuple):
    """Rankings as choices.

    Parameters
    ----------
    choices : Choices
        Sets that groups were chosen from.
    place : array of int, shape (rows,)
        The group that was chosen where a vote was decided; 0 of votes that do not count.
    used : array of bool, shape (rows,)
        The first vote of every choice.
    units : Units
        Rankings.
    """

    choices: Choices
    place: Ints
    used: Bools
    units: Units


def ranked(votes: Votes, facet: str) -> Ranked:
    """The rankings that the levels of a facet are.

    Raises
    ------
    InvalidInput
        If a level is no ranking, or a row stands for several votes.
    NotEstimable
        If ties are of so many systems that there are too many groups to choose from.
    """
    there = votes.outcome != MISSING
    code = votes.column(facet)[there].astype(np.int64)
    if (code < 0).any() or (votes.weights[there] != 1).any():
        raise InvalidInput(
            f"rankings: expects one row for every pair of a ranking, and its level of {facet}; got rows "
            + ("without one" if (code < 0).any() else "that stand for several votes")
        )
    ranking = np.unique(code, return_inverse=True)[1].astype(np.int64)
    a, b = (side[there].astype(np.int64) for side in (votes.model_a, votes.model_b))
    members, ends = np.unique(np.tile(ranking, 2) * len(votes.models) + np.append(a, b), return_inverse=True)
    first, second = ends.reshape(2, -1)
    ahead = _AHEAD[votes.outcome[there]]
    lead = np.bincount(first, ahead, len(members)) - np.bincount(second, ahead, len(members))
    of, system = np.divmod(members, len(votes.models))
    whole = _whole(ranking, first * np.int64(len(members)) + second, np.bincount(of))
    agrees = np.bincount(ranking, np.sign(lead[first] - lead[second]) != ahead, len(whole)) == 0
    if not (whole & agrees).all():
        _refuse(votes, facet, int(code[ranking == int((whole & agrees).argmin())][0]), whole & agrees)
    order = np.lexsort((-lead, of))
    turn = np.append(True, (np.diff(of[order]) != 0) | (np.diff(lead[order]) != 0))
    group = np.empty(len(members), dtype=np.int64)
    group[order] = np.cumsum(turn) - 1
    starts = np.flatnonzero(turn)
    size = np.diff(np.append(starts, len(members)))
    left = np.cumsum(np.bincount(of))[of[order][starts]] - starts
    choices, chosen = _choices(len(votes.models), system[order], starts, size, left)
    decided = np.minimum(group[first], group[second])
    place, used = np.zeros(votes.rows, dtype=np.int64), np.zeros(votes.rows, dtype=np.bool_)
    place[there] = chosen[decided]
    used[np.flatnonzero(there)[np.unique(decided, return_index=True)[1]]] = True
    choices = _with_pairs(choices, votes, place[there], there)
    return Ranked(choices, place, used, _rankings(ranking, place, used, there, choices.shape[0]))


def _whole(ranking: Ints, pair: Ints, size: Ints) -> Bools:
    """Whether each ranking has a vote on every pair of its systems, and one only."""
    of = np.full(len(ranking), -1)
    _, place = np.unique(pair, return_index=True)
    of[place] = ranking[place]
    distinct, rows = np.bincount(of[of >= 0], minlength=len(size)), np.bincount(ranking)
    return np.asarray((distinct == rows) & (rows == size * (size - 1) // 2))


def _refuse(votes: Votes, facet: str, level: int, good: Bools) -> None:
    """Refuse levels that are no rankings, and name one."""
    bad = int((~good).sum())
    raise InvalidInput(
        f'rankings: {bad:,} of {len(good):,} levels of {facet}, such as "{votes.facet(facet).levels[level]}", are no '
        "ranking: a ranking has one vote on every pair of its systems, and they agree with one order; leave these "
        "out, or rate pairs with " + argument("rankings", None)
    )


def _choices(systems: int, order: Ints, starts: Ints, size: Ints, left: Ints) -> tuple[Choices, Ints]:
    """All sets that a group was chosen from, once, and the group that was chosen at every place; 0 of a last system."""
    from scipy.sparse import coo_array

    sizes = np.unique(size[left > 1])
    if sizes[-1] > 1 and 2 not in sizes:
        raise NotEstimable("rankings: three or more share a place, but never two, so nothing tells how often two tie")
    ties = sizes[sizes > 1][::-1]
    total = 0
    chosen, bounds = np.zeros(len(starts), dtype=np.int64), []
    entries: list[tuple[Ints, Ints, Floats]] = []
    for many in np.unique(left[left > 1]).tolist():
        here = np.flatnonzero(left == many)
        orders = [int(k) for k in sizes if k <= many]
        each = sum(comb(many, k) for k in orders)
        if each > MOST_GROUPS:
            _refuse_groups(many, orders[-1])
        among = order[starts[here, None] + np.arange(many)]
        by_name = np.argsort(among, axis=1)
        top = by_name < size[here, None]
        sets, which = np.unique(np.take_along_axis(among, by_name, axis=1), axis=0, return_inverse=True)
        if total + len(sets) * each > MOST_GROUPS:
            _refuse_groups(many, orders[-1])
        start = total + np.arange(len(sets)) * each
        bounds.append(start)
        before = 0
        for k in orders:
            mine = np.flatnonzero(size[here] == k)
            places = np.argsort(~top[mine], axis=1, kind="stable")[:, :k]
            chosen[here[mine]] = start[which.ravel()[mine]] + before + _number(places)
            groups = np.array(list(combinations(range(many), k)))
            groups = groups[np.argsort(_number(groups))]
            row = (start[:, None] + before + np.arange(len(groups))).ravel()
            entries.append((np.repeat(row, k), sets[:, groups].ravel(), np.full(len(row) * k, 1 / k)))
            if k > 1:
                extra = systems + int(np.flatnonzero(ties == k)[0])
                entries.append((row, np.full(len(row), extra), np.ones(len(row))))
            before += len(groups)
        total += len(sets) * each
    row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
    rows = coo_array((value, (row, column)), shape=(total, systems + len(ties))).tocsr()
    none = np.zeros(0, dtype=np.int64)
    return Choices(systems, rows, np.concatenate(bounds), Design(systems, none, none, np.zeros(1), HALF), None), chosen


def _refuse_groups(systems: int, tied: int) -> None:
    raise NotEstimable(
        f"rankings: with ties of {tied} in rankings of {systems} systems there are over {MOST_GROUPS:,} groups to "
        "choose from; leave out rankings with ties of so many, or rate pairs with " + argument("rankings", None)
    )


def _number(places: Ints) -> Ints:
    """Number of each combination, shape (combinations, k), among all of its size by their last, in order."""
    most = int(places.max(initial=0)) + 1
    table = np.array([[comb(p, i + 1) for i in range(places.shape[1])] for p in range(most)], dtype=np.int64)
    return np.asarray(table[places, np.arange(places.shape[1])].sum(axis=1))


def _with_pairs(choices: Choices, votes: Votes, place: Ints, there: Bools) -> Choices:
    """The same with who was ahead of whom where each group was chosen."""
    from scipy.sparse import coo_array

    pairs = votes.pairs()
    row = pairs.code[there].astype(np.int64) * 3 + _OUTCOME[votes.outcome[there]]
    known, _ = np.unique(row * choices.shape[0] + place, return_index=True)
    row, column = np.divmod(known, choices.shape[0])
    beaten = coo_array((np.ones(len(known)), (row, column)), shape=(3 * len(pairs), choices.shape[0])).tocsr()
    design = Design(choices.systems, pairs.a.astype(np.int64), pairs.b.astype(np.int64), np.zeros(1), HALF)
    return Choices(choices.systems, choices.rows, choices.starts, design, beaten)


def _rankings(ranking: Ints, place: Ints, used: Bools, there: Bools, groups: int) -> Units:
    """Every ranking by the groups that were chosen in it."""
    from scipy.sparse import coo_array

    of = ranking[used[there]]
    size = int(ranking.max()) + 1
    matrix: Any = coo_array((np.ones(len(of)), (of, place[used])), shape=(size, groups)).tocsr()
    return Units(np.ones(size), matrix)
