"""Answers, every single one, by cell: read again from where judgments came from, when means are not enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.table.judgments import Judgments
from quorate.table.reread import cells_of, refuse_changed, reopened


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
    with reopened(judgments) as source:
        ungrouped = source.answers()
    place = np.append(cells_of(judgments, ungrouped.facets), -1)
    cell = place[ungrouped.cell]
    kept = cell >= 0
    cell, values = cell[kept], ungrouped.values[kept]
    refuse_changed(judgments, cell, values)
    offsets = np.append(0, np.cumsum(judgments.n))
    return Answers(values[np.argsort(cell, kind="stable")], offsets)
