"""Ordinary files: what ends when it is read, unlike a pipe or a device, and is no database, which SQLite alone opens.

To open and close a file drops all locks that this process has on it, those that SQLite holds for a ledger too; other
processes then take away what belongs to it (https://sqlite.org/howtocorrupt.html, 2.2).
"""

from __future__ import annotations

import errno
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

_BESIDE = ("-wal", "-shm", "-journal")
_PAGE = 512


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
        If it is a pipe, a socket, a device or a database, or its name cannot be one of a file.
    """
    try:
        mode = path.stat().st_mode
    except ValueError:
        raise OSError(errno.EINVAL, "no file has such a name", "") from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and no ordinary file", str(path))
    if not database and is_database(path):
        raise OSError(errno.EINVAL, "it is a SQLite database, such as a ledger, and no text", str(path))
    return path


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
