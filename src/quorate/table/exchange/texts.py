"""Few rows of text, held here: to plan a query over them takes the engine longer than to look at them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from quorate.table.exchange.engine import connection
from quorate.table.exchange.format import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MOST = 2_000
"""Rows that are few."""

Cells = Sequence[str | None]
"""A column: its text in every row, None where there is none."""

BLANKS = " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""What the engine's ``trim`` takes off both ends."""

_NUMBER = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf|infinity)\s*", re.ASCII | re.IGNORECASE)
_PERHAPS = re.compile(r"\s*[+-]*(?:[\d._e+-]*_[\d._e+-]*|[+-][\d.].*|nan\(.*)\s*", re.ASCII | re.IGNORECASE)
"""Other text that the engine may read as a number, such as 1_000."""


_DOUBLE, _LEAST, _GREATEST = 8, 1e-4, 1e15
"""Bytes of a number, and between which ones it is written without an exponent."""


class Texts:
    """A table whose columns are text, as a relation of the engine, which has it from the first query that needs one."""

    def __init__(self, own: DuckDBPyConnection, columns: Sequence[Cells], names: Sequence[str] = ()) -> None:
        self.held = columns
        self.columns = [*names] or [f"c{place}" for place in range(len(columns))]
        self.types = ["VARCHAR"] * len(columns)
        self._own = own

    @cached_property
    def relation(self) -> DuckDBPyRelation:
        """The same in the engine."""
        name = f"rows {uuid4().hex}"  # an id in memory comes back while the relation of who had it still is read
        pairs = [*zip(self.columns, self.held, strict=True)]
        self._own.register(name, {column: np.array(cells, dtype=object) for column, cells in pairs})
        texts = ", ".join(f"{quoted(column)}::VARCHAR AS {quoted(column)}" for column in self.columns)
        return self._own.sql(f"SELECT {texts} FROM {quoted(name)}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.relation, name)

    def __len__(self) -> int:
        return len(self.held[0])

    def materialize(self) -> Texts:
        """The same, which is in memory."""
        return self

    def project(self, asked: str) -> Texts | DuckDBPyRelation:
        """Some columns, or what the engine makes of them."""
        place = {quoted(column): place for place, column in enumerate(self.columns)}
        parts = asked.split(", ")
        if not place.keys() >= {*parts}:
            return self.relation.project(asked)
        places = [place[part] for part in parts]
        return Texts(self._own, [self.held[at] for at in places], [self.columns[at] for at in places])

    def with_cells(self, place: int, cells: Cells) -> Texts:
        """The same with another column in the place of one."""
        return Texts(self._own, [*self.held[:place], cells, *self.held[place + 1 :]], self.columns)

    def limit(self, most: int, start: int = 0) -> Texts:
        """Some rows."""
        return Texts(self._own, [cells[start : start + most] for cells in self.held], self.columns)

    def stacked(
        self, kept: Sequence[str], added: Mapping[str, Sequence[str]], below: Sequence[str], name: str
    ) -> Texts:
        """A row for each of some columns, under one name: beside what is kept, and what is added to each of them."""
        place = {column: self.held[at] for at, column in enumerate(self.columns)}
        beside = [[cell for cell in place[column] for _ in below] for column in kept]
        levels = [[*labels] * len(self) for labels in added.values()]
        values = [cell for row in zip(*(place[column] for column in below), strict=True) for cell in row]
        return Texts(self._own, [*beside, *levels, values], [*kept, *added, name])

    def fetchall(self) -> list[tuple[str | None, ...]]:
        """Every row."""
        return [*zip(*self.held, strict=True)]

    def fetchnumpy(self) -> dict[str, NDArray[np.object_]]:
        """Every column."""
        both = zip(self.columns, self.held, strict=True)
        return {column: np.array(cells, dtype=object) for column, cells in both}


def texts(own: DuckDBPyConnection, columns: Sequence[Cells]) -> DuckDBPyRelation:
    """Columns of text in memory as a relation."""
    held: Any = Texts(own, columns)
    relation: DuckDBPyRelation = held if len(columns[0]) < MOST else held.relation
    return relation


def numbers(words: Sequence[str]) -> list[float | None]:
    """Text as the engine casts it to a number; None where it cannot."""
    found = [float(word) if _NUMBER.fullmatch(word) else None for word in words]
    odd = [at for at, word in enumerate(words) if found[at] is None and _PERHAPS.fullmatch(word)]
    if odd:
        with connection() as own:
            asked = [words[at] for at in odd]
            cast = own.execute("SELECT list_transform(?::VARCHAR[], lambda x: TRY_CAST(x AS DOUBLE))", [asked])
            for at, value in zip(odd, cast.fetchall()[0][0], strict=True):
                found[at] = value
    return found


def texts_of(column: NDArray[Any]) -> Cells | None:
    """Values in memory as the engine has them as text; None where that is for the engine to say."""
    if column.dtype.kind == "b":
        return ["true" if value else "false" for value in column.tolist()]
    if column.dtype.kind in "iu":
        return [str(value) for value in column.tolist()]
    if column.dtype.kind == "f" and column.dtype.itemsize == _DOUBLE:
        size = np.abs(column[column != 0])
        plain = bool(((size >= _LEAST) & (size < _GREATEST) | np.isnan(size)).all())
        return [None if value != value else repr(value) for value in column.tolist()] if plain else None  # noqa: PLR0124
    if column.dtype.kind not in "OU":
        return None
    entries = [None if isinstance(value, float) and math.isnan(value) else value for value in column.tolist()]
    return entries if all(value is None or isinstance(value, str) for value in entries) else None


def ends(values: Sequence[float]) -> tuple[float | None, float | None]:
    """The least and the greatest as the engine has them, for which what is no number is the greatest."""
    known = [value for value in values if not math.isnan(value)]
    none = math.nan if len(known) < len(values) else None
    return min(known, default=none), none if none is not None else max(known, default=None)
