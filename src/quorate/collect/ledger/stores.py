"""Stores of a ledger: a file of SQLite, or a schema of Postgres for runners on several machines."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from itertools import count
from pathlib import Path

from quorate.collect.ledger.lease import start_of_machine
from quorate.collect.ledger.schema import (
    ADDED,
    ADDED_ONLY,
    HELD,
    LATER,
    PATIENCE,
    VERSION,
    Adrift,
    later_on_postgres,
    tables,
    tables_on_postgres,
)
from quorate.errors import InvalidInput
from quorate.table.exchange.format import literal
from quorate.table.exchange.ledger import APPLICATION, FULL, check_room
from quorate.table.exchange.postgres.address import Address
from quorate.table.exchange.postgres.session import Session, patiently

# ---- SQLite

_OLDEST = (3, 35, 0)
_CACHE, _CACHE_TO_PLAN = 2048, 128 * 1024  # kB of pages; keys are in no order, so that planning touches all of them
_PARTS = ("", "-wal", "-shm")
_LATEST = """
SELECT max(coalesce((SELECT at FROM attempts ORDER BY id DESC LIMIT 1), 0),
           coalesce((SELECT since FROM runners ORDER BY id DESC LIMIT 1), 0))
"""
_GUARDS = tuple(
    f"CREATE TRIGGER {name} BEFORE {change} ON attempts BEGIN SELECT RAISE(ABORT, '{ADDED_ONLY}'); END"
    for name, change in (("attempts_stay", "UPDATE"), ("attempts_last", "DELETE"))
)

_REASONS = {
    "disk is full": FULL,
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
        log = place.with_name(f"{place.name}-wal")
        if _bytes(log) and not _bytes(place):  # in this order
            raise InvalidInput(
                f"ledger: {log} belongs to a file that is not there: put it back, or remove this one and its -shm too"
            )
        check_room(place)
        with _explained(place):
            # The commit, which waits for the disk, is made on another thread than the statements, never at one time.
            connection = sqlite3.connect(place, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._ahead = _insisted(connection, place)
            except BaseException:
                connection.close()
                raise
        self.connection = connection
        self._files = _files(place)
        self._adrift = False

    def now(self) -> float:
        """Seconds since 1970, by a clock that nobody sets: it goes on from when the machine's was first looked at."""
        return self._ahead + _ticks()

    def begin(self, *, wait: bool = True) -> bool:
        """Begin to write, alone; False if another process writes and ``wait`` is not set."""
        self._check_place()
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
        self._check_place()
        with self.explained():
            self.connection.execute("BEGIN")

    def end(self) -> None:
        """Make it durable."""
        with self.explained():
            self.connection.execute("COMMIT")
        self._check_place()

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

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Keep more of the file in memory."""
        self._keep(_CACHE_TO_PLAN)
        try:
            yield
        finally:
            self._keep(_CACHE)
            self.connection.execute("PRAGMA shrink_memory")

    def _keep(self, size: int) -> None:
        for database in ("main", "temp"):
            self.connection.execute(f"PRAGMA {database}.cache_size = -{size}")

    def drift(self) -> None:
        """Go on in the file that was taken away, which this process still has open; nothing of it goes elsewhere."""
        self._adrift = True
        with self.explained():
            self.connection.execute("PRAGMA wal_autocheckpoint = 0")

    def copy(self) -> Path:
        """A copy of what this process sees, in a new file beside, or where temporary files are."""
        names = (f"{self.place.stem}-kept-{number}{self.place.suffix}" for number in count(1))
        folders = [folder for folder in (self.place.parent, Path(tempfile.gettempdir())) if folder.is_dir()]
        kept = next(folders[0] / name for name in names if not any((folder / name).exists() for folder in folders))
        with _explained(kept), closing(sqlite3.connect(kept)) as target:
            self.connection.backup(target)
        return kept

    def _check_place(self) -> None:
        """That the file, and the two beside it, are those that were opened: other processes see no others."""
        if self._adrift:
            return
        check_room(self.place)
        with self.explained():
            ((application,),) = self.connection.execute("PRAGMA application_id").fetchall()
        if application != APPLICATION or _files(self.place) != self._files:
            raise Adrift(f"ledger: {self.place} was removed, moved or replaced while it was written to")


def _files(place: Path) -> tuple[tuple[int, int], ...] | None:
    """Device and number of the file and of the two beside it; None if one is not there."""
    try:
        found = [place.with_name(f"{place.name}{part}").stat() for part in _PARTS]
    except OSError:
        return None
    return tuple((one.st_dev, one.st_ino) for one in found)


def _ticks() -> float:
    """Seconds since this machine was started, sleep included where the system can say."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


def _insisted(connection: sqlite3.Connection, path: Path) -> float:
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


def _prepare(connection: sqlite3.Connection, path: Path) -> float:
    """Make the ledger, if there is none; what its clock is ahead of that which counts since the machine's start."""
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
    for statement in LATER:
        connection.execute(statement)
    ahead = _ahead(connection)
    connection.execute("COMMIT")
    return ahead


def _ahead(connection: sqlite3.Connection) -> float:
    """The same for all processes since a start of the machine; no earlier than what is recorded."""
    ((latest,),) = connection.execute(_LATEST).fetchall()
    ahead: float = max(time.time(), latest) - _ticks()
    start = start_of_machine()
    if start is None:
        return ahead
    connection.execute("CREATE TABLE IF NOT EXISTS clocks (start TEXT PRIMARY KEY, ahead REAL NOT NULL)")
    connection.execute("INSERT INTO clocks VALUES (?, ?) ON CONFLICT DO NOTHING", (start, ahead))
    ((ahead,),) = connection.execute("SELECT ahead FROM clocks WHERE start = ?", (start,)).fetchall()
    return ahead


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


def _bytes(path: Path) -> int:
    """Size of a file; 0 where there is none, or no more, as another process takes it away."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


# ---- Postgres
#
# Whoever writes holds the one row of the budget until the commit, so that writers come one after the other, as they do
# in a file. Times are those of the server's clock.


_NOW = "SELECT extract(epoch FROM clock_timestamp())"
_HOLD = "SELECT 1 FROM spend FOR UPDATE"
_MARK = "quorate ledger "
_GUARD = f"""
CREATE FUNCTION attempts_stay() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{ADDED_ONLY}' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER attempts_stay BEFORE UPDATE OR DELETE ON attempts FOR EACH ROW EXECUTE FUNCTION attempts_stay()
"""


class PostgresStore:
    """A schema of its own, made if there is none.

    Parameters
    ----------
    place : Address
        Database and schema.

    Raises
    ------
    InvalidInput
        If the server cannot be reached, or the schema holds something else or a ledger of a newer version.
    """

    remote = True

    def __init__(self, place: Address) -> None:
        self.place = place
        self.connection = Session(place)
        self._ahead = 0.0
        try:
            if not _is_there(self.connection) or _is_older(self.connection):
                patiently(self._make)
            self._heard(self.connection.execute(_NOW).fetchall()[0][0])
        except BaseException:
            self.connection.close()
            raise

    def now(self) -> float:
        """Seconds since 1970 by the server's clock, as it was when something was last begun."""
        return self._ahead + time.monotonic()

    def begin(self, *, wait: bool = True) -> bool:
        """Begin to write, alone; False if another session writes and ``wait`` is not set."""
        rows = self.connection.begin(f"{_HOLD}{'' if wait else ' SKIP LOCKED'}; {_NOW}").fetchall()
        self._heard(rows[-1][0])
        if len(rows) == 1:
            self.undo()
        return len(rows) > 1

    def look(self) -> None:
        """Begin to read what is there now, whatever others write."""
        self._heard(self.connection.begin(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; {_NOW}").fetchall()[-1][0])

    def end(self) -> None:
        """Make it durable."""
        self.connection.end()

    def undo(self) -> None:
        """Forget everything since `begin`, if there was one."""
        self.connection.undo()

    def cut(self) -> None:
        """End what waits for the server on another thread."""
        self.connection.cut()

    def close(self) -> None:
        """End the connection."""
        self.connection.close()

    def explained(self) -> AbstractContextManager[None]:
        """Nothing to do: the connection speaks in such lines already."""
        return nullcontext()

    def planning(self) -> AbstractContextManager[None]:
        """Nothing to do: the server keeps what it can."""
        return nullcontext()

    def drift(self) -> None:
        """Nothing to do: a server does not go on with what was dropped."""

    def copy(self) -> None:
        """Nothing, for the same reason."""

    def _heard(self, now: float) -> None:
        self._ahead = now - time.monotonic()

    def _make(self) -> None:
        session, schema = self.connection, self.place.identifier
        session.begin(f"SELECT pg_advisory_xact_lock(hashtext({literal(_MARK + schema)}))")
        try:
            if not _is_there(session):  # nobody was quicker
                if session.execute("SELECT to_regnamespace(?)", (schema,)).fetchall() == [(None,)]:
                    session.execute(f"CREATE SCHEMA {schema}")
                for statement in (*tables_on_postgres(), _GUARD):
                    session.execute(statement)
                session.execute(f"INSERT INTO study VALUES (1, ({_NOW}), NULL)")
                session.execute(f"COMMENT ON TABLE study IS '{_MARK}{VERSION}'")
            elif _is_older(session):
                for statement in later_on_postgres():
                    session.execute(statement)
            session.end()
        except BaseException:
            session.undo()
            raise


def _is_older(session: Session) -> bool:
    """Whether the ledger lacks what is added to those of an earlier version."""
    names = [f"{session.address.identifier}.{name}" for name in ADDED]
    found = f"SELECT num_nulls({', '.join(['to_regclass(?)'] * len(names))})"
    ((missing,),) = session.execute(found, names).fetchall()
    return bool(missing)


def is_made(place: Address) -> bool:
    """Whether there is a ledger.

    Raises
    ------
    InvalidInput
        If the server cannot be reached, or something else is there.
    """
    with Session(place) as session:
        return _is_there(session)


def _is_there(session: Session) -> bool:
    schema = session.address.identifier
    ((mark, others),) = session.execute(
        "SELECT obj_description(to_regclass(?), 'pg_class'), "
        "(SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(?))",
        (f"{schema}.study", schema),
    )
    if mark is None and others:
        raise InvalidInput(f"ledger: {session.address}: the schema holds tables of another program; name another one")
    if mark not in (None, f"{_MARK}{VERSION}"):
        version = mark.removeprefix(_MARK)
        raise InvalidInput(
            f"ledger: {session.address} has format {version}, this version reads {VERSION}; use the one it is from"
        )
    return mark is not None
