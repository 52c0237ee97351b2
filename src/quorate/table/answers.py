"""Answers, every single one, by cell: read again from where judgments came from, when means are not enough."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidData, NotEstimable
from quorate.table.collapse.grouped import Ungrouped, places
from quorate.table.columns.labels import ABSENT
from quorate.table.exchange.postgres.address import Address
from quorate.table.judgments import Judgments, Origin, checked

_CLOSE = 1e-9


class Answers(NamedTuple):
    """The usable answers of judgments.

    Parameters
    ----------
    values : array of float64, shape (answers,)
        Cell after cell, in a cell by replicate: numbers by size, then text; without replicates, and among equal ones,
        by value.
    offsets : array of int64, shape (cells + 1,)
        Cell ``c`` has ``values[offsets[c]:offsets[c + 1]]``.
    """

    values: NDArray[np.float64]
    offsets: NDArray[np.int64]


def answers(judgments: Judgments) -> Answers:
    """The single answers behind judgments, read again from their file or frame.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, whole or a part; nothing of its source is held, so the file must still be there.

    Returns
    -------
    Answers
        In the order of the cells, as many as were counted.

    Raises
    ------
    NotEstimable
        If the judgments were not read from rows, or their facets are not those that were read.
    InvalidInput
        If the file is gone.
    InvalidData
        If the file or frame has changed since.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read import read
    >>> frame = polars.DataFrame({"item": ["b", "a", "a"], "rep": [1, 2, 1], "score": [3, 5, 4]})
    >>> values, offsets = answers(read(frame, facets={"item": "item", "replicate": "rep"}))
    >>> values.tolist(), offsets.tolist()
    ([4.0, 5.0, 3.0], [0, 2, 3])
    """
    origin = checked(judgments).origin
    if origin is None:
        raise NotEstimable("judgments: hold means, not answers; pass an array of answers, shape (arms, draws)")
    if judgments.names != tuple(facet.name for facet in origin.roles.facets):
        raise NotEstimable("judgments: facets are not those that were read; pass the table as quorate.read returned it")
    ungrouped = _ungrouped(judgments, origin)
    columns = []
    for facet, coded in zip(judgments.facets, ungrouped.facets, strict=True):
        index = {level: code for code, level in enumerate(facet.levels)}
        lookup = [index.get(level, -1) for level in (*coded.levels, ABSENT)]
        columns.append(np.array(lookup, dtype=np.int64)[coded.codes])
    place = np.append(places(judgments.codes, np.column_stack(columns), judgments.facets), -1)
    cell = place[ungrouped.cell]
    kept = cell >= 0
    cell, values = cell[kept], ungrouped.values[kept]
    n = np.bincount(cell, minlength=judgments.n_cells)
    if not np.array_equal(n, judgments.n):
        raise _changed(judgments)
    total = np.bincount(cell, values, minlength=judgments.n_cells)
    expected = np.where(n > 0, judgments.mean, 0.0) * n
    scale = np.maximum(np.abs(judgments.low), np.abs(judgments.high)) * n
    if not (np.abs(total - expected) <= _CLOSE * np.nan_to_num(scale)).all():  # false for nan too
        raise _changed(judgments)
    return Answers(values[np.argsort(cell, kind="stable")], np.append(0, np.cumsum(n)))


def _ungrouped(judgments: Judgments, origin: Origin) -> Ungrouped:
    import narwhals as nw

    from quorate.table.collapse import eager as collapse_eager
    from quorate.table.collapse import lazy as collapse_lazy
    from quorate.table.collapse import sql as collapse_sql
    from quorate.table.columns.share import share_in_frame
    from quorate.table.exchange.format import Opened
    from quorate.table.files import explained, located, opened, sha256

    if isinstance(origin.source, (Path, Address)):
        located(origin.source, origin.rows)  # says in one line that it is gone
        if sha256(origin.source, origin.rows) != judgments.source.sha256:
            raise _changed(judgments)
        with opened(origin.source, origin.rows) as file:
            return collapse_sql.ungroup(file, origin.roles, origin.missing)
    frame = nw.from_native(origin.source)
    if frame.implementation.is_duckdb():
        names = tuple(frame.collect_schema().names())
        with explained("duckdb relation"):
            held = origin.rows.of(Opened(frame.to_native(), names, typed=True))
            return collapse_sql.ungroup(held, origin.roles, origin.missing)
    frame = share_in_frame(frame, origin.rows.share)
    if isinstance(frame, nw.LazyFrame):
        return collapse_lazy.ungroup(frame, origin.roles, origin.missing)
    return collapse_eager.ungroup(frame, origin.roles, origin.missing)


def _changed(judgments: Judgments) -> InvalidData:
    return InvalidData(f"{judgments.source.name}: has changed since it was read; read it again")
