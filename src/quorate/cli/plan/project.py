"""`quorate plan --design`: what another design would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.console import caveats, console, print_json, say
from quorate.cli.options import (
    MODEL,
    CategoryItems,
    CategoryShares,
    Files,
    Fit,
    Group,
    Linked,
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
from quorate.cli.plan.show import show_changes, show_designs, show_targets
from quorate.plan.designs.names import LayoutName, all_layouts

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.plan.designs.dstudy import Projection
    from quorate.plan.search.whatif import WhatIf

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
    fit: Annotated[Fit, MODEL],
    link: Linked,
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
    from quorate.plan.designs.dstudy import project as projected
    from quorate.plan.search.whatif import AS_IT_IS, as_it_is, what_if

    fitted = planned_source(file, reading, fit, link, targets)
    asked = design.asked()
    several = isinstance(fitted, SystemDifference)
    options: dict[str, Any] = {"targets": None if several else targets.asked(), "prices": prices.prices()}
    judgments = table_of(fitted)
    if isinstance(fitted, (Decomposition, SystemDifference)) and not asked:
        changes = what_if(fitted, **options)
        if out.as_json:
            print_json([change.to_dict() for change in changes])
        else:
            show_what_if(console(), changes)
        files.write(Changes(changes), judgments, out)
        return 0
    planned = projected(fitted, **asked, **options)
    listed = not (isinstance(fitted, SystemDifference) and fitted.method != "paired")
    at_hand = {AS_IT_IS: as_it_is(fitted, **options)} if listed and not isinstance(fitted, Components) else {}
    out.typeset(planned, lambda screen, planned: show_planned(screen, at_hand | {"planned": planned}))
    files.write(planned, judgments, out)
    return 0


def show_planned(out: Console, designs: Mapping[str, Projection]) -> None:
    """Print a design, beside the one at hand where there is one."""
    from quorate.analysis.designs import scope

    say(out, f"What the design would give{scope(designs['planned'])}", style="bold")
    show_designs(out, designs, "planned")


def show_what_if(out: Console, changes: Sequence[WhatIf]) -> None:
    """Print what changes to the study as it is would give, and why some are not known."""
    from quorate.analysis.designs import scope

    base = changes[0].projection
    if base is not None:
        say(out, f"What a change to the design would give{scope(base)}", style="bold")
        show_changes(out, changes, priced=base.cost is not None)
        show_targets(out, base)
    caveats(out, dict.fromkeys(change.reason for change in changes if change.reason), "Not known")
