"""Ledger: one SQLite file, or a schema of Postgres, with what is to be asked, what was answered, and what it cost.

Everything that must survive is in it, and everything in it is true after a kill at any moment: a cell is planned,
leased to one runner, done or given up; a request is reserved before it is sent and counted once, as an answer or as
lost. See the methods page on collecting.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, Self, TypeVar

from quorate.collect.budget import Budget, Spend, affordable
from quorate.collect.ledger import facts, lease, money, plan
from quorate.collect.ledger.facts import JudgeStatus
from quorate.collect.ledger.lease import LeasedCell, Settled
from quorate.collect.ledger.plan import Dependency, Draft
from quorate.collect.ledger.schema import Store
from quorate.collect.ledger.stores import PostgresStore, SqliteStore, is_made
from quorate.errors import InvalidInput
from quorate.roles import JUDGE
from quorate.table.cells import Cells
from quorate.table.exchange.postgres.address import Address, place_of
from quorate.table.exchange.postgres.session import patiently
from quorate.table.progress import Progress

Clock = Callable[[], float]
T = TypeVar("T")
P = ParamSpec("P")
H = TypeVar("H", bound="HasLedger")
_BLOCK = 5000  # cells that are added in one transaction: about 50 ms, in which no runner can write
_ALONE = 250_000  # the same where no runner waits


class HeldLook(NamedTuple):
    """A look as the ledger holds it.

    Parameters
    ----------
    number : int
        From 1.
    last : int
        Number of the last cell that was planned before it: what it rests on.
    at : float
        When, in seconds since 1970.
    content : dict
        What was seen and done, as plain values.
    """

    number: int
    last: int
    at: float
    content: dict[str, Any]


class Ledger:
    """A study's cells, answers and spend, in one place; open it with `Ledger.open`.

    Every method is one transaction, unless it is called inside `begin` and `end`, which make one of several. Two
    processes may use one file; a file on a network drive may not be used by two computers, a schema of Postgres may.
    """

    def __init__(self, store: Store, clock: Clock | None = None) -> None:
        self.store = store
        self._connection = store.connection
        self._joined = False
        self._facets: tuple[str, ...] = ()
        self._codes: dict[str, int] = {}
        self.path = store.place
        self.clock: Clock = clock or store.now

    @classmethod
    def open(cls, place: str | os.PathLike[str] | Address, *, clock: Clock | None = None) -> Ledger:
        """The ledger at a place, which is made if there is none.

        Parameters
        ----------
        place : path or address
            A file; two files beside it, ending in -wal and -shm, belong to it while it is open. Or an address such as
            ``postgresql://user@host/database?schema=study``, whose password is in the environment.
        clock : callable, optional
            Seconds since 1970; that of this machine for a file, that of the server for an address.

        Raises
        ------
        InvalidInput
            If there is no ledger but something else, or it cannot be used.
        """
        found = place_of(place)
        if not isinstance(found, Address):
            return cls(SqliteStore(found), clock)

        return cls(PostgresStore(found), clock)

    @staticmethod
    def exists(place: str | os.PathLike[str] | Address) -> bool:
        """Whether there is a ledger at a place, or at least a file."""
        parsed = place_of(place)
        if not isinstance(parsed, Address):
            return parsed.exists()

        return is_made(parsed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file or the connection; what was recorded stays."""
        self.store.close()

    # ---- planning

    def declare(self, parts: Iterable[Dependency], *, seed: int | None = None) -> None:
        """Record what judgments depend on: rubrics, items, judges; refuse what has changed.

        Raises
        ------
        InvalidInput
            If a part or the seed is not what it was.
        """
        given = tuple(parts)
        if self.undeclared(given, seed=seed):
            self.insist(lambda: plan.declare(self._connection, given, seed))

    def undeclared(self, parts: Iterable[Dependency], *, seed: int | None = None) -> bool:
        """Whether `declare` would record something; refuses what has changed as it does."""
        given = tuple(parts)
        return any(self.seen(lambda: plan.undeclared(self._connection, given, seed)))

    def plan(self, cells: Cells, keys: Iterable[str], prices: Mapping[str, float | None] | None = None) -> int:
        """Add cells to be asked, in their order. Cells that are there already stay as they are.

        Others may write meanwhile: what is there is looked up before, and what is new is added in blocks, each a
        transaction, so that planning again what was interrupted adds the rest.

        Parameters
        ----------
        cells : Cells
            With a facet ``judge``.
        keys : iterable of str
            Key of every cell; see `quorate.collect.ledger.plan.cell_key`.
        prices : mapping of str to float, optional
            Worst-case price of a call, by judge; unknown where there is none. The latest one counts.

        Returns
        -------
        int
            How many cells are new.

        Raises
        ------
        InvalidInput
            If the facets are not those of the ledger, or a cell has another key than before.
        """
        with self.store.planning():
            draft = self._compared(cells, keys, prices or {})
            if not draft.new and not draft.repriced:
                return 0
            self.insist(lambda: plan.admit(self._connection, draft))
            size = _BLOCK if lease.awaited(self._connection, self.clock()) else _ALONE
            blocks = (slice(first, first + size) for first in range(0, len(draft.lacking), size))
            return sum(self.insist(partial(plan.add, self._connection, draft, block)) for block in blocks)

    def lacks(self, cells: Cells, keys: Iterable[str]) -> Mapping[str, int]:
        """How many cells `plan` would add, by judge; refuses what it refuses."""
        return self._compared(cells, keys, {}).new

    def _compared(self, cells: Cells, keys: Iterable[str], prices: Mapping[str, float | None]) -> Draft:
        packed = plan.packed(keys, len(cells))  # once, for a step may be carried out twice
        return self.seen(lambda: plan.compare(self._connection, cells, packed, prices))

    # ---- asking

    def enlist(self, seconds: float) -> int:
        """Number of a new runner, whose leases hold for some seconds unless `renew` is called."""
        now = self.clock()
        return self.insist(lambda: lease.enlist(self._connection, lease.here(), now, now + seconds))

    def renew(self, runner: int, seconds: float) -> None:
        """Let the leases of a runner hold for some seconds from now; refused where it was not enlisted."""
        with self._transaction():
            if not lease.renew(self._connection, runner, lease.here(), self.clock() + seconds):
                raise InvalidInput(f"ledger: {self.path} was replaced while it was written to; look for the one before")

    def lease(self, runner: int, judge: str, count: int, budget: Budget) -> list[LeasedCell]:
        """Up to ``count`` cells of a judge that are due, as many as the budget has room for, for this runner alone."""
        return self.whole(
            lambda: lease.lease(
                self._connection,
                self.facets,
                runner=runner,
                judge=(self.code(judge), judge),
                count=count,
                now=self.clock(),
                budget=budget,
            )
        )

    def commit(self, runner: int, results: Sequence[Settled]) -> int:
        """Record answers and settle their cells; how many came after their lease had run out, and are not recorded."""
        return self.whole(lambda: lease.commit(self._connection, runner, results))

    def recover(self, runner: int, answers: Sequence[tuple[int, Settled]]) -> int:
        """Record answers that an earlier runner could not, each by the number that held its cell; how many not."""
        return self.insist(lambda: lease.recover(self._connection, runner, answers))

    def release(self, runner: int, cells: Iterable[LeasedCell]) -> int:
        """Give back cells that were never sent; how many."""
        return self.whole(lambda: lease.release(self._connection, runner, [cell.id for cell in cells]))

    def lose(self, runner: int, cells: Iterable[LeasedCell]) -> int:
        """Give back cells that were sent, or may have been, and whose answers will not come; how many."""
        return self.whole(lambda: lease.lose(self._connection, runner, [cell.id for cell in cells], self.clock()))

    def reclaim(self, runner: int, known: Iterable[LeasedCell]) -> int:
        """Give back cells that a runner holds without knowing it, after a commit whose end was not heard; how many."""
        return self.whole(lambda: lease.reclaim(self._connection, runner, [(cell.id, cell.asked) for cell in known]))

    def holder(self, runner: int) -> int:
        """Number by which a runner leases cells whose questions outlive it, for `lease` and all that settles them."""
        return self.insist(lambda: lease.holder(self._connection, runner, self.clock()))

    def adopt(self, holder: int, judge: str, *, own: bool = False) -> list[LeasedCell]:
        """Take over the cells of a judge whose questions outlived their runner; if ``own``, name those it has too."""
        with self._transaction():
            judged = (self.code(judge), judge)
            return lease.adopt(self._connection, self.facets, holder=holder, judge=judged, now=self.clock(), own=own)

    def expire(self) -> int:
        """Count the requests of runners that are gone as lost, and free their cells; how many."""
        return self.whole(lambda: lease.expire(self._connection, self.clock()))

    def pause(self, judge: str, until: float) -> None:
        """Leave a judge alone until a time, in seconds since 1970, also after a restart."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO pauses VALUES (?, ?) ON CONFLICT (judge) DO UPDATE SET until = excluded.until",
                (self.code(judge), until),
            )

    def charge(self, price: float | None, budget: Budget) -> bool:
        """Count a call that is for no cell at its worst-case price, if the budget has room for it; whether it has."""
        return self.insist(lambda: money.charge(self._connection, price, budget))

    def settle(self, price: float | None, cost: float | None) -> None:
        """Count what such a call cost in place of its worst-case price, if that is known."""
        self.whole(lambda: money.settle_charge(self._connection, price, cost))

    # ---- looking

    @property
    def facets(self) -> tuple[str, ...]:
        """Names of the facets, what is measured first; none before the first plan."""
        if not self._facets:
            rows = self._connection.execute("SELECT name FROM facets ORDER BY place")
            self._facets = tuple(name for (name,) in rows)
        return self._facets

    def unpriced(self) -> tuple[str, ...]:
        """Judges with cells to be asked whose price is not known."""
        return facts.unpriced(self._connection, self._place())

    def spend(self) -> Spend:
        """What the calls have cost so far."""
        return money.spend(self._connection)

    def affords(self, judge: str, budget: Budget) -> bool:
        """Whether the budget has room for the next cell of a judge, if there is one."""
        first = "SELECT price FROM cells WHERE state = 'planned' AND judge = ? ORDER BY next_at, id LIMIT 1"
        row = self._connection.execute(first, (self.code(judge),)).fetchone()
        return row is not None and affordable(row, *money.room(self._connection, budget)) == 1

    def status(self) -> tuple[JudgeStatus, ...]:
        """How far every judge is."""
        return facts.standings(self._connection, self._place(), self.clock()) if self.facets else ()

    @property
    def name(self) -> str:
        """Name that no other ledger has, and that stays when the ledger is moved."""
        ((created,),) = self._connection.execute("SELECT created FROM study")
        return plan.digest([created])

    def progress(self, start: Progress, *, after: int = 0) -> Progress:
        """How far the arms of an adaptive policy have come, from where it starts.

        Parameters
        ----------
        start : Progress
            With nothing asked, such as ``policy.start()``; or as far as it was with all cells up to ``after`` finished,
            so that only later ones are read.
        after : int
            Number of a cell, such as `last` was before more were planned.
        """
        return facts.progress(self._connection, start, after) if self.facets else start

    @property
    def last(self) -> int:
        """Number of the cell that was planned last; 0 if none was."""
        ((number,),) = self._connection.execute("SELECT coalesce(max(id), 0) FROM cells")
        return int(number)

    def unfinished(self) -> dict[str, int]:
        """Cells that are planned or leased, by judge; only judges that have some."""
        return facts.unfinished(self._connection, self._place())

    def pauses(self) -> dict[str, float]:
        """Until when judges asked to be left alone, in seconds since 1970."""
        return facts.pauses(self._connection, self._place())

    def due(self, judge: str) -> float | None:
        """When the next cell of a judge may be asked, in seconds since 1970; None if none is to be asked."""
        (moment,) = self._connection.execute(
            "SELECT min(next_at) FROM cells WHERE state = 'planned' AND judge = ?", (self.code(judge),)
        ).fetchone()
        due: float | None = moment
        return due

    def under_way(self, judge: str) -> int:
        """Cells of a judge that are leased, by whichever runner."""
        ((count,),) = self._connection.execute(
            "SELECT count(*) FROM cells WHERE state = 'leased' AND judge = ?", (self.code(judge),)
        )
        return int(count)

    def looks(self) -> tuple[HeldLook, ...]:
        """The looks of a study with a goal, in their order."""
        rows = self._connection.execute("SELECT number, last, at, content FROM looks ORDER BY number")
        return tuple(HeldLook(number, last, at, json.loads(content)) for number, last, at, content in rows.fetchall())

    def add_look(self, content: Mapping[str, Any]) -> None:
        """Record what was seen and done now; all cells that are planned so far are what it rests on."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        with self._transaction():
            ((count,),) = self._connection.execute("SELECT count(*) FROM looks").fetchall()
            row = (count + 1, self.last, self.clock(), text)
            self._connection.execute("INSERT INTO looks VALUES (?, ?, ?, ?)", row)

    def for_goal(self) -> bool:
        """Whether it was planned for a goal."""
        found = "SELECT 1 FROM parts WHERE kind = 'setting' AND name = 'goal'"
        return self._connection.execute(found).fetchone() is not None

    # ---- transactions

    @property
    def remote(self) -> bool:
        """Whether it is better used from another thread, because another machine answers."""
        return self.store.remote

    def begin(self) -> None:
        """Begin a transaction that holds until `end` or `undo`; waits while another process writes."""
        self.store.begin()
        self._joined = True

    def begins(self) -> bool:
        """Begin a transaction if no other process writes; whether it has begun."""
        self._joined = self.store.begin(wait=False)
        return self._joined

    def end(self) -> None:
        """Make everything since `begin` durable at once; all or nothing, on the disk when this returns."""
        self.store.end()
        self._joined = False

    def undo(self) -> None:
        """Forget everything since `begin`."""
        self.store.undo()
        self._joined = False

    def cut(self) -> None:
        """End the connection to a server, so that a step on another thread that waits for it fails."""
        self.store.cut()

    def whole(self, step: Callable[[], T]) -> T:
        """What a step gives, all of which is one transaction."""
        with self._transaction():
            return step()

    def insist(self, step: Callable[[], T]) -> T:
        """What a step gives, all of which is one transaction: carried out again while connections to a server are lost.

        It may be carried out twice, as where the end of a commit is not heard.
        """
        return step() if self._joined else patiently(lambda: self.whole(step))

    def seen(self, step: Callable[[], T]) -> T:
        """What a step gives that reads, all of it as it is at one moment; again while connections are lost."""
        return step() if self._joined else patiently(lambda: self._seen(step))

    def _seen(self, step: Callable[[], T]) -> T:
        with self._transaction(self.store.look):  # in which nothing is written that others see, so that they may write
            self._joined = True
            try:
                return step()
            finally:
                self._joined = False

    @contextmanager
    def _transaction(self, begin: Callable[[], object] | None = None) -> Iterator[None]:
        if self._joined:
            with self.store.explained():
                yield
            return
        (begin or self.begin)()
        try:
            with self.store.explained():
                yield
            self.end()
        except BaseException:
            self.undo()
            raise

    def _place(self) -> int:
        return self.facets.index(JUDGE) if self.facets else -1

    def code(self, name: str) -> int:
        """Code of a judge's name."""
        if name not in self._codes:
            rows = self._connection.execute("SELECT label, code FROM labels WHERE facet = ?", (self._place(),))
            self._codes = dict(rows.fetchall())
        if name not in self._codes:
            raise InvalidInput(f'judge: no cell is planned for "{name}"; there are {", ".join(self._codes) or "none"}')
        return self._codes[name]


class HasLedger(Protocol):
    """What has a ledger."""

    @property
    def ledger(self) -> Ledger:
        """That ledger."""


def whole(method: Callable[Concatenate[H, P], T]) -> Callable[Concatenate[H, P], T]:
    """A method of what has a ledger, carried out as one transaction, or as a part of one."""

    @wraps(method)
    def one(has: H, /, *args: P.args, **named: P.kwargs) -> T:
        return has.ledger.whole(partial(method, has, *args, **named))

    return one
