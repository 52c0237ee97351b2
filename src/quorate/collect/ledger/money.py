"""Money and calls of a ledger: what was spent, what is reserved, and what there is room for.

Calls that are for no cell, such as those for drafts of a prompt, are charged.
"""

from __future__ import annotations

from quorate.collect.budget import NANO, Budget, Spend, affordable, nano
from quorate.collect.ledger.schema import Connection

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
