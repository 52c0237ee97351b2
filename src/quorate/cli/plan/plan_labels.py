"""`quorate plan`: how many labels by people and predictions by judges to buy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options import File, Files, Level, Output, Power, Prices, Reading, Wanted, command, only
from quorate.cli.options.systems import clusters_of

if TYPE_CHECKING:
    pass


@command
def plan_labels(
    file: File,
    labels: Wanted,
    prices: Annotated[Prices, only("price", "judge_price", "item_price")],
    human_price: Annotated[float, typer.Option(metavar="USD", help="Price of one answer by a person.")],
    budget: Annotated[float | None, typer.Option(metavar="USD", help="Most that may be spent.")] = None,
    half_width: Annotated[
        float | None, typer.Option(metavar="X", help="Instead: half-width of the interval that is wanted.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(metavar="D", help="Instead, with --a: difference, or win rate less .5, that is to be found."),
    ] = None,
    power: Power = 0.9,
    units: Annotated[int | None, typer.Option(metavar="N", help="Most items or battles that there are.")] = None,
    have: Annotated[
        bool, typer.Option("--have", help="The labels and predictions of the file belong to the study.")
    ] = False,
    level: Level = 0.95,
    *,
    reading: Reading,
    files: Files,
    out: Output,
) -> int:
    """How many labels by people and predictions by judges to buy, from a pilot with both.

    People are dear and right, judges cheap and biased: the split of the money with the narrowest interval of what
    `quorate compare` then finds, or the cheapest that is narrow enough.
    """
    from quorate.planning.labels.plan_labels import plan_labels as planned

    judged = reading.table(file, labels)
    human = labels.said(file, reading, judged)
    named = ("a", "b", "key", "strata")
    options: dict[str, Any] = {name: each for name, each in labels.given().items() if name in named}
    found = planned(
        judged,
        human,
        prices={"human": human_price, **(prices.prices() or {})},
        budget=budget,
        half_width=half_width,
        margin=margin,
        power=power,
        units=units,
        have=have,
        level=level,
        cluster=clusters_of(labels.cluster, judged),
        **options,
    )
    out.show(found, files, judged)
    return 0
