"""The ledger: one SQLite file that holds what is to be asked, what was answered, and what it cost.

Everything that must survive is in it, and everything in it is true after a kill at any moment: a cell is planned,
leased to one runner, done or given up; a request is reserved before it is sent and counted once, as an answer or as
lost. See the methods page on collecting.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from quorate.collect import ledger_facts, ledger_lease, ledger_owner, ledger_plan
from quorate.collect.budget import Budget, Spend, affordable
from quorate.collect.ledger_facts import Standing
from quorate.collect.ledger_lease import LeasedCell, Settled
from quorate.collect.ledger_plan import JUDGE, Part
from quorate.collect.ledger_schema import PATIENCE, connect, explained
from quorate.errors import InvalidInput
from quorate.table.cells import Cells
from quorate.table.progress import Progress

Clock = Callable[[], float]


class Ledger:
    """A study's cells, answers and spend, in one file; open it with `Ledger.open`.

    Every method is one transaction, unless it is called inside `begin` and `end`, which make one of several. Two
    processes may use one file; a file on a network drive may not be used by two computers.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._joined = False
        self._facets: tuple[str, ...] = ()
        self._codes: dict[str, int] = {}
        self.path = path

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, clock: Clock = time.time) -> Ledger:
        """The ledger in a file, which is made if there is none.

        Parameters
        ----------
        path : path
            The file; two files beside it, ending in -wal and -shm, belong to it while it is open.
        clock : callable
            Seconds since 1970.

        Raises
        ------
        InvalidInput
            If the file is no ledger or cannot be used.
        """
        place = Path(path)
        return cls(connect(place, clock()), place, clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was recorded stays."""
        self._connection.close()

    # ---- planning

    def declare(self, parts: Iterable[Part], *, seed: int | None = None) -> None:
        """Record what judgments depend on: rubrics, items, judges; refuse what has changed.

        Parameters
        ----------
        parts : iterable of Part
            Kind, name and digest of each; new ones are added.
        seed : int, optional
            Seed of the study.

        Raises
        ------
        InvalidInput
            If a part or the seed is not what it was.
        """
        with self._transaction() as connection:
            ledger_plan.declare(connection, parts, seed)

    def plan(self, cells: Cells, keys: Iterable[str], prices: Mapping[str, float | None] | None = None) -> int:
        """Add cells to be asked, in their order. Cells that are there already stay as they are.

        Parameters
        ----------
        cells : Cells
            With a facet ``judge``.
        keys : iterable of str
            Key of every cell; see `quorate.collect.ledger_plan.cell_key`.
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
        with self._transaction() as connection:
            return ledger_plan.plan(connection, cells, keys, prices or {})

    # ---- asking

    def enlist(self, seconds: float) -> int:
        """Number of a new runner, whose leases hold for some seconds unless `renew` is called."""
        now = self._clock()
        with self._transaction() as connection:
            return ledger_lease.enlist(connection, ledger_owner.here(), now, now + seconds)

    def renew(self, runner: int, seconds: float) -> None:
        """Let the leases of a runner hold for some seconds from now."""
        with self._transaction() as connection:
            connection.execute("UPDATE runners SET until = ? WHERE id = ?", (self._clock() + seconds, runner))

    def lease(self, runner: int, judge: str, count: int, budget: Budget) -> list[LeasedCell]:
        """Up to ``count`` cells of a judge that are due, as many as the budget has room for, for this runner alone."""
        with self._transaction() as connection:
            code = self._judge(judge)
            return ledger_lease.lease(
                connection,
                self.facets,
                runner=runner,
                judge=(code, judge),
                count=count,
                now=self._clock(),
                budget=budget,
            )

    def commit(self, runner: int, results: Sequence[Settled]) -> int:
        """Record answers and settle their cells; how many came after their lease had run out, and are not recorded."""
        with self._transaction() as connection:
            return ledger_lease.commit(connection, runner, results)

    def release(self, runner: int, cells: Iterable[LeasedCell]) -> int:
        """Give back cells that were never sent; how many."""
        with self._transaction() as connection:
            return ledger_lease.release(connection, runner, [cell.id for cell in cells])

    def lose(self, runner: int, cells: Iterable[LeasedCell]) -> int:
        """Give back cells that were sent, or may have been, and whose answers will not come; how many."""
        with self._transaction() as connection:
            return ledger_lease.lose(connection, runner, [cell.id for cell in cells], self._clock())

    def expire(self) -> int:
        """Count the requests of runners that are gone as lost, and free their cells; how many."""
        with self._transaction() as connection:
            return ledger_lease.expire(connection, self._clock())

    def pause(self, judge: str, until: float) -> None:
        """Leave a judge alone until a time, in seconds since 1970, also after a restart."""
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO pauses VALUES (?, ?)", (self._judge(judge), until))

    # ---- what is in it

    @property
    def facets(self) -> tuple[str, ...]:
        """Names of the facets, what is measured first; none before the first plan."""
        if not self._facets:
            rows = self._connection.execute("SELECT name FROM facets ORDER BY place")
            self._facets = tuple(name for (name,) in rows)
        return self._facets

    def unpriced(self) -> tuple[str, ...]:
        """Judges with cells to be asked whose price is not known."""
        rows = self._connection.execute(
            "SELECT DISTINCT label FROM cells JOIN labels ON facet = ? AND code = judge "
            "WHERE price IS NULL AND state IN ('planned', 'leased') ORDER BY label",
            (self._place(),),
        )
        return tuple(name for (name,) in rows)

    def spend(self) -> Spend:
        """What the calls have cost so far."""
        return ledger_lease.spend(self._connection)

    def affords(self, judge: str, budget: Budget) -> bool:
        """Whether the budget has room for the next cell of a judge, if there is one."""
        row = self._connection.execute(
            "SELECT price FROM cells WHERE state = 'planned' AND judge = ? ORDER BY next_at, id LIMIT 1",
            (self._judge(judge),),
        ).fetchone()
        return row is not None and affordable(row, *ledger_lease.room(self._connection, budget)) == 1

    def status(self) -> tuple[Standing, ...]:
        """How far every judge is."""
        return ledger_facts.standings(self._connection, self._place()) if self.facets else ()

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
        return ledger_facts.progress(self._connection, start, after) if self.facets else start

    @property
    def last(self) -> int:
        """Number of the cell that was planned last; 0 if none was."""
        ((found,),) = self._connection.execute("SELECT coalesce(max(id), 0) FROM cells")
        return int(found)

    def unfinished(self) -> dict[str, int]:
        """Cells that are planned or leased, by judge; only judges that have some."""
        rows = self._connection.execute(
            "SELECT label, sum(count) FROM (SELECT judge, count(*) AS count FROM cells WHERE state = 'planned' "
            "GROUP BY judge UNION ALL SELECT judge, count(*) FROM cells WHERE state = 'leased' GROUP BY judge) "
            "JOIN labels ON facet = ? AND code = judge GROUP BY label ORDER BY code",
            (self._place(),),
        )
        return dict(rows.fetchall())

    def pauses(self) -> dict[str, float]:
        """Until when judges asked to be left alone, in seconds since 1970."""
        rows = self._connection.execute(
            "SELECT label, until FROM pauses JOIN labels ON facet = ? AND code = judge", (self._place(),)
        )
        return dict(rows.fetchall())

    def due(self, judge: str) -> float | None:
        """When the next cell of a judge may be asked, in seconds since 1970; None if none is to be asked."""
        row = self._connection.execute(
            "SELECT min(next_at) FROM cells WHERE state = 'planned' AND judge = ?", (self._judge(judge),)
        ).fetchone()
        found: float | None = row[0]
        return found

    def under_way(self, judge: str) -> int:
        """Cells of a judge that are leased, by whichever runner."""
        ((count,),) = self._connection.execute(
            "SELECT count(*) FROM cells WHERE state = 'leased' AND judge = ?", (self._judge(judge),)
        )
        return int(count)

    # ---- transactions

    def begin(self) -> None:
        """Begin a transaction that holds until `end` or `undo`; waits while another process writes."""
        with explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
        self._joined = True

    def begins(self) -> bool:
        """Begin a transaction if no other process writes; whether it has begun."""
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            self.begin()
        except InvalidInput as error:
            if _is_busy(error.__cause__):
                return False
            raise
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")
        return True

    def end(self) -> None:
        """Make everything since `begin` durable at once; all or nothing, on the disk when this returns."""
        with explained(self.path):
            self._connection.execute("COMMIT")
        self._joined = False

    def undo(self) -> None:
        """Forget everything since `begin`."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._joined = False

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._joined:
            with explained(self.path):
                yield self._connection
            return
        self.begin()
        try:
            with explained(self.path):
                yield self._connection
            self.end()
        except BaseException:
            self.undo()
            raise

    def _place(self) -> int:
        return self.facets.index(JUDGE) if self.facets else -1

    def _judge(self, name: str) -> int:
        if name not in self._codes:
            rows = self._connection.execute("SELECT label, code FROM labels WHERE facet = ?", (self._place(),))
            self._codes = dict(rows.fetchall())
        if name not in self._codes:
            raise InvalidInput(f'judge: no cell is planned for "{name}"; there are {", ".join(self._codes) or "none"}')
        return self._codes[name]


def _is_busy(error: BaseException | None) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorname.startswith("SQLITE_BUSY")
