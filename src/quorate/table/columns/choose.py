"""Choice of the columns that play a role, from any frame, under names and in kinds that are alike everywhere."""

from __future__ import annotations

from typing import Any, TypeVar

import narwhals as nw

from quorate.table.columns.labels import BLANKS, no_labels
from quorate.table.columns.roles import Roles

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
