"""`quorate plan --design`: what another design would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options import (
    LINKED,
    CategoryItems,
    CategoryShares,
    Declared,
    Files,
    Group,
    Output,
    Prices,
    ScoreReading,
    SourceFile,
    Targets,
    category_items,
    category_shares,
    command,
    counts,
    only,
    planned_source,
    table_of,
)
from quorate.planning.designs.names import LayoutName, all_layouts

if TYPE_CHECKING:
    pass

Count = Annotated[int | None, typer.Option(metavar="N", help="How many; as in the file if absent.")]


@dataclass(frozen=True, kw_only=True)
class Design(Group):
    """The design that is asked for; what is not named is as in the file."""

    items: Count = None
    prompts: Count = None
    judges: Count = None
    temperatures: Count = None
    replicates: Count = None
    categories: Count = None
    category_items: CategoryItems = None
    category_shares: CategoryShares = None
    levels: Annotated[
        list[str] | None, typer.Option(metavar="ROLE=N", help="Levels of any other facet; repeat for each.")
    ] = None
    per_item: Annotated[
        int | None,
        typer.Option(metavar="K", help="Judges per item, with --layout blocks; pairs per item, with latin."),
    ] = None
    places: Annotated[
        list[str] | None,
        typer.Option(metavar="JUDGE=N", help="Places of a judge in a cycle, with --layout weighted; repeat for each."),
    ] = None
    balanced: Annotated[
        float, typer.Option(metavar="0-1", help="1: judges weigh equally in the mean; 0: every judgment does.")
    ] = 1.0
    layout: Annotated[
        LayoutName,
        typer.Option(help=f"{all_layouts()}. With a facet generation, turns are taken by generations."),
    ] = "factorial"

    def asked(self) -> dict[str, Any]:
        """What is given, as `quorate.project` takes it."""
        named = {"levels": ("--levels", "annotator=4"), "places": ("--places", "gpt=4")}
        given = self.given()
        if self.category_items is not None:
            given["category_items"] = category_items(self.category_items)
        if self.category_shares is not None:
            given["category_shares"] = category_shares(self.category_shares)
        return given | {name: counts(option, given[name], eg) for name, (option, eg) in named.items() if name in given}


@command
def project(
    file: SourceFile,
    design: Design,
    targets: Targets,
    prices: Annotated[Prices, only("price")],
    fit: Annotated[Declared, LINKED],
    reading: ScoreReading,
    files: Files,
    out: Output,
) -> int:
    """What another design would give, and what it would cost.

    Without a design: what a few changes to the one at hand would give.
    """
    from quorate.analysis.designs import Changes
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.differences.difference import SystemDifference
    from quorate.planning.designs.dstudy import project as projected
    from quorate.planning.search.whatif import as_it_is, what_if
    from quorate.reporting.pages.designs import at_hand

    fitted = planned_source(file, reading, fit, targets)
    asked = design.asked()
    several = isinstance(fitted, SystemDifference)
    options: dict[str, Any] = {"targets": None if several else targets.asked(), "prices": prices.prices()}
    judgments = table_of(fitted)
    if isinstance(fitted, (Decomposition, SystemDifference)) and not asked:
        found = Changes(what_if(fitted, **options))
        out.show(found, files, judgments, plain=[change.to_dict() for change in found.what_if])
        return 0
    planned = projected(fitted, **asked, **options)
    listed = not (isinstance(fitted, SystemDifference) and fitted.method != "paired")
    now = at_hand(as_it_is(fitted, **options), planned) if listed and not isinstance(fitted, Components) else ()
    out.show(planned, files, judgments, also=now)
    return 0
