"""Sessions on Postgres, which is spoken to as SQLite is: the same statements, with ``?`` for every value.

Statements for many rows go as one: the values are sent as arrays, one for each ``?``.
"""

from __future__ import annotations

import re
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from numbers import Integral
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.address import Address

# Statements and values as Postgres takes them: numbered parameters, arrays for many rows, and text for every value.


def for_many(sql: str, types: Sequence[str]) -> str:
    """An ``INSERT ... VALUES`` or ``UPDATE ... WHERE`` of one row as a statement over arrays.

    Examples
    --------
    >>> for_many("UPDATE t SET a = a + ? WHERE id = ?", ["text", "bigint"])
    'UPDATE t SET a = a + v.p1 FROM unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS v(p1, p2) WHERE id = v.p2'
    """
    arrays = ", ".join(f"CAST(? AS {one}[])" for one in types)
    source = f"FROM unnest({arrays}) AS v({', '.join(f'p{at}' for at in range(1, len(types) + 1))})"
    one = " ".join(numbered(sql, "v.p{}".format).split())
    if one.startswith("UPDATE"):
        return one.replace(" WHERE ", f" {source} WHERE ", 1)
    head, _, values = one.partition(" VALUES (")
    values, _, rest = values.rpartition(")")
    return f"{head} SELECT {values} {source}{rest}"


def numbered(sql: str, name: Callable[[int], str]) -> str:
    """A statement with a name for every ``?``, made from its number."""
    numbers = iter(range(1, sql.count("?") + 1))
    return re.sub(r"\?", lambda _: name(next(numbers)), sql)


def columns(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Rows as one array for each column."""

    def element(value: Any) -> str:
        if isinstance(value, str):
            return '"' + _storable(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
        return "NULL" if value is None else _digits(value)

    return ["{" + ",".join(map(element, column)) + "}" for column in zip(*rows, strict=True)]


def text(value: Any) -> str | None:
    """A value as Postgres reads it: text, a number of any kind or nothing."""
    if value is None:
        return None
    return _storable(value) if isinstance(value, str) else _digits(value)


def _digits(value: Any) -> str:
    """A number of any kind, NumPy's included, in digits."""
    return repr(int(value) if isinstance(value, Integral) else float(value))


def _storable(said: str) -> str:
    """Postgres holds every character but the one of number zero."""
    return said.replace("\0", "\ufffd")


def number(said: str) -> int | float:
    """Sums of whole numbers are whole numbers, as in SQLite."""
    return float(said) if "." in said else int(said)


PATIENCE = 30.0
"""Seconds for which one waits for another writer, or for a server that is away."""

IDLE = 20.0
"""Seconds after which the server undoes a transaction in which nothing happens, well before others lose patience."""

T = TypeVar("T")
_SETTINGS = """
SET search_path = {schema}; SET lock_timeout = '{patience}s'; SET idle_in_transaction_session_timeout = '{idle}s';
SET client_min_messages = warning;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""
_MANY = 4096
_NUMERIC = 1700
_TIMEOUT = 10.0
_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4, "TCP_USER_TIMEOUT": 30_000}
_AGAIN = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 14.0)
_STARTS = (15.0,) * 16  # after a crash a server may go through its log for minutes
_GONE = ("08", "57P", "25P03", "53300")
_STARTING = ("57P03", "53300")
_REASONS = {
    "28": "lets nobody in under this user and password; put the password into the environment variable {variable}",
    "3D000": "has no such database; create it, or name another one",
    "42501": "does not allow this user to do that; ask for the right to use the schema and its tables",
    "25006": "can only be read; name the server that is written to",
    "53100": "has a full disk; everything recorded so far is kept: free some space and run it again",
    "42P01": "lacks tables that were there before: it was dropped, or replaced; put back a copy of it",
    "55P03": "is held by another process for more than {patience:.0f} seconds; end that first",
}


_WAITED = "55P03"
_KEPT = "everything recorded so far is kept: run it again when the server answers"


class Interrupted(InvalidInput):
    """The connection was lost: whatever was not committed is undone, and a commit under way may have been made."""


class GivenUp(Interrupted):
    """The connection was ended by this process, which waits no longer."""


class Starting(Interrupted):
    """The server is there and lets nobody in yet."""


class Away(InvalidInput):
    """The server did not come back for as long as there is patience."""


class Held(InvalidInput):
    """Another process has not let go of the ledger."""


class Rows:
    """What a statement gave.

    Parameters
    ----------
    rows : list of tuple
        All of them.
    names : sequence of str
        Names of the columns.
    rowcount : int
        How many rows were changed; -1 where that is not known.
    """

    def __init__(self, rows: list[tuple[Any, ...]], names: Sequence[str] = (), rowcount: int = -1) -> None:
        self._rows, self._next = rows, 0
        self.description = tuple((name,) for name in names)
        self.rowcount = rowcount

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        while self._next < len(self._rows):
            self._next += 1
            yield self._rows[self._next - 1]

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, if there is one."""
        return next(iter(self), None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that are left."""
        return list(self)


class Session:
    """A connection that is made again when it is lost, unless a transaction was under way.

    Parameters
    ----------
    address : Address
        Which database and schema.

    Raises
    ------
    InvalidInput
        If the driver is not installed or the server cannot be reached, one line each.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self.in_transaction = False
        if find_spec("pg8000") is None:
            raise InvalidInput('ledger: Postgres needs a driver; run pip install "quorate[postgres]"')
        self._native: Any = import_module("pg8000.native")
        self._raw: Any = None
        self._prepared: dict[str, Any] = {}
        self._many: dict[str, str] = {}
        self._cut = threading.Event()
        try:
            self._connect()
        except Interrupted as error:
            if isinstance(error.__cause__, socket.gaierror):  # a name that nobody has
                raise
            self._again()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; a transaction under way is undone."""
        raw, self._raw, self._prepared = self._raw, None, {}
        if raw is not None:
            with suppress(Exception):  # whatever is wrong with it, it is not wanted any more
                raw.close()

    def cut(self) -> None:
        """From another thread: a statement that waits for the server fails with `Interrupted`, and is not repeated."""
        self._cut.set()
        raw = self._raw
        if raw is not None:
            with suppress(OSError, AttributeError):  # it has just ended by itself
                raw._usock.shutdown(socket.SHUT_RDWR)  # noqa: SLF001 -- the one given may be wrapped

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Rows:
        """One statement, or several without values; again where the connection is lost outside a transaction."""
        if self.in_transaction:
            return self._said(sql, parameters)
        return patiently(lambda: self._said(sql, parameters))

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> Rows:
        """One ``INSERT ... VALUES`` or ``UPDATE ... WHERE`` for every row, some thousands at a time."""
        each, changed = iter(rows), 0
        while held := list(islice(each, _MANY)):
            changed += self.execute(self._for_many(sql), columns(held)).rowcount
        return Rows([], rowcount=changed)

    def blocks(self, query: str, size: int) -> Iterator[Rows]:
        """The rows of a query in blocks, all as they are at one moment; nothing else may be executed meanwhile."""
        try:
            self.execute(f"BEGIN READ ONLY; DECLARE reading NO SCROLL CURSOR FOR {query}")
            self.in_transaction = True
            while True:
                found = self.execute(f"FETCH {size} FROM reading")
                yield found
                if found.rowcount < size:
                    return
        finally:
            self.undo()

    def begin(self, sql: str) -> Rows:
        """Begin a transaction with some statements, on a new connection if the old one is lost."""
        try:
            rows = self.execute(f"BEGIN ISOLATION LEVEL READ COMMITTED; {sql}")
        except BaseException:
            self.undo()
            raise
        self.in_transaction = True
        return rows

    def end(self) -> None:
        """Commit."""
        self.execute("COMMIT")
        self.in_transaction = False

    def undo(self) -> None:
        """Forget the transaction, if there is one."""
        self.in_transaction = False
        if self._raw is not None:
            with suppress(InvalidInput), self._explained():  # where it is lost, the server forgets it too
                self._run("ROLLBACK", ())

    # ---- one statement

    def _said(self, sql: str, parameters: Sequence[Any]) -> Rows:
        if self._raw is None:
            self._again()
        with self._explained():
            return self._run(sql, parameters)

    def _run(self, sql: str, parameters: Sequence[Any]) -> Rows:
        raw = self._raw
        if not parameters:
            rows = raw.run(sql)
            return Rows(_tuples(rows), [one["name"] for one in raw.columns or ()], raw.row_count)
        statement = self._prepared.get(sql)
        if statement is None:
            statement = self._prepared[sql] = raw.prepare(numbered(sql, ":p{}".format))
        rows = statement.run(**{f"p{at}": text(value) for at, value in enumerate(parameters, 1)})
        changed = statement._context.row_count  # noqa: SLF001 -- nothing else says it of a prepared statement
        return Rows(_tuples(rows), [one["name"] for one in statement.columns or ()], changed)

    def _for_many(self, sql: str) -> str:
        """The same statement for arrays of values, of the types that Postgres says that it takes."""
        if sql not in self._many:
            asked = f"PREPARE typed AS {numbered(sql, '${}'.format)}"
            types = "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'typed'"
            ((found,),) = self.execute(f"{asked}; {types}; DEALLOCATE typed")
            self._many[sql] = for_many(sql, found)
        return self._many[sql]

    # ---- the connection

    def _again(self) -> None:
        """Connect again, for as long as there is patience: for longer where the server says that it starts."""
        if self.in_transaction:
            raise Interrupted(f"ledger: {self.address}: the connection was lost")
        said: Interrupted | None = None
        until = time.monotonic() + PATIENCE
        for turn, pause in enumerate((*_AGAIN, *_STARTS)):
            if (turn >= len(_AGAIN) or time.monotonic() > until) and not isinstance(said, Starting):
                break
            self._rest(pause)
            try:
                return self._connect()
            except Interrupted as error:
                said = error
        raise Away(f"{said}; {_KEPT}") from said

    def _rest(self, seconds: float) -> None:
        if self._cut.wait(seconds):
            self._cut.clear()
            raise GivenUp(f"ledger: {self.address}: the connection was given up; {_KEPT}")

    def _connect(self) -> None:
        with self._explained():
            self._raw = _connected(self._native, self.address)
            self._prepared = {}
            self._raw.register_in_adapter(_NUMERIC, number)
            schema = self.address.identifier
            self._raw.run(_SETTINGS.format(schema=schema, patience=int(PATIENCE), idle=int(IDLE)))
            ((encoding,),) = self._raw.run("SHOW server_encoding")
            if encoding != "UTF8":
                raise InvalidInput(
                    f"ledger: {self.address}: the database is in {encoding}; make one with ENCODING 'UTF8'"
                )
            self._raw._usock.settimeout(PATIENCE + IDLE)  # noqa: SLF001 -- the one given may be wrapped

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except self._native.DatabaseError as error:
            said = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
            code, why = said.get("C", ""), said.get("M", "no reason given")
            if code.startswith(_GONE):
                self._lost(why, error, Starting if code in _STARTING else Interrupted)
            sentence = next((known for start, known in _REASONS.items() if code.startswith(start)), None)
            reason = f"cannot be used ({why})"
            if sentence is not None:
                reason = sentence.format(variable=self.address.variable, patience=PATIENCE)
            kind = Held if code == _WAITED else InvalidInput
            raise kind(f"ledger: {self.address}: {reason}") from error
        except (self._native.InterfaceError, OSError) as error:
            cause = error.__cause__ or error
            self._lost(getattr(cause, "strerror", None) or str(cause) or type(cause).__name__, error)
        except BaseException:
            self.close()  # in the middle of a statement, so that nothing can be said on it any more
            raise

    def _lost(self, said: str, error: Exception, kind: type[Interrupted] = Interrupted) -> NoReturn:
        self.close()
        if self._cut.is_set():
            self._cut.clear()
            raise GivenUp(f"ledger: {self.address}: the connection was given up; {_KEPT}") from error
        raise kind(f"ledger: {self.address}: the connection was lost or cannot be made ({said})") from error


def patiently(step: Callable[[], T]) -> T:
    """What a step gives, begun again while connections are lost, for as long as there is patience."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return step()
        except GivenUp:
            raise
        except Interrupted as error:
            if time.monotonic() > until:
                raise Away(f"{error}; {_KEPT}") from error


def _connected(native: Any, address: Address) -> Any:
    password, sock, before = address.password(), _socket(address), sys.exception()
    encryption: Any = False if address.sslmode == "disable" else ssl.create_default_context()
    if address.sslmode == "require":
        encryption.check_hostname, encryption.verify_mode = False, ssl.CERT_NONE
    try:
        return native.Connection(
            address.user,
            host=address.host,
            database=address.database,
            password=password,
            sock=sock,
            ssl_context=encryption,
            application_name="quorate",
        )
    except BaseException as error:
        sock.close()
        first = _first(error, before)
        if password is None and isinstance(first, AttributeError):  # what the driver makes of one that is asked for
            raise InvalidInput(
                f"ledger: {address}: asks for a password; put it into the environment variable {address.variable}"
            ) from error
        raise first from None


def _first(error: BaseException, before: BaseException | None) -> BaseException:
    """What went wrong first: the driver says goodbye to a server that has hung up, and fails at that too."""
    inner = error.__context__
    return error if inner is None or inner is before else _first(inner, before)


def _tuples(rows: list[list[Any]] | None) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in rows or ()]


def _socket(address: Address) -> socket.socket:
    """A socket that notices within half a minute that the other side is gone; a login that takes too long fails."""
    if address.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(_TIMEOUT)
        try:
            made.connect(f"{address.host}/.s.PGSQL.{address.port}")
        except OSError:
            made.close()
            raise
        return made
    made = socket.create_connection((address.host, address.port), _TIMEOUT)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for name, value in _ALIVE.items():
        if hasattr(socket, name):  # not every system has all of them
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made
