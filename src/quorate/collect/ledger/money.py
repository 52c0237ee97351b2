"""Money and calls of a ledger: what was spent, what is reserved, and what there is room for.

Calls that are for no cell, such as those for drafts of a prompt, are charged.
"""

from __future__ import annotations

from quorate.collect.budget import NANO, Budget, Spend, affordable, nano
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


_SPENT = """
UPDATE spend SET calls = calls + ?, lost = lost + ?, reserved = reserved + ?, money = money + ?,
                 reserved_money = reserved_money + ?, unpriced = unpriced + ?
"""


def charge(connection: Connection, price: float | None, budget: Budget) -> bool:
    """Count a call at its worst-case price before it is sent, if the budget has room; whether it has.

    It counts at once, and not as reserved, so that it stays counted if the process that sends it is killed.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    price : float, optional
        Worst-case price; None where it is not known.
    budget : Budget
        The most that may be spent on the ledger in all.
    """
    worst = nano(price)
    if affordable([worst], *room(connection, budget)) == 0:
        return False
    _charge(connection, 1, worst or 0, int(worst is None))
    return True


def settle_charge(connection: Connection, price: float | None, cost: float | None) -> None:
    """Count what such a call cost in place of its worst-case price, if that is known."""
    worst, paid = nano(price), nano(cost)
    if paid is not None:
        _charge(connection, 0, paid - (worst or 0), -int(worst is None))


def _charge(connection: Connection, calls: int, money: int, unpriced: int) -> None:
    connection.execute(
        "UPDATE spend SET calls = calls + ?, money = money + ?, unpriced = unpriced + ?", (calls, money, unpriced)
    )


def room(connection: Connection, budget: Budget) -> tuple[int | None, int | None]:
    """Calls and money (in billionths) that are neither spent nor reserved; None where there is no limit."""
    calls, _, reserved, money, reserved_money, _ = _spending(connection)
    left = None if budget.calls is None else int(budget.calls) - calls - reserved
    cap = nano(budget.money)
    return left, None if cap is None else cap - money - reserved_money


def spend(connection: Connection) -> Spend:
    """What the calls have cost so far."""
    calls, lost, reserved, money, reserved_money, unpriced = _spending(connection)
    return Spend(calls, lost, reserved, money / NANO, reserved_money / NANO, unpriced)


def _spending(connection: Connection) -> tuple[int, int, int, int, int, int]:
    row: tuple[int, int, int, int, int, int] = connection.execute(
        "SELECT calls, lost, reserved, money, reserved_money, unpriced FROM spend"
    ).fetchone()
    return row


def book(
    connection: Connection,
    *,
    calls: int = 0,
    lost: int = 0,
    reserved: int = 0,
    money: int = 0,
    reserved_money: int = 0,
    unpriced: int = 0,
) -> None:
    """Add to what is spent and reserved; money in billionths."""
    if calls or reserved:
        connection.execute(_SPENT, (calls, lost, reserved, money, reserved_money, unpriced))
