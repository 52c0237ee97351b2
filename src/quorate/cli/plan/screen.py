"""`quorate plan --screen`: which judges of a pool should judge the main study."""

from __future__ import annotations

from typing import Annotated

from quorate.cli.options import Declared, Files, Output, Prices, ScoreReading, ScoresFile, command, of, only

OWN = of("quorate.planning.panel.screening:screen", "resamples", "rng")


@command
def screen(
    file: ScoresFile,
    own: Annotated[Declared, OWN],
    prices: Annotated[Prices, only("price", "judge_price", "item_price")],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """Which few of many judges should judge the rest, from a pilot.

    All of them judged the pilot. In the main study every item is new and gets one of the judges chosen, in turn; the
    mean stands for the whole pool.
    """
    judgments = reading.judgments(file)
    out.show(own(judgments, prices=prices.prices()), files, judgments)
    return 0
