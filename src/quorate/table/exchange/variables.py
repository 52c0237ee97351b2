"""Variables: columns of a file, a frame or a mapping as they are, numbers or words, one value for each row."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.exchange.postgres.address import places_of
from quorate.table.exchange.rows import Rows
from quorate.table.files import ALL, explained, opened
from quorate.table.results import wrapped

Words = NDArray[np.object_]
_BLANK = ("", "<NA>", "nan", "NaT")
_ABSENT = frozenset(("nan", "none", "null", "na", "n/a"))
"""What stands for no number among numbers; among words it is a word."""


def variables(
    source: Any, names: Sequence[str] | None = None, *, rows: Rows = ALL, argument: str = "source"
) -> dict[str, Floats | Words]:
    """Columns by name: arrays of numbers, nan where there is none, or of words, None where there is none.

    A column of text is one of numbers if everything in it is a number.

    Parameters
    ----------
    source : path, data frame or mapping of str to sequence
        Where the columns are.
    names : sequence of str, optional
        Which; all of them if left out.
    rows : Rows
        Which rows of a file.
    argument : str
        What the source is called in errors.

    Raises
    ------
    InvalidInput
        If it is none of these, or columns differ in length.
    UnknownColumn
        If a column is not there.

    Examples
    --------
    >>> variables({"length": ["10", "", "30"], "judge": ["x", "y", None]})
    {'length': array([10., nan, 30.]), 'judge': array(['x', 'y', None], dtype=object)}
    """
    if isinstance(source, Mapping):
        chosen = _chosen(argument, list(source), names)
        columns = {name: values_of(source[name], f"{argument}: {name}") for name in chosen}
    elif isinstance(source, (str, os.PathLike)):
        with opened(places_of(source), rows) as file, explained(str(source)):
            chosen = _chosen(argument, file.columns, names)
            read = file.only(chosen).fetchall()
        columns = {name: values_of([row[at] for row in read], name) for at, name in enumerate(chosen)}
    else:
        frame = wrapped(source).lazy().collect()
        chosen = _chosen(argument, frame.columns, names)
        columns = {name: values_of(frame[name].to_list(), name) for name in chosen}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise InvalidInput(
            f"{argument}: columns have {min(lengths):,} to {max(lengths):,} values; give one for each row"
        )
    return columns


def values_of(values: Any, name: str) -> Floats | Words:
    """One column: numbers if everything in it is a number, else words.

    Raises
    ------
    InvalidInput
        If it is no sequence of values.
    """
    given = np.asarray(values)
    if given.ndim != 1:
        raise InvalidInput(f"{name}: a sequence with one value for each row is needed, got shape {given.shape}")
    if given.dtype.kind in "biuf":
        return given.astype(np.float64)
    entries = [None if value is None or str(value).strip() in _BLANK else value for value in given.tolist()]
    try:
        return np.array(
            [np.nan if one is None or str(one).strip().lower() in _ABSENT else float(one) for one in entries]
        )
    except (TypeError, ValueError):
        return np.array([None if one is None else str(one) for one in entries], dtype=object)


def missing(column: Floats | Words) -> int:
    """Rows without a value."""
    return sum(one is None for one in column.tolist()) if column.dtype == object else int(np.isnan(column).sum())


def _chosen(argument: str, columns: Sequence[str], names: Sequence[str] | None) -> Sequence[str]:
    for name in names or ():
        if name not in columns:
            raise UnknownColumn(argument, name, columns)
    return columns if names is None else names
