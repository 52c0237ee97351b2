"""SQLite: a ledger in a file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from quorate.collect.ledger.schema import ADDED_ONLY, VERSION, tables
from quorate.collect.ledger.store import HELD, PATIENCE
from quorate.errors import InvalidInput

APPLICATION = 0x51554F52
"""The four letters QUOR, in the header of the file."""

_OLDEST = (3, 35, 0)
_GUARDS = tuple(
    f"CREATE TRIGGER {name} BEFORE {change} ON attempts BEGIN SELECT RAISE(ABORT, '{ADDED_ONLY}'); END"
    for name, change in (("attempts_stay", "UPDATE"), ("attempts_last", "DELETE"))
)

_REASONS = {
    "disk is full": "the disk is full; everything recorded so far is kept: free some space and run it again",
    "disk I/O error": "the disk cannot be written (full, over a limit, or failing); everything recorded so far is "
    "kept: make room and run it again",
    "readonly": "cannot be written; change its permissions or name another file",
    "unable to open": "cannot be opened; check that its folder exists and can be written to",
    "not a database": "is not a ledger; name another file",
    "malformed": "is damaged; restore a copy of it",
    "locked": HELD,
}
"""What to say and to do, by words of SQLite's errors."""


class SqliteStore:
    """A file: write-ahead log, every commit on the disk before it returns.

    Parameters
    ----------
    place : Path
        The file, made if there is none.

    Raises
    ------
    InvalidInput
        If the file is something else, was written by a newer version, or cannot be opened.
    """

    remote = False

    def __init__(self, place: Path) -> None:
        if sqlite3.sqlite_version_info < _OLDEST:
            raise InvalidInput(
                f"ledger: needs SQLite 3.35 or newer, Python has {sqlite3.sqlite_version}; update Python"
            )
        self.place = place
        with _explained(place):
            # The commit, which waits for the disk, is made on another thread than the statements, never at one time.
            connection = sqlite3.connect(place, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                _insisted(connection, place)
            except BaseException:
                connection.close()
                raise
        self.connection = connection

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def begin(self, *, wait: bool = True) -> bool:
        """Begin to write, alone; False if another process writes and ``wait`` is not set."""
        if wait:
            with self.explained():
                self.connection.execute("BEGIN IMMEDIATE")
            return True
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            return self.begin()
        except InvalidInput as error:
            if _is_busy(error.__cause__):
                return False
            raise
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")

    def look(self) -> None:
        """Begin to read what is there now, whatever others write."""
        with self.explained():
            self.connection.execute("BEGIN")

    def end(self) -> None:
        """Make it durable."""
        with self.explained():
            self.connection.execute("COMMIT")

    def undo(self) -> None:
        """Forget everything since `begin`, if there was one."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def cut(self) -> None:
        """Nothing to do: a file answers."""

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def explained(self) -> AbstractContextManager[None]:
        """Errors of SQLite as one line about the ledger."""
        return _explained(self.place)


def _insisted(connection: sqlite3.Connection, path: Path) -> None:
    """Prepare it, again where another process does so at this moment: the change to WAL does not wait by itself."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return _prepare(connection, path)
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            time.sleep(0.02)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN")  # its facts at one moment, for another process may be making it
    _is_made(connection, path)  # before anything is written, for another program's file is left as it is
    connection.execute("ROLLBACK")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("BEGIN IMMEDIATE")
    if not _is_made(connection, path):
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        for statement in (*tables(), *_GUARDS):
            connection.execute(statement)
        connection.execute("INSERT INTO study VALUES (1, ?, NULL)", (time.time(),))
    connection.execute("COMMIT")


def _is_made(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file is a ledger; an empty one is none yet."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not application and not objects:
        return False
    if application != APPLICATION:
        raise InvalidInput(f"ledger: {path} is a database of another program; name another file")
    if version != VERSION:
        raise InvalidInput(f"ledger: {path} has format {version}, this version reads {VERSION}; use the one it is from")
    return True


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Errors of SQLite as one line about the ledger: a full disk, a file that cannot be written, is damaged or none."""
    try:
        yield
    except sqlite3.Error as error:
        words = str(error)
        reason = next((sentence for part, sentence in _REASONS.items() if part in words), f"cannot be used ({words})")
        raise InvalidInput(f"ledger: {path}: {reason}") from error


def _is_busy(error: BaseException | None) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorname.startswith("SQLITE_BUSY")
