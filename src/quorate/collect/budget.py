"""Budget: the most that may be spent, in calls and in money, and what of it is left."""

from __future__ import annotations

import math
from collections.abc import Sequence

from quorate.errors import InvalidInput
from quorate.frozen import dataclass

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


# Price of a call by the study's own price table; an unknown price stays unknown.


MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a judge, in the currency of the budget.

    Parameters
    ----------
    input, output : float, optional
        Per million tokens of the prompt and of the reply.
    call : float, optional
        Per call; adds to the price of the tokens, and is all there is to pay where tokens have no price.

    Raises
    ------
    InvalidInput
        If a price is negative or not finite, or only one of ``input`` and ``output`` is given.

    Examples
    --------
    >>> Price(input=0.5, output=1.5).cost(2000, 100)
    0.00115
    >>> Price().cost(2000, 100) is None
    True
    """

    input: float | None = None
    output: float | None = None
    call: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "call"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise InvalidInput(f"price: {name} must be a finite number >= 0, got {value}")
        if (self.input is None) != (self.output is None):
            missing = "output" if self.output is None else "input"
            raise InvalidInput(f"price: {missing} is missing; give input and output, or a price per call")

    @property
    def known(self) -> bool:
        """Whether there is any price."""
        return self.input is not None or self.call is not None

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Cost of one call; None where the price, or a token count that it needs, is not known."""
        if self.input is None or self.output is None:
            return self.call
        if tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * self.input + tokens_out * self.output) / MILLION + (self.call or 0.0)
