"""Store of a ledger: what the ledger asks of SQLite and of Postgres, which is all that differs between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.address import Place

PATIENCE = 30
"""Seconds for which one process waits while another one writes."""

HELD = f"is held by another process for more than {PATIENCE} seconds; end that first"


class Adrift(InvalidInput):
    """The ledger is not in its place any more; this process still has it open, and nobody else finds it."""


class Cursor(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """The next row; None if there is none."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""


class Connection(Protocol):
    """Statements in the words that both databases have, ``?`` for every value."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor:
        """Carry out one statement."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> Cursor:
        """Carry out ``INSERT ... VALUES`` or ``UPDATE ... WHERE`` for every row."""


class Store(Protocol):
    """A database with one ledger in it."""

    @property
    def place(self) -> Place:
        """Where it is."""

    @property
    def connection(self) -> Connection:
        """The same one as long as the store is open."""

    @property
    def remote(self) -> bool:
        """Whether statements wait for another machine, so that they are better made on another thread."""

    def now(self) -> float:
        """Seconds since 1970, by the one clock that all who use the database go by."""

    def begin(self, *, wait: bool = True) -> bool:
        """Begin to write, alone: no other process writes until the end. False if one does and ``wait`` is not set."""

    def look(self) -> None:
        """Begin to read, while others may write; temporary tables may be written that are gone at its end."""

    def end(self) -> None:
        """Make it durable; all or nothing, on the disk when this returns."""

    def undo(self) -> None:
        """Forget everything since `begin`, if there was one."""

    def cut(self) -> None:
        """End what waits for another machine on another thread, if anything does."""

    def close(self) -> None:
        """Let go of the database."""

    def explained(self) -> AbstractContextManager[None]:
        """Errors of the database as one line about the ledger."""

    def planning(self) -> AbstractContextManager[None]:
        """While many cells are added."""

    def drift(self) -> None:
        """After `Adrift`: go on in what this process has open, so that it can be copied."""

    def copy(self) -> Path | None:
        """After `drift`: a copy of it in a file that others find; None where there is nothing to copy."""
