"""A ledger of collected judgments, read from its view ``judgments``; nothing else of it is known here."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidData, InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[Any]

MAGIC = b"SQLite format 3\0"
_VIEW = "judgments"
_REPLICATE = "replicate"
_NUMBERS = ("score", "cost", "tokens_in", "tokens_out", "latency", "at")
_BLOCK = 50_000


def is_ledger(path: Path) -> bool:
    """Whether a file is a SQLite database, by its first bytes."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:  # said by whoever reads the rest
        return False


def columns(path: Path) -> dict[str, Column]:
    """The finished cells of a ledger, column by column.

    The file is opened for reading alone; a runner may be writing to it.

    Returns
    -------
    dict of str to array
        Facets and status as text, the rest as numbers, nan where there is none.

    Raises
    ------
    InvalidData
        If the file is damaged, or is no ledger with a plan in it.
    InvalidInput
        If it cannot be opened.
    """
    try:
        with closing(_opened(path)) as connection:
            return _columns(connection, path)
    except sqlite3.OperationalError as error:
        raise InvalidInput(f"source: {path} cannot be read ({error}); is it, and its folder, readable?") from error
    except sqlite3.DatabaseError as error:
        raise InvalidData(f"source: {path} is damaged ({error}); restore a copy of it") from error


def facets(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the columns that are facets: all before the replicate."""
    return names[: names.index(_REPLICATE)]


def _opened(path: Path) -> sqlite3.Connection:
    place = path.absolute().as_uri()
    connection = sqlite3.connect(f"{place}?mode=ro", uri=True, timeout=30)
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        if path.with_name(f"{path.name}-wal").exists():
            raise
        # In a folder that cannot be written to, SQLite must be told that nobody else writes either.
        return sqlite3.connect(f"{place}?immutable=1", uri=True)
    return connection


def _columns(connection: sqlite3.Connection, path: Path) -> dict[str, Column]:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = ?", (_VIEW,)).fetchone():
        raise InvalidData(
            f'source: {path} is a SQLite file without a view "{_VIEW}": no ledger, or one with nothing planned; '
            "export its table as CSV or Parquet"
        )
    import numpy as np

    cursor = connection.execute(f"SELECT * FROM {_VIEW}")
    names = [name for name, *_ in cursor.description]
    blocks: list[list[Column]] = [[] for _ in names]
    while rows := cursor.fetchmany(_BLOCK):
        for held, name, values in zip(blocks, names, zip(*rows, strict=True), strict=True):
            held.append(_array(name, values))
    return {name: np.concatenate(held) if held else _array(name, ()) for name, held in zip(names, blocks, strict=True)}


def _array(name: str, values: tuple[Any, ...]) -> Column:
    import numpy as np

    if name in _NUMBERS:
        return np.array(values, dtype=np.float64)
    return np.array(values, dtype=np.int64 if name == _REPLICATE else object)
