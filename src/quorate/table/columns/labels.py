"""Levels of a facet: distinct labels in order, and the level of every cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.table.exchange.format import is_wide
from quorate.table.facets import OK

if TYPE_CHECKING:
    import duckdb

ABSENT = "(missing)"
"""Label of the level that stands for rows without a label."""

_SEPARATORS = (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
BLANKS = "".join(map(chr, (*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), *_SEPARATORS)))
"""What `str.strip` takes off both ends; every engine has its own idea of a blank, so all are told."""

EXACT = 2**53
"""The largest whole number below which floating point numbers tell all of them apart."""

FEW = 10_000
"""Rows whose labels are told apart one by one."""

_FLOATS = ("FLOAT", "DOUBLE")
NUMERIC = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", *_FLOATS)
)
"""Types of the engine whose values are numbers that floating point holds, or nearly."""

_MOST_DIGITS = 1e15


@dataclass(frozen=True)
class Coded:
    """One facet over cells, as levels and codes.

    Parameters
    ----------
    levels : tuple of str
        Labels in order: ascending where the column is numeric, lexicographic otherwise.
    values : array of float, shape (levels,), optional
        The levels as numbers, where the column is numeric.
    codes : array of int64, shape (cells,)
        Index into ``levels``; -1 where the label is null.
    """

    levels: tuple[str, ...]
    values: NDArray[np.float64] | None
    codes: NDArray[np.int64]

    @cached_property
    def absent(self) -> bool:
        """Whether some label is null."""
        return bool(self.codes.min(initial=0) < 0)

    @property
    def size(self) -> int:
        """Number of levels, null counted as one."""
        return len(self.levels) + self.absent

    def last_if_absent(self) -> NDArray[np.int64]:
        """The codes with null as one level after the others."""
        return np.where(self.codes < 0, len(self.levels), self.codes) if self.absent else self.codes


def encode(column: NDArray[Any], absent: NDArray[np.bool_]) -> Coded:
    """Levels and codes of one column.

    Parameters
    ----------
    column : array, shape (cells,)
        Numbers, booleans or text; entries where ``absent`` is true are ignored.
    absent : array of bool, shape (cells,)
        Where there is no label.
    """
    if column.dtype == object:
        entries = column.tolist()
        if absent.any():
            entries = [None if gone else entry for entry, gone in zip(entries, absent.tolist(), strict=True)]
        plain = {entry: entry.strip() for entry in {*entries} - {None}}  # blanks around a label say nothing
        levels = sorted({*plain.values()})
        place = dict(zip(levels, range(len(levels)), strict=True))
        index = {**{entry: place[label] for entry, label in plain.items()}, None: -1}
        codes = np.fromiter(map(index.__getitem__, entries), dtype=np.int64, count=len(entries))
        return Coded(tuple(levels), None, codes)
    if not absent.any():
        distinct, codes = _distinct(column)
        return Coded(*number_labels(distinct), codes)
    distinct, present = _distinct(column[~absent])
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[~absent] = present
    return Coded(*number_labels(distinct), codes)


def labelled(
    rows: duckdb.DuckDBPyRelation, keys: Sequence[str], order: str | None = None
) -> tuple[list[Coded], dict[str, NDArray[Any]]]:
    """Levels and codes of some columns of rows in memory, and the others: in any order, or in that of one of them.

    Of text each label leaves the engine once, and every row the place of its own; where rows are few, so that planning
    this takes longer than doing it, every row leaves it as it is.
    """
    few = None if len(rows) > FEW else few_labelled(rows if order is None else rows.order(order), keys)
    if few is not None:
        return few
    coded, texts = rows.set_alias("rows"), {}
    kinds = dict(zip(rows.columns, map(str, rows.types), strict=True))
    for key in (key for key in keys if kinds[key] == "VARCHAR"):
        distinct = rows.aggregate(f"{key} AS label", key).order("label")  # by bytes, as Python orders text; null last
        labels = distinct.project("label, (row_number() OVER () - 1)::INTEGER AS code").materialize()
        texts[key] = [label for (label,) in labels.order("code").project("label").fetchall()]
        both = coded.join(labels.set_alias("labels"), f"rows.{key} IS NOT DISTINCT FROM labels.label")
        coded = both.project(f"rows.* REPLACE (labels.code AS {key})").set_alias("rows")
    columns = dict((coded if order is None else coded.order(order)).fetchnumpy())
    made = []
    for key in keys:
        column = columns.pop(key)
        if key in texts:
            levels, codes = tuple(texts[key]), np.ma.getdata(column).astype(np.int64)
            if None in levels[-1:]:  # which is the last
                levels = levels[:-1]
                codes[codes == len(levels)] = -1
            made.append(Coded(levels, None, codes))
        else:
            made.append(encode(np.ma.getdata(column), np.ma.getmaskarray(column)))
    return made, columns


def few_labelled(
    rows: duckdb.DuckDBPyRelation, keys: Sequence[str]
) -> tuple[list[Coded], dict[str, NDArray[Any]]] | None:
    """The same of rows that need not be in memory, in their order, if they are few; else None."""
    columns = dict(rows.limit(FEW + 1).fetchnumpy())
    if len(next(iter(columns.values()))) > FEW:
        return None
    held = [columns.pop(key) for key in keys]
    return [encode(np.ma.getdata(column), np.ma.getmaskarray(column)) for column in held], columns


def filled(column: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as the engine gives them, nan where there is none."""
    return np.ma.filled(column.astype(np.float64, copy=False), np.nan)


def label_in_sql(column: str, kind: str) -> str | None:
    """A label as it is grouped: a number as itself, anything else as text; None of lists, records and bytes."""
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB")):
        return None
    if kind in _FLOATS:
        return f"CASE WHEN NOT isnan({column}) THEN {column} END"
    if kind in NUMERIC or kind == "BOOLEAN":
        return column
    # ids of 128 bits are text too: as floating point numbers some would be one
    return f"{column}::DOUBLE" if kind.startswith("DECIMAL") and not is_wide(kind) else f"trim({column}::VARCHAR)"


def number_labels(distinct: NDArray[Any]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Labels and values of distinct numbers or booleans in ascending order."""
    labels = tuple(map(label, distinct))
    if distinct.dtype == np.bool_:
        return labels, distinct.astype(np.float64)
    return labels, np.array([float(label) for label in labels], dtype=np.float64)


def label(value: object) -> str:
    """The text of one label: whole numbers without a decimal point, booleans in lower case."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(float(value)) < _MOST_DIGITS:
        return str(int(value))
    return str(value)


def in_numeric_order(coded: Coded) -> Coded:
    """The same facet with levels ordered as numbers and ``values`` set, if every label is a number.

    For columns of files that have no types: labels stay exactly as written.
    """
    try:
        values = np.array([float(level) for level in coded.levels], dtype=np.float64)
    except ValueError:
        return coded
    if not len(values) or not np.isfinite(values).all():
        return coded
    order = np.argsort(values, kind="stable")
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    place[-1] = -1
    return Coded(tuple(coded.levels[i] for i in order), values[order], place[coded.codes])


def _distinct(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """As `numpy.unique` with its inverse, without sorting where integers are compact."""
    least, most = (int(column.min()), int(column.max())) if column.size and column.dtype.kind in "iub" else (0, -1)
    if not 0 <= most - least <= max(4 * column.size, 1024):
        distinct, inverse = np.unique(column, return_inverse=True)
        return distinct, inverse.astype(np.int64)
    first = column.dtype.type(least)  # of the column's own kind: no other holds all of its numbers
    offset = (column ^ first if column.dtype.kind == "b" else column - first).astype(np.int64)
    seen = np.bincount(offset) > 0
    present = np.flatnonzero(seen).astype(column.dtype)
    return present | first if column.dtype.kind == "b" else present + first, (np.cumsum(seen) - 1)[offset]


def no_labels(column: str, kind: str) -> InvalidData:
    """The error for a facet's column that holds lists, records or bytes."""
    rule = f'column "{column}" holds {kind}; a facet needs text, numbers, booleans or dates: name another column with '
    return InvalidData(rule + argument("facets", {...: ...}))


# Statuses of rows: the words of a status column, and what each of them means.


STATUS_WORDS: Mapping[str, tuple[str, ...]] = {
    OK: ("ok", "success", "valid", "succeeded"),
    "unparsed": ("unparsed", "parse_error", "invalid"),
    "refused": ("refused", "refusal"),
    "error": ("error", "failed", "failure"),
    "truncated": ("truncated", "length"),
}
"""Words of a status column, in lower case, by the status they mean."""


def status_of(word: str) -> str | None:
    """The status that a word in lower case means; None if it is not known."""
    return next((status for status, words in STATUS_WORDS.items() if word in words), None)


def statuses_of(column: Coded, name: str) -> list[str]:
    """The status of every level of a column of this name.

    Raises
    ------
    InvalidData
        If one is not known, or a row has none.
    """
    known = {level: status_of(level.strip().lower()) for level in column.levels}
    unknown: list[str | None] = [level for level, status in known.items() if status is None]
    if unknown or column.absent:
        raise unknown_statuses(name, [*unknown, *([None] if column.absent else [])])
    return [status for status in known.values() if status is not None]


def unknown_statuses(column: str, words: Sequence[str | None]) -> InvalidData:
    """The error for words of a status column that are not known, None for an empty one."""
    listed = ", ".join("(empty)" if word is None else f'"{word}"' for word in words[:5])
    more = f" and {len(words) - 5} more" if len(words) > 5 else ""
    known = ", ".join(STATUS_WORDS)
    return InvalidData(
        f'column "{column}" has statuses that are not known: {listed}{more}; use one of {known}, or '
        + argument("status", "")
        + " to ignore the column"
    )
