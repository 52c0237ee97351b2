"""`quorate plan`: what to buy next, for a budget or for a standard error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options import (
    LINKED,
    CategoryItems,
    Declared,
    Files,
    Group,
    Output,
    Prices,
    ScoreReading,
    SourceFile,
    Targets,
    category_items,
    command,
    grid,
    names,
    pairs,
    planned_source,
    table_of,
)
from quorate.errors import InvalidInput
from quorate.planning.designs.names import all_layouts

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference
    from quorate.table.judgments import Judgments

Numbers = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="Numbers allowed, such as 50,100 or 1-5 or 20-200:10.")
]


@dataclass(frozen=True, kw_only=True)
class Goal(Group):
    """What is asked of a design."""

    budget: Annotated[
        float | None, typer.Option(metavar="USD", help="Most to spend; a number of calls where no price is given.")
    ] = None
    target_se: Annotated[
        float | None, typer.Option(metavar="SE", help="Largest standard error allowed, in score units.")
    ] = None
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="W",
            help="Largest half-width of the 95% interval that an analysis of the design would find.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Limits(Group):
    """The designs that are allowed."""

    items: Numbers = None
    prompts: Numbers = None
    judges: Numbers = None
    temperatures: Numbers = None
    replicates: Numbers = None
    per_item: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="Judges per item allowed, with the layout blocks; pairs, with latin."),
    ] = None
    categories: Numbers = None
    category_items: CategoryItems = None
    levels: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NUMBERS", help="Levels allowed of any other facet; repeat for each."),
    ] = None

    def limits(self) -> dict[str, list[int]] | None:
        """Numbers allowed, as `quorate.plan` takes them; None where nothing is named."""
        given = {name: text for name, text in self.given().items() if name != "category_items"}
        levels = pairs("--levels", given.pop("levels", None), "annotator=2-4")
        out = {name: grid(f"--{name.replace('_', '-')}", text) for name, text in given.items()}
        return out | {name: grid("--levels", text) for name, text in levels.items()} or None

    def sizes(self) -> dict[str, int] | list[int] | None:
        """Items of each category, as `quorate.plan` takes them."""
        return None if self.category_items is None else category_items(self.category_items)


@command
def optimize(
    file: SourceFile,
    goal: Goal,
    prices: Prices,
    limits: Limits,
    targets: Targets,
    layouts: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"Layouts allowed, with commas: {all_layouts()}.",
        ),
    ] = "factorial,cyclic,latin",
    own: Annotated[
        str | None,
        typer.Option(
            metavar="DESIGN",
            help="The design at hand, such as items=141,judges=3,layout=cyclic. Default: the study in the file.",
        ),
    ] = None,
    traded: Annotated[
        bool, typer.Option("--traded", help="Weighted cycles may leave some of the panel's bias for less variance.")
    ] = False,
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
    fit: Annotated[Declared, LINKED],
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
    from quorate.planning.search.optimize import plan as planned

    allowed = limits.limits()
    fitted = planned_source(file, reading, fit, targets, also=have)
    if draws is not None and not isinstance(fitted, (Decomposition, SystemDifference)):
        raise InvalidInput(
            "--draws: pilots are redrawn from scores as numbers that were fitted here, not with --link or from "
            "components of a file; leave it out"
        )
    several = isinstance(fitted, SystemDifference)
    best = planned(
        fitted,
        budget=goal.budget,
        target_se=goal.target_se,
        half_width=goal.half_width,
        prices=prices.prices(),
        limits=allowed,
        layouts=names(layouts),  # type: ignore[arg-type]  # checked there
        targets=None if several else targets.asked(),
        own=design(own),
        traded=traded,
        have=paid_for(have, file, fitted, reading),
        category_items=limits.sizes(),
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
