"""The highest replicate number of every cell, read again from where judgments came from."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Ints
from quorate.errors import InvalidData
from quorate.table.collapse.grouped import places
from quorate.table.judgments import Judgments, Origin

_MOST = 2**53


def highest(judgments: Judgments) -> Ints:
    """The highest replicate number among the rows of every cell, whether answered or not.

    Numbers tell calls apart, and rows need not be there for all of them: answers come in any order and some are lost.
    Where replicates are no numbers, or single rows cannot be read again, it is the number of rows.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.

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
    numbers = _numbers(judgments, judgments.origin)
    if numbers is None:
        return judgments.rows
    cell, top = _matched(judgments, numbers), numbers.high
    if (top > _MOST).any():
        raise InvalidData(f'column "{judgments.replicate}": replicates are numbers up to 2**53, got {np.nanmax(top):g}')
    known = (cell >= 0) & np.isfinite(top)
    out = judgments.rows.copy()
    np.maximum.at(out, cell[known], np.ceil(top[known]).astype(np.int64))
    return out


def _numbers(judgments: Judgments, origin: Origin) -> Judgments | None:
    """The rows read once more with the replicate for the score; None where it is no number."""
    from quorate.table.read import read

    roles = origin.roles
    facets = {facet.name: facet.column for facet in roles.facets}
    try:
        again = read(
            origin.source,
            score=str(judgments.replicate),
            facets=facets,
            object=roles.object,
            fixed=(),
            status="",
            announce=False,
        )
    except InvalidData:
        return None
    if again.source.sha256 != judgments.source.sha256:
        raise InvalidData(f"{judgments.source.name}: has changed since it was read; read it again")
    return again


def _matched(judgments: Judgments, again: Judgments) -> Ints:
    """Cell of the judgments for every cell read again, by labels; -1 where it is none of them."""
    columns = []
    for facet in judgments.facets:
        index = {level: code for code, level in enumerate(facet.levels)}
        lookup = np.array([index.get(level, -1) for level in again.facet(facet.name).levels], dtype=np.int64)
        columns.append(lookup[again.column(facet.name)])
    return places(judgments.codes, np.column_stack(columns), judgments.facets)
