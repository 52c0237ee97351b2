"""`quorate panel`: which judge is off, what one judge alone would reverse, and how to share the calls out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli import reading
from quorate.cli.console import console, heading, points, print_json, say, table
from quorate.cli.parts import dollars
from quorate.cli.phrasing import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.bias import Bias
    from quorate.estimate.crossed import Crossed
    from quorate.plan.panel import Panel, Sharing
    from quorate.plan.strategies import Strategies
    from quorate.simulate.strategies import Validation

FOUND = 2
MOST_SYSTEMS = 3
"""Systems that a terminal has columns for."""
SMALLEST_P = 1e-15
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
Price = Annotated[float | None, typer.Option(metavar="USD", help="Price of one call.")]
GenerationPrice = Annotated[
    float | None, typer.Option(metavar="USD", help="Price of a response that is judged, on top of its calls.")
]
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
    """Which judge is off and by how much, what one alone would reverse, and how to share the calls out.

    Ends with exit code 2 if one judge alone would reverse an order, or prefers itself, beyond chance.
    """
    from quorate.plan.panel import panel as panel_of

    found = panel_of(
        reading.judgments(file, score, facet, object_, nested, fixed, status, missing),
        system=system,
        generation=generation,
        identities=reading.pairs("--identity", identity, "gpt-5=GPT-5") or None,
        level=level,
        prices=_prices(price, generation_price),
    )
    checked = _validated(found) if validate else {}
    if as_json:
        print_json({**found.to_dict(), "validation": {name: one.to_dict() for name, one in checked.items()}})
    else:
        _show(console(), found, checked)
    sure = found.reversals is not None and found.reversals.sure
    biased = found.self_preference is not None and found.self_preference.sure
    return FOUND if sure or biased else 0


def _prices(call: float | None, generation: float | None) -> dict[str, float] | None:
    given = {name: value for name, value in (("call", call), ("generation", generation)) if value is not None}
    return {"call": 1.0, **given} if given else None


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
    points(out, _tests(found))
    _biases(out, found)
    say(out, found.bias.scope)
    _rankings(out, found)
    if found.self_preference is not None:
        heading(out, "Judges on the systems that they are")
        points(out, [*found.self_preference.sentences, found.self_preference.scope])
    _components(out, found)
    for name, strategies in found.strategies.items():
        heading(out, f"Standard error for the same calls{_of(found, name)}")
        _strategies(out, strategies)
    for name, sharings in found.sharings.items() if not found.strategies else ():
        heading(out, f"Sharing the calls out{_of(found, name)}, for this panel")
        _sharings(out, sharings)
    for name, one in checked.items():
        heading(out, f"Redrawn studies{_of(found, name)}")
        _validation(out, one)
    asked = () if found.means.system else ("reversals", "self_preference")  # of no use with one system
    hidden = {name: why for name, why in found.reasons.items() if not name.startswith(("strategies", *asked))}
    if hidden:
        heading(out, "Not shown")
        points(out, (f"{name.replace('_', '-')}: {in_options(why)}" for name, why in hidden.items()))
    if found.caveats:
        heading(out, "Caveats")
        points(out, (in_options(caveat.sentence) for caveat in found.caveats))


def _of(found: Panel, name: str) -> str:
    return "" if found.means.system is None else f", {name}"


def _tests(found: Panel) -> Iterator[str]:
    """Whether judges differ at all, by system, with the published test where it answers differently."""
    for name, one in found.crossed.items():
        test, label = one.judge_test, _of(found, name).removeprefix(", ")
        said = f"F({test.df}, {test.df_error:,}) = {test.f:.3g} against item x judge, {_p(test.p_adjusted)}"
        yield f"{label + ': ' if label else ''}{said} (adjusted for judges of unequal noise)"
        if one.disagree:
            paper = one.paper_test
            pooled = f"F({paper.df}, {paper.df_error:,}) = {paper.f:.3g}, {_p(paper.p)}"
            yield f"with item x judge pooled into the residual, as published: {pooled}; see Components"


def _p(p: float) -> str:
    return f"p < {SMALLEST_P:g}" if p < SMALLEST_P else f"p = {p:.2g}"


def _biases(out: Console, found: Panel) -> None:
    """Every judge against the panel, and by system where there is room."""
    from quorate.report.words import decimals, number

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
    from quorate.report.words import number

    heading(out, "One judge alone")
    say(out, found.reversals.sentence)
    rows = [("panel", " > ".join(found.reversals.order), "")]
    rows += [(one.judge, " > ".join(one.order), number(one.tau, 2)) for one in found.reversals.judges]
    table(out, {"judge": "left", "order": "left", "tau": "right"}, rows)


def _components(out: Console, found: Panel) -> None:
    """Components of one judgment, under both models where they disagree."""
    for name, one in found.crossed.items():
        heading(out, f"Components of one judgment{_of(found, name)}")
        models = {"separated": one.separated} | ({"as published": one.paper} if one.disagree else {})
        table(out, {"": "left", **dict.fromkeys(models, "right")}, _component_rows(one, models))
        if one.disagree:
            say(out, f"The two models differ in {', '.join(one.differs)}: judges differ by item (item x judge).")


def _component_rows(one: Crossed, models: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    from quorate.estimate.panel_components import TERMS
    from quorate.report.words import significant

    for name in one.separated.values:
        term = TERMS[name].replace("scenario", "item")
        yield term, *(_with_limits(model, name, significant) for model in models.values())


def _with_limits(model: Any, name: str, significant: Any) -> str:
    if name not in model.intervals:
        return "-"
    low, high = model.intervals[name]
    return f"{significant(model.values[name])} ({significant(low)} to {significant(high)})"


def _strategies(out: Console, found: Strategies) -> None:
    from quorate.plan.strategies import ALL, CYCLIC, RANDOM
    from quorate.report.words import decimals, number

    names = (ALL, RANDOM, CYCLIC)
    plans = {budget: found.at(budget) for budget in found.budgets}
    places = 1 + max(decimals(plan.se) for at in plans.values() for plan in at.values())
    rows = [
        (str(budget), *(number(at[name].se, places) if name in at else "-" for name in names))
        for budget, at in plans.items()
    ]
    table(out, {f"calls per {found.item}": "left", **dict.fromkeys(names, "right")}, rows)
    say(out, found.sentence())


def _sharings(out: Console, found: tuple[Sharing, ...]) -> None:
    from quorate.report.words import decimals, number

    plans = [one.projection for one in found]
    places = 1 + max(decimals(plan.se) for plan in plans)
    priced = any(plan.cost is not None for plan in plans)
    rows = [
        (
            one.label,
            number(one.projection.se, places),
            f"{one.projection.calls:,}",
            *((dollars(one.projection.cost),) if priced else ()),
        )
        for one in found
    ]
    header = {"": "left", "SE": "right", "calls": "right"} | ({"price": "right"} if priced else {})
    table(out, header, rows)


def _validation(out: Console, found: Validation) -> None:
    from quorate.report.words import significant

    rows = [
        (
            one.strategy,
            str(one.budget),
            significant(one.empirical),
            f"{significant(one.error, 2)}",
            significant(one.predicted),
        )
        for one in found.checks
    ]
    header = {"strategy": "left", "calls": "right", "variance": "right", "± MC": "right", "predicted": "right"}
    table(out, header, rows)
    points(out, [found.sentence, *found.notes])
