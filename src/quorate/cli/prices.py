"""The options that say what calls, items and prompts cost, and the prices they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from quorate.errors import InvalidInput

Price = Annotated[float | None, typer.Option(metavar="USD", help="Price of one call.")]
JudgePrice = Annotated[
    list[str] | None, typer.Option(metavar="NAME=USD", help="Price of one call of a judge; repeat for each judge.")
]
ItemPrice = Annotated[float | None, typer.Option(metavar="USD", help="Price of an item, on top of its calls.")]
GenerationPrice = Annotated[
    float | None, typer.Option(metavar="USD", help="Price of a response that is judged, on top of its calls.")
]
PromptPrice = Annotated[float | None, typer.Option(metavar="USD", help="Price of writing a prompt variant.")]


def prices_of(call: float | None, judges: list[str] | None, more: Mapping[str, float | None]) -> dict[str, Any] | None:
    """Prices as the library takes them; None where none is given, so that a call costs 1.

    Parameters
    ----------
    call : float or None
        Price of a call.
    judges : list of str or None
        Prices by judge, each as ``NAME=USD``.
    more : mapping of str to float or None
        Prices of items, generations and prompts.

    Raises
    ------
    InvalidInput
        If a price is no amount, or calls have two.
    """
    named = _named(judges or ())
    if call is not None and named:
        raise InvalidInput("--price: give it or --judge-price, not both; each judge has a price of its own")
    found = {"call": call, **more} | ({"judge": _amounts(named)} if named else {})
    given = {name: value for name, value in found.items() if value is not None}
    return given | ({"call": 1.0} if given and not {"call", "judge"} & set(given) else {}) or None


def _named(values: Iterable[str]) -> dict[str, str]:
    """Prices by judge; a name may hold a sign of equality, a price does not."""
    swapped = ["=".join(reversed(value.rpartition("=")[::2])) if "=" in value else value for value in values]
    prices = [pair.partition("=")[::2] for pair in swapped]
    named = {name.strip(): price.strip() for price, name in prices if name.strip() and price.strip()}
    if len(named) < len(prices):
        raise InvalidInput("--judge-price: expects a judge and a price such as gpt=0.01, each judge once")
    return named


def _amounts(named: Mapping[str, str]) -> dict[str, float]:
    out = {}
    for name, text in named.items():
        try:
            out[name] = float(text)
        except ValueError:
            raise InvalidInput(f'--judge-price: {name} must be an amount such as 0.01, got "{text}"') from None
    return out
