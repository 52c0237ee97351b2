"""The columns that play a role, from any frame, under names of our own and in kinds that group alike everywhere."""

from __future__ import annotations

from typing import Any, TypeVar

import narwhals as nw

from quorate.errors import InvalidData
from quorate.table.roles import Roles

Frame = TypeVar("Frame", nw.DataFrame[Any], nw.LazyFrame[Any])

TEXT = (nw.String, nw.Categorical, nw.Enum)
_TIMES = (nw.Date, nw.Datetime, nw.Time, nw.Duration)


def choose(frame: Frame, roles: Roles) -> Frame:
    """The columns ``f0``, ``f1``, ... (facets), ``score``, and where declared ``status`` and ``replicate``.

    Raises
    ------
    InvalidData
        If a facet's column holds lists, records or bytes.
    """
    schema = frame.collect_schema()
    return frame.select(
        *(label_column(facet.column, schema[facet.column]).alias(f"f{i}") for i, facet in enumerate(roles.facets)),
        nw.col(roles.score).alias("score"),
        *([_status(roles.status).alias("status")] if roles.status is not None else []),
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
        raise InvalidData(f'column "{name}" holds {str(kind).lower()}; a facet needs text, numbers, booleans or dates')
    if kind.is_float():
        return column.fill_nan(None)
    if kind.is_decimal():
        return column.cast(nw.Float64)
    return column.cast(nw.String) if isinstance(kind, _TIMES) else column


def has_numbers(kind: nw.dtypes.DType) -> bool:
    """Whether scores in a column of this kind need no reading of text."""
    return kind.is_numeric() or isinstance(kind, nw.Boolean)


def _status(name: str) -> nw.Expr:
    return nw.col(name).cast(nw.String).str.strip_chars().str.to_lowercase()
