"""`quorate plan`: what to buy next, for a budget or for a standard error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options import (
    Declared,
    Files,
    Group,
    Output,
    Prices,
    ScoreReading,
    SourceFile,
    command,
    grid,
    of,
    pairs,
    planned_source,
    table_of,
)
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference
    from quorate.table.judgments import Judgments

Numbers = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="Numbers allowed, such as 50,100 or 1-5 or 20-200:10.")
]
GOAL = of("quorate.planning.search.optimize:plan")
FIT = of("quorate.estimate.components.decompose:decompose", "interval", "method")
LIMITS = {"temperature": "temperatures", "category": "categories"}
"""Facets whose limits have names of their own."""


@dataclass(frozen=True, kw_only=True)
class Limits(Group):
    """The designs that are allowed."""

    items: Numbers = None
    prompts: Numbers = None
    judges: Numbers = None
    replicates: Numbers = None
    per_item: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Judges per item allowed, with the layout blocks; pairs, with latin."),
    ] = None
    levels: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NUMBERS", help="Levels allowed of any other facet, such as temperature=1-2."),
    ] = None

    def limits(self) -> dict[str, list[int]] | None:
        """Numbers allowed, as `quorate.plan` takes them; None where nothing is named."""
        given = self.given()
        levels = pairs("--levels", given.pop("levels", None), "annotator=2-4")
        out = {name: grid(f"--{name.replace('_', '-')}", text) for name, text in given.items()}
        return out | {LIMITS.get(name, name): grid("--levels", text) for name, text in levels.items()} or None


@command
def optimize(
    file: SourceFile,
    goal: Annotated[Declared, GOAL],
    prices: Prices,
    limits: Limits,
    own: Annotated[
        str | None,
        typer.Option(
            metavar="DESIGN",
            help="The design at hand, such as items=141,judges=3,layout=cyclic. Default: the study in the file.",
        ),
    ] = None,
    have: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Judgments that are paid for, often FILE itself: a plan costs what must still be bought.",
        ),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Pilots redrawn to say how sure the choice is; 0 for none. Default: 200, of judgments.",
            min=0,
            max=10_000,
        ),
    ] = None,
    *,
    fit: Annotated[Declared, FIT],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """What to buy next, for a budget or for a standard error.

    The most precise design that the budget buys, or the cheapest that is as precise as asked. Without any numbers
    allowed: designs around the study in the file, with up to four times its items and twice its prompts and judges;
    with some, what is not named stays as in the file.
    """
    from quorate.analysis.designs import optimum_view
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.differences.difference import SystemDifference

    allowed, asked = limits.limits(), goal.value("targets") or {}
    fitted = planned_source(file, reading, fit, asked, also=have)
    if draws is not None and not isinstance(fitted, (Decomposition, SystemDifference)):
        raise InvalidInput(
            "--draws: pilots are redrawn from scores as numbers that were fitted here, not with --link or from "
            "components of a file; leave it out"
        )
    best = goal(
        fitted,
        prices=prices.prices(),
        limits=allowed,
        targets=None if isinstance(fitted, SystemDifference) else asked,
        own=design(own),
        have=paid_for(have, file, fitted, reading),
    )
    view = optimum_view(best, 200 if draws is None else draws)
    out.show(view, files, table_of(fitted))
    return 0


def paid_for(
    have: Path | None,
    file: Path,
    fitted: Components | Decomposition | LatentDecomposition | SystemDifference,
    reading: ScoreReading,
) -> Judgments | None:
    """The judgments that are paid for; those that were fitted where the file is the same."""
    if have is None:
        return None
    own = table_of(fitted) if have.resolve() == file.resolve() else None
    return reading.judgments(have) if own is None else own


def design(text: str | None) -> dict[str, Any] | None:
    """A design from ``items=141,judges=3,layout=cyclic``."""
    if text is None:
        return None
    named = pairs("--own", text.split(","), "items=141,judges=3")
    return {name: int(value) if value.isdigit() and len(value) < 12 else value for name, value in named.items()}
