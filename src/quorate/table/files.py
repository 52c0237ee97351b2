"""Files of judgments, opened lazily: text, Parquet, spreadsheets, ledgers, several as one, and packed ones."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import os
import re
import zlib
from ast import literal_eval
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from glob import glob
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from quorate import caveats
from quorate.arguments import argument
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.frozen import dataclass
from quorate.roles import ITEM
from quorate.table.columns.roles import recognise
from quorate.table.columns.vote_roles import has_pairs
from quorate.table.exchange import csv_text, foreign, json_lines, ledger, parquet
from quorate.table.exchange.encoding import is_database, ordinary, swells
from quorate.table.exchange.engine import connection, is_of_engine
from quorate.table.exchange.foreign.together import FILE, as_levels, together, told_apart
from quorate.table.exchange.format import Format, Opened, suffix_of
from quorate.table.exchange.glance import Glance, begun
from quorate.table.exchange.parquet import files_of, names_of
from quorate.table.exchange.postgres.address import Address, Places, places_of, title_of
from quorate.table.exchange.rows import Rows
from quorate.table.facets import Source
from quorate.table.notes import Note
from quorate.wording import listed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FOREIGN = Path(foreign.__file__).parent
_LISTED = re.compile(r'^SIGHT = (\(.*\))\nFORMAT = Format\("([^"]+)"', re.MULTILINE)
"""The last lines of a reader: words of which all that is its has one, and its name."""


def _tool(name: str, module: str, words: tuple[str, ...]) -> Format:
    """A format by its name, the module that reads it, and the words that are looked for before that is loaded."""

    @cache
    def read() -> Format:
        form: Format = import_module(module).FORMAT
        return form

    def claims(glance: Glance) -> bool:
        return any(word in glance.words for word in words) and read().claims(glance)

    return Format(
        name,
        open=lambda *source: read().open(*source),
        claims=claims,
        tool=True,
        opens=lambda path: read().opens(path),
        holds=lambda place: read().holds(place),
        caveats=lambda place: read().caveats(place),
        paid=lambda place: read().paid(place),
    )


TOOLS = tuple(
    _tool(
        last[2], ".".join((foreign.__name__, *path.relative_to(_FOREIGN).with_suffix("").parts)), literal_eval(last[1])
    )
    for path in sorted(_FOREIGN.rglob("*.py"))
    if (last := _LISTED.search(path.read_text(encoding="utf-8")))
)
"""Readers of other tools: every file of `foreign` that ends in the two lines; running all of them takes longer."""

FORMATS = (
    *(ledger.FORMAT, *TOOLS),
    *(csv_text.FORMAT, json_lines.FORMAT, json_lines.ARRAY, parquet.FORMAT, csv_text.SHEETS),
)
"""Formats of files, in the order in which they are asked; one more is a file in `table/exchange`, named here."""

SUFFIXES = {suffix: form for form in FORMATS for suffix in form.suffixes}
"""The format by the end of a file's name; ``.gz`` may follow for the text formats."""

_PARTITION = re.compile(r"[^=:,]+=[^=,]*")
"""How a folder is called that holds the rows of one level of a column."""
_FEWEST_LINES = 4
"""Lines with as many values each, two or more, that are a table whatever the file is called."""
_LOGS = (".eval", ".log", ".out")
"""How names of logs of tools end, beside those of tables."""
MOST_ENTRIES = 20_000
"""Files and folders that are looked at for those of a tool."""

ALL = Rows()
"""Every row of one table."""

_OTHERS = {**dict.fromkeys((".yaml", ".yml"), "of a study file, name the ledger: the same name with .db unless given")}
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
    (r"in record/value (?P<next>\d+): unexpected end of data", "record {before} is cut off: export the file again"),
    (
        r"Malformed JSON in file .* in record/value (?P<next>\d+): (?P<why>[^.\n]*)",
        "record {before} is not JSON ({why})",
    ),
    (r"JSON transform error in file .* in record/value (?P<record>\d+): (?P<why>[^\n]*)", "record {record}: {why}"),
    (r"in line (?P<line>\d+): Expected OBJECT", "line {line} is not a JSON object; write one object per line"),
    ("json_read expected records", "some line is not a JSON object; write one object per line"),
)


@dataclass(frozen=True)
class Located:
    """Where a table is.

    Parameters
    ----------
    place : Path, Address or tuple of Path
        As it was given.
    form : Format
        Of all its files.
    files : tuple of Path
        What is opened: the place itself, or the files of one format in a folder, a packed one, or under a pattern.
    said : bool
        Whether the caller named the format.
    """

    place: Places
    form: Format
    files: tuple[Path, ...]
    said: bool = False

    def open(self, connection: DuckDBPyConnection, part: str | None) -> Opened:
        """All rows, of several files as one table."""
        for file in self.files:
            ordinary(file, database=True)
        if self.form.tool:
            try:
                return together({file: self.form.open(connection, file, part) for file in self.files})
            except RecursionError:
                raise InvalidData(f"{self.title}: is nested too deeply") from None
            except InvalidData as error:
                raise self._or_plain(connection, error) from None
        if part is not None and not self.form.sheets:
            raise InvalidInput(f"part: chooses among the scores of a log, and {self.title} is none; leave it out")
        chosen = (part,) if self.form.sheets else ()
        if not self.files:
            return self.form.open(connection, self.place)
        files = [file for file in self.files if file.is_dir() or file.stat().st_size] or [*self.files]
        tables = (self.form.open(connection, file, *chosen) for file in files)
        whole = as_levels(dict(zip(told_apart(files), tables, strict=True)), FILE)
        empty = [file.name for file in self.files if file not in files]
        return replace(whole, notes=(*whole.notes, Note(f"empty, and left out: {listed(empty)}"))) if empty else whole

    @property
    def title(self) -> str:
        """What it is called."""
        return title_of(self.place)

    @property
    def places(self) -> Sequence[Places]:
        """The places that were given, one by one."""
        return self.place if isinstance(self.place, tuple) else (self.place,)

    def _or_plain(self, connection: DuckDBPyConnection, error: InvalidData) -> InvalidData:
        """What is wrong with the log of a tool; where its columns are those of a plain table too, how that is read."""
        import duckdb

        plain = SUFFIXES.get(suffix_of(self.place)) if isinstance(self.place, Path) and self.place.is_file() else None
        if self.said or plain is None:
            return error
        with contextlib.suppress(duckdb.Error, InvalidInput):
            columns = plain.open(connection, self.place).columns
            if has_pairs(columns) or {ITEM, "score"} <= recognise(columns, (ITEM, "score")).keys():
                fix = f"; if it is no file of {self.form.name}, read it as a plain table with "
                return InvalidData(error.args[0] + fix + argument("format", plain.name))
        return error


@contextmanager
def opened(path: Places, rows: Rows = ALL) -> Iterator[Opened]:
    """The rows of a file, folder or ledger on Postgres, lazily, closed on leaving; errors become one line.

    Raises
    ------
    InvalidInput
        If there is no such file or its format is not known.
    InvalidData
        If the file cannot be read as what its name says.
    """
    found = located(path, rows)
    with contextlib.closing(connection()) as own, explained(title_of(path)):
        file = found.open(own, rows.part)
        if isinstance(found.place, Path) and rows.partitions:
            suffixes = found.form.suffixes
            said = caveats.named_by_folders(len(files_of(found.place, suffixes)), names_of(found.place, suffixes))
            file = replace(file, caveats=(said,))
        yield rows.of(file)


def columns_of(found: Located) -> tuple[str, ...]:
    """Names of the columns of plain files, as far as the beginning of the first of them shows."""
    first = found.files[0]
    glance = Glance(next(iter(files_of(first, found.form.suffixes)), first) if first.is_dir() else first)
    return glance.header or tuple(glance.record)


def source_of(path: Places, file: Opened, rows: Rows = ALL) -> Source:
    """Where judgments or votes came from, and what their reader must know of it."""
    found = located(path, rows)
    said = [caveat for place in found.places for caveat in found.form.caveats(place)]
    digest, paid = sha256(path, rows), found.form.paid(found.places[0])
    files = tuple(map(str, path)) if isinstance(path, tuple) else ()
    instead = file.instead or ""
    return Source(
        title_of(path), sha256=digest, caveats=(*said, *file.caveats), paid=paid, instead=instead, files=files
    )


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Errors of DuckDB and of the file system as one line about ``name``."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{name}: cannot be read ({error.strerror or error})") from error
    except Exception as error:
        if not is_of_engine(error):
            raise
        raise InvalidData(f"{name}: {explain(str(error))}") from error


def located(path: Places, rows: Rows = ALL) -> Located:
    """The format of what is at a path: one that claims it by its beginning, else that of the end of its name.

    A folder, or a pattern such as ``logs/*.eval``, stands for all files of one tool's format in it.

    Raises
    ------
    InvalidInput
        If there is no such file, or nothing there says what it is.
    """
    path = places_of(path)  # what the command line takes for a path may be an address
    if isinstance(path, Address):
        return Located(path, ledger.FORMAT, ())
    named = _named(rows.format)
    several = path if isinstance(path, tuple) else _matching(path) or (path,)
    for one in several:
        _require(one)
    if isinstance(path, tuple):
        return _together(path, path, named)
    if rows.partitions and path.is_dir():
        return Located(path, named or _format_in(path), (path,))
    if rows.partitions:
        raise InvalidInput(argument("partitions", True) + f": is for a folder, and {path} is a file; leave it out")
    if len(several) > 1 or several[0] != path or path.is_dir():
        return _together(path, several, named)
    if named not in (None, ledger.FORMAT) and is_database(path):
        raise InvalidInput(f"source: {path} is a SQLite database and no {named.name}; leave the format out")
    glance = Glance(path)
    form = named or next((form for form in FORMATS if form.claims(glance)), None)
    if form is None and path.suffix.lower() == ".zip":
        inside = path.stat()
        return _together(path, [_unpacked(path.absolute(), inside.st_mtime_ns, inside.st_size)], named)
    form = form or _by_name(path)
    return Located(path, form, (form.opens(path),), named is not None)


def _require(path: Path) -> None:
    """Refuse what is not there, or cannot be read to its end."""
    try:
        ordinary(path, database=True)
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidInput(f"source: no such file {path}") from None
    except OSError as error:
        raise InvalidInput(f"source: {path} cannot be read ({error.strerror})") from None


def _named(name: str | None) -> Format | None:
    """The format of this name."""
    if name is None:
        return None
    known = {form.name: form for form in FORMATS}
    if name not in known:
        raise UnknownTerm(name, tuple(known), "format")
    return known[name]


def _matching(path: Path) -> tuple[Path, ...]:
    """The files that a path names as a pattern; none if it is the name of a file."""
    if not re.search(r"[*?\[]", str(path)) or os.path.lexists(path):
        return ()
    # not Path.glob, which is relative to a folder
    return tuple(sorted(Path(name) for name in glob(str(path), recursive=True)))  # noqa: PTH207


@cache
def _unpacked(path: Path, _changed: int, _size: int) -> Path:
    """A folder with what is packed in an archive, as long as the process runs."""
    folder = TemporaryDirectory(prefix="quorate-")
    _FOLDERS.append(folder)
    try:
        with ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.filename.startswith(("__MACOSX", "."))]
            if len(members) > MOST_ENTRIES or swells(sum(one.file_size for one in members), path.stat().st_size):
                raise InvalidInput(f"source: {path} holds too much; unpack it first, and name the file to read")
            archive.extractall(folder.name, members)
    except (BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError) as error:
        raise InvalidData(f"{path}: cannot be unpacked ({error}); unpack it first") from error
    return Path(folder.name)


_FOLDERS: list[TemporaryDirectory[str]] = []
"""Folders that go with the process."""


def _together(place: Path | tuple[Path, ...], entries: Sequence[Path], named: Format | None) -> Located:
    """The files of one format among these entries and in their folders: logs of a tool if there are any."""
    found: dict[Format, list[Path]] = {}
    left = iter(range(MOST_ENTRIES))
    for entry in entries:
        for form, file in _tables(entry, named, left):
            found.setdefault(form, []).append(file)
    found = {form: files for form, files in found.items() if form.tool} or found
    if len(found) == 1:
        ((form, files),) = found.items()
        return Located(place, form, tuple(dict.fromkeys(files)))
    if found:
        listed = ", ".join(f"{len(files):,} of {form.name}" for form, files in found.items())
        most = max(found, key=lambda form: len(found[form]))
        raise InvalidInput(
            f"source: {title_of(place)} holds files of several formats ({listed}); name one, such as "
            + argument("format", most.name)
        )
    raise InvalidInput(f"source: {title_of(place)} holds no table that can be read; name a file")


def _tables(
    entry: Path, named: Format | None, left: Iterator[int], *, inside: bool = False
) -> Iterator[tuple[Format, Path]]:
    """Files of tables at or below a path, and folders of other tools; none whose name starts with a dot or _.

    Inside a folder, files whose names do not end as those of any format do are not looked into, nor is plain text.

    Raises
    ------
    InvalidInput
        If ``left`` ends before they do, or folders name columns.
    """
    if next(left, None) is None:
        raise InvalidInput(f"source: more than {MOST_ENTRIES:,} files and folders at {entry}; name the one to read")
    if not (entry.is_file() or entry.is_dir()):  # a pipe or a device, which may never end
        return
    if inside and entry.is_file() and suffix_of(entry) not in (*SUFFIXES, *_LOGS):
        return
    glance = Glance(entry)
    form = next((form for form in FORMATS if form.tool and named in (None, form) and form.claims(glance)), None)
    if form is not None:
        yield form, form.opens(entry)
    elif entry.is_dir():
        named_by = next((name for name in sorted(glance.names) if _PARTITION.fullmatch(name)), None)
        if named_by is not None:
            raise InvalidInput(
                f"source: {entry} has folders that name columns, such as {named_by}; read all of its files with "
                + argument("partitions", True)
            )
        for inner in sorted(entry.iterdir()):
            if not inner.name.startswith((".", "_")) and not (inner.is_symlink() and inner.is_dir()):
                yield from _tables(inner, named, left, inside=True)
    elif (plain := _plain(entry, named, inside)) is not None:
        yield plain, entry


def _plain(file: Path, named: Format | None, inside: bool) -> Format | None:
    """The format of a file that is no tool's; None of plain text, and of ledgers, which stand alone."""
    if not inside and named is not None and not named.tool:
        return named
    form = SUFFIXES.get(suffix_of(file)) if inside and suffix_of(file) != ".txt" else None if inside else _by_name(file)
    return form if form is not ledger.FORMAT and named in (None, form) else None


def _by_content(glance: Glance) -> Format | None:
    """The format of what is plainly a table of records or of rows, whatever its name ends in; None of anything else."""
    if glance.block.startswith(b"PAR1"):
        return parquet.FORMAT
    starts = [line for line in glance.text.splitlines() if line.startswith("{")][:2]
    if (glance.array and glance.record) or (glance.record and all(map(begun, starts)) and len(starts) > 1):
        return json_lines.ARRAY
    lines = glance.text.splitlines()[: csv_text.LOOKED_AT]
    rows = csv.reader(lines[:-1], delimiter=csv_text.delimiter_of(glance.path, glance.text))
    try:
        widths = [len(row) for row in rows]
    except csv.Error:
        return None
    return csv_text.FORMAT if len(widths) >= _FEWEST_LINES and {*widths} == {max(2, *widths)} else None


def _by_name(path: Path) -> Format:
    """The format that the end of a file's name says, or where that is none of a table, what is in it."""
    suffix = suffix_of(path)
    if suffix in _OTHERS:
        raise InvalidInput(f"source: {path.name} cannot be read as {suffix}; {_OTHERS[suffix]}")
    form = SUFFIXES.get(suffix) or _by_content(Glance(path))
    if form is None or (path.suffix.lower() == ".gz" and not form.packed):
        known = ", ".join(SUFFIXES)
        raise InvalidInput(
            f"source: cannot tell the format of {path.name} by its name; rename it to end in {known}, or say it with "
            + argument("format", "csv")
        )
    return form


def _format_in(folder: Path) -> Format:
    """The format of a folder's files, which must be one."""
    found = [form for form in FORMATS if form.folders and files_of(folder, form.suffixes)]
    if len(found) != 1:
        known = ", ".join(suffix for form in FORMATS if form.folders for suffix in form.suffixes)
        said = "files of several formats" if found else "no file"
        raise InvalidInput(f"source: {folder} has {said} whose names end in {known}; name a folder with one kind")
    return found[0]


def sha256(path: Places, rows: Rows = ALL) -> str | None:
    """Hash of a file's bytes, in hexadecimal; of several that of their names and hashes.

    Of a ledger that of its finished cells; None of one on Postgres.
    """
    found = located(path, rows)
    if isinstance(path, Address):
        return None
    if found.form is ledger.FORMAT:
        return ledger.digest(found.files[0])
    files = found.files
    if isinstance(path, Path) and not (path.is_dir() or _matching(path)):
        return _hash(path if len(files) > 1 or path.suffix.lower() == ".zip" else files[0])
    if rows.partitions and isinstance(path, Path):
        files = tuple(files_of(path, found.form.suffixes))
    inside = [inner for file in files for inner in (sorted(file.rglob("*")) if file.is_dir() else [file])]
    root = path if isinstance(path, Path) and path.is_dir() else os.path.commonpath([file.parent for file in files])
    plain = (file for file in inside if file.is_file() and not is_database(file))
    listed = (f"{os.path.relpath(file, root)}\0{_hash(file)}\n" for file in plain)
    return hashlib.sha256("".join(listed).encode("utf-8", "surrogateescape")).hexdigest()


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
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
