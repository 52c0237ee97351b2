"""`quorate plan`: how many labels by people and predictions by judges to buy."""

from __future__ import annotations

from typing import Annotated

import typer

from quorate.cli.options import Declared, File, Files, Labelled, Output, Prices, Reading, command, of, only

OWN = of("quorate.planning.plan_labels:plan_labels")


@command
def plan_labels(
    file: File,
    labels: Labelled,
    own: Annotated[Declared, OWN],
    prices: Annotated[Prices, only("price", "judge_price", "item_price")],
    human_price: Annotated[float, typer.Option(metavar="USD", help="Price of one answer by a person.")],
    reading: Reading,
    files: Files,
    out: Output,
) -> int:
    """How many labels by people and predictions by judges to buy, from a pilot with both.

    People are dear and right, judges cheap and biased: the split of the money with the narrowest interval of what
    `quorate compare` then finds, or the cheapest that is narrow enough.
    """
    judged, human = labels.beside(file, reading, lambda: reading.table(file, own), key=own.value("key"))
    found = own(judged, human, prices={"human": human_price, **(prices.prices() or {})})
    out.show(found, files, judged)
    return 0
