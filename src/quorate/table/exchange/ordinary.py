"""Ordinary files: what ends soon when it is read, unlike a pipe, a device or a packed bomb, and is no database.

SQLite alone opens a database.

To open and close a file drops all locks that this process has on it, those that SQLite holds for a ledger too; other
processes then take away what belongs to it (https://sqlite.org/howtocorrupt.html, 2.2).
"""

from __future__ import annotations

import errno
import gzip
import os
import sqlite3
import stat
import zlib
from contextlib import closing, suppress
from pathlib import Path

_BESIDE = ("-wal", "-shm", "-journal")
_PAGE = 512

MOST_SWOLLEN = 200
"""Bytes that a packed byte may stand for: judgments take a tenth of that."""
_SHOWN = 1 << 16


def ordinary(path: Path, *, database: bool = False) -> Path:
    """The path, if what is there can be read to its end.

    Parameters
    ----------
    path : Path
        A file or a folder.
    database : bool
        Whether it may be a database, which the caller opens by SQLite alone.

    Raises
    ------
    OSError
        If it is a pipe, a socket, a device, a database or a packed bomb, or its name cannot be one of a file.
    """
    try:
        mode = path.stat().st_mode
    except ValueError:
        raise OSError(errno.EINVAL, "no file has such a name", "") from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and no ordinary file", str(path))
    if is_database(path):
        if not database:
            raise OSError(errno.EINVAL, "it is a SQLite database, such as a ledger, and no text", str(path))
    elif stat.S_ISREG(mode) and _is_swollen(path):
        raise OSError(
            errno.EINVAL, f"unpacked it is more than {MOST_SWOLLEN} times as long; unpack it first", str(path)
        )
    return path


def swells(length: int, packed: int) -> bool:
    """Whether so many bytes, or rows, packed into so few bytes are hardly judgments, and take their time to unpack."""
    return length >= MOST_SWOLLEN * max(packed, _SHOWN)


def _is_swollen(path: Path) -> bool:
    """Whether gzip made a file that much shorter.

    It is unpacked so far only if its beginning swells, or its end says so, which of a file that is cut off is no word.
    """
    with path.open("rb") as stream:
        start = stream.read(_SHOWN)
        if not start.startswith(b"\x1f\x8b"):
            return False
        stream.seek(-4, os.SEEK_END)
        length, unpacked = int.from_bytes(stream.read(), "little"), 0
    with suppress(OSError, EOFError, zlib.error), gzip.open(path) as stream:  # for whoever reads the rest to say
        first = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start, MOST_SWOLLEN * _SHOWN)
        if swells(len(first), len(start)) or swells(length, path.stat().st_size):
            while not swells(unpacked, path.stat().st_size) and (block := stream.read(_SHOWN << 4)):
                unpacked += len(block)
    return swells(unpacked, path.stat().st_size)


def is_database(path: Path) -> bool:
    """Whether a file is a database of SQLite, or one of those beside it, as SQLite says, which keeps its locks."""
    for suffix in _BESIDE:
        if path.name.endswith(suffix):
            path = path.with_name(path.name.removesuffix(suffix))
    if not path.is_file() or path.stat().st_size < _PAGE:  # SQLite takes what is empty for a database too
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorname == "SQLITE_CORRUPT"
    return True
