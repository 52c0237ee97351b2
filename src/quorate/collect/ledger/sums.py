"""Sums of attempts by judge and status, kept up to one of them, so that few rows are read however many there are.

Attempts are only ever added and their numbers rise, so that sums up to a number stay true; what came after it is added
when they are read. Whoever writes carries them forward now and then.
"""

from __future__ import annotations

from quorate.collect.ledger.schema import Connection

MOST_AFTER = 10_000
"""Attempts after the sums from which on they are carried forward: some 20 ms to read."""

_COLUMNS = "count, charged, unpriced, tokens_in, tokens_out, unbilled, last"
_AFTER = """
SELECT c.judge AS judge, a.status AS status, count(*) AS count, coalesce(sum(a.charged), 0) AS charged,
       count(*) - count(a.charged) AS unpriced, coalesce(sum(a.tokens_in), 0) AS tokens_in,
       coalesce(sum(a.tokens_out), 0) AS tokens_out,
       coalesce(sum(CASE WHEN a.cost = a.charged THEN 0 ELSE a.charged END), 0) AS unbilled, max(a.id) AS last
FROM attempts AS a JOIN cells AS c ON c.id = a.cell WHERE a.id > (SELECT coalesce(max(last), 0) FROM sums)
GROUP BY c.judge, a.status
"""
BY_STATUS = f"""
SELECT judge, status, {", ".join(f"sum({name})" for name in _COLUMNS.split(", ")[:-1])}, max(last)
FROM (SELECT judge, status, {_COLUMNS} FROM sums UNION ALL {_AFTER}) AS every GROUP BY judge, status
"""
"""The query for all sums, those of the latest attempts too."""

_ADDED = ", ".join(
    f"{name} = excluded.{name}" + ("" if name == "last" else f" + sums.{name}") for name in _COLUMNS.split(", ")
)
_CARRIED = f"""
INSERT INTO sums (judge, status, {_COLUMNS}) SELECT * FROM ({_AFTER}) AS later WHERE true
ON CONFLICT (judge, status) DO UPDATE SET {_ADDED}
"""


def carry(connection: Connection, last: int) -> None:
    """Carry the sums forward to the latest attempt, which has the number ``last``, where they are far behind it."""
    ((upto,),) = connection.execute("SELECT coalesce(max(last), 0) FROM sums").fetchall()
    if last - upto > MOST_AFTER:
        connection.execute(_CARRIED)
