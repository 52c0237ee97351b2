"""The connection to DuckDB that reads files."""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def connection() -> DuckDBPyConnection:
    """A connection of the caller's own to a database in memory: it sees no name that another one registers."""
    return cast("DuckDBPyConnection", _Connection())


class _Connection:
    """A connection that is made when something is asked of it, which few rows of text never need."""

    @cached_property
    def made(self) -> DuckDBPyConnection:
        own = _database().cursor()
        own.execute("SET enable_progress_bar = false")
        return own

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)

    def __enter__(self) -> DuckDBPyConnection:
        return cast("DuckDBPyConnection", self)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if "made" in vars(self):
            self.made.close()


def registered(own: DuckDBPyConnection, frame: Any) -> DuckDBPyRelation:
    """The rows of a frame of narwhals that is in memory."""
    own.register("frame", {name: frame[name].to_numpy() for name in frame.columns})
    return own.sql("SELECT * FROM frame")


def is_of_engine(error: Exception) -> bool:
    """Whether DuckDB raised it, which is not imported to tell."""
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(error, duckdb.Error)


def later(own: DuckDBPyConnection, frame: Any) -> DuckDBPyRelation:
    """The same, which the engine is told of when something is asked of it."""
    return cast("DuckDBPyRelation", _Later(own, frame))


class _Later:
    def __init__(self, own: DuckDBPyConnection, frame: Any) -> None:
        self.own, self.frame = own, frame

    @cached_property
    def made(self) -> DuckDBPyRelation:
        return registered(self.own, self.frame)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)


@cache
def _database() -> DuckDBPyConnection:
    """The database that all connections of a process share: to make one takes longer than to read most files."""
    with _undisturbed():
        import duckdb

    # Nothing is kept from one file to the next: a file may have been written anew.
    made = duckdb.connect(config={"autoinstall_known_extensions": False, "enable_external_file_cache": False})
    atexit.register(_database.cache_clear)  # one that outlives the interpreter is told of as leaked
    return made


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait: in the middle of its import DuckDB aborts the process."""
    if threading.current_thread() is not threading.main_thread():  # others are not told of it
        yield
        return
    waiting: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        if waiting:
            signal.raise_signal(signal.SIGINT)
