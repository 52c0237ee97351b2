"""`quorate panel`: which judge is off, what one judge alone would reverse, and how to share the calls out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli import reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.panel_parts import show_components, show_sharing, show_tests, show_validation
from quorate.cli.parts import show_columns
from quorate.cli.prices import GenerationPrice, Price, prices_of
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.panel.bias import Bias
    from quorate.plan.panel.panel import Panel
    from quorate.simulate.strategies import Validation

FOUND = 2
MOST_SYSTEMS = 3
"""Systems that a terminal has columns for."""
System = Annotated[
    str | None,
    typer.Option(metavar="ROLE", help="What is evaluated and ranked. Default: system, if there are several."),
]
Generation = Annotated[
    str | None,
    typer.Option(metavar="ROLE", help="What tells responses to an item apart. Default: generation, if there is one."),
]
Identity = Annotated[
    list[str] | None,
    typer.Option(metavar="JUDGE=SYSTEM", help="System that a judge is; repeat for each. Default: equal names."),
]
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Coverage of the intervals.")]
Validate = Annotated[
    bool, typer.Option("--validate", help="Redraw studies from these scores and compare the strategies' variances.")
]


def panel(
    file: reading.File,
    system: System = None,
    generation: Generation = None,
    identity: Identity = None,
    level: Level = 0.95,
    price: Price = None,
    generation_price: GenerationPrice = None,
    validate: Validate = False,
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
    """Which judge is off, and what one judge alone would reverse.

    Also whether judges prefer themselves, what they and the items bring to the variance, and how to share calls out.
    Ends with exit code 2 if one judge alone would reverse an order, or prefers itself, beyond chance.
    """
    from quorate.plan.panel.panel import panel as panel_of

    found = panel_of(
        reading.judgments(file, score, facet, object_, nested, fixed, status, missing),
        system=system,
        generation=generation,
        identities=reading.pairs("--identity", identity, "gpt-5=GPT-5") or None,
        level=level,
        prices=prices_of(price, None, {"generation": generation_price}),
    )
    checked = _validated(found) if validate else {}
    if as_json:
        print_json({**found.to_dict(), "validation": {name: one.to_dict() for name, one in checked.items()}})
    else:
        _show(console(), found, checked)
    sure = found.reversals is not None and found.reversals.sure
    biased = found.self_preference is not None and found.self_preference.sure
    return FOUND if sure or biased else 0


def _validated(found: Panel) -> dict[str, Validation]:
    """Studies redrawn from the scores of every system, or an error that says what is missing."""
    from quorate.simulate.strategies import validate_strategies

    role = found.means.system
    return {
        name: validate_strategies(found.judgments if role is None else found.judgments.only(role, name))
        for name in found.means.systems
    }


def _show(out: Console, found: Panel, checked: Mapping[str, Validation]) -> None:
    say(out, found.bias.sentence, style="bold")
    show_tests(out, found)
    _biases(out, found)
    say(out, found.bias.scope)
    _rankings(out, found)
    if found.self_preference is not None:
        heading(out, "Judges on the systems that they are")
        points(out, [*found.self_preference.sentences, found.self_preference.scope])
    show_components(out, found)
    show_sharing(out, found)
    show_validation(out, checked)
    asked = () if found.means.system else ("reversals", "self_preference")  # of no use with one system
    hidden = {name: why for name, why in found.reasons.items() if not name.startswith(("strategies", *asked))}
    if hidden:
        heading(out, "Not shown")
        points(out, (f"{name.replace('_', '-')}: {in_options(why)}" for name, why in hidden.items()))
    if found.caveats:
        heading(out, "Caveats")
        points(out, (in_options(caveat.sentence) for caveat in found.caveats))
    show_columns(out, found.judgments.notes)


def _biases(out: Console, found: Panel) -> None:
    """Every judge against the panel, and by system where there is room."""
    from quorate.analysis.words import number
    from quorate.wording import decimals

    bias = found.bias
    systems = found.means.systems if 1 < len(found.means.systems) <= MOST_SYSTEMS else ()
    places = max(decimals(one.se) for one in bias.overall)
    at = {(one.judge, one.system): one for one in bias.by_system}

    def row(one: Bias) -> tuple[str, ...]:
        own = (f"{number(at[one.judge, name].bias, places)}" for name in systems)
        limits = f"{number(one.low, places)} to {number(one.high, places)}"
        return one.judge, number(one.mean, places), number(one.bias, places), limits, one.verdict, *own

    heading(out, "Bias: each judge less the panel")
    header = {"judge": "left", "mean": "right", "bias": "right", f"{bias.level:.0%} interval": "right", " ": "left"}
    table(out, header | {f"on {name}": "right" for name in systems}, map(row, _strictest_last(bias.overall)))


def _strictest_last(rows: tuple[Bias, ...]) -> list[Bias]:
    return sorted(rows, key=lambda one: -one.bias)


def _rankings(out: Console, found: Panel) -> None:
    """What every judge alone would rank first."""
    if found.reversals is None:
        return
    from quorate.analysis.words import number

    heading(out, "One judge alone")
    say(out, found.reversals.sentence)
    rows = [("panel", " > ".join(found.reversals.order), "")]
    rows += [(one.judge, " > ".join(one.order), number(one.tau, 2)) for one in found.reversals.judges]
    table(out, {"judge": "left", "order": "left", "tau": "right"}, rows)
