"""Columns of a table whose roles nobody has said: what is in each, and which rows they tell apart."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.table.columns.scales import Scale, number, scale_of
from quorate.table.exchange.engine import connection, later
from quorate.table.exchange.format import Opened, quoted
from quorate.table.exchange.postgres.address import is_place, places_of
from quorate.table.exchange.rows import Rows, made
from quorate.table.exchange.texts import BLANKS, MOST, Cells, Texts, ends, numbers, texts_of
from quorate.table.files import located, opened
from quorate.table.results import wrapped

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw

MOST_COLUMNS = 300
"""Columns that a table may have: every one is looked at, and pairs of them tried."""
MOST_COLLECTED = 2_000_000
"""Rows of a lazy frame that are brought into memory to be looked at."""
MOST_BYTES = 64 << 20
"""Size of a file that is held in memory while its columns are looked at and tried."""
MOST_HASHED = 2_000_000
"""Rows whose columns are held as numbers, to count what they tell apart."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
MOST_WORDS = 60
"""Distinct values of a column that are listed."""
MOST_SCALED = 2_000
"""Distinct values that are looked at where some of them are percentages or fractions."""
_MARK = re.compile(r"[.*\u2013\u2014-]+|NA|NaN|nan|#N/A|<NA>")
"""What stands among labels where there is none; a question mark, or none, may be one."""
_NONE = re.compile(
    r"(?i)n[/.]?a\.?|nan|none|null|nil|missing|unknown|not applicable|no (answer|response|score|rating)|don'?t know|"
    r"skip(ped)?|refused|((parse|parsing|judge|api)[ _-]?)?(error|failed|failure)|unparse(d|able)|could not parse|"
    r"timed?[ _-]?out|invalid|[-?.#\u2013\u2014]+|#n/a|#value!|#div/0!|\[?empty\]?|not rated|unrated|abs\.?|absente?|"
    r"not submitted|withdrawn|n[/.]?\s?[dp]\.?|k\.?\s?a\.?|s[/.]d\.?|ns/nc|ausente|no presentado|"
    r"entf(\u00e4|ae)llt|nicht bewertet|non not\u00e9|brak|keine angabe|enthaltung|sin respuesta|sans avis|"
    r"abst(ained|ention|enci[o\u00f3]n|en\u00e7\u00e3o)|\u5f03\u6743|\u68c4\u6a29|\u672a\u8bc4\u5206|"
    r"\u7121\u56de\u7b54|\uacb0\uc2dc|\uacb0\uc11d|\u672a\u56de\u7b54|\u043d/\u0434|"
    r"\u043d\u0435\u0442 (\u043e\u0442\u0432\u0435\u0442\u0430|\u043e\u0446\u0435\u043d\u043a\u0438)|"
    r"(error|exception|timeout|traceback|could not|cannot|unable to|failed to|invalid|no valid)\b.*"
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
        Words for no score, such as N/A, where all other values are numbers or words of a scale; of words without one a
        point or a dash alone.
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
        return self.numeric or self.scale is not None or (bool(self.strays) and self.low is not None)

    @cached_property
    def values(self) -> frozenset[float]:
        """Distinct scores, where they are few."""
        if self.scale is not None:
            return frozenset(self.scale.numbers.values())
        found = (number(word) for word in self.words if self.scored and word not in self.strays)
        return frozenset(value for value in found if value is not None)


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
    held : bool
        Whether the rows are in memory, so that to read them again costs little.
    cells : sequence of sequence of str or None, optional
        Of few rows every column as text.
    """

    opened: Opened
    rows: int
    columns: tuple[Column, ...]
    held: bool = False
    cells: Sequence[Cells] | None = None

    @property
    def frame(self) -> duckdb.DuckDBPyRelation:
        """The rows under the names of their columns."""
        names = zip(self.opened.relation.columns, self.opened.columns, strict=True)
        return self.opened.relation.project(", ".join(f"{quoted(inner)} AS {quoted(name)}" for inner, name in names))

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

    def with_column(self, name: str) -> Table:
        """The same with a column that is made of others, as `quorate.table.exchange.rows.made` makes it."""
        return _profiled(made(self.opened, name), held=self.held)

    def shown(self, name: str, most: int) -> list[str | None]:
        """A column as text, in the first rows."""
        if self.cells is not None:
            return [*self.cells[self.names.index(name)][:most]]
        asked = self.opened.relation.project(f"{self.sql(name)}::VARCHAR").limit(most)
        return [text for (text,) in asked.fetchall()]

    def keys(self, names: Iterable[str]) -> int:
        """How many rows these columns tell apart."""
        wanted = sorted({*names})
        if not wanted:
            return 1
        asked = ", ".join(map(self.sql, wanted))
        if asked not in self._counts:
            self._counts[asked] = self._counted(wanted)
        return self._counts[asked]

    @cached_property
    def _counts(self) -> dict[str, int]:
        return {}

    def few(self, *names: str) -> list[tuple[str | None, ...]] | None:
        """These columns as text, without blanks around it, in every row, if there are few."""
        if self.cells is None:
            return None
        held = (self.cells[self.names.index(name)] for name in names)
        trimmed = ([text and text.strip(BLANKS) for text in column] for column in held)
        return [*zip(*trimmed, strict=True)]

    def _counted(self, names: list[str]) -> int:
        if self.cells is not None:
            return len({*zip(*(self.cells[self.names.index(name)] for name in names), strict=True)})
        if self.rows > MOST_HASHED:
            every = self.opened.relation.project(", ".join(map(self.sql, names))).distinct()
            return int(every.aggregate("count(*)").fetchall()[0][0])
        code = np.zeros(self.rows, dtype=np.uint64)
        for name in names:
            code = (code ^ self._hashed(name)) * _MIX
        code.sort()  # which is faster than the hashes of `numpy.unique`
        return int(np.count_nonzero(code[1:] != code[:-1])) + min(self.rows, 1)

    def _hashed(self, name: str) -> NDArray[np.uint64]:
        """A number for each value of a column, in the order of the rows, which are read in one order each time."""
        if name not in self._hashes:
            found = self.opened.relation.project(f"hash({self.sql(name)}) AS code").fetchnumpy()["code"]
            self._hashes[name] = np.asarray(np.ma.getdata(found), dtype=np.uint64) + np.uint64(len(self._hashes))
        return self._hashes[name]

    @cached_property
    def _hashes(self) -> dict[str, NDArray[np.uint64]]:
        return {}

    def within(self, inner: str, outer: str) -> bool:
        """Whether a level of one column always comes with the same level of another."""
        return self.keys([inner, outer]) == self.keys([inner])


@contextmanager
def looked_at(source: Any, rows: Rows) -> Iterator[Table]:
    """A file or frame whose columns have been looked at, in one pass.

    Raises
    ------
    InvalidInput
        If it cannot be opened, has too many columns, or is a lazy frame of too many rows.
    """
    if is_place(source):
        place = places_of(source)
        with opened(place, rows) as file:
            plain = file.kind is None and not file.facets
            few = plain and sum(one.stat().st_size for one in located(place, rows).files) <= MOST_BYTES
            yield _profiled(replace(file, relation=file.relation.materialize()) if few else file, held=few)
        return
    import narwhals as nw

    frame = wrapped(source)
    names = tuple(frame.collect_schema().names())
    if frame.implementation.is_duckdb():
        yield _profiled(Opened(frame.to_native(), names, typed=True))
        return
    if isinstance(frame, nw.LazyFrame):
        ((n_rows,),) = frame.select(nw.len()).collect().iter_rows()
        if n_rows > MOST_COLLECTED:
            raise InvalidInput(
                f"source: a lazy frame of {n_rows:,} rows is not looked at, which takes {MOST_COLLECTED:,} at most; "
                "name the score and the facets, or collect it first"
            )
        frame = frame.collect()
    with connection() as own:
        yield _profiled(Opened(later(own, frame), names, typed=True), frame=frame)


def _profiled(file: Opened, *, held: bool = False, frame: nw.DataFrame[Any] | None = None) -> Table:
    if len(file.columns) > MOST_COLUMNS:
        raise InvalidInput(
            f"source: has {len(file.columns):,} columns, more than the {MOST_COLUMNS} that are looked at; name the "
            "score and the facets"
        )
    cells, truths = (None if frame is None else _cells_in_memory(frame)) or (_cells(file), None)
    if cells is None:
        counted: _Here | _InEngine = _InEngine(_values(file))
    else:
        counted = _Here(cells, _truths(file) if truths is None else truths)
    facts = counted.facts()
    few = [place for place, found in facts.items() if found.distinct <= MOST_WORDS]
    words_of = counted.words(few)
    columns = []
    for place, name in enumerate(file.columns):
        _, filled, distinct, numbers, low, high, whole = facts.get(place, _Facts(0, 0, 0, 0, None, None, True))
        numeric = numbers == filled > 0
        words = words_of.get(place, ())
        others = words if not numbers else counted.texts(place) if 2 * numbers > filled > numbers else ()
        met = any(word.strip().lower() == "passed" for word in others)  # of which failed is the other, and no error
        strays = tuple(word for word in others if _NONE.fullmatch(word) and not (met and word.lower() == "failed"))
        scale = None if numbers else scale_of([word for word in words if word not in strays])
        if not numbers and MOST_WORDS < distinct <= MOST_SCALED and scale_of(counted.texts(place)):
            scale = scale_of(counted.texts(place, MOST_SCALED))
        known = scale is not None or (numbers and len(strays) == len(others))
        if not known:  # words of their own, among which a mark alone is none
            marks = [] if numbers else [word for word in words if _MARK.fullmatch(word)]
            odd = [word for word in words if not any(map(str.isalnum, word)) and word not in marks]
            strays = tuple(marks) if len(marks) == 1 < distinct and not odd else ()
        columns.append(Column(name, filled, distinct, numeric, bool(whole), low, high, words, strays, scale))
    return Table(file, facts[0].rows if facts else 0, tuple(columns), held, cells)


class _Facts(NamedTuple):
    """Of a column: rows, those with a value, distinct ones, rows with a number, its ends, and whether all are whole."""

    rows: int
    filled: int
    distinct: int
    numbers: int
    low: float | None
    high: float | None
    whole: bool


def _cells(file: Opened) -> list[Cells] | None:
    """Every column as text, of few rows; else None."""
    if isinstance(file.relation, Texts):
        return [*file.relation.held]
    shown = (f"{quoted(name)}::VARCHAR AS c{place}" for place, name in enumerate(file.relation.columns))
    rows = file.relation.project(", ".join(shown)).limit(MOST).fetchall()
    return ([*zip(*rows, strict=True)] or [()] * len(file.columns)) if len(rows) < MOST else None


def _cells_in_memory(frame: nw.DataFrame[Any]) -> tuple[list[Cells], list[int]] | None:
    """The same of a frame, and which columns hold booleans; None of many rows, or where the engine has to look."""
    if len(frame) >= MOST:
        return None
    columns = [frame[name].to_numpy() for name in frame.columns]
    cells = [text for column in columns if (text := texts_of(column)) is not None]
    if len(cells) < len(frame.columns):
        return None
    return cells, [place for place, column in enumerate(columns) if column.dtype.kind == "b"]


def _truths(file: Opened) -> list[int]:
    """Columns of booleans."""
    return [place for place, kind in enumerate(file.relation.types) if str(kind) == "BOOLEAN"]


class _Here:
    """Distinct values of columns of few rows, counted here."""

    def __init__(self, cells: Sequence[Cells], truths: Sequence[int]) -> None:
        self.counts = [Counter((text and text.strip(BLANKS)) or None for text in column) for column in cells]
        self.numbers: list[dict[str, float | None]] = []
        for place, counts in enumerate(self.counts):
            known = [text for text in counts if text is not None]
            cast = [float(text == "true") for text in known] if place in truths else numbers(known)
            self.numbers.append(dict(zip(known, cast, strict=True)))

    def facts(self) -> dict[int, _Facts]:
        """What is in each column, by its place; nothing of a table without rows."""
        found = {}
        for place, (counts, cast) in enumerate(zip(self.counts, self.numbers, strict=True)):
            rows, held = counts.total(), [value for value in cast.values() if value is not None]
            whole = all(not math.isfinite(value) or value.is_integer() for value in held)
            number = sum(counts[text] for text, value in cast.items() if value is not None)
            low, high = ends(held)
            found[place] = _Facts(rows, rows - counts[None], len(cast), number, low, high, whole)
        return found if found and found[0].rows else {}

    def texts(self, place: int, most: int = MOST_WORDS) -> tuple[str, ...]:
        """Values of a column that are no numbers, where they are few."""
        return tuple(sorted(text for text, value in self.numbers[place].items() if value is None)[:most])

    def words(self, places: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The distinct values of columns in which they are few, the commonest first."""
        orders = {place: self.counts[place] for place in places}
        return {
            place: tuple(sorted(self.numbers[place], key=lambda text: (-counts[text], text)))
            for place, counts in orders.items()
        }


class _InEngine:
    """The same of any number of rows, counted by the engine."""

    def __init__(self, counted: duckdb.DuckDBPyRelation) -> None:
        self.counted = counted

    def facts(self) -> dict[int, _Facts]:
        """What is in each column, by its place; nothing of a table without rows."""
        texts, values = (f"coalesce(sum(n) FILTER ({name} IS NOT NULL), 0)" for name in ("text", "number"))
        of_numbers = "min(number), max(number), coalesce(bool_and(number = floor(number)), true)"
        asked = f"sum(n), {texts}, count(text), {values}, {of_numbers}"
        found = self.counted.aggregate(f"place, {asked}", "place").fetchall()
        return {place: _Facts(*facts) for place, *facts in found}

    def texts(self, place: int, most: int = MOST_WORDS) -> tuple[str, ...]:
        """Values of a column that are no numbers, where they are few."""
        found = self.counted.filter(f"place = {place} AND text IS NOT NULL AND number IS NULL")
        return tuple(word for (word,) in found.project("text").order("text").limit(most).fetchall())

    def words(self, places: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The distinct values of columns in which they are few, the commonest first."""
        words: dict[int, list[str]] = {place: [] for place in places}
        if places:
            found = self.counted.filter(f"text IS NOT NULL AND place IN ({', '.join(map(str, places))})")
            for place, word in found.order("n DESC, text").project("place, text").fetchall():
                words[place].append(word)
        return {place: tuple(held) for place, held in words.items()}


def _values(file: Opened) -> duckdb.DuckDBPyRelation:
    """Every distinct value of every column once: the column's place, text, number, and how many rows have it."""
    columns = [*map(quoted, file.relation.columns)]
    values = ", ".join(f"{column}::VARCHAR" for column in columns)
    long = file.relation.project(f"unnest(range({len(columns)})) AS place, unnest([{values}]) AS value")
    each = long.aggregate("place, value, count(*) AS n", "place, value")
    each = each.project("place, nullif(trim(value), '') AS text, n")
    texts = each.aggregate("place, text, sum(n) AS n", "place, text")
    truths = ", ".join(map(str, _truths(file)))
    number = "TRY_CAST(text AS DOUBLE)"
    if truths:
        number = f"CASE WHEN place IN ({truths}) THEN (text = 'true')::INTEGER ELSE {number} END"
    return texts.project(f"*, {number} AS number").materialize()
