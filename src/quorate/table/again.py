"""Columns read again from where judgments came from: a value of every item, the highest replicate of every cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidData, NotEstimable, UnknownColumn
from quorate.table.judgments import Judgments
from quorate.table.reread import cells_of, reopened

_MOST = 2**53


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
    >>> from quorate.table.read import read
    >>> item_values(read(frame, facets={"item": "item"}), "human")
    {'a': 4.5}
    """
    if judgments.origin is None:
        raise NotEstimable(f'column "{column}": these judgments were not read from rows; pass a mapping instead')
    with reopened(judgments) as source:
        if column not in source.columns:
            raise UnknownColumn("values", column, source.columns)
        again = source.cells(column)
    cell = cells_of(judgments, again.facets)
    some = (again.n > 0) & (cell >= 0)
    place = judgments.column(judgments.object)[cell[some]]
    levels = judgments.facet(judgments.object).levels
    low, high = np.full(len(levels), np.inf), np.full(len(levels), -np.inf)
    np.minimum.at(low, place, again.low[some])
    np.maximum.at(high, place, again.high[some])
    several = np.flatnonzero(low < high)
    if several.size:
        first = several[0]
        raise InvalidData(
            f'column "{column}": {several.size:,} of {len(levels):,} {judgments.object} labels have several values, '
            f'the first "{levels[first]}" ({low[first]:g} and {high[first]:g}); take one level of what they depend on'
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
    with reopened(judgments) as source:
        try:
            again = source.cells(judgments.replicate)
        except InvalidData:  # labels that are no numbers
            return judgments.rows
    cell, top = cells_of(judgments, again.facets), again.high
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
    if judgments.replicate is None or judgments.origin is None:
        return None
    with reopened(judgments) as source:
        long = source.rows()
    labels = np.array([""]) if long.replicate is None else long.replicate
    try:
        number = np.array([np.nan if label is None else float(label) for label in labels])
    except ValueError:
        return None
    if np.isnan(number).any():
        return None
    cell = cells_of(judgments, long.facets)
    known = cell >= 0
    return Calls(cell[known], number[known], ~np.isnan(long.score[known]))
