"""Columns of a table whose roles nobody has said: what is in each, and which rows they tell apart."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from quorate.errors import InvalidInput
from quorate.table.columns.scales import Scale, scale_of
from quorate.table.exchange.engine import connection
from quorate.table.exchange.format import Opened, quoted
from quorate.table.exchange.postgres.address import Address, place_of
from quorate.table.exchange.rows import Rows
from quorate.table.files import opened
from quorate.table.frames import wrapped

MOST_COLUMNS = 100
"""Columns that a table may have: every one is looked at, and pairs of them tried."""
MOST_WORDS = 60
"""Distinct values of a column that are listed."""
_NONE = re.compile(
    r"(?i)n[/.]?a\.?|nan|none|null|nil|missing|unknown|not applicable|no (answer|response|score|rating)|don'?t know|"
    r"skip(ped)?|refused|error|failed|unparsed|invalid|[-?.#]+|#n/a|#value!|#div/0!|\[?empty\]?|not rated|unrated"
)
"""Words for no score."""


@dataclass(frozen=True)
class Column:
    """What is in a column.

    Parameters
    ----------
    name : str
        As the table has it.
    filled : int
        Rows with a value.
    distinct : int
        Distinct values.
    numeric, whole : bool
        Whether every value is a number, and a whole one.
    low, high : float or None
        Ends of the numbers.
    strays : tuple of str
        Words for no score, such as N/A, where all other values are numbers or words of a scale.
    scale : Scale, optional
        What the words are as numbers, where they are words of a known scale.
    words : tuple of str
        Distinct values in order, the commonest first, where they are few.
    """

    name: str
    filled: int
    distinct: int
    numeric: bool
    whole: bool
    low: float | None
    high: float | None
    words: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    scale: Scale | None = None

    @property
    def scored(self) -> bool:
        """Whether its values can be read as scores."""
        return self.numeric or bool(self.strays) or self.scale is not None

    @property
    def values(self) -> frozenset[float]:
        """Distinct scores, where they are few."""
        if self.scale is not None:
            return frozenset(self.scale.numbers.values())
        return frozenset(float(word) for word in self.words if word not in self.strays) if self.scored else frozenset()


@dataclass(frozen=True)
class Table:
    """A table whose columns have been looked at.

    Parameters
    ----------
    opened : Opened
        Its rows.
    rows : int
        How many there are.
    columns : tuple of Column
        In its order.
    """

    opened: Opened
    rows: int
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of this name."""
        return next(column for column in self.columns if column.name == name)

    def sql(self, name: str) -> str:
        """A column as SQL writes it, as text."""
        return quoted(self.opened.relation.columns[self.names.index(name)])

    def keys(self, names: Iterable[str]) -> int:
        """How many rows these columns tell apart."""
        listed = ", ".join(self.sql(name) for name in names)
        if not listed:
            return 1
        ((count,),) = self.opened.relation.project(listed).distinct().aggregate("count(*)").fetchall()
        return int(count)

    def within(self, inner: str, outer: str) -> bool:
        """Whether a level of one column always comes with the same level of another."""
        return self.keys([inner, outer]) == self.keys([inner])


@contextmanager
def looked_at(source: Any, rows: Rows) -> Iterator[Table]:
    """A file or frame whose columns have been looked at, in one pass.

    Raises
    ------
    InvalidInput
        If it cannot be opened, has too many columns, or is a frame that is not in memory.
    """
    if isinstance(source, (str, os.PathLike, Address)):
        with opened(place_of(source), rows) as file:
            yield _profiled(file)
        return
    import narwhals as nw

    frame = wrapped(source)
    names = tuple(frame.collect_schema().names())
    if frame.implementation.is_duckdb():
        yield _profiled(Opened(frame.to_native(), names, typed=True))
        return
    if isinstance(frame, nw.LazyFrame):
        raise InvalidInput("source: a frame must be in memory for its columns to be looked at; collect it first")
    own = connection()
    own.register("frame", {name: frame[name].to_numpy() for name in names})
    yield _profiled(Opened(own.sql("SELECT * FROM frame"), names, typed=True))
    own.close()


def _profiled(file: Opened) -> Table:
    if len(file.columns) > MOST_COLUMNS:
        raise InvalidInput(
            f"source: has {len(file.columns):,} columns, more than the {MOST_COLUMNS} that are looked at; name the "
            "score and the facets"
        )
    asked = ["count(*)"]
    for column in map(quoted, file.relation.columns):
        text = f"nullif(trim({column}::VARCHAR), '')"
        number = f"TRY_CAST({text} AS DOUBLE)" if not _is_boolean(file, column) else f"{column}::INTEGER"
        asked += [f"count({text})", f"count(DISTINCT {text})", f"count({number})", f"min({number})", f"max({number})"]
        asked.append(f"coalesce(bool_and({number} = floor({number})), true)")
    ((rows, *found),) = file.relation.aggregate(", ".join(asked)).fetchall()
    columns = []
    for place, name in enumerate(file.columns):
        filled, distinct, numbers, low, high, whole = found[6 * place : 6 * place + 6]
        numeric = numbers == filled > 0
        words = _words(file, place) if distinct <= MOST_WORDS else ()
        others = words if not numbers else _texts(file, place) if 2 * numbers > filled > numbers else ()
        strays = tuple(word for word in others if _NONE.fullmatch(word))
        scale = None if numbers else scale_of([word for word in words if word not in strays])
        known = scale is not None or (numbers and len(strays) == len(others))
        columns.append(
            Column(name, filled, distinct, numeric, bool(whole), low, high, words, strays if known else (), scale)
        )
    return Table(file, rows, tuple(columns))


def _texts(file: Opened, place: int) -> tuple[str, ...]:
    """Values of a column that are no numbers, where they are few."""
    name = quoted(file.relation.columns[place])
    text = f"nullif(trim({name}::VARCHAR), '')"
    found = file.relation.filter(f"{text} IS NOT NULL AND TRY_CAST({text} AS DOUBLE) IS NULL")
    words = found.project(f"{text} AS word").distinct().order("word").limit(MOST_WORDS).fetchall()
    return tuple(word for (word,) in words)


def _is_boolean(file: Opened, column: str) -> bool:
    place = [quoted(name) for name in file.relation.columns].index(column)
    return str(file.relation.types[place]) == "BOOLEAN"


def _words(file: Opened, place: int) -> tuple[str, ...]:
    text = f"trim({quoted(file.relation.columns[place])}::VARCHAR)"
    counted = file.relation.filter(f"nullif({text}, '') IS NOT NULL").aggregate(f"{text} AS word, count(*) AS n", text)
    return tuple(word for word, _ in counted.order("n DESC, word").fetchall())
