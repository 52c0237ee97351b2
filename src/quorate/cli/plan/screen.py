"""`quorate plan --screen`: which judges of a pool should judge the main study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import Files, Output, Prices, ScoreReading, ScoresFile, command, only

if TYPE_CHECKING:
    pass


@command
def screen(
    file: ScoresFile,
    budget: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Most to spend on the main study; calls where no price is given."),
    ] = None,
    half_width: Annotated[
        float | None, typer.Option(metavar="W", help="Half the 95% interval wanted, in score units.")
    ] = None,
    most: Annotated[int | None, typer.Option(metavar="N", help="Most judges to use.")] = None,
    fewest: Annotated[int, typer.Option(metavar="N", help="Fewest judges to use.")] = 1,
    uncorrected: Annotated[
        bool,
        typer.Option("--uncorrected", help="The bias that the pilot expects will not be subtracted from the mean."),
    ] = False,
    generation: Annotated[
        str | None, typer.Option(metavar="ROLE", help="What tells responses to an item apart. Default: generation.")
    ] = None,
    *,
    prices: Annotated[Prices, only("price", "judge_price", "item_price")],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """Which few of many judges should judge the rest, from a pilot.

    All of them judged the pilot. In the main study every item is new and gets one of the judges chosen, in turn; the
    mean stands for the whole pool.
    """
    from quorate.planning.panel.screening import screen as screened

    judgments = reading.judgments(file)
    found = screened(
        judgments,
        prices=prices.prices(),
        budget=budget,
        half_width=half_width,
        most=most,
        fewest=fewest,
        corrected=not uncorrected,
        generation=generation,
    )
    out.show(found, files, judgments)
    return 0
