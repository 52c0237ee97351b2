"""Ledgers of collected judgments: their finished cells as rows, and what of a plan is not answered."""

from __future__ import annotations

import hashlib
import mmap
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.caveats import Caveat, unanswered_cells
from quorate.errors import InvalidData, InvalidInput
from quorate.roles import REPLICATE
from quorate.table.exchange.format import PAIR, Format, Kind, Opened, quoted
from quorate.table.exchange.glance import DATABASE, Glance
from quorate.table.exchange.postgres.address import Address, Place
from quorate.wording import counted

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    Column = NDArray[Any]

APPLICATION = 0x51554F52
"""The four letters QUOR, in the header of a ledger's file."""

FULL = "the disk is full; everything recorded so far is kept: free some space and run it again"
_ROOM = 1 << 18  # bytes: two regions of shared memory, and what is written meanwhile
_VIEW = "judgments"
_TABLES = ("facets", "labels", "cells", "attempts", "spend")
_UNANSWERED = """
SELECT l.label, count(*) - count(c.accepted), count(*) FROM cells AS c JOIN facets AS f ON f.name = 'judge'
JOIN labels AS l ON l.facet = f.place AND l.code = c.judge GROUP BY l.label, l.code ORDER BY l.code
"""
_PAID = """
SELECT s.calls, s.unpriced, s.money, coalesce(sum(CASE WHEN a.cost = a.charged THEN 0 ELSE a.charged END), 0)
FROM spend AS s LEFT JOIN attempts AS a ON a.charged IS NOT NULL GROUP BY s.calls, s.unpriced, s.money
"""
_HELD = (
    "SELECT f.name, l.code, l.label FROM facets AS f JOIN labels AS l ON l.facet = f.place ORDER BY f.place, l.code",
    "SELECT c.key, a.status, a.score FROM cells AS c JOIN attempts AS a ON a.id = c.accepted ORDER BY c.id",
)
_NUMBERS = ("score", "cost", "tokens_in", "tokens_out", "latency", "at")
_BLOCK = 50_000
_NANO = 1e9


def is_ledger(glance: Glance) -> bool:
    """Whether a file is a SQLite database, by its first bytes."""
    return glance.block.startswith(DATABASE)


def columns(place: Place) -> dict[str, Column]:
    """The finished cells of a ledger, column by column.

    It is opened for reading alone; a runner may be writing to it.

    Parameters
    ----------
    place : Path or Address
        A file of SQLite, or a schema of Postgres.

    Returns
    -------
    dict of str to array
        Facets and status as text, the rest as numbers, nan where there is none.

    Raises
    ------
    InvalidData
        If the file is damaged, is no ledger of ours, or has no plan in it.
    InvalidInput
        If it cannot be opened.
    """
    if isinstance(place, Address):
        from quorate.table.exchange.postgres.session import patiently

        return patiently(lambda: _columns_on(place))
    with _reading(place) as connection:
        _check_ledger(connection, place)
        names = [name for (name,) in connection.execute("SELECT name FROM facets ORDER BY place")]
        if not names:
            raise InvalidData(f"source: {place} is a ledger with nothing planned; quorate run plans and asks")
        cursor = connection.execute(judgments(names))  # not the view, which whoever made the file has written
        names = [name for name, *_ in cursor.description]
        return _joined(names, iter(lambda: cursor.fetchmany(_BLOCK), []))


def _columns_on(place: Address) -> dict[str, Column]:
    from quorate.table.exchange.postgres.session import Session

    with Session(place) as session:
        if session.execute("SELECT to_regclass(?)", (_VIEW,)).fetchall() == [(None,)]:
            raise InvalidData(
                f'source: {place} has no view "{_VIEW}": no ledger is there, or one with nothing planned, '
                "or this user may not see it"
            )
        blocks = session.blocks(f"SELECT * FROM {_VIEW}", _BLOCK)
        first = next(blocks)
        rows = (block.fetchall() for block in blocks)
        return _joined([name for (name,) in first.description], chain([first.fetchall()], rows))


def judgments(facets: Sequence[str]) -> str:
    """The query behind the view of that name: one row for every cell that is finished."""
    shown = [f"l{place}.label AS {quoted(name)}" for place, name in enumerate(facets)]
    joins = [f"JOIN labels l{i} ON l{i}.facet = {i} AND l{i}.code = c.f{i}" for i in range(len(facets))]
    return (
        f"SELECT {', '.join(shown)}, c.replicate AS replicate, a.score AS score, "
        "a.status AS status, CAST(a.cost AS DOUBLE PRECISION) / 1e9 AS cost, a.tokens_in AS tokens_in, "
        "a.tokens_out AS tokens_out, "
        f"a.latency AS latency, a.at AS at FROM cells c JOIN attempts a ON a.id = c.accepted {' '.join(joins)}"
    )


def digest(path: Path) -> str:
    """SHA-256, in hexadecimal, of the labels of a ledger's file and of its finished cells: key, status, score."""
    found = hashlib.sha256()
    with _reading(path) as connection:
        _check_ledger(connection, path)
        for query in _HELD:
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(_BLOCK):
                found.update(repr(rows).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def _check_ledger(connection: sqlite3.Connection, path: Path) -> None:
    """That it is a ledger, made of tables: a view may be made to compute for ever."""
    ((application,),) = connection.execute("PRAGMA application_id").fetchall()
    stored = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name IN (?, ?, ?, ?, ?)"
    ((found,),) = connection.execute(stored, _TABLES).fetchall()
    if application != APPLICATION or found != len(_TABLES):
        raise InvalidData(f"source: {path} is a SQLite file and no ledger; export its table as CSV or Parquet")


def caveats(place: Place) -> tuple[Caveat, ...]:
    """What a reader of the judgments in a ledger must know: that cells of its plan are not answered, by judge.

    Parameters
    ----------
    place : Path or Address
        A file of SQLite, or a schema of Postgres.
    """
    rows = _asked(place, _UNANSWERED)
    judges = {name: count for name, count, _ in rows if count}
    return (unanswered_cells(judges, sum(planned for *_, planned in rows)),) if judges else ()


def paid(place: Place) -> str:
    """What the calls of a ledger cost, in words: what was billed, and what was charged for safety beside it.

    Parameters
    ----------
    place : Path or Address
        A file of SQLite, or a schema of Postgres.
    """
    for calls, unpriced, money, unbilled in _asked(place, _PAID):
        charged, safe = float(money) / _NANO, float(unbilled) / _NANO
        unknown = f", {unpriced:,} of unknown price" if unpriced else ""
        apart = f" ({charged - safe:,.4f} billed as far as is known, {safe:,.4f} charged for safety)" if safe else ""
        return f"{counted(calls, 'call')}{unknown}; {charged:,.4f} in money{apart}"
    return ""


def _asked(place: Place, query: str) -> list[tuple[Any, ...]]:
    """Rows of a query to a ledger; none where nothing is planned."""
    if isinstance(place, Address):
        from quorate.table.exchange.postgres.session import Session

        with Session(place) as session:
            there = session.execute("SELECT to_regclass('cells')").fetchall() != [(None,)]
            return session.execute(query).fetchall() if there else []
    with _reading(place) as connection:
        _check_ledger(connection, place)
        return connection.execute(query).fetchall()


def facets(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the columns that are facets: all before the replicate."""
    return names[: names.index(REPLICATE)]


def holds(place: Place) -> Kind:
    """Whether the judgments of a ledger are votes between two systems, as its facets say."""
    return _kind(name for (name,) in _asked(place, "SELECT name FROM facets"))


def _kind(facets: Iterable[str]) -> Kind:
    return "votes" if set(PAIR) <= set(facets) else "scores"


def check_room(place: Path) -> None:
    """That SQLite's shared memory can be written, where the disk's blocks are smaller than a page of memory.

    SQLite allocates one block of each page, so that on a full disk the system would end the process with SIGBUS.

    Raises
    ------
    InvalidInput
        If the disk is full.
    """
    disk = os.statvfs(place.parent) if hasattr(os, "statvfs") and place.parent.is_dir() else None
    if disk and disk.f_blocks and disk.f_frsize < mmap.PAGESIZE and disk.f_bavail * disk.f_frsize < _ROOM:
        raise InvalidInput(f"ledger: {place}: {FULL}")


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    place = path.absolute().as_uri()
    try:
        with ExitStack() as held:
            connection = held.enter_context(closing(sqlite3.connect(f"{place}?mode=ro", uri=True, timeout=30)))
            try:
                check_room(path)
                connection.execute("SELECT 1 FROM sqlite_master")
            except (sqlite3.OperationalError, InvalidInput):
                if path.with_name(f"{path.name}-wal").exists():
                    raise
                # Where nothing can be written, SQLite must be told that nobody else writes either.
                connection = held.enter_context(closing(sqlite3.connect(f"{place}?immutable=1", uri=True)))
            yield connection
    except sqlite3.OperationalError as error:
        raise InvalidInput(f"source: {path} cannot be read ({error}); is it, and its folder, readable?") from error
    except sqlite3.DatabaseError as error:
        raise InvalidData(f"source: {path} is damaged ({error}); restore a copy of it") from error


def _joined(names: Sequence[str], blocks: Iterable[Sequence[tuple[Any, ...]]]) -> dict[str, Column]:
    import numpy as np

    held: list[list[Column]] = [[] for _ in names]
    for rows in blocks:
        for arrays, name, values in zip(held, names, zip(*rows, strict=True), strict=bool(rows)):
            arrays.append(_array(name, values))
    return {name: np.concatenate(own) if own else _array(name, ()) for name, own in zip(names, held, strict=True)}


def _array(name: str, values: tuple[Any, ...]) -> Column:
    import numpy as np

    if name in _NUMBERS:
        return np.array(values, dtype=np.float64)
    return np.array(values, dtype=np.int64 if name == REPLICATE else object)


def open_ledger(connection: duckdb.DuckDBPyConnection, path: Place) -> Opened:
    """The finished cells of a ledger as a relation."""
    held = columns(path)
    connection.register("ledger", held)
    names = tuple(held)
    shown = (
        f"{quoted(name)}::VARCHAR AS {quoted(name)}" if column.dtype == object else quoted(name)
        for name, column in held.items()
    )
    relation = connection.sql(f"SELECT {', '.join(shown)} FROM ledger")
    own = facets(names)
    return Opened(relation, names, typed=False, facets=own, kind=_kind(own))


FORMAT = Format("ledger", open_ledger, claims=is_ledger, holds=holds, caveats=caveats, paid=paid)
