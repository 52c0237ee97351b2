"""Postgres: a ledger in a schema, for runners on several machines.

Whoever writes holds the one row of the budget until the commit, so that writers come one after the other, as they do
in a file. Times are those of the server's clock.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext

from quorate.collect.ledger.schema import ADDED_ONLY, LATEST, VERSION, later_on_postgres, tables_on_postgres
from quorate.errors import InvalidInput
from quorate.table.exchange.format import literal
from quorate.table.exchange.postgres.address import Address
from quorate.table.exchange.postgres.session import Session, patiently

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
    return session.execute("SELECT to_regclass(?)", (f"{session.address.identifier}.{LATEST}",)).fetchall() == [(None,)]


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
