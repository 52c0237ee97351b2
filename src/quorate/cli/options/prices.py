"""What calls, items, responses and prompts cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from quorate.cli.options.groups import For, Group
from quorate.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class Prices(Group):
    """Prices; where none is given, a call costs 1."""

    price: Annotated[float | None, typer.Option(metavar="USD", help="Price of one call.")] = None
    judge_price: Annotated[
        list[str] | None,
        For("scores"),
        typer.Option(metavar="NAME=USD", help="Price of one call of a judge; repeat for each judge."),
    ] = None
    item_price: Annotated[float | None, typer.Option(metavar="USD", help="Price of an item, on top of its calls.")] = (
        None
    )
    generation_price: Annotated[
        float | None, typer.Option(metavar="USD", help="Price of a response that is judged, on top of its calls.")
    ] = None
    prompt_price: Annotated[float | None, typer.Option(metavar="USD", help="Price of writing a prompt variant.")] = None

    def prices(self) -> dict[str, Any] | None:
        """Prices as the library takes them; None where none is given.

        Raises
        ------
        InvalidInput
            If a price is no amount, or calls have two.
        """
        texts = [[part.strip() for part in value.rpartition("=")[::2]] for value in self.judge_price or ()]
        if not all(name and text for name, text in texts) or len({name for name, _ in texts}) < len(texts):
            raise InvalidInput("--judge-price: expects a judge and a price such as gpt=0.01, each judge once")
        judges: dict[str, float] = {}
        for name, text in texts:  # a name may hold a sign of equality, a price does not
            try:
                judges[name] = float(text)
            except ValueError:
                raise InvalidInput(f'--judge-price: {name} must be an amount such as 0.01, got "{text}"') from None
        if self.price is not None and judges:
            raise InvalidInput("--price: give it or --judge-price, not both; each judge has a price of its own")
        amounts = {
            "call": self.price,
            "item": self.item_price,
            "generation": self.generation_price,
            "prompt": self.prompt_price,
            "judge": judges or None,
        }
        given = {name: amount for name, amount in amounts.items() if amount is not None}
        return given | ({"call": 1.0} if given and not {"call", "judge"} & set(given) else {}) or None
