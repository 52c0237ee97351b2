"""A file at first sight: what its first 64 KiB show, by which formats tell what is theirs."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from functools import cached_property
from pathlib import Path
from typing import Any

from quorate.frozen import dataclass
from quorate.table.exchange.csv_text import SUFFIXES, delimiter_of
from quorate.table.exchange.encoding import MARKS, PACKED, begins_in, is_database
from quorate.table.exchange.engine import connection
from quorate.table.exchange.format import MOST_COLUMNS, pattern, suffix_of
from quorate.table.exchange.parquet import entries

FIRST = 1 << 16

DATABASE = b"SQLite format 3\0"
"""How every database of SQLite begins."""

_BLANK = re.compile(r"[ \t\r\n]*")
_COLON = re.compile(r"[ \t\r\n]*:?[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")
_VALUE = json.JSONDecoder(parse_constant=float)
_DEEPEST = 40


@dataclass(frozen=True)
class Glance:
    """What is at a path, as far as its beginning shows.

    Parameters
    ----------
    path : Path
        A file or a folder.
    """

    path: Path

    @cached_property
    def block(self) -> bytes:
        """The first bytes, unpacked if they are gzip; of a database no more than how all of them begin.

        None of a folder, a pipe or a device, or of what cannot be read.
        """
        try:
            if not self.path.is_file():
                return b""
            if is_database(self.path):
                return DATABASE
            with self.path.open("rb") as stream:
                start = stream.read(FIRST)
            if not start.startswith(PACKED):
                return start
            with gzip.open(self.path) as unpacked:
                return unpacked.read(FIRST)
        except (OSError, EOFError, zlib.error):  # said by whoever reads the rest
            return b""

    @cached_property
    def text(self) -> str:
        """The first bytes as text; empty of what is none."""
        if b"\0" in self.block and not self.block.startswith(MARKS):
            return ""
        cut = len(self.block) >= FIRST
        try:
            return self.block.decode(begins_in(self.block), "ignore" if cut else "strict").lstrip()
        except UnicodeDecodeError:
            return ""

    @cached_property
    def words(self) -> str:
        """What stands there, to look for words in: text or bytes, columns of Parquet, or the entries of a folder."""
        if self.block.startswith(b"PAR1"):
            return "\n".join(self.header)
        return "\n".join(self.names) or self.text or self.block.decode("latin-1")

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the entries of a folder; none of a file."""
        return frozenset(entry.name for entry in self.path.iterdir()) if self.path.is_dir() else frozenset()

    @cached_property
    def json(self) -> Any:
        """The first JSON value, as much of it as the beginning shows; None if there is none."""
        return begun(self.text) if self.text[:1] in ("{", "[") else None

    @property
    def array(self) -> bool:
        """Whether it is a JSON array."""
        return isinstance(self.json, list)

    @property
    def record(self) -> dict[str, Any]:
        """The first object: of a file with one, of lines of them, or of an array; empty if there is none."""
        first = self.json[0] if isinstance(self.json, list) and self.json else self.json
        return first if isinstance(first, dict) else {}

    @cached_property
    def header(self) -> tuple[str, ...]:
        """Names of the columns of CSV, TSV or Parquet; none of anything else."""
        if self.block.startswith(b"PAR1"):
            import duckdb

            if entries(self.path) > MOST_COLUMNS:  # refused by whoever reads the rest
                return ()
            try:
                return tuple(connection().sql(f"SELECT * FROM read_parquet({pattern(self.path)})").columns)
            except duckdb.Error:  # said by whoever reads the rest
                return ()
        if suffix_of(self.path) not in SUFFIXES:
            return ()
        delimiter = delimiter_of(self.path, self.text)
        try:
            return tuple(next(csv.reader(io.StringIO(self.text), delimiter=delimiter), ()))
        except csv.Error:
            return ()


def begun(text: str) -> Any:
    """A JSON value of which the end may be missing: what stands in the part that is there.

    Examples
    --------
    >>> begun('{"a": 1, "b": {"c": [2, 3')
    {'a': 1, 'b': {'c': [2]}}
    """
    return _begun(text, 0, 0)[0]


def _begun(text: str, start: int, depth: int) -> tuple[Any, int | None]:
    """The value that begins at a place, and where it ends; None if the text or what is understood ends before."""
    place = _end(_BLANK, text, start)
    kind = text[place : place + 1]
    if kind not in ("{", "[") or depth > _DEEPEST:
        try:
            value, end = _VALUE.raw_decode(text, place)
        except (ValueError, RecursionError):
            return None, None
        # a number at the very end may go on
        return (value, end) if end < len(text) or kind == '"' else (None, None)
    held: dict[str, Any] | list[Any] = {} if kind == "{" else []
    place = _end(_BLANK, text, place + 1)
    while text[place : place + 1] not in ("}", "]", ""):
        if isinstance(held, dict):
            name, colon = _begun(text, place, depth + 1)
            if colon is None or not isinstance(name, str):
                return held, None
            value, after = _begun(text, _end(_COLON, text, colon), depth + 1)
            held[name] = value
        else:
            value, after = _begun(text, place, depth + 1)
            held += [] if value is None and after is None else [value]
        if after is None:
            return held, None
        place = _end(_COMMA, text, after)
    return held, place + 1 if text[place : place + 1] else None


def _end(expression: re.Pattern[str], text: str, start: int) -> int:
    found = expression.match(text, start)
    return start if found is None else found.end()
