"""One value per item from a further column of what judgments were read from, such as a human score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidData, NotEstimable, UnknownColumn
from quorate.table.collapse.grouped import places
from quorate.table.judgments import Judgments, checked
from quorate.table.read import read


def item_values(judgments: Judgments, column: str) -> dict[str, float]:
    """The value of every item in a column of numbers that repeats it on each of the item's rows.

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
    >>> item_values(read(frame, facets={"item": "item"}), "human")
    {'a': 4.5}
    """
    found = _read(checked(judgments), column)
    some = (found.n > 0) & _within(judgments, found)
    place = found.column(found.object)[some]
    levels = found.facet(found.object).levels
    low, high = np.full(len(levels), np.inf), np.full(len(levels), -np.inf)
    np.minimum.at(low, place, found.low[some])
    np.maximum.at(high, place, found.high[some])
    several = np.flatnonzero(low < high)
    if several.size:
        first = several[0]
        raise InvalidData(
            f'column "{column}": {several.size:,} of {len(levels):,} {found.object} labels have several values, the '
            f'first "{levels[first]}" ({low[first]:g} and {high[first]:g}); take one level of what they depend on'
        )
    return {label: float(value) for label, value in zip(levels, low, strict=True) if np.isfinite(value)}


def _read(judgments: Judgments, column: str) -> Judgments:
    """The source with this column as the score."""
    origin = judgments.origin
    if origin is None:
        raise NotEstimable(f'column "{column}": these judgments were not read from rows; pass a mapping instead')
    facets = origin.roles.facets
    try:
        found = read(
            origin.source,
            score=column,
            facets={facet.name: facet.column for facet in facets},
            object=judgments.object,
            nested={facet.name: facet.parent for facet in facets if facet.parent is not None},
            status="",
            missing=origin.missing.words,
        )
    except UnknownColumn as error:
        if error.column != column:
            raise
        raise UnknownColumn("values", column, error.columns) from None
    if found.source.sha256 != judgments.source.sha256:
        raise InvalidData(f"{judgments.source.name}: has changed since it was read; read it again")
    return found


def _within(judgments: Judgments, found: Judgments) -> NDArray[np.bool_]:
    """Whether each cell found is one of the judgments."""
    columns = []
    for name in judgments.names:
        index = {label: code for code, label in enumerate(judgments.facet(name).levels)}
        lookup = np.array([index.get(label, -1) for label in found.facet(name).levels], dtype=np.int64)
        columns.append(lookup[found.column(name)])
    return np.asarray(places(judgments.codes, np.column_stack(columns), judgments.facets) >= 0)
