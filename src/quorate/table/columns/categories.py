"""Categories of a frame's column: levels by the integers its library keeps, much faster than through Python."""

from __future__ import annotations

from typing import Any, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from quorate.table.columns.labels import BLANKS, EXACT, Coded, encode, in_numeric_order, label, no_labels
from quorate.table.columns.roles import Roles

# Choice of the columns that play a role, from any frame, under names and in kinds that are alike everywhere.


Frame = TypeVar("Frame", nw.DataFrame[Any], nw.LazyFrame[Any])

TEXT = (nw.String, nw.Categorical, nw.Enum)
_WIDE = (nw.Int128, nw.UInt128)
_TIMES = (nw.Date, nw.Datetime, nw.Time, nw.Duration)


def choose(frame: Frame, roles: Roles) -> Frame:
    """The columns ``f0``, ``f1``, ... (facets), ``score``, and where declared ``status`` and ``replicate``.

    Raises
    ------
    InvalidData
        If a facet's column holds lists, records or bytes.
    """
    schema = frame.collect_schema()
    blanks = None if frame.implementation.is_ibis() else BLANKS  # Ibis takes no list of characters
    return frame.select(
        *(label_column(facet.column, schema[facet.column]).alias(f"f{i}") for i, facet in enumerate(roles.facets)),
        nw.col(roles.score).alias("score"),
        *(
            nw.col(name).cast(nw.String).str.strip_chars(blanks).str.to_lowercase().alias("status")
            for name in [roles.status]
            if name is not None
        ),
        *([nw.col(roles.replicate).alias("replicate")] if roles.replicate is not None else []),
    )


def label_column(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """A facet's column, nan made null and dates made text.

    Raises
    ------
    InvalidData
        If the column holds lists, records or bytes.
    """
    column = nw.col(name)
    if kind.is_nested() or isinstance(kind, nw.Binary):
        raise no_labels(name, str(kind).lower())
    if kind.is_float():
        return column.fill_nan(None)
    if kind.is_decimal():
        return column.cast(nw.Float64)
    return column.cast(nw.String) if isinstance(kind, (*_TIMES, *_WIDE)) else column


def has_numbers(kind: nw.dtypes.DType) -> bool:
    """Whether scores in a column of this kind need no reading of text."""
    return kind.is_numeric() or isinstance(kind, nw.Boolean)


def coded(column: nw.Series[Any]) -> Coded:
    """Levels and codes of one column."""
    if isinstance(column.dtype, TEXT):
        return _coded_text(column)
    absent = np.asarray(column.is_null().to_numpy(), dtype=np.bool_)
    if isinstance(column.dtype, nw.Boolean):
        return encode(np.asarray(column.fill_null(value=False).to_numpy(), dtype=np.bool_), absent)
    if column.dtype.is_numeric():
        return encode(column.fill_null(0).to_numpy() if absent.any() else column.to_numpy(), absent)
    entries = column.to_list()
    present = [entry for entry, gone in zip(entries, absent.tolist(), strict=True) if not gone]
    kinds = {bool if isinstance(entry, (bool, np.bool_)) else type(entry) for entry in present}
    wide = any(isinstance(entry, int) and abs(entry) > EXACT for entry in present)
    if kinds == {bool} or (kinds and kinds <= {int, float} and not wide):
        numbers: NDArray[Any] = np.zeros(len(entries), dtype=np.bool_ if kinds == {bool} else np.float64)
        numbers[~absent] = present
        return encode(numbers, absent)
    texts = np.full(len(entries), None, dtype=object)
    texts[~absent] = [label(entry) for entry in present]
    return in_numeric_order(encode(texts, absent)) if wide else encode(texts, absent)


def _coded_text(column: nw.Series[Any]) -> Coded:
    """Levels by the library's integer for each label that occurs; that of a row is -1 where there is none."""
    categories = column.cast(nw.Categorical) if isinstance(column.dtype, nw.String) else column
    native = categories.to_native()
    if column.implementation.is_polars():
        distinct = categories.drop_nulls().unique()
        codes = native.to_physical().to_numpy()
        if categories.null_count():
            codes = np.where(categories.is_null().to_numpy(), -1, np.nan_to_num(codes))
        physical = distinct.to_native().to_physical().to_list()
        texts = dict(zip(physical, distinct.cast(nw.String).to_list(), strict=True))
        codes = codes.astype(np.int64)
    else:
        if column.implementation.is_pyarrow():
            array = native.unify_dictionaries().combine_chunks()
            words, codes = array.dictionary.to_pylist(), array.indices.cast("int64").fill_null(-1).to_numpy()
        else:
            words, codes = native.cat.categories.tolist(), native.cat.codes.to_numpy().astype(np.int64)
        used = np.flatnonzero(np.bincount(codes + 1, minlength=1)[1:]).tolist()
        texts = {code: label(words[code]) for code in used}
    order = sorted(texts, key=texts.__getitem__)
    place = np.full(max(texts, default=0) + 2, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    return Coded(tuple(map(texts.__getitem__, order)), None, place[codes])
