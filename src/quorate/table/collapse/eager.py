"""Collapse of a frame in memory: columns become codes, codes become cells, all in numpy."""

from __future__ import annotations

from typing import Any, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from quorate.table.collapse.grouped import Grouped, Held, Long, Scores, Ungrouped, grouped, in_rows, ungrouped
from quorate.table.columns.labels import BLANKS, EXACT, FEW, Coded, encode, in_numeric_order, label, no_labels
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import Missing, parse

# Choice of the columns that play a role, from any frame, under names and in kinds that are alike everywhere.


TEXT = (nw.String, nw.Categorical, nw.Enum)
_WIDE = (nw.Int128, nw.UInt128)
_TIMES = (nw.Date, nw.Datetime, nw.Time, nw.Duration)


def choose(frame: nw.LazyFrame[Any], roles: Roles) -> nw.LazyFrame[Any]:
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
        *([_status_column(roles.status, blanks)] if roles.status is not None else []),
        *([nw.col(roles.replicate).alias("replicate")] if roles.replicate is not None else []),
    )


def _status_column(name: str, blanks: str | None) -> nw.Expr:
    return nw.col(name).cast(nw.String).str.strip_chars(blanks).str.to_lowercase().alias("status")


def label_column(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """A facet's column, nan made null, dates made text, and blanks around text taken off.

    Raises
    ------
    InvalidData
        If the column holds lists, records or bytes.
    """
    return nw.col(name).fill_nan(None) if kind.is_float() else _grouping(nw.col(name), name, kind)


def label_series(column: nw.Series[Any]) -> nw.Series[Any]:
    """The same of a column in memory, which is not asked of its library where nothing has to be made.

    Raises
    ------
    InvalidData
        If the column holds lists, records or bytes.
    """
    if column.dtype.is_float() and np.isnan(column.to_numpy()).any():
        return column.to_frame().select(nw.col(column.name).fill_nan(None))[column.name]
    return _grouping(column, column.name, column.dtype)


Column = TypeVar("Column", nw.Expr, "nw.Series[Any]")


def _grouping(column: Column, name: str, kind: nw.dtypes.DType) -> Column:
    """A column without nan as one of labels."""
    if kind.is_nested() or isinstance(kind, nw.Binary):
        raise no_labels(name, str(kind).lower())
    if kind.is_decimal():
        return column.cast(nw.Float64)
    column = column.cast(nw.String) if isinstance(kind, (*_TIMES, *_WIDE)) else column
    return column.str.strip_chars() if isinstance(kind, nw.String) else column


def has_numbers(kind: nw.dtypes.DType) -> bool:
    """Whether scores in a column of this kind need no reading of text."""
    return kind.is_numeric() or isinstance(kind, nw.Boolean)


def coded(column: nw.Series[Any]) -> Coded:
    """Levels and codes of one column."""
    few = isinstance(column.dtype, nw.String) and len(column) < FEW
    if isinstance(column.dtype, TEXT) and not few:
        return _coded_text(column)
    absent = _absent(column)
    if few:  # to ask the library takes longer than to look at each
        return encode(np.array([str(entry) for entry in column.to_list()], dtype=object), absent)
    if isinstance(column.dtype, nw.Boolean):
        known = column.fill_null(value=False) if absent.any() else column
        return encode(np.asarray(known.to_numpy(), dtype=np.bool_), absent)
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


def _absent(column: nw.Series[Any]) -> NDArray[np.bool_]:
    """Where there is no value; to count them takes the library less than to show where they are."""
    if not column.null_count():
        return np.zeros(len(column), dtype=np.bool_)
    return np.asarray(column.is_null().to_numpy(), dtype=np.bool_)


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


def collapse(frame: nw.DataFrame[Any], roles: Roles, missing: Missing) -> Grouped:
    """Rows, answers, means and sums of squares per cell.

    Raises
    ------
    InvalidData
        If a score is not a finite number or a status is not known.
    """
    return grouped(_held(frame, roles, missing), roles)


def ungroup(frame: nw.DataFrame[Any], roles: Roles, missing: Missing) -> Ungrouped:
    """Every usable answer, as `collapse` finds them."""
    return ungrouped(_held(frame, roles, missing), roles)


def long(frame: nw.DataFrame[Any], roles: Roles, missing: Missing) -> Long:
    """Every row as it was read: its labels, replicate, score and status."""
    return in_rows(_held(frame, roles, missing), roles)


def _held(frame: nw.DataFrame[Any], roles: Roles, missing: Missing) -> Held:
    facets = tuple(coded(label_series(frame[facet.column])) for facet in roles.facets)
    status = replicate = None
    if roles.status is not None:
        status = coded(frame.select(_status_column(roles.status, BLANKS))["status"])
    if roles.replicate is not None:
        replicate = coded(frame[roles.replicate])
    return Held(facets, _scores(frame[roles.score], missing), status, replicate)


def _scores(column: nw.Series[Any], missing: Missing) -> Scores:
    present = ~_absent(column)
    if not has_numbers(column.dtype):
        entries = [entry if there else None for entry, there in zip(column.to_list(), present.tolist(), strict=True)]
        return Scores(*parse(entries, missing), column)
    held = column.cast(nw.Float64)
    values = np.asarray((held if present.all() else held.fill_null(float("nan"))).to_numpy(), dtype=np.float64)
    if missing.numbers:
        present &= ~np.isin(values, missing.numbers)
    if missing.nan:
        present &= ~np.isnan(values)
    return Scores(values, present, column)
