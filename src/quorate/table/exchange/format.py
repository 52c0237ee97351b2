"""Format of a file: how it is told from others, and how it becomes a lazy relation."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from quorate.errors import InvalidData, InvalidInput
from quorate.frozen import dataclass
from quorate.table.exchange.encoding import Encoding
from quorate.wording import words

if TYPE_CHECKING:
    import duckdb

    from quorate.caveats import Caveat
    from quorate.table.notes import Note

Kind = Literal["scores", "votes"]
"""What a table holds: a score per judgment, or a vote between two models."""
PAIR = ("system_a", "system_b")
"""Facets of judgments that say which of two systems is better."""
MOST_COLUMNS = 10_000
"""Beyond it a table takes minutes to be opened, and is a matrix rather than rows of judgments."""
_HEAD = 1 << 20


class SeveralParts(InvalidInput):
    """A log of several scores of every answer, of which one has to be named.

    Parameters
    ----------
    problem, fix : str
        What it holds, and how one is named.
    parts : tuple of str
        Their names, if all are numbers, each a question of its own; else none.
    """

    def __init__(self, problem: str, fix: str, parts: tuple[str, ...]) -> None:
        super().__init__(problem + fix)
        self.problem, self.parts = problem, parts


@dataclass(frozen=True)
class Across:
    """Rows of several judgments, as they were before each judgment became a row.

    Parameters
    ----------
    relation : DuckDBPyRelation
        One row per row of the source.
    columns : mapping of str to str
        Columns beside the scores: their names in the source, and in the relation.
    role : str
        What the scores of a row are levels of.
    scores : mapping of str to str
        SQL for the score, by the level that it is of.
    """

    relation: duckdb.DuckDBPyRelation
    columns: Mapping[str, str]
    role: str
    scores: Mapping[str, str]


@dataclass(frozen=True)
class Opened:
    """A file as a lazy relation.

    Parameters
    ----------
    relation : DuckDBPyRelation
        One row per row of the file.
    columns : tuple of str
        Names as written in the file, in the order of the relation's columns.
    typed : bool
        Whether the format tells numbers from text; CSV does not, and neither do the labels of a ledger.
    facets : tuple of str
        Columns that the format says are facets, as a ledger does.
    caveats : tuple of Caveat
        What the reader of any result must know of the rows: which were chosen, and what folders say of them.
    kind : {"scores", "votes"}, optional
        What the rows are, where the format says it.
    notes : tuple of Note
        What the format's reader took for granted: what became what, and which rows it left out.
    instead : str, optional
        The ``part`` that reads the other kind out of the same file, of a log that can be read as both.
    nested : tuple of (str, str)
        Columns whose labels start again in each level of another one, with that one.
    counted_in : str
        Column in whose levels rows are numbered anew: of tables with as many rows, of which each is about the same.
    across : Across, optional
        The same rows with several judgments in each, where columns of scores became rows.
    stays : bool
        Whether no row leaves the engine as it is: the relation is the caller's, whose engine may be another machine.
    """

    relation: duckdb.DuckDBPyRelation
    columns: tuple[str, ...]
    typed: bool
    facets: tuple[str, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    kind: Kind | None = None
    notes: tuple[Note, ...] = ()
    instead: str | None = None
    nested: tuple[tuple[str, str], ...] = ()
    counted_in: str = ""
    across: Across | None = None
    stays: bool = False

    @property
    def pairs(self) -> bool:
        """Whether it is a ledger whose judgments compare two systems."""
        return set(PAIR) <= set(self.facets)

    @property
    def inside(self) -> dict[str, str]:
        """The engine's name of every column."""
        return dict(zip(self.columns, self.relation.columns, strict=True))

    def only(self, names: Iterable[str]) -> duckdb.DuckDBPyRelation:
        """These columns of every row, in this order."""
        inside = self.inside
        return self.relation.project(", ".join(quoted(inside[name]) for name in names))

    @property
    def kinds(self) -> dict[str, str]:
        """What the engine holds every column as."""
        return dict(zip(self.columns, map(str, self.relation.types), strict=True))


@dataclass(frozen=True)
class Format:
    """What a file may be: one value for each format, listed in `quorate.table.files.FORMATS`.

    Parameters
    ----------
    name : str
        What it is called.
    open : callable
        From a connection to DuckDB and a place to an `Opened`, of a ``tool`` also from the part that is wanted or
        None; raises InvalidData for a file that is not what it says.
    suffixes : tuple of str
        Ends of the names of its files, with the dot.
    packed : bool
        Whether ``.gz`` may follow.
    claims : callable
        Whether a file or folder is of this format by its beginning, a `Glance`, whatever its name says; asked before
        names are looked at.
    folders : bool
        Whether a folder of such files can be read as one.
    tool : bool
        Whether it is the log of another tool: opened with ``part`` too, and several of its files are one table.
    sheets : bool
        Whether ``part`` names those of its sheets that are wanted, and its opener takes it.
    opens : callable
        The file that is opened for one of a ``tool``, such as the samples for their summary.
    holds : callable
        What a place in this format holds, scores or votes; None where only the names of columns say it, or of a
        ``tool`` only what its opener returns.
    caveats : callable
        What the reader of any result must know of a place in this format.
    paid : callable
        What was paid for what is in it, in words; empty where it does not say.
    """

    name: str
    open: Callable[..., Opened]
    suffixes: tuple[str, ...] = ()
    packed: bool = True
    folders: bool = False
    claims: Callable[[Any], bool] = lambda _: False
    tool: bool = False
    sheets: bool = False
    opens: Callable[[Path], Path] = lambda path: path
    holds: Callable[[Any], Kind | None] = lambda _: None
    caveats: Callable[[Any], tuple[Caveat, ...]] = lambda _: ()
    paid: Callable[[Any], str] = lambda _: ""


_RESERVED = frozenset(
    words(
        "all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast "
        "check collate collation column columns concurrently constraint create cross default deferrable desc describe "
        "distinct do else end except false fetch for foreign freeze from full generated glob group having ilike in "
        "initially inner intersect into is isnull join lambda lateral leading left like limit map natural not notnull "
        "null offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional primary "
        "qualify references returning right select semi show similar some struct summarize symmetric table "
        "tablesample then to trailing true try_cast tuple union unique unpack unpivot using variadic verbose when "
        "where window with"
    )
)
"""Names that SQL takes for words of its own."""


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def condition(column: str, labels: Sequence[str], *, out: bool = False) -> str:
    """The condition that keeps rows with some labels of a column, or those without them.

    Examples
    --------
    >>> print(condition("model", ["a"]), condition("order", ["a", "b"], out=True), sep="; ")
    model = 'a'; "order" NOT IN ('a', 'b')
    """
    plain = re.fullmatch(r"[A-Za-z_]\w*", column, re.ASCII) and column.lower() not in _RESERVED
    name, held = column if plain else quoted(column), ", ".join(map(literal, labels))
    if len(labels) == 1:
        return f"{name} {'<>' if out else '='} {held}"
    return f"{name} {'NOT IN' if out else 'IN'} ({held})"


def literal(text: str) -> str:
    """Text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def suffix_of(path: Path) -> str:
    """The end of a file's name that says its format, in small letters; ``.gz`` behind it says nothing."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path).suffix.lower()


def is_wide(kind: str) -> bool:
    """Whether a column has whole numbers that floating point numbers would take for one another."""
    return kind in ("HUGEINT", "UHUGEINT") or (kind.startswith("DECIMAL") and kind.endswith(",0)"))


def pattern(path: Path) -> str:
    """A path as an SQL string that names this one file, whatever its name holds."""
    return literal(re.sub(r"([*?\[])", r"[\1]", str(path.absolute())))


def refuse_matrix(path: Path, columns: int) -> None:
    """Refuse a file with more columns than rows of judgments can have.

    Raises
    ------
    InvalidData
        If it has.
    """
    if columns > MOST_COLUMNS:
        raise InvalidData(
            f"{path}: has {columns:,} columns, at most {MOST_COLUMNS:,} are read; write one row per judgment, with "
            "columns for its score and labels"
        )


def head(path: Path, encoding: Encoding = "utf-8-sig") -> str:
    """The first megabyte of a text file.

    Raises
    ------
    InvalidData
        If it is not text in this encoding, or not what gzip packed.
    """
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
        try:
            block = stream.read(_HEAD)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InvalidData(f"{path}: is not gzip ({error})") from error
    if b"\0" in block and encoding != "utf-16":
        raise InvalidData(f"{path}: is binary or UTF-16, not UTF-8 text; export it as UTF-8 text")
    try:
        # the block may end inside a character
        return codecs.getincrementaldecoder(encoding)().decode(block, final=len(block) < _HEAD)
    except UnicodeDecodeError as error:
        line = block.count(b"\n", 0, error.start) + 1
        name = "UTF-16" if encoding == "utf-16" else "UTF-8"
        raise InvalidData(f"{path}: line {line} is not {name} text; save the file as UTF-8") from error
