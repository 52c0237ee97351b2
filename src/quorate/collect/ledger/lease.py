"""Leases of cells: what is sent is reserved first, and every request is counted once.

Cells whose questions outlive the process that asked them, as in a batch, are leased by a holder instead of by the
runner itself. A holder is no process, so that its leases do not end when a process does; whether somebody looks after
them is said by the runner in its name.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from quorate.collect.budget import Budget, affordable, nano
from quorate.collect.judge import ERROR, Reply
from quorate.collect.ledger import money
from quorate.collect.ledger.schema import Connection
from quorate.frozen import dataclass

PLANNED, LEASED, DONE, GIVEN_UP = "planned", "leased", "done", "given_up"
LOST = "lost"
"""Status of an attempt whose answer was lost with the process that waited for it."""

UNSENT = "unsent"
"""Status of an attempt that never left the process, as where nobody listens: it is no call."""

NO_ANSWERS = frozenset({ERROR, LOST, UNSENT})
"""What comes of attempts that nobody answered."""

HOLD = 30 * 86_400.0
"""Seconds for which answers can be expected to be kept; after that the questions count as lost."""

_FAR = 10
_HOLDER = "batch:"
PERSON = "person:"
"""Begins the name of a runner that is the seat of a person, of any server."""

START = "start:"
"""Begins the name of a runner that stands for a run which is being begun: its process, or whoever begins it."""

_HOLDING = f"substr(name, 1, {len(_HOLDER)}) = '{_HOLDER}'"

_ADDED = """
INSERT INTO attempts (id, cell, try, runner, status, score, text, cut, tokens_in, tokens_out, cost, charged, latency,
                      request, error, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SETTLED = """
UPDATE cells SET state = ?, accepted = ?, next_at = ?, failed = failed + ?, asked = asked + ?, runner = NULL
WHERE id = ?
"""


@dataclass(frozen=True, slots=True)
class LeasedCell:
    """A cell that this runner, and no other, may ask once.

    Parameters
    ----------
    id : int
        Number of the cell in the ledger.
    key : str
        Key of the cell.
    judge : str
        Who is to be asked.
    levels : mapping of str to str
        Label of every facet, the judge included.
    replicate : int
        Which answer of the cell, from 1.
    price : int, optional
        Worst-case price that is reserved, in billionths; None where it is not known.
    failed, asked : int
        Answers so far that could not be used, and requests so far, lost ones included.
    lost : int
        Requests so far whose answers were lost.
    """

    id: int
    key: str
    judge: str
    levels: Mapping[str, str]
    replicate: int
    price: int | None
    failed: int
    asked: int
    lost: int = 0


class Settled(NamedTuple):
    """An answer, and what becomes of its cell.

    Parameters
    ----------
    cell : LeasedCell
        What was asked.
    reply : Reply
        What came back.
    state : {"done", "given_up", "planned"}
        ``planned`` cells are asked again.
    next_at : float
        When a cell that is asked again is due, in seconds since 1970.
    request : str
        Digest of the request.
    at : float
        When the answer came, in seconds since 1970.
    blamed : bool
        Whether an unusable answer counts against the cell, or against the judge alone.
    """

    cell: LeasedCell
    reply: Reply
    state: str
    next_at: float
    request: str
    at: float
    blamed: bool = True


def enlist(connection: Connection, name: str, now: float, until: float) -> int:
    """Number of a new runner whose leases hold until a time."""
    ((number,),) = connection.execute(
        "INSERT INTO runners (name, since, until) VALUES (?, ?, ?) RETURNING id", (name, now, until)
    ).fetchall()
    return int(number)


def renew(connection: Connection, runner: int, name: str, until: float) -> bool:
    """Let the leases of a runner hold until a time; whether there is such a runner of this name."""
    renewed = "UPDATE runners SET until = ? WHERE id = ? AND name = ? RETURNING id"
    return len(connection.execute(renewed, (until, runner, name)).fetchall()) > 0


def under_way(connection: Connection, now: float) -> list[str]:
    """Names of the processes that may be asking judges, or begin to: they hold, and are not known to be gone."""
    rows = connection.execute("SELECT name FROM runners WHERE until > ? ORDER BY id", (now,))
    names = [name for (name,) in rows if not name.startswith((PERSON, _HOLDER))]
    return [name for name in dict.fromkeys(names) if not is_gone(name.removeprefix(START))]


def claim(connection: Connection, name: str, now: float, until: float, *, over: int | None = None) -> int | None:
    """Number by which a process may begin a run until a time, unless one is under way or being begun.

    ``over`` is that of an earlier run whose process is known to have ended.
    """
    connection.execute("UPDATE runners SET until = ? WHERE id = ?", (now, over))
    return None if under_way(connection, now) else enlist(connection, f"{START}{name}", now, until)


def begun(connection: Connection, number: int, name: str, until: float) -> None:
    """Say which process a run is that was begun: until it enlists itself, it stands for it."""
    connection.execute("UPDATE runners SET name = ?, until = ? WHERE id = ?", (f"{START}{name}", until, number))


def awaited(connection: Connection, now: float) -> bool:
    """Whether there may be a runner that writes."""
    return connection.execute("SELECT 1 FROM runners WHERE until > ? LIMIT 1", (now,)).fetchone() is not None


def lease(
    connection: Connection,
    facets: Sequence[str],
    *,
    runner: int,
    judge: tuple[int, str],
    count: int,
    now: float,
    budget: Budget,
) -> list[LeasedCell]:
    """Up to ``count`` cells of a judge that are due, as many as the budget has room for, reserved for this runner."""
    rows = connection.execute(
        f"{asked_for(facets)} WHERE state = 'planned' AND judge = ? AND next_at <= ? ORDER BY next_at, id LIMIT ?",
        (judge[0], now, count),
    ).fetchall()
    rows = rows[: affordable([row[3] for row in rows], *money.room(connection, budget))]
    connection.executemany("UPDATE cells SET state = 'leased', runner = ? WHERE id = ?", ((runner, r[0]) for r in rows))
    money.book(connection, reserved=len(rows), reserved_money=sum(row[3] or 0 for row in rows))
    return as_leased(rows, facets, judge[1])


def asked_for(facets: Sequence[str]) -> str:
    """The beginning of a query for cells, which `as_leased` takes."""
    labels = ", ".join(f"(SELECT label FROM labels WHERE facet = {i} AND code = c.f{i})" for i in range(len(facets)))
    lost = f"(SELECT count(*) FROM attempts WHERE cell = c.id AND status = '{LOST}')"
    return f"SELECT id, key, replicate, price, failed, asked, {lost}, {labels} FROM cells AS c"


def as_leased(rows: Iterable[Sequence[Any]], facets: Sequence[str], judge: str) -> list[LeasedCell]:
    """Rows of such a query as cells."""
    return [
        LeasedCell(row[0], row[1], judge, dict(zip(facets, row[7:], strict=True)), *row[2:7])  # replicate ... lost
        for row in rows
    ]


def commit(connection: Connection, runner: int, results: Sequence[Settled]) -> int:
    """Record answers and settle their cells; how many came too late.

    An answer is too late when its lease had run out and was counted as lost: it stays lost, for another answer of that
    cell may be on its way.
    """
    held = {(id_, asked) for id_, asked, *_ in _held(connection, [runner])}
    mine = [result for result in results if (result.cell.id, result.cell.asked) in held]
    attempts: list[tuple[Any, ...]] = []
    settled: list[tuple[Any, ...]] = []
    charges: list[int | None] = []
    for number, result in enumerate(mine, _last(connection) + 1):
        cell, reply, cost = result.cell, result.reply, nano(result.reply.cost)
        far = cost is not None and cell.price is not None and cost > _FAR * cell.price  # a claim that is no bill
        charges.append(cell.price if cost is None or far else cost)  # what the judge says, else its worst-case price
        status = UNSENT if reply.unsent else reply.status
        asked = (number, cell.id, cell.asked + 1, runner)
        answer = (status, reply.score, reply.text, reply.cut, reply.tokens_in, reply.tokens_out)
        attempts.append((*asked, *answer, cost, charges[-1], reply.latency, result.request, reply.error, result.at))
        accepted = None if result.state == PLANNED else number
        blamed = int(result.blamed and reply.score is None)
        settled.append((result.state, accepted, result.next_at, blamed, int(not reply.unsent), cell.id))
    connection.executemany(_ADDED, attempts)
    connection.executemany(_SETTLED, settled)
    if attempts:
        money.carry(connection, attempts[-1][0])
    money.book(
        connection,
        calls=sum(not result.reply.unsent for result in mine),
        reserved=-len(mine),
        money=sum(charge or 0 for charge in charges),
        reserved_money=-sum(result.cell.price or 0 for result in mine),
        unpriced=sum(charge is None for charge in charges),
    )
    return len(results) - len(mine)


def recover(connection: Connection, runner: int, answers: Sequence[tuple[int, Settled]]) -> int:
    """Record answers that could not be when they came, each by the number that held its cell; how many came too late.

    A cell is still to be had if that number holds it, or nobody does, as in a copy of the ledger that was put back.
    """
    free, held = [], []
    for holder, result in answers:
        row = connection.execute(
            "SELECT state, runner FROM cells WHERE id = ? AND key = ? AND asked = ?",
            (result.cell.id, result.cell.key, result.cell.asked),
        ).fetchone()
        if row is not None and row[0] == PLANNED:
            free.append(result)
        elif row == (LEASED, holder):
            held.append(result)
    taken = ((runner, result.cell.id) for result in (*free, *held))
    connection.executemany("UPDATE cells SET state = 'leased', runner = ? WHERE id = ?", taken)
    money.book(connection, reserved=len(free), reserved_money=sum(result.cell.price or 0 for result in free))
    return len(answers) - len(free) - len(held) + commit(connection, runner, [*free, *held])


def release(connection: Connection, runner: int, cells: Iterable[int]) -> int:
    """Give back cells that were leased and never sent; how many."""
    return _freed(connection, _held(connection, [runner], cells))


def _freed(connection: Connection, freed: Sequence[tuple[int, int, int, int | None]]) -> int:
    connection.executemany(
        "UPDATE cells SET state = 'planned', runner = NULL WHERE id = ?", ((id_,) for id_, *_ in freed)
    )
    money.book(connection, reserved=-len(freed), reserved_money=-sum(price or 0 for _, _, _, price in freed))
    return len(freed)


def lose(connection: Connection, runner: int, cells: Iterable[int], now: float) -> int:
    """Count requests whose answers will not come, at their worst-case price, and free their cells; how many."""
    return _lost(connection, _held(connection, [runner], cells), now)


def reclaim(connection: Connection, runner: int, known: Iterable[tuple[int, int]]) -> int:
    """Give back cells that a runner holds and does not know, by number and requests so far; how many."""
    wanted = set(known)
    strays = [id_ for id_, asked, *_ in _held(connection, [runner]) if (id_, asked) not in wanted]
    return release(connection, runner, strays)


def expire(connection: Connection, now: float) -> int:
    """The same for every cell of a runner whose lease has run out, or that is known to be gone; how many.

    A person who has not answered in time has cost nothing: the cell goes back as if it had not been shown.
    """
    holding = connection.execute(
        "SELECT id, name, until FROM runners WHERE id IN (SELECT DISTINCT runner FROM cells WHERE state = 'leased')"
    ).fetchall()
    people = [id_ for id_, name, until in holding if until <= now and name.startswith(PERSON)]
    freed = _freed(connection, _held(connection, people))
    ended = [id_ for id_, name, until in holding if (until <= now or is_gone(name)) and id_ not in people]
    return freed + _lost(connection, _held(connection, ended), now)


# ---- cells whose questions outlive their runner


def holder(connection: Connection, runner: int, now: float) -> int:
    """Number by which a runner leases such cells."""
    return enlist(connection, f"{_HOLDER}{runner}", now, now + HOLD)


def adopt(
    connection: Connection, facets: Sequence[str], *, holder: int, judge: tuple[int, str], now: float, own: bool = False
) -> list[LeasedCell]:
    """The held cells of a judge that nobody looks after any more; they are this holder's from now on.

    Those that it has already are among them if ``own`` is set.
    """
    holders = connection.execute(
        f"SELECT id, name FROM runners WHERE {_HOLDING} AND id IN "
        "(SELECT DISTINCT runner FROM cells WHERE state = 'leased')"
    ).fetchall()
    owners = {int(name.removeprefix(_HOLDER)): id_ for id_, name in holders}
    orphaned = [holder] if own else []
    if owners:
        marks = ", ".join("?" * len(owners))
        known = connection.execute(f"SELECT id, name, until FROM runners WHERE id IN ({marks})", tuple(owners))
        orphaned = [*(owners[id_] for id_, name, until in known.fetchall() if until <= now or is_gone(name)), *orphaned]
    if not orphaned:
        return []
    marks = ", ".join("?" * len(orphaned))
    rows = connection.execute(
        f"{asked_for(facets)} WHERE state = 'leased' AND judge = ? AND runner IN ({marks}) ORDER BY id",
        (judge[0], *orphaned),
    ).fetchall()
    connection.executemany("UPDATE cells SET runner = ? WHERE id = ?", ((holder, row[0]) for row in rows))
    return as_leased(rows, facets, judge[1])


def held(connection: Connection) -> dict[int, int]:
    """How many cells are held, by the code of the judge."""
    rows = connection.execute(
        "SELECT judge, count(*) FROM cells WHERE state = 'leased' AND runner IN "
        f"(SELECT id FROM runners WHERE {_HOLDING}) GROUP BY judge"
    )
    return dict(rows.fetchall())


def _held(
    connection: Connection, runners: Sequence[int], cells: Iterable[int] | None = None
) -> list[tuple[int, int, int, int | None]]:
    """Number, tries so far, runner and price of the cells that runners hold, or of some of them."""
    rows: list[tuple[int, int, int, int | None]] = []
    for runner in runners:
        rows += connection.execute(
            "SELECT id, asked, runner, price FROM cells WHERE state = 'leased' AND runner = ?", (runner,)
        )
    wanted = None if cells is None else set(cells)
    return [row for row in rows if wanted is None or row[0] in wanted]


def _lost(connection: Connection, held: Sequence[tuple[int, int, int, int | None]], now: float) -> int:
    numbered = enumerate(held, _last(connection) + 1)
    connection.executemany(
        "INSERT INTO attempts (id, cell, try, runner, status, cut, charged, at) VALUES (?, ?, ?, ?, 'lost', 0, ?, ?)",
        ((number, id_, asked + 1, runner, price, now) for number, (id_, asked, runner, price) in numbered),
    )
    connection.executemany(
        "UPDATE cells SET state = 'planned', runner = NULL, asked = asked + 1 WHERE id = ?",
        ((id_,) for id_, *_ in held),
    )
    worst = sum(price or 0 for *_, price in held)
    unpriced = sum(price is None for *_, price in held)
    count = len(held)
    money.book(
        connection, calls=count, lost=count, reserved=-count, money=worst, reserved_money=-worst, unpriced=unpriced
    )
    return count


def _last(connection: Connection) -> int:
    """Number of the latest attempt; numbers are given here, because only one writes at a time."""
    ((last,),) = connection.execute("SELECT coalesce(max(id), 0) FROM attempts")
    return int(last)


# ---- who holds them: the name of a process, and whether it is still there, where the system can say

_PROC = Path("/proc")
_GONE = ("Z", "X")


def here(pid: int | None = None) -> str:
    """Name of this process, or of another of this machine, that no other one has, before or after.

    It is made of the machine, its start, the process and its start.
    """
    pid = os.getpid() if pid is None else pid
    place, started = _place(), _started(pid)
    if place is None or started is None:
        return f"{socket.gethostname()}:{pid}"
    return f"{place}:{pid}:{started}"


def is_gone(name: str) -> bool:
    """Whether a process is known to have ended; False where that cannot be known, as on another machine."""
    place, _, rest = name.partition(":")
    pid, _, started = rest.partition(":")
    if not started or place != _place():
        return False
    return _started(int(pid)) != started


def process_here(name: str) -> int | None:
    """Number of the process of this name, if it runs on this machine; None if it does not, or that is not known."""
    place, _, rest = name.partition(":")
    pid, _, started = rest.partition(":")
    return int(pid) if started and place == _place() and _started(int(pid)) == started else None


def start_of_machine() -> str | None:
    """Name of this start of this machine, the same for all processes that count time from it; None if not known."""
    return _named("time")


def _place() -> str | None:
    """Start of this machine, and the name space of its process numbers."""
    return _named("pid")


def _named(space: str) -> str | None:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{(_PROC / 'self/ns' / space).stat().st_ino}"
    except OSError:
        return None


def _started(pid: int) -> str | None:
    """When a process that still runs was started, in ticks since the machine was."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in _GONE else fields[19]
