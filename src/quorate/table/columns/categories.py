"""Categories of a frame's column: levels by the integers its library keeps, much faster than through Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from quorate.table.columns.choose import TEXT
from quorate.table.columns.labels import Coded, encode, label

Categories = tuple[Mapping[int, str], NDArray[np.int64]]
"""Labels that occur, by the library's integer for them, and the integer of every row, -1 where there is none."""


def coded(column: nw.Series[Any]) -> Coded:
    """Levels and codes of one column."""
    if isinstance(column.dtype, TEXT):
        return _coded_text(column)
    absent = np.asarray(column.is_null().to_numpy(), dtype=np.bool_)
    if isinstance(column.dtype, nw.Boolean):
        return encode(np.asarray(column.fill_null(value=False).to_numpy(), dtype=np.bool_), absent)
    if column.dtype.is_numeric():
        return encode(column.fill_null(0).to_numpy() if absent.any() else column.to_numpy(), absent)
    return _coded_objects(column.to_list(), absent)


def _coded_objects(entries: list[Any], absent: NDArray[np.bool_]) -> Coded:
    present = [entry for entry, gone in zip(entries, absent.tolist(), strict=True) if not gone]
    kinds = {bool if isinstance(entry, (bool, np.bool_)) else type(entry) for entry in present}
    if kinds == {bool} or (kinds and kinds <= {int, float}):
        column: NDArray[Any] = np.zeros(len(entries), dtype=np.bool_ if kinds == {bool} else np.float64)
        column[~absent] = present
        return encode(column, absent)
    texts = np.full(len(entries), None, dtype=object)
    texts[~absent] = [label(entry) for entry in present]
    return encode(texts, absent)


def _coded_text(column: nw.Series[Any]) -> Coded:
    categories = column.cast(nw.Categorical) if isinstance(column.dtype, nw.String) else column
    library = column.implementation
    read = _of_polars if library.is_polars() else _of_arrow if library.is_pyarrow() else _of_pandas
    texts, codes = read(categories)
    order = sorted(texts, key=texts.__getitem__)
    place = np.full(max(texts, default=0) + 2, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    return Coded(tuple(map(texts.__getitem__, order)), None, place[codes])


def _of_polars(column: nw.Series[Any]) -> Categories:
    distinct = column.drop_nulls().unique()
    physical = distinct.to_native().to_physical().to_list()
    codes = column.to_native().to_physical().to_numpy()
    if column.null_count():
        codes = np.where(column.is_null().to_numpy(), -1, np.nan_to_num(codes))
    return dict(zip(physical, distinct.cast(nw.String).to_list(), strict=True)), codes.astype(np.int64)


def _of_pandas(column: nw.Series[Any]) -> Categories:
    native = column.to_native().cat
    return _occurring(native.categories.tolist(), native.codes.to_numpy().astype(np.int64))


def _of_arrow(column: nw.Series[Any]) -> Categories:
    array = column.to_native().unify_dictionaries().combine_chunks()
    return _occurring(array.dictionary.to_pylist(), array.indices.cast("int64").fill_null(-1).to_numpy())


def _occurring(texts: Sequence[Any], codes: NDArray[np.int64]) -> Categories:
    used = np.flatnonzero(np.bincount(codes + 1, minlength=1)[1:]).tolist()
    return {code: label(texts[code]) for code in used}, codes
