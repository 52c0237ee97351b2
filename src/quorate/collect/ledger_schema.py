"""The tables of a ledger, and how its file is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quorate.errors import InvalidInput

APPLICATION = 0x51554F52
"""The four letters QUOR, in the header of the file."""

VERSION = 1
PATIENCE = 30
"""Seconds for which one process waits while another one writes."""

HELD = f"is held by another process for more than {PATIENCE} seconds; end that first"
MOST_FACETS = 8
RESERVED = ("replicate", "score", "status", "cost", "tokens_in", "tokens_out", "latency", "at")
"""Columns of the view ``judgments`` that are no facets."""

_OLDEST = (3, 35, 0)
_PLACES = ", ".join(f"f{place}" for place in range(MOST_FACETS))
_CODES = ", ".join(f"f{place} INTEGER NOT NULL DEFAULT 0" for place in range(MOST_FACETS))
_TABLES = f"""
CREATE TABLE study (id INTEGER PRIMARY KEY CHECK (id = 1), created REAL NOT NULL, seed INTEGER);
CREATE TABLE parts (kind TEXT, name TEXT, digest TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE facets (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, parent TEXT);
CREATE TABLE labels (facet INTEGER, code INTEGER, label TEXT NOT NULL, PRIMARY KEY (facet, code)) WITHOUT ROWID;
CREATE TABLE pauses (judge INTEGER PRIMARY KEY, until REAL NOT NULL);
CREATE TABLE runners (id INTEGER PRIMARY KEY, name TEXT NOT NULL, since REAL NOT NULL, until REAL NOT NULL);
CREATE TABLE cells (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, judge INTEGER NOT NULL, {_CODES}, replicate INTEGER NOT NULL,
  price INTEGER, state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'leased', 'done', 'given_up')),
  runner INTEGER, next_at REAL NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
  asked INTEGER NOT NULL DEFAULT 0, accepted INTEGER,
  UNIQUE ({_PLACES}, replicate),
  CHECK ((state = 'leased') = (runner IS NOT NULL)),
  CHECK ((state IN ('done', 'given_up')) = (accepted IS NOT NULL))
);
CREATE INDEX ready ON cells (judge, next_at, id) WHERE state = 'planned';
CREATE INDEX leased ON cells (runner) WHERE state = 'leased';
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY, cell INTEGER NOT NULL, try INTEGER NOT NULL, runner INTEGER NOT NULL, status TEXT NOT NULL,
  score REAL, text TEXT, cut INTEGER NOT NULL, tokens_in INTEGER, tokens_out INTEGER, cost INTEGER, charged INTEGER,
  latency REAL, request TEXT, error TEXT, at REAL NOT NULL
);
CREATE TRIGGER attempts_stay BEFORE UPDATE ON attempts BEGIN SELECT RAISE(ABORT, 'attempts are only ever added'); END;
CREATE TRIGGER attempts_last BEFORE DELETE ON attempts BEGIN SELECT RAISE(ABORT, 'attempts are only ever added'); END;
CREATE TABLE spend (
  id INTEGER PRIMARY KEY CHECK (id = 1), calls INTEGER NOT NULL, lost INTEGER NOT NULL, reserved INTEGER NOT NULL,
  money INTEGER NOT NULL, reserved_money INTEGER NOT NULL, unpriced INTEGER NOT NULL
);
INSERT INTO spend VALUES (1, 0, 0, 0, 0, 0, 0);
"""


def connect(path: Path, now: float) -> sqlite3.Connection:
    """The ledger at ``path``, made if there is none: write-ahead log, every commit on the disk before it returns.

    Raises
    ------
    InvalidInput
        If the file is something else, was written by a newer version, or cannot be opened.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise InvalidInput(f"ledger: needs SQLite 3.35 or newer, Python has {sqlite3.sqlite_version}; update Python")
    with explained(path):
        # The commit, which waits for the disk, is made on another thread than the statements, never at the same time.
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, path, now)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Errors of SQLite as one line about the ledger.

    Raises
    ------
    InvalidInput
        If the disk is full, the file cannot be written, or it is damaged or no ledger.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise InvalidInput(f"ledger: {path}: {_reason(str(error))}") from error


def _prepare(connection: sqlite3.Connection, path: Path, now: float) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("BEGIN IMMEDIATE")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not application and not tables:
        for statement in _statements():
            connection.execute(statement)
        connection.execute("INSERT INTO study VALUES (1, ?, NULL)", (now,))
    elif application != APPLICATION:
        raise InvalidInput(f"ledger: {path} is a database of another program; name another file")
    elif version != VERSION:
        raise InvalidInput(f"ledger: {path} has format {version}, this version reads {VERSION}; use the one it is from")
    connection.execute("COMMIT")


def _statements() -> Iterator[str]:
    yield f"PRAGMA application_id = {APPLICATION}"
    yield f"PRAGMA user_version = {VERSION}"
    held = ""
    for line in _TABLES.splitlines():
        held += f"{line}\n"
        if sqlite3.complete_statement(held):
            yield held
            held = ""


def _reason(said: str) -> str:
    reasons = {
        "disk is full": "the disk is full; everything recorded so far is kept: free some space and run it again",
        "readonly": "cannot be written; change its permissions or name another file",
        "unable to open": "cannot be opened; check that its folder exists and can be written to",
        "not a database": "is not a ledger; name another file",
        "malformed": "is damaged; restore a copy of it",
        "locked": HELD,
    }
    return next((sentence for words, sentence in reasons.items() if words in said), f"cannot be used ({said})")
