"""Cells whose questions outlive the process that asked them, as in a batch: leased until a later runner takes over.

They are leased by a holder instead of by the runner itself. A holder is no process, so that its leases do not end when
a process does; whether somebody looks after them is said by the runner in its name.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorate.collect.ledger.lease import LeasedCell, as_leased, asked_for, enlist
from quorate.collect.ledger.owner import is_gone
from quorate.collect.ledger.store import Connection

HOLD = 30 * 86_400.0
"""Seconds for which answers can be expected to be kept; after that the questions count as lost."""

_HOLDER = "batch:"
_HOLDING = f"substr(name, 1, {len(_HOLDER)}) = '{_HOLDER}'"


def holder(connection: Connection, runner: int, now: float) -> int:
    """Number by which a runner leases such cells."""
    return enlist(connection, f"{_HOLDER}{runner}", now, now + HOLD)


def adopt(
    connection: Connection, facets: Sequence[str], *, holder: int, judge: tuple[int, str], now: float, own: bool = False
) -> list[LeasedCell]:
    """The held cells of a judge that nobody looks after any more; they are this holder's from now on.

    Those that it has already are among them if ``own`` is set.
    """
    orphaned = [*_orphaned(connection, now), *([holder] if own else [])]
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


def _orphaned(connection: Connection, now: float) -> list[int]:
    """Holders with cells whose runner is gone."""
    found = connection.execute(
        f"SELECT id, name FROM runners WHERE {_HOLDING} AND id IN "
        "(SELECT DISTINCT runner FROM cells WHERE state = 'leased')"
    ).fetchall()
    owners = {int(name.removeprefix(_HOLDER)): id_ for id_, name in found}
    if not owners:
        return []
    marks = ", ".join("?" * len(owners))
    known = connection.execute(f"SELECT id, name, until FROM runners WHERE id IN ({marks})", tuple(owners)).fetchall()
    return [owners[id_] for id_, name, until in known if until <= now or is_gone(name)]
