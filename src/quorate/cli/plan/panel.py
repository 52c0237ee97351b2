"""`quorate judges`: which judge is off, what one judge alone would reverse, and how to share the calls out."""

from __future__ import annotations

from typing import Annotated

import typer

from quorate.cli.options import (
    Declared,
    Files,
    Output,
    Prices,
    ScoreReading,
    ScoresFile,
    command,
    names,
    of,
    only,
    pairs,
)

OWN = of("quorate.planning.panel.panel:judges", "resamples")


@command
def panel(
    file: ScoresFile,
    own: Annotated[Declared, OWN],
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Groups of judges to compare, such as tiers: their column; auto for the makers that names tell; or "
            "the group of each judge, with commas: gpt-4o=mid,gpt-5=frontier.",
        ),
    ] = None,
    validate: Annotated[
        bool, typer.Option("--validate", help="Redraw studies from these scores and compare the strategies' variances.")
    ] = False,
    *,
    prices: Annotated[Prices, only("price", "judge_price", "item_price", "generation_price")],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """Which judge is off, and what one judge alone would reverse.

    Also whether judges prefer themselves, what they and the items bring to the variance, how to share calls out, and
    with --group what judges of one tier or maker are worth beside the others.
    Ends with exit code 2 if one judge alone would reverse an order, or prefers itself, beyond chance.
    """
    from quorate.analysis.panel import validations
    from quorate.table.families import AUTO
    from quorate.table.read import kind_of
    from quorate.table.reading.reading import Meant, Unsure

    of_judge = pairs("--group", names(group), "gpt-4o=mid") if "=" in (group or "") else None
    column = () if group in (None, AUTO) or of_judge else (str(group),)
    if not reading.given("scores") and kind_of(file, None, {}, {}, reading.opening()) == "votes":
        ways = (
            Meant({}, "does the first one shown win?", "rank", "--position"),
            Meant({}, "the longer one?", "rank", "--covariate length"),
            Meant({}, "do judges decide as people do?", "judges", "--agree --human-label COLUMN"),
        )
        raise Unsure("judges are looked at by their scores, and these are votes", str(file), ways, "votes")
    judgments = reading.judgments(file, also=column)
    found = own(judgments, group=of_judge or group, prices=prices.prices())
    redrawn = validations(found) if validate else {}
    validation = {name: one.to_dict() for name, one in redrawn.items()}
    out.show(found, files, found.judgments, validation=validation)
    return int(found.exit_code)
