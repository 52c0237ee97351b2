"""`quorate project`: what another design would give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import reading
from quorate.cli.components_file import components_from
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.parts import MOST_SOURCES, dollars, show_changes
from quorate.cli.phrasing import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.decomposition import Decomposition
    from quorate.estimate.published import Components
    from quorate.estimate.targets import Target
    from quorate.plan.dstudy import Projection
    from quorate.plan.whatif import WhatIf
    from quorate.table.judgments import Judgments

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Judgments, as for analyze; or components as JSON: "
        '{"random": {"item": 0.01, ...}, "sensitivity": {"judge": 0.0005}}.',
    ),
]
Count = Annotated[int | None, typer.Option(metavar="N", help="How many; as in the file if absent.")]
Layout = Annotated[
    Literal["factorial", "cyclic", "latin", "blocks"],
    typer.Option(
        help="Everything crossed; one judge per item in turn; one (prompt, judge) pair per item in turn; "
        "or --per-item judges per item.",
    ),
]
PerItem = Annotated[int | None, typer.Option(metavar="K", help="Judges per item, with --layout blocks.")]
Levels = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE=N", help="Levels of any other facet; repeat for each."),
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="ROLE=TARGET",
        help="What a facet stands for: population, panel, finite, sensitivity or pool(K), such as judge=panel. "
        "Judges stand for judges like these where the judgments tell.",
    ),
]
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
    if file.suffix.lower() == ".json":
        source: Components | Decomposition = components_from(file)
    else:
        source = _fitted(reading.judgments(file, score, facet, object_, nested, fixed, status, missing))
    counts = {
        "items": items,
        "prompts": prompts,
        "judges": judges,
        "temperatures": temperatures,
        "replicates": replicates,
        "categories": categories,
        "levels": {name: _whole(name, text) for name, text in reading.pairs("--levels", levels, "annotator=4").items()},
        "per_item": per_item,
    }
    asked: dict[str, Any] = {name: count for name, count in counts.items() if count not in (None, {})}
    asked |= {"layout": layout} if layout != "factorial" else {}
    given = {"targets": _answering(source, _targets(target)), "prices": None if price is None else {"call": price}}
    _project(source, asked, given, as_json=as_json)
    return 0


def _fitted(judgments: Judgments) -> Decomposition:
    from quorate.estimate.components import decompose

    return decompose(judgments)


def _answering(source: Components | Decomposition, asked: dict[str, Target]) -> dict[str, Target]:
    """The targets asked for; judges stand for others like them where nothing else is asked and the data tell."""
    from quorate.estimate.decomposition import Decomposition
    from quorate.estimate.mean import mean_for
    from quorate.estimate.targets import POPULATION
    from quorate.report.views import JUDGE, views

    if not isinstance(source, Decomposition) or JUDGE in asked:
        return asked
    return asked if views(source, mean_for(source, asked)).population is None else {**asked, JUDGE: POPULATION}


def _project(
    source: Components | Decomposition, asked: dict[str, Any], given: dict[str, Any], *, as_json: bool
) -> None:
    from quorate.estimate.decomposition import Decomposition
    from quorate.plan.dstudy import project as planned_by
    from quorate.plan.whatif import AS_IT_IS, as_it_is, what_if

    if isinstance(source, Decomposition) and not asked:
        changes = what_if(source, **given)
        return print_json([_plain(change) for change in changes]) if as_json else _show_changes(changes)
    planned = planned_by(source, **asked, **given)
    if as_json:
        return print_json(planned.to_dict())
    at_hand = {AS_IT_IS: as_it_is(source, **given)} if isinstance(source, Decomposition) else {}
    return _show_designs(at_hand | {"planned": planned})


def _show_changes(changes: Sequence[WhatIf]) -> None:
    out, base = console(), changes[0].projection
    if base is not None:
        say(out, f"What a change to the design would give{_scope(base)}", style="bold")
        show_changes(out, changes, priced=base.cost is not None)
        _show_targets(out, base)
    reasons = dict.fromkeys(change.reason for change in changes if change.reason)
    if reasons:
        heading(out, "Not known")
        points(out, map(in_options, reasons))


def _show_designs(designs: Mapping[str, Projection]) -> None:
    from quorate.estimate.wording import plural
    from quorate.report.words import decimals, number, percent

    out, plans = console(), list(designs.values())
    places = 1 + max(decimals(plan.se) for plan in plans)
    rows = [(plural(name), *(f"{plan.design[name]:,}" for plan in plans)) for name in plans[-1].design]
    rows.append(("layout", *(plan.layout for plan in plans)))
    rows.append(("calls", *(f"{plan.calls:,}" for plan in plans)))
    if plans[-1].cost is not None:
        rows.append(("price", *(dollars(plan.cost) for plan in plans)))
    rows.append(("standard error", *(number(plan.se, places) for plan in plans)))
    rows.append(("95% interval", *(f"±{number(plan.half_width(), places)}" for plan in plans)))
    say(out, f"What the design would give{_scope(plans[-1])}", style="bold")
    table(out, {"": "left", **dict.fromkeys(designs, "right")}, rows)
    heading(out, "Where its uncertainty would come from")
    largest = sorted(plans[-1].shares, key=lambda name: -plans[-1].shares[name])[:MOST_SOURCES]
    shares = [(name, *(percent(plan.shares[name]) for plan in plans)) for name in largest if plans[-1].shares[name]]
    table(out, {"source": "left", **dict.fromkeys(designs, "right")}, shares)
    _show_targets(out, plans[-1])
    say(out, "The interval is 1.96 standard errors each way; a small study has a wider one.")


def _show_targets(out: Console, plan: Projection) -> None:
    """Say what the facets stand for, without which a standard error means nothing."""
    groups: dict[str, list[str]] = {}
    for facet, target in plan.targets.items():
        groups.setdefault(str(target), []).append(facet)
    out.print()
    say(out, "Facets stand for: " + "; ".join(f"{', '.join(names)} = {target}" for target, names in groups.items()))
    if plan.targets.get("judge") == "population":
        say(out, "For this panel of judges rather than judges like these: --target judge=panel")


def _scope(plan: Projection) -> str:
    """For whom the numbers hold, where judges are drawn or are all that matters."""
    scopes = {"population": ", for judges like these", "panel": ", for this panel"}
    return scopes.get(str(plan.targets["judge"]), "") if plan.design.get("judge", 1) > 1 else ""


def _plain(change: WhatIf) -> dict[str, Any]:
    plan = change.projection
    return {**vars(change), "projection": None if plan is None else plan.to_dict()}


def _targets(values: Iterable[str] | None) -> dict[str, Target]:
    given = reading.pairs("--target", values, "judge=population")
    return {facet: _target(target) for facet, target in given.items()}


def _target(text: str) -> Target:
    from quorate.estimate.targets import pool

    found = re.fullmatch(r"pool\W?(\d+)\)?", text)
    return pool(int(found[1])) if found else text


def _whole(name: str, text: str) -> int:
    if not re.fullmatch(r"\d{1,12}", text):
        raise InvalidInput(f'--levels: {name} must be a whole number, got "{text}"')
    return int(text)
