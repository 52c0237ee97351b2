"""`quorate project`: what another design would give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import reading
from quorate.cli.console import console, heading, points, print_json, say
from quorate.cli.designs import (
    FILE_HELP,
    TARGET_HELP,
    scope,
    show_designs,
    show_own_interval,
    show_targets,
    source_of,
    targets_of,
)
from quorate.cli.parts import show_changes
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.plan.search.whatif import WhatIf

File = Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)]
Count = Annotated[int | None, typer.Option(metavar="N", help="How many; as in the file if absent.")]
Layout = Annotated[
    Literal["factorial", "random", "cyclic", "weighted", "latin", "blocks"],
    typer.Option(
        help="Everything crossed; one judge per item at random; one in turn; one in turn with unequal --places; "
        "one (prompt, judge) pair per item in turn; or --per-item judges per item. With a facet generation, turns are "
        "taken by generations.",
    ),
]
PerItem = Annotated[
    int | None, typer.Option(metavar="K", help="Judges per item, with --layout blocks; pairs per item, with latin.")
]
Places = Annotated[
    list[str] | None,
    typer.Option(metavar="JUDGE=N", help="Places of a judge in a cycle, with --layout weighted; repeat for each."),
]
Balanced = Annotated[
    float, typer.Option(metavar="0-1", help="1: judges weigh equally in the mean; 0: every judgment does.")
]
Levels = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE=N", help="Levels of any other facet; repeat for each."),
]
Targets = Annotated[list[str] | None, typer.Option("--target", metavar="ROLE=TARGET", help=TARGET_HELP)]
Price = Annotated[float | None, typer.Option(metavar="USD", help="Price of one call.")]


def project(
    file: File,
    items: Count = None,
    prompts: Count = None,
    judges: Count = None,
    temperatures: Count = None,
    replicates: Count = None,
    categories: Count = None,
    levels: Levels = None,
    layout: Layout = "factorial",
    per_item: PerItem = None,
    places: Places = None,
    balanced: Balanced = 1.0,
    target: Targets = None,
    price: Price = None,
    as_json: reading.Json = False,
    score: reading.Score = "score",
    facet: reading.Facets = None,
    object_: reading.Object = "item",
    nested: reading.Nested = None,
    fixed: reading.Fixed = None,
    status: reading.Status = None,
    missing: reading.Missing = None,
    _debug: reading.Debug = False,
) -> int:
    """What another design would give, and what it would cost.

    Without a design: what a few changes to the one at hand would give.
    """
    source = source_of(file, lambda: reading.judgments(file, score, facet, object_, nested, fixed, status, missing))
    counts = {
        "items": items,
        "prompts": prompts,
        "judges": judges,
        "temperatures": temperatures,
        "replicates": replicates,
        "categories": categories,
        "levels": _numbers("--levels", levels, "annotator=4"),
        "per_item": per_item,
        "places": _numbers("--places", places, "gpt=4"),
        "balanced": None if balanced == 1 else balanced,
    }
    asked: dict[str, Any] = {name: count for name, count in counts.items() if count not in (None, {})}
    asked |= {"layout": layout} if layout != "factorial" else {}
    given = {"targets": targets_of(source, target), "prices": None if price is None else {"call": price}}
    _project(source, asked, given, as_json=as_json)
    return 0


def _project(
    source: Components | Decomposition, asked: dict[str, Any], given: dict[str, Any], *, as_json: bool
) -> None:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.plan.designs.dstudy import project as planned_by
    from quorate.plan.search.whatif import AS_IT_IS, as_it_is, what_if

    if isinstance(source, Decomposition) and not asked:
        changes = what_if(source, **given)
        return print_json([_plain(change) for change in changes]) if as_json else _show_changes(changes)
    planned = planned_by(source, **asked, **given)
    if as_json:
        return print_json(planned.to_dict())
    at_hand = {AS_IT_IS: as_it_is(source, **given)} if isinstance(source, Decomposition) else {}
    out = console()
    say(out, f"What the design would give{scope(planned)}", style="bold")
    show_designs(out, at_hand | {"planned": planned}, "planned")
    return show_own_interval(out, source, planned.targets)


def _show_changes(changes: Sequence[WhatIf]) -> None:
    out, base = console(), changes[0].projection
    if base is not None:
        say(out, f"What a change to the design would give{scope(base)}", style="bold")
        show_changes(out, changes, priced=base.cost is not None)
        show_targets(out, base)
    reasons = dict.fromkeys(change.reason for change in changes if change.reason)
    if reasons:
        heading(out, "Not known")
        points(out, map(in_options, reasons))


def _plain(change: WhatIf) -> dict[str, Any]:
    plan = change.projection
    return {**vars(change), "projection": None if plan is None else plan.to_dict()}


def _numbers(option: str, pairs: list[str] | None, example: str) -> dict[str, int]:
    return {name: _whole(option, name, text) for name, text in reading.pairs(option, pairs, example).items()}


def _whole(option: str, name: str, text: str) -> int:
    if not re.fullmatch(r"\d{1,12}", text):
        raise InvalidInput(f'{option}: {name} must be a whole number, got "{text}"')
    return int(text)
