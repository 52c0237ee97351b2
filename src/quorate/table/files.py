"""Files of judgments, opened lazily: CSV, JSON lines and Parquet, and ledgers."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from quorate import caveats
from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange import csv_text, json_lines, ledger, parquet
from quorate.table.exchange.folder import files_of, names_of
from quorate.table.exchange.format import Format, Opened, suffix_of
from quorate.table.exchange.ordinary import ordinary
from quorate.table.exchange.postgres.address import Address, Place, place_of, title_of
from quorate.table.exchange.rows import Rows
from quorate.table.judgments import Source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FORMATS = (ledger.FORMAT, csv_text.FORMAT, json_lines.FORMAT, parquet.FORMAT)
"""Formats of files; one more is one file in `quorate.table.exchange` and its name here."""

SUFFIXES = {suffix: form for form in FORMATS for suffix in form.suffixes}
"""The format by the end of a file's name; ``.gz`` may follow for the text formats."""

ALL = Rows()
"""Every row of one file."""

_OTHERS = {
    ".xlsx": "export it as CSV",
    ".xls": "export it as CSV",
    ".json": "write JSON lines (.jsonl), one record per line",
    **dict.fromkeys((".yaml", ".yml"), "of a study file, name the ledger: the same name with .db unless given"),
}
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


@contextmanager
def opened(path: Place, rows: Rows = ALL) -> Iterator[Opened]:
    """The rows of a file, folder or ledger on Postgres, lazily, closed on leaving; errors become one line.

    Raises
    ------
    InvalidInput
        If there is no such file or its format is not known.
    InvalidData
        If the file cannot be read as what its name says.
    """
    path = place_of(path)
    form = format_of(path, partitions=rows.partitions)
    with contextlib.closing(connection()) as own, explained(str(path)):
        file = form.open(own, path)
        if isinstance(path, Path) and rows.partitions:
            said = caveats.named_by_folders(len(files_of(path, form.suffixes)), names_of(path, form.suffixes))
            file = replace(file, caveats=(said,))
        yield rows.of(file)


def connection() -> DuckDBPyConnection:
    """A connection of the caller's own to a database in memory: it sees no name that another one registers."""
    own = _database().cursor()
    own.execute("SET enable_progress_bar = false")
    return own


@cache
def _database() -> DuckDBPyConnection:
    """The database that all connections of a process share: to make one takes longer than to read most files."""
    import duckdb

    # Nothing is kept from one file to the next: a file may have been written anew.
    return duckdb.connect(config={"autoinstall_known_extensions": False, "enable_external_file_cache": False})


def source_of(path: Place, file: Opened) -> Source:
    """Where judgments or votes came from, and what their reader must know of it."""
    partitions = isinstance(path, Path) and path.is_dir()
    said = format_of(path, partitions=partitions).caveats(path)
    return Source(title_of(path), sha256=sha256(path), caveats=(*said, *file.caveats))


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


def format_of(path: Place, *, partitions: bool = False) -> Format:
    """The format of a file: one that claims it by its first bytes, else that of the end of its name.

    With ``partitions`` it is that of all files of a folder.

    Raises
    ------
    InvalidInput
        If there is no such file, or the name says nothing that can be read.
    """
    path = place_of(path)  # what the command line takes for a path may be an address
    if isinstance(path, Address):
        return ledger.FORMAT
    try:
        ordinary(path)
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidInput(f"source: no such file {path}") from None
    except OSError as error:
        raise InvalidInput(f"source: {path} cannot be read ({error.strerror})") from None
    if partitions and path.is_dir():
        return _format_in(path)
    if path.is_dir():
        raise InvalidInput(
            f"source: {path} is a directory; name a file in it, or read all of its files with "
            + argument("partitions", True)
        )
    if partitions:
        raise InvalidInput(argument("partitions", True) + f": is for a folder, and {path} is a file; leave it out")
    claimed = next((form for form in FORMATS if form.claims(path)), None)
    if claimed is not None:
        return claimed
    suffix = suffix_of(path)
    if suffix in _OTHERS:
        raise InvalidInput(f"source: {path.name} cannot be read as {suffix}; {_OTHERS[suffix]}")
    form = SUFFIXES.get(suffix)
    if form is None or (path.suffix.lower() == ".gz" and not form.packed):
        known = ", ".join(SUFFIXES)
        raise InvalidInput(f"source: cannot tell the format of {path.name} by its name; rename it to end in {known}")
    return form


def _format_in(folder: Path) -> Format:
    """The format of a folder's files, which must be one."""
    found = [form for form in FORMATS if form.folders and files_of(folder, form.suffixes)]
    if len(found) != 1:
        known = ", ".join(suffix for form in FORMATS if form.folders for suffix in form.suffixes)
        said = "files of several formats" if found else "no file"
        raise InvalidInput(f"source: {folder} has {said} whose names end in {known}; name a folder with one kind")
    return found[0]


def sha256(path: Place) -> str | None:
    """Hash of a file's bytes, in hexadecimal; of a folder that of its files' names and hashes; None of a database."""
    if isinstance(path, Address):
        return None
    if path.is_dir():
        files = files_of(path, _format_in(path).suffixes)
        listed = "".join(f"{file.relative_to(path).as_posix()}\0{sha256(file)}\n" for file in files)
        return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()
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
