"""Calls that are for no cell, such as those for drafts of a prompt: counted in a ledger's spend like all others."""

from __future__ import annotations

from quorate.collect.budget import Budget, affordable, nano
from quorate.collect.ledger.lease import room
from quorate.collect.ledger.store import Connection


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
    _add(connection, 1, worst or 0, int(worst is None))
    return True


def settle(connection: Connection, price: float | None, cost: float | None) -> None:
    """Count what such a call cost in place of its worst-case price, if that is known.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    price : float, optional
        The worst-case price that is counted.
    cost : float, optional
        What the judge says.
    """
    worst, said = nano(price), nano(cost)
    if said is not None:
        _add(connection, 0, said - (worst or 0), -int(worst is None))


def _add(connection: Connection, calls: int, money: int, unpriced: int) -> None:
    connection.execute(
        "UPDATE spend SET calls = calls + ?, money = money + ?, unpriced = unpriced + ?", (calls, money, unpriced)
    )
