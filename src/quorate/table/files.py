"""Files of judgments, opened lazily: CSV, JSON lines and Parquet, and ledgers."""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange import ledger
from quorate.table.exchange.postgres.address import Address, Place, place_of

if TYPE_CHECKING:
    import duckdb

    from quorate.caveats import Caveat

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""How a file is read, by the end of its name; ``.gz`` may follow for the text formats."""

_OTHERS = {
    ".xlsx": "export it as CSV",
    ".xls": "export it as CSV",
    ".json": "write JSON lines (.jsonl), one record per line",
    **dict.fromkeys((".yaml", ".yml"), "of a study file, name the ledger: the same name with .db unless given"),
}
_DELIMITERS = (",", "\t", ";", "|")
_HEAD = 1 << 20
_LINE = r"CSV Error on Line: (?P<line>\d+).*"
_SENTENCES = (
    (
        _LINE + r"Expected Number of Columns: (?P<wanted>\d+) Found: (?P<found>\d+)",
        "line {line}: the header has {wanted} columns, this line {found}; repair or drop the line",
    ),
    (_LINE + "not utf-8", "line {line} is not UTF-8 text; save the file as UTF-8"),
    (
        _LINE + "unterminated quote",
        "line {line} has a quote that is not closed, or text after one; write quotes inside a value twice",
    ),
    (_LINE + "Maximum line size", "line {line} is longer than 2,000,000 bytes; is a quote missing before it?"),
    (
        "state machine reached an invalid state",
        "lines end in different ways (CRLF, LF and CR mixed), or quotes are broken; save it with one line ending",
    ),
    (
        r"Malformed JSON in file .* in line (?P<next>\d+): (?P<why>[^.\n]*)",
        "line {before} is not JSON ({why}); write one object per line, in UTF-8",
    ),
    (r"in line (?P<line>\d+): Expected OBJECT", "line {line} is not a JSON object; write one object per line"),
    ("json_read expected records", "some line is not a JSON object; write one object per line"),
)
_JSON_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")


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
    """

    relation: duckdb.DuckDBPyRelation
    columns: tuple[str, ...]
    typed: bool
    facets: tuple[str, ...] = ()

    @property
    def pairs(self) -> bool:
        """Whether it is a ledger whose judgments compare two systems."""
        return set(ledger.PAIR) <= set(self.facets)


@contextmanager
def opened(path: Place) -> Iterator[Opened]:
    """The file, or ledger on Postgres, as a lazy relation, closed on leaving; errors become one line.

    Raises
    ------
    InvalidInput
        If there is no such file or its format is not known.
    InvalidData
        If the file cannot be read as what its name says.
    """
    import duckdb

    path = place_of(path)
    kind = kind_of(path)
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": False})
    with contextlib.closing(connection), explained(str(path)):
        connection.execute("SET enable_progress_bar = false")
        yield _OPENERS[kind](connection, path)


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Errors of DuckDB and of the file system as one line about ``name``."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise InvalidData(f"{name}: {explain(str(error))}") from error
    except OSError as error:
        raise InvalidInput(f"{name}: cannot be read ({error.strerror or error})") from error


def kind_of(path: Place) -> str:
    """``ledger`` by the first bytes, or for an address, else ``csv``, ``json`` or ``parquet`` by the end of the name.

    Raises
    ------
    InvalidInput
        If there is no such file, or the name says nothing that can be read.
    """
    path = place_of(path)  # what the command line takes for a path may be an address
    if isinstance(path, Address):
        return "ledger"
    if path.is_dir():
        raise InvalidInput(f"source: {path} is a directory; name a file in it")
    if not path.exists():
        raise InvalidInput(f"source: no such file {path}")
    if ledger.is_ledger(path):
        return "ledger"
    packed = path.suffix.lower() == ".gz"
    suffix = Path(path.stem).suffix.lower() if packed else path.suffix.lower()
    kind = KINDS.get(suffix)
    if suffix in _OTHERS:
        raise InvalidInput(f"source: {path.name} cannot be read as {suffix}; {_OTHERS[suffix]}")
    if kind is None or (packed and kind == "parquet"):
        known = ", ".join(KINDS)
        raise InvalidInput(f"source: cannot tell the format of {path.name} by its name; rename it to end in {known}")
    return kind


def caveats_of(path: Place, file: Opened) -> tuple[Caveat, ...]:
    """What a reader of any result must know of a file that is open."""
    return ledger.caveats(path) if file.facets else ()


def sha256(path: Place) -> str | None:
    """Hash of the file's bytes, in hexadecimal; None where there is no file."""
    if isinstance(path, Address):
        return None
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def explain(message: str) -> str:
    """One line for what DuckDB says about a broken file."""
    for pattern, sentence in _SENTENCES:
        found = re.search(pattern, message, re.DOTALL)
        if found:
            said = found.groupdict()
            # DuckDB counts the line after the one that it cannot read
            before = str(int(said["next"]) - 1) if "next" in said else ""
            return sentence.format(**said, before=before)
    return "cannot be read: " + message.split("\n", maxsplit=1)[0].split("Error: ", 1)[-1]


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def _open_csv(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    head = _head(path)
    unquoted = re.sub(r'"[^"]*"', "", head)
    delimiter = max(_DELIMITERS, key=re.split(r"[\r\n]", unquoted.lstrip("\r\n"), maxsplit=1)[0].count)
    try:
        names: Sequence[str] = next(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise InvalidData(f"{path}: line 1 is not a header ({error})") from error
    if not names:
        raise InvalidData(f"{path}: is empty; the first line must name the columns")
    columns = tuple(name.strip() or f"column{place}" for place, name in enumerate(names, 1))
    repeated = [name for place, name in enumerate(columns) if name in columns[:place]]
    if repeated:
        raise InvalidData(f'{path}: two columns are named "{repeated[0]}"; rename one')
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    relation = connection.sql(
        f"SELECT * FROM read_csv({_pattern(path)}, delim={literal(delimiter)}, quote='\"', escape='\"', header=true, "
        f"auto_detect=false, columns={{{types}}})"
    )
    return Opened(relation, columns, typed=False)


def _open_json(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    if not _head(path).strip():
        raise InvalidData(f"{path}: is empty")
    lines = f"read_json({_pattern(path)}, format='newline_delimited', records='true'"
    seen = connection.sql(f"SELECT * FROM {lines}, sample_size=-1)")
    # dates, times and ids that DuckDB would recognise stay text, as written
    types = (str(kind) if str(kind) in _JSON_TYPES else "VARCHAR" for kind in seen.types)
    columns = ", ".join(f"{literal(name)}: '{kind}'" for name, kind in zip(seen.columns, types, strict=True))
    return Opened(connection.sql(f"SELECT * FROM {lines}, columns={{{columns}}})"), tuple(seen.columns), typed=True)


def _open_parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> Opened:
    relation = connection.sql(f"SELECT * FROM read_parquet({_pattern(path)})")
    return Opened(relation, tuple(relation.columns), typed=True)


def _open_ledger(connection: duckdb.DuckDBPyConnection, path: Place) -> Opened:
    columns = ledger.columns(path)
    connection.register("ledger", columns)
    names = tuple(columns)
    shown = (
        f"{quoted(name)}::VARCHAR AS {quoted(name)}" if held.dtype == object else quoted(name)
        for name, held in columns.items()
    )
    relation = connection.sql(f"SELECT {', '.join(shown)} FROM ledger")
    return Opened(relation, names, typed=False, facets=ledger.facets(names))


_OPENERS: dict[str, Callable[[duckdb.DuckDBPyConnection, Any], Opened]] = {
    "csv": _open_csv,
    "json": _open_json,
    "parquet": _open_parquet,
    "ledger": _open_ledger,
}


def _pattern(path: Path) -> str:
    return literal(re.sub(r"([*?\[])", r"[\1]", str(path.absolute())))


def _head(path: Path) -> str:
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
        try:
            block = stream.read(_HEAD)
        except (gzip.BadGzipFile, EOFError) as error:
            raise InvalidData(f"{path}: is not gzip ({error})") from error
    if b"\0" in block:
        raise InvalidData(f"{path}: is binary or UTF-16, not UTF-8 text; export it as UTF-8 text")
    try:
        # the block may end inside a character
        return codecs.getincrementaldecoder("utf-8-sig")().decode(block, final=len(block) < _HEAD)
    except UnicodeDecodeError as error:
        line = block.count(b"\n", 0, error.start) + 1
        raise InvalidData(f"{path}: line {line} is not UTF-8 text; save the file as UTF-8") from error
