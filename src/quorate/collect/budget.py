"""Budget: the most that may be spent, in calls and in money, and what of it is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from quorate.errors import InvalidInput

NANO = 1_000_000_000
"""Money is kept in billionths of a unit, as whole numbers, so that sums are exact and a cap is a cap."""


@dataclass(frozen=True)
class Budget:
    """The most that may be spent on a ledger, by all who collect on it, now and later.

    Parameters
    ----------
    calls : int, optional
        Requests, whatever comes of them: failures and repeats count.
    money : float, optional
        In the unit of the prices. A call is only made if its worst-case price is left.

    Raises
    ------
    InvalidInput
        If a limit is negative or no number.

    Examples
    --------
    >>> Budget(calls=500, money=2.5)
    Budget(calls=500, money=2.5)
    """

    calls: int | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        if self.calls is not None and (isinstance(self.calls, bool) or int(self.calls) != self.calls or self.calls < 0):
            raise InvalidInput(f"budget: calls must be a whole number, at least 0, got {self.calls}")
        if self.money is not None and not (math.isfinite(self.money) and self.money >= 0):
            raise InvalidInput(f"budget: money must be a finite number, at least 0, got {self.money}")


@dataclass(frozen=True)
class Spend:
    """What a ledger's calls have cost so far.

    Parameters
    ----------
    calls : int
        Requests that were made, or may have been made.
    lost : int
        Those of them whose answer was lost with the process that waited for it. Whether they were sent is not known.
    reserved : int
        Requests under way.
    money : float
        What the calls cost: as the judge said, or the worst-case price where it did not say or the answer was lost.
    reserved_money : float
        Worst-case price of the requests under way.
    unpriced : int
        Calls of unknown price, which ``money`` does not include.
    """

    calls: int = 0
    lost: int = 0
    reserved: int = 0
    money: float = 0.0
    reserved_money: float = 0.0
    unpriced: int = 0


def nano(money: float | None) -> int | None:
    """An amount of money as a whole number of billionths, rounded up; None where it is not known."""
    return None if money is None else math.ceil(round(money * NANO, 3))


def affordable(prices: Sequence[int | None], calls: int | None, money: int | None) -> int:
    """How many of these calls, in their order, fit into what is left.

    Parameters
    ----------
    prices : sequence of int
        Worst-case price of each call, in billionths.
    calls, money : int, optional
        What is left, money in billionths; None where there is no limit.
    """
    most = len(prices) if calls is None else max(0, min(len(prices), calls))
    if money is None:
        return most
    for place, price in enumerate(prices[:most]):
        if price is None or price > money:
            return place
        money -= price
    return most
