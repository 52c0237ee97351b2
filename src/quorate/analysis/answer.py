"""The answer to a question about precision: whether the mean is known as well as was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quorate.analysis.words import number
from quorate.wording import counted, decimals

if TYPE_CHECKING:
    from quorate.plan.search.whatif import WhatIf


@dataclass(frozen=True)
class Answer:
    """Whether the mean is known as well as was asked.

    Parameters
    ----------
    asked, half_width : float
        Half-width wanted, and the one there is.
    met : bool
        Whether it is small enough.
    sentence : str
        The same in words.
    """

    asked: float
    half_width: float
    met: bool
    sentence: str


def answer(half_width: float, asked: float, purchases: Sequence[WhatIf]) -> Answer:
    """Whether a half-width meets what was asked for; if not, what buys most.

    Parameters
    ----------
    half_width, asked : float
        The one there is, and the one wanted.
    purchases : sequence of WhatIf
        What to buy, the best first.
    """
    met = half_width <= asked
    places = decimals(min(asked, half_width) / 2)
    shown = f"Asked for an interval of ±{number(asked, places)}; it is ±{number(half_width, places)}"
    if met:
        return Answer(asked, half_width, met, f"{shown}: enough.")
    if not purchases:
        return Answer(asked, half_width, met, f"{shown}: not enough.")
    first = purchases[0]
    buy = f"{first.label} ({counted(first.more_calls, 'call')} more) lowers the standard error by {-first.change:.0%}"
    return Answer(asked, half_width, met, f"{shown}: not enough. Per call, this buys most: {buy}.")
