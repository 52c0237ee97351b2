"""Rankings as votes: one vote on every pair of systems that were ranked together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import Bools, Ints
from quorate.errors import InvalidData
from quorate.table.columns.labels import Coded
from quorate.table.notes import Note
from quorate.table.pairs import TIE, A, B, Codes


class RankedPairs(NamedTuple):
    """Pairs of rows of one ranking.

    Parameters
    ----------
    first, second : array of int, shape (pairs,)
        Rows of the two.
    outcome : array of int8, shape (pairs,)
        Who has the better place.
    notes : tuple of Note
        What was left out.
    """

    first: Ints
    second: Ints
    outcome: NDArray[np.int8]
    notes: tuple[Note, ...]


def in_pairs(
    places: Coded, column: str, system: Codes, models: tuple[str, ...], facets: Mapping[str, Codes], ok: Bools
) -> RankedPairs:
    """All pairs of each ranking, in the order of rankings, then of rows.

    Parameters
    ----------
    places : Coded
        Place of every row, 1 the best; a row without one is not ranked.
    column : str
        Its column.
    system : array of int, shape (rows,)
        Index into ``models``.
    models : tuple of str
        Labels.
    facets : mapping of str to array of int, shape (rows,)
        What a ranking is of; ``cluster`` is the ranking.
    ok : array of bool, shape (rows,)
        Rows that count.

    Raises
    ------
    InvalidData
        If places are no numbers, a system is ranked twice, or two rows of one ranking differ in a facet.
    """
    if places.values is None:
        raise InvalidData(f'column "{column}": expects numbers, 1 for the best, got "{places.levels[0]}"')
    ranking = facets["cluster"]
    rows = np.flatnonzero(ok & (places.codes >= 0) & (ranking >= 0))
    rows = rows[np.argsort(ranking[rows], kind="stable")]
    _, starts, sizes = np.unique(ranking[rows], return_index=True, return_counts=True)
    parts = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        members = rows[starts[sizes == size, None] + np.arange(size)]
        parts += [np.stack([members[:, i].ravel(), members[:, j].ravel()]) for i, j in _pairs(size)]
    if not parts:
        raise InvalidData(
            "cluster: no ranking has two systems with a place; " + argument("cluster", ..., group="roles")
        )
    first, second = np.concatenate(parts, axis=1)
    order = np.lexsort((second, first, ranking[first]))
    first, second = first[order], second[order]
    _refuse(system[first] == system[second], "has a system twice, {}", first, ranking, system, models)
    for name, code in facets.items():
        _refuse(
            code[first] != code[second], f"has several levels of {name}; one is of {{}}", first, ranking, system, models
        )
    ahead = np.sign(places.values[places.codes[second]] - places.values[places.codes[first]])
    outcome = np.where(ahead > 0, np.int8(A), np.where(ahead < 0, np.int8(B), np.int8(TIE)))
    left, lone = len(ranking) - len(rows), int((sizes == 1).sum())
    notes = [Note(f"rank: {left:,} rows without a place or a ranking are left out")] * bool(left)
    notes += [Note(f"rank: {lone:,} rankings of one system are left out")] * bool(lone)
    return RankedPairs(first, second, outcome, tuple(notes))


def _pairs(size: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(size) for j in range(i + 1, size)]


def _refuse(bad: Bools, what: str, row: Ints, ranking: Codes, system: Codes, models: tuple[str, ...]) -> None:
    """Refuse a ranking that is none, by its place among rankings and a system."""
    if bad.any():
        at = row[int(bad.argmax())]
        start = int(np.flatnonzero(ranking == ranking[at])[0]) + 1
        raise InvalidData(f"rank: the ranking that starts in row {start} {what.format(models[system[at]])}")
