"""Price of a call by the study's own price table; an unknown price stays unknown."""

from __future__ import annotations

import math
from dataclasses import dataclass

from quorate.errors import InvalidInput

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
