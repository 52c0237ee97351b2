"""Columns read again from where judgments came from: a value of every item, the highest replicate of every cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidData, NotEstimable, UnknownColumn
from quorate.table.collapse.grouped import places
from quorate.table.judgments import Judgments, Origin, checked
from quorate.table.read_scores import read_scores

_MOST = 2**53
_CALL = "call of a cell"


def item_values(judgments: Judgments, column: str) -> dict[str, float]:
    """The value of every item in a column of numbers that repeats it on each of the item's rows, such as a human score.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, whole or a part, such as one level of a facet; their source is read again.
    column : str
        Column of the source. What stands for no score there stands for no value here.

    Returns
    -------
    dict of str to float
        By label of the object of measurement; objects without a value are left out.

    Raises
    ------
    InvalidData
        If an object has two values, the column holds what is no number, or the source has changed since.
    NotEstimable
        If the judgments were not read from rows.
    UnknownColumn
        If there is no such column.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"item": ["a", "a", "b"], "score": [3, 5, 4], "human": [4.5, 4.5, None]})
    >>> item_values(read_scores(frame, facets={"item": "item"}), "human")
    {'a': 4.5}
    """
    origin = checked(judgments).origin
    if origin is None:
        raise NotEstimable(f'column "{column}": these judgments were not read from rows; pass a mapping instead')
    try:
        again = _read_again(judgments, origin, column, origin.missing.words)
    except UnknownColumn as error:
        if error.column != column:
            raise
        raise UnknownColumn("values", column, error.columns) from None
    _refuse_changed(judgments, again)
    some = (again.n > 0) & (_cells(judgments, again) >= 0)
    place = again.column(again.object)[some]
    levels = again.facet(again.object).levels
    low, high = np.full(len(levels), np.inf), np.full(len(levels), -np.inf)
    np.minimum.at(low, place, again.low[some])
    np.maximum.at(high, place, again.high[some])
    several = np.flatnonzero(low < high)
    if several.size:
        first = several[0]
        raise InvalidData(
            f'column "{column}": {several.size:,} of {len(levels):,} {again.object} labels have several values, the '
            f'first "{levels[first]}" ({low[first]:g} and {high[first]:g}); take one level of what they depend on'
        )
    return {label: float(value) for label, value in zip(levels, low, strict=True) if np.isfinite(value)}


def highest_replicates(judgments: Judgments) -> Ints:
    """The highest replicate number among the rows of every cell, whether answered or not.

    Numbers tell calls apart, and rows need not be there for all of them: answers come in any order and some are lost.
    Where replicates are no numbers, or single rows cannot be read again, it is the number of rows.

    Returns
    -------
    array of int64, shape (cells,)

    Raises
    ------
    InvalidData
        If two rows of a cell have the same replicate, the file has changed since, or a number is beyond 2**53.
    """
    if judgments.distinct is not None and (judgments.distinct < judgments.rows).any():
        twice = int((judgments.distinct < judgments.rows).sum())
        raise InvalidData(f"{judgments.source.name}: {twice:,} cells have two rows of one replicate; keep one of them")
    if judgments.replicate is None or judgments.origin is None:
        return judgments.rows
    try:
        again = _read_again(judgments, judgments.origin, judgments.replicate)
    except InvalidData:
        return judgments.rows
    _refuse_changed(judgments, again)
    cell, top = _cells(judgments, again), again.high
    if (top > _MOST).any():
        raise InvalidData(f'column "{judgments.replicate}": replicates are numbers up to 2**53, got {np.nanmax(top):g}')
    known = (cell >= 0) & np.isfinite(top)
    out = judgments.rows.copy()
    np.maximum.at(out, cell[known], np.ceil(top[known]).astype(np.int64))
    return out


class Calls(NamedTuple):
    """Single calls, in any order.

    Parameters
    ----------
    cell : array of int64, shape (calls,)
        Cell of the judgments.
    replicate : array, shape (calls,)
        Number of the call in its cell, in the order of asking.
    answered : array of bool, shape (calls,)
        Whether it has a score.
    """

    cell: Ints
    replicate: Floats
    answered: NDArray[np.bool_]


def calls_in_order(judgments: Judgments) -> Calls | None:
    """Every call with its place in the order of its cell; None where replicates are no numbers, so that none is known.

    Raises
    ------
    InvalidData
        If the file has changed since.
    """
    origin = judgments.origin
    if judgments.replicate is None or origin is None:
        return None
    try:
        again = _read_again(judgments, origin, origin.roles.score, origin.missing.words, call=judgments.replicate)
        number = np.array([float(label) for label in again.facet(_CALL).levels])
    except (InvalidData, ValueError):  # some row has none, or one that is no number
        return None
    _refuse_changed(judgments, again)
    cell = _cells(judgments, again)
    known = cell >= 0
    return Calls(cell[known], number[again.column(_CALL)][known], again.n[known] > 0)


def _read_again(
    judgments: Judgments, origin: Origin, column: str, missing: Iterable[str] = (), *, call: str | None = None
) -> Judgments:
    """The rows read once more, with this column as the score; by ``call``, a column of replicates, each by itself."""
    facets = origin.roles.facets
    return read_scores(
        origin.source,
        score=column,
        facets={facet.name: facet.column for facet in facets} | ({} if call is None else {_CALL: call}),
        object=judgments.object,
        nested={facet.name: facet.parent for facet in facets if facet.parent is not None},
        status="" if call is None else origin.roles.status or "",
        missing=missing,
        where=origin.rows.where,
        partitions=origin.rows.partitions,
    )


def _refuse_changed(judgments: Judgments, again: Judgments) -> None:
    if again.source.sha256 != judgments.source.sha256:
        raise InvalidData(f"{judgments.source.name}: has changed since it was read; read it again")


def _cells(judgments: Judgments, again: Judgments) -> Ints:
    """Cell of the judgments for every cell read again, by labels; -1 where it is none of them."""
    columns = []
    for facet in judgments.facets:
        index = {label: code for code, label in enumerate(facet.levels)}
        lookup = np.array([index.get(label, -1) for label in again.facet(facet.name).levels], dtype=np.int64)
        columns.append(lookup[again.column(facet.name)])
    return places(judgments.codes, np.column_stack(columns), judgments.facets)
