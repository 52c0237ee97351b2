"""Seats of people: which question a person has before them, their answers, and those that they take back.

A seat is a judge whose cells are leased one at a time, for a while, by a runner that is no process: whichever server
the person speaks to goes on with it. A cell that is not answered in time goes back and has cost nothing. It takes at
most one answer for every time that it was shown, however often that answer is sent.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections import Counter

from quorate.collect.budget import Budget, affordable
from quorate.collect.judge import Reply
from quorate.collect.ledger import lease, money
from quorate.collect.ledger.lease import DONE, GIVEN_UP, LEASED, PERSON, PLANNED, LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger, whole
from quorate.collect.ledger.schema import Connection

CLOSED = 253_402_300_799.0
"""Until when a seat is closed that is not open: the end of the year 9999."""

_SCORED = {True: DONE, False: GIVEN_UP}
_INDEX = "CREATE INDEX IF NOT EXISTS answered_by ON attempts (runner, id)"
"""By which the latest answer of a seat is found, where a ledger has any."""


class Seats:
    """The seats of a ledger; every method is one transaction, or a part of one as those of `Ledger` are."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @property
    def _connection(self) -> Connection:
        return self.ledger.store.connection

    @whole
    def arrange(self, judge: str, seed: int, *, spread: str) -> int:
        """Put new cells of a seat in a random order of their own; how many.

        Cells that share a label of the facet ``spread`` stand far apart: each label comes once before any comes again.
        The order is that of the time when cells are due, which lies in the first seconds of 1970.
        """
        code, place = self.ledger.code(judge), self.ledger.facets.index(spread)
        new = self._connection.execute(
            f"SELECT id, key, f{place}, replicate FROM cells WHERE state = 'planned' AND judge = ? AND next_at = 0",
            (code,),
        ).fetchall()
        if not new:
            return 0
        self._connection.execute(_INDEX)
        ((first,),) = self._connection.execute(
            "SELECT max(next_at) FROM cells WHERE state = 'planned' AND judge = ?", (code,)
        )
        drawn = sorted(new, key=lambda row: hashlib.sha256(f"{seed}/{row[1]}".encode()).digest())
        turns: Counter[int] = Counter()
        order = []
        for id_, _, label, replicate in drawn:
            turns[label] += 1
            order.append((replicate, turns[label], id_))
        due = ((first + at, id_) for at, (*_, id_) in enumerate(sorted(order, key=lambda row: row[:2]), 1))
        self._connection.executemany("UPDATE cells SET next_at = ? WHERE id = ?", due)
        return len(new)

    @whole
    def show(self, judge: str, seconds: float, budget: Budget) -> LeasedCell | None:
        """The cell before a person: the one that they have, or the next one, for some seconds; None if there is none.

        There is none if all are answered, the budget has no room for another, or the seat is closed.
        """
        if self.is_closed(judge):
            return None
        now = self.ledger.clock()
        runner, _, until = self._runner(judge, now)
        held = self._held(judge, runner)
        if held and until > now:
            return held[0]
        lease.release(self._connection, runner, [cell.id for cell in held])
        code, facets = (self.ledger.code(judge), judge), self.ledger.facets
        leased = lease.lease(self._connection, facets, runner=runner, judge=code, count=1, now=now, budget=budget)
        self._begin(runner, now, seconds)
        return leased[0] if leased else None

    def find(self, judge: str, key: str) -> LeasedCell | None:
        """A cell of a seat by its key; None if it has none of that key."""
        return next(iter(self._cells(judge, "key = ?", key)), None)

    def waiting(self, judge: str) -> list[LeasedCell]:
        """Cells of a seat that are not answered, in the order of the seat."""
        rows = self._connection.execute(
            f"{lease.asked_for(self.ledger.facets)} WHERE state IN ('planned', 'leased') AND judge = ? "
            "ORDER BY next_at, id",
            (self.ledger.code(judge),),
        )
        return lease.as_leased(rows.fetchall(), self.ledger.facets, judge)

    def is_answered(self, cell: LeasedCell) -> bool:
        """Whether a cell has an answer, with a score or without."""
        row = self._connection.execute("SELECT accepted FROM cells WHERE id = ?", (cell.id,)).fetchone()
        return row[0] is not None

    @whole
    def answer(self, cell: LeasedCell, reply: Reply, budget: Budget, *, seconds: float | None = None) -> bool:
        """Record the answer to a cell as it was when it was shown; False if it has one, or may have none any more.

        One that comes after its lease has run out counts if there is still room in the budget. Its latency is known if
        nothing else was shown meanwhile, or is said where it was given elsewhere.
        """
        if self.is_closed(cell.judge):
            return False
        now = self.ledger.clock()
        runner, since, _ = self._runner(cell.judge, now)
        row = self._connection.execute("SELECT state, runner, asked FROM cells WHERE id = ?", (cell.id,)).fetchone()
        if row is None or row[2] != cell.asked:
            return False
        if row[0] == PLANNED:
            if not affordable([cell.price], *money.room(self._connection, budget)):
                return False
            elsewhere = bool(self._held(cell.judge, runner))
            since = math.nan if elsewhere else since
            self._take(runner, cell)
        elif (row[0], row[1]) != (LEASED, runner):
            return False
        took = now - since if seconds is None else seconds
        timed = Reply(reply.status, reply.score, reply.text, cost=reply.cost, latency=took, error=reply.error)
        state = _SCORED[reply.score is not None]
        return (
            lease.commit(self._connection, runner, [Settled(cell, timed, state, 0.0, cell.key, now, blamed=False)]) == 0
        )

    @whole
    def undo(self, judge: str, seconds: float, *, before: str) -> bool:
        """Take back the latest answer that was given within some seconds, and show its cell; whether there is one.

        There is none if the cell that is shown has not the key ``before``, empty where none is: what is sent again
        takes nothing more back. What was answered stays in the ledger, and counts no more.
        """
        latest = self.latest(judge, seconds)
        if latest is None or self.is_closed(judge):
            return False
        now = self.ledger.clock()
        runner, *_ = self._runner(judge, now)
        held = self._held(judge, runner)
        if [cell.key for cell in held] != [before] * (before != ""):
            return False
        lease.release(self._connection, runner, [cell.id for cell in held])
        self._connection.execute("UPDATE cells SET accepted = NULL, state = 'planned' WHERE id = ?", (latest,))
        (cell,) = self._cells(judge, "id = ?", latest)
        self._take(runner, cell)
        self._begin(runner, now, seconds)
        return True

    def latest(self, judge: str, seconds: float) -> int | None:
        """Number of the cell that was answered last, within some seconds and not taken back; None if there is none."""
        runner, *_ = self._runner(judge, None)
        row = self._connection.execute(
            "SELECT c.id, a.at FROM attempts AS a JOIN cells AS c ON c.id = a.cell AND c.accepted = a.id "
            "WHERE a.runner = ? ORDER BY a.id DESC LIMIT 1",
            (runner,),
        ).fetchone()
        return int(row[0]) if row is not None and row[1] > self.ledger.clock() - seconds else None

    def left(self, judge: str) -> int:
        """Cells of a seat that are not answered."""
        count = "SELECT count(*) FROM cells WHERE judge = ? AND state = "
        code = self.ledger.code(judge)
        ((planned,),) = self._connection.execute(f"{count}'planned'", (code,))
        ((leased,),) = self._connection.execute(f"{count}'leased'", (code,))
        return int(planned + leased)

    def pace(self, judge: str) -> tuple[float | None, float | None]:
        """Median seconds that a seat takes for an answer, and seconds since the latest one; None before the first."""
        runner, *_ = self._runner(judge, None)
        timed = "FROM attempts WHERE runner = ? AND latency IS NOT NULL"
        ((count, latest),) = self._connection.execute(f"SELECT count(*), max(at) {timed}", (runner,))
        if not count:
            return None, None
        middle = f"SELECT latency {timed} ORDER BY latency LIMIT 1 OFFSET ?"
        ((median,),) = self._connection.execute(middle, (runner, count // 2))
        return median, self.ledger.clock() - latest

    def answers(self, judge: str) -> list[tuple[LeasedCell, float | None, str]]:
        """The answers of a seat that count: the cell, the score and the reply, in the order in which they came."""
        cells = {cell.id: cell for cell in self._cells(judge, "state IN ('done', 'given_up') AND id > ?", 0)}
        runner, *_ = self._runner(judge, None)
        rows = self._connection.execute(
            "SELECT a.cell, a.score, a.text FROM attempts AS a JOIN cells AS c ON c.id = a.cell AND c.accepted = a.id "
            "WHERE a.runner = ? ORDER BY a.id",
            (runner,),
        )
        return [(cells[cell], score, text) for cell, score, text in rows.fetchall()]

    def close(self, judge: str) -> None:
        """Show a seat nothing any more and take no answers, until it is opened."""
        self.ledger.pause(judge, CLOSED)

    def open(self, judge: str) -> None:
        """Let a seat go on."""
        self.ledger.pause(judge, 0.0)

    def is_closed(self, judge: str) -> bool:
        """Whether a seat is closed."""
        pause = "SELECT until FROM pauses WHERE judge = ?"
        row = self._connection.execute(pause, (self.ledger.code(judge),)).fetchone()
        return row is not None and row[0] > self.ledger.clock()

    # ---- the runner of a seat

    def _runner(self, judge: str, now: float | None) -> tuple[int, float, float]:
        """Number of the runner that is a seat, since when it has a cell and until when; made where ``now`` is given."""
        find = "SELECT id, since, until FROM runners WHERE name = ?"
        row = self._connection.execute(find, (PERSON + judge,)).fetchone()
        if row is not None:
            return int(row[0]), row[1], row[2]
        return (0, 0.0, 0.0) if now is None else (lease.enlist(self._connection, PERSON + judge, now, now), now, now)

    def _begin(self, runner: int, now: float, seconds: float) -> None:
        self._connection.execute("UPDATE runners SET since = ?, until = ? WHERE id = ?", (now, now + seconds, runner))

    def _take(self, runner: int, cell: LeasedCell) -> None:
        """Lease a cell that is planned, whatever the budget."""
        self._connection.execute("UPDATE cells SET state = 'leased', runner = ? WHERE id = ?", (runner, cell.id))
        money.book(self._connection, reserved=1, reserved_money=cell.price or 0)

    def _held(self, judge: str, runner: int) -> list[LeasedCell]:
        return self._cells(judge, "state = 'leased' AND runner = ?", runner)

    def _cells(self, judge: str, which: str, value: object) -> list[LeasedCell]:
        rows = self._connection.execute(
            f"{lease.asked_for(self.ledger.facets)} WHERE {which} AND judge = ? ORDER BY id",
            (value, self.ledger.code(judge)),
        )
        return lease.as_leased(rows.fetchall(), self.ledger.facets, judge)


# ---- links: who may open a page of a study, as hashes of the words in their addresses

OWNER = ""
"""The name by which the owner of a study has a link."""

LINK = "/link/"
"""Beginning of the address of a link; its word follows."""

_BYTES = 16
_TABLE = "CREATE TABLE IF NOT EXISTS links (hash TEXT PRIMARY KEY, judge TEXT NOT NULL)"


class Links:
    """The links of a ledger; every method is one transaction, or a part of one as those of `Ledger` are."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        with ledger.store.explained():
            ledger.insist(lambda: ledger.store.connection.execute(_TABLE))

    def held(self) -> frozenset[str]:
        """Names that have a link."""
        return frozenset(name for (name,) in self._ledger.store.connection.execute("SELECT judge FROM links"))

    def make(self, names: list[str]) -> dict[str, str]:
        """A new word of 128 random bits for every name; the one that it had is of no use any more."""
        words = {name: secrets.token_urlsafe(_BYTES) for name in names}

        def replace() -> None:
            connection = self._ledger.store.connection
            for name in names:
                connection.execute("DELETE FROM links WHERE judge = ?", (name,))
            rows = ((hashed(word), name) for name, word in words.items())
            connection.executemany("INSERT INTO links VALUES (?, ?)", rows)

        self._ledger.insist(replace)
        return words

    def whose(self, hash: str) -> str | None:  # noqa: A002  (what is looked up)
        """Whose link has this hash; None if it is nobody's."""
        find = "SELECT judge FROM links WHERE hash = ?"
        row = self._ledger.store.connection.execute(find, (hash,)).fetchone()
        return None if row is None else str(row[0])


def hashed(word: str) -> str:
    """SHA-256 of a word, which has too many bits to be guessed from it."""
    return hashlib.sha256(word.encode("utf-8", "replace")).hexdigest()
