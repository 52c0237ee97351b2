"""`quorate judges`: which judge is off, what one judge alone would reverse, and how to share the calls out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options import Files, Level, Output, Prices, ScoreReading, ScoresFile, command, names, only, pairs

if TYPE_CHECKING:
    pass

FOUND = 2


@command
def panel(
    file: ScoresFile,
    system: Annotated[
        str | None,
        typer.Option(metavar="ROLE", help="What is evaluated and ranked. Default: system, if there are several."),
    ] = None,
    generation: Annotated[
        str | None,
        typer.Option(metavar="ROLE", help="What tells responses to an item apart. Default: generation, if any."),
    ] = None,
    identity: Annotated[
        list[str] | None,
        typer.Option(metavar="JUDGE=SYSTEM", help="System that a judge is; repeat for each. Default: equal names."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Groups of judges to compare, such as tiers: their column; auto for the makers that names tell; or "
            "the group of each judge, with commas: gpt-4o=mid,gpt-5=frontier.",
        ),
    ] = None,
    level: Level = 0.95,
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
    from quorate.planning.panel.panel import judges as judges_of
    from quorate.table.families import AUTO

    of_judge = pairs("--group", names(group), "gpt-4o=mid") if "=" in (group or "") else None
    column = () if group in (None, AUTO) or of_judge else (str(group),)
    found = judges_of(
        reading.judgments(file, also=column),
        group=of_judge or group,
        system=system,
        generation=generation,
        identities=pairs("--identity", identity, "gpt-5=GPT-5") or None,
        level=level,
        prices=prices.prices(),
    )
    redrawn = validations(found) if validate else {}
    validation = {name: one.to_dict() for name, one in redrawn.items()}
    out.show(found, files, found.judgments, validation=validation)
    reversed_ = found.reversals is not None and found.reversals.sure
    preferred = found.self_preference is not None and found.self_preference.sure
    return FOUND if reversed_ or preferred else 0
