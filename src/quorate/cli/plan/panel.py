"""`quorate judges`: which judge is off, what one judge alone would reverse, and how to share the calls out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.console import caveats, heading, points, read_as, say, table
from quorate.cli.options import Files, Level, Output, Prices, ScoreReading, ScoresFile, command, names, only, pairs
from quorate.cli.spelling import in_options
from quorate.wording import dollars

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.panel.components import PanelComponents
    from quorate.estimate.panel.crossed import Crossed
    from quorate.plan.panel.groups import Groups
    from quorate.plan.panel.panel import Panel, Sharing
    from quorate.simulate.strategies import Validation

FOUND = 2
MOST_SYSTEMS = 3
"""Systems that a terminal has columns for."""
SMALLEST_P = 1e-15
SHORT = ("every judge", "one at random", "one in turn", "in turn, more items")
"""Ways to share calls out, in the order of `Panel.sharings`."""


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
    from quorate.plan.panel.panel import panel as panel_of
    from quorate.table.families import AUTO

    of_judge = pairs("--group", names(group), "gpt-4o=mid") if "=" in (group or "") else None
    column = () if group in (None, AUTO) or of_judge else (str(group),)
    found = panel_of(
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
    out.typeset(found, lambda console, found: show(console, found, redrawn), validation=validation)
    files.write(found, found.judgments, out)
    reversed_ = found.reversals is not None and found.reversals.sure
    preferred = found.self_preference is not None and found.self_preference.sure
    return FOUND if reversed_ or preferred else 0


def show(out: Console, found: Panel, redrawn: Mapping[str, Validation]) -> None:
    """Print what the scores say of the panel, one part for each question."""
    say(out, found.bias.sentence, style="bold")
    show_tests(out, found)
    show_bias(out, found)
    say(out, found.bias.scope)
    show_reversals(out, found)
    if found.self_preference is not None:
        heading(out, "Judges on the systems that they are")
        points(out, [*found.self_preference.sentences, found.self_preference.scope])
    show_groups(out, found)
    show_components(out, found)
    show_strategies(out, found)
    show_sharing(out, found)
    show_validation(out, redrawn)
    asked = () if found.means.system else ("reversals", "self_preference")  # of no use with one system
    hidden = {name: why for name, why in found.reasons.items() if not name.startswith(("strategies", *asked))}
    if hidden:
        heading(out, "Not shown")
        points(out, (f"{name.replace('_', '-')}: {in_options(why)}" for name, why in hidden.items()))
    caveats(out, (caveat.sentence for caveat in found.caveats))
    read_as(out, found.judgments.notes)


def show_tests(out: Console, found: Panel) -> None:
    """Print whether judges differ at all, with the published test where it answers differently."""
    from quorate.analysis.words import p_text, p_value

    if found.means.system is None:
        points(out, tests(found.crossed.values()))
        return
    rows = []
    for name, one in found.crossed.items():
        test, paper = one.judge_test, one.paper_test
        published = f"{paper.f:.3g}, {p_value(paper.p, SMALLEST_P)}" if one.disagree else ""
        p = p_text(test.p_adjusted, SMALLEST_P)
        rows.append((name, f"{test.f:.3g}", f"{test.df}, {test.df_error:,}", p, published))
    if rows:
        heading(out, "Do judges differ?")
        heads = {"system": "left", "F": "right", "df": "right", "p": "right", "as published": "right"}
        table(out, heads, rows)
        say(out, "F against item x judge, p adjusted for judges of unequal noise; the published F where it differs.")


def tests(crossed: Iterable[Crossed]) -> Iterator[str]:
    """Tests of the judges, in sentences."""
    from quorate.analysis.words import p_value

    for one in crossed:
        test, paper = one.judge_test, one.paper_test
        ratio = f"F({test.df}, {test.df_error:,}) = {test.f:.3g} against item x judge"
        yield f"{ratio}, {p_value(test.p_adjusted, SMALLEST_P)} (adjusted for judges of unequal noise)"
        if one.disagree:
            pooled = f"F({paper.df}, {paper.df_error:,}) = {paper.f:.3g}, {p_value(paper.p, SMALLEST_P)}"
            yield f"with item x judge pooled into the residual, as published: {pooled}; see Components"


def show_bias(out: Console, found: Panel) -> None:
    """Print every judge against the panel, and by system where there is room."""
    from quorate.analysis.words import number
    from quorate.wording import decimals

    bias = found.bias
    systems = found.means.systems if 1 < len(found.means.systems) <= MOST_SYSTEMS else ()
    places = max(decimals(one.se) for one in bias.overall)
    at = {(one.judge, one.system): one for one in bias.by_system}
    rows = []
    for one in sorted(bias.overall, key=lambda one: -one.bias):
        alone = (number(at[one.judge, name].bias, places) for name in systems)
        limits = f"{number(one.low, places)} to {number(one.high, places)}"
        rows.append((one.judge, number(one.mean, places), number(one.bias, places), limits, one.verdict, *alone))
    heading(out, "Bias: each judge less the panel")
    header = {
        "judge": "left",
        "mean": "right",
        "bias": "right",
        f"{100 * bias.level:.4g}% interval": "right",
        " ": "left",
    }
    table(out, header | {f"on {name}": "right" for name in systems}, rows)


def show_reversals(out: Console, found: Panel) -> None:
    """Print what every judge alone would rank first."""
    from quorate.analysis.words import number

    if found.reversals is None:
        return
    heading(out, "One judge alone")
    say(out, found.reversals.sentence)
    rows = [("panel", " > ".join(found.reversals.order), "")]
    rows += [(one.judge, " > ".join(one.order), number(one.tau, 2)) for one in found.reversals.judges]
    table(out, {"judge": "left", "order": "left", "tau": "right"}, rows)


def show_groups(out: Console, found: Panel) -> None:
    """Print groups of judges side by side: their means, what makes up the variance of each, and panels out of them."""
    from quorate.analysis.words import number, significant
    from quorate.wording import capitalised, decimals, plural

    if found.grouping is None:
        return
    heading(out, capitalised(f"{plural(found.grouping.role)} of judges"))
    if found.group_bias is not None:
        say(out, found.group_bias.sentence)
    for system, groups in found.groups.items():
        whose = "" if found.means.system is None else f" of {system}"
        say(out, f"Mean{whose} by each {groups.role}, with standard errors for its judges and for judges like them:")
        heads = {groups.role: "left", "judges": "right", "mean": "right", "these": "right", "like these": "right"}
        each = [
            (
                one.group,
                str(len(one.judges)),
                number(one.mean, decimals(one.se)),
                significant(one.se, 2),
                significant(one.se_population, 2) if len(one.judges) > 1 else "-",
            )
            for one in groups.variances
        ]
        table(out, heads, each)
        say(out, f"Shares of the variance{whose}:")
        shares = [
            (name, *(f"{one.shares[name]:.1%}" if name in one.shares else "-" for one in groups.variances))
            for name in dict.fromkeys(name for one in groups.variances for name in one.shares)
        ]
        table(out, {"component": "left", **{one.group: "right" for one in groups.variances}}, shares)
        show_group_panels(out, groups)


def show_group_panels(out: Console, groups: Groups) -> None:
    """Print what the price of the study buys with judges of each group, of any, and of one of each."""
    from quorate.analysis.panel import worths
    from quorate.analysis.words import significant
    from quorate.wording import plural

    if groups.reason:
        say(out, f"No panels of single {plural(groups.role)}: {in_options(groups.reason)}")
        return
    say(out, groups.sentence)
    heads = {"panel out of": "left", "judges": "right", "items": "right", "SE": "right", "precision": "right"}
    rows = [
        (one.label, str(len(one.panel.judges)), f"{one.panel.items:,}", significant(one.panel.se), *worths(one))
        for one in groups.panels
    ]
    table(out, heads | {f"{groups.level:.0%} interval": "right"}, rows)


def show_components(out: Console, found: Panel) -> None:
    """Print components of one judgment: with intervals for one system, side by side for several."""
    if not found.crossed:
        return
    heading(out, "Components of one judgment")
    if found.means.system is None:
        one = next(iter(found.crossed.values()))
        models = {"separated": one.separated} | ({"as published": one.paper} if one.disagree else {})
        rows = [
            (term(name), *(with_interval(model, name) for model in models.values())) for name in one.separated.values
        ]
        table(out, {"": "left", **dict.fromkeys(models, "right")}, rows)
    else:
        show_values(out, {name: one.separated for name, one in found.crossed.items()})
    differ = {name: one for name, one in found.crossed.items() if one.disagree}
    if not differ:
        return
    if found.means.system is not None:
        say(out, "As published, with item x judge pooled into the residual:")
        show_values(out, {name: one.paper for name, one in differ.items()})
    terms = dict.fromkeys(name for one in differ.values() for name in one.differs)
    say(out, f"The two models differ in {', '.join(terms)}: judges differ by item (item x judge).")


def with_interval(model: PanelComponents, name: str) -> str:
    """A component with its interval."""
    from quorate.analysis.words import significant

    if name not in model.intervals:
        return "-"
    low, high = model.intervals[name]
    return f"{significant(model.values[name])} ({significant(low)} to {significant(high)})"


def show_values(out: Console, models: Mapping[str, PanelComponents]) -> None:
    """Print components of several systems."""
    from quorate.analysis.words import significant

    names = tuple(dict.fromkeys(name for model in models.values() for name in model.values))
    rows = [
        (system, *(significant(model.values[name], 2) if name in model.values else "-" for name in names))
        for system, model in models.items()
    ]
    table(out, {"system": "left", **{term(name): "right" for name in names}}, rows)


def term(name: str) -> str:
    """A term of the model, in words."""
    from quorate.estimate.panel.components import TERMS

    return TERMS[name].replace("scenario", "item")


def show_strategies(out: Console, found: Panel) -> None:
    """Print what the same calls give over generations of the same items, when they are shared out otherwise."""
    from quorate.analysis.words import number
    from quorate.plan.panel.strategies import ALL, CYCLIC, RANDOM
    from quorate.wording import decimals

    if not found.strategies:
        return
    ways, first, single = (ALL, RANDOM, CYCLIC), next(iter(found.strategies.values())), found.means.system is None
    rows = []
    for name, strategies in found.strategies.items():
        for budget in strategies.budgets if single else strategies.budgets[:1]:
            at = strategies.at(budget)
            places = 1 + max(decimals(plan.se) for plan in at.values())
            errors = (number(at[way].se, places) if way in at else "-" for way in ways)
            rows.append((str(budget) if single else name, *errors))
    heading(out, "Standard error for the same calls, over generations of the same items")
    table(out, {f"calls per {first.item}" if single else "system": "left", **dict.fromkeys(ways, "right")}, rows)
    say(out, first.sentence() if single else f"At {first.budgets[0]} calls per {first.item}.")
    say(out, found.weighting["strategies"])


def show_sharing(out: Console, found: Panel) -> None:
    """Print what this panel gives when the calls are shared out otherwise."""
    if not found.sharings:
        return
    heading(out, "Sharing the calls out, for this panel")
    ways = next(iter(found.sharings.values()))
    if found.means.system is not None:
        rows = [(name, *standard_errors(ways)) for name, ways in found.sharings.items()]
        table(out, {"system": "left", **dict.fromkeys(SHORT, "right")}, rows)
        calls = ", ".join(f"{one.projection.calls:,}" for one in ways)
        say(out, f"Standard errors; calls {calls}. More items: as many more as there are judges.")
        say(out, found.weighting["sharings"])
        return
    priced = any(one.projection.cost is not None for one in ways)
    rows = [
        (one.label, se, f"{one.projection.calls:,}", *((dollars(one.projection.cost),) if priced else ()))
        for one, se in zip(ways, standard_errors(ways), strict=True)
    ]
    table(out, {"": "left", "SE": "right", "calls": "right"} | ({"price": "right"} if priced else {}), rows)
    shares = ways[0].projection.shares
    most = max(shares, key=lambda name: shares[name])
    say(out, f"Of the first, {shares[most]:.0%} is {most}. Everything that items vary by is in these.")
    say(out, found.weighting["sharings"])


def standard_errors(ways: tuple[Sharing, ...]) -> list[str]:
    """Standard errors of ways to share calls out, with as many decimals."""
    from quorate.analysis.words import number
    from quorate.wording import decimals

    places = 1 + max(decimals(one.projection.se) for one in ways)
    return [number(one.projection.se, places) for one in ways]


def show_validation(out: Console, redrawn: Mapping[str, Validation]) -> None:
    """Print variances of redrawn studies against their predictions: of several systems, the verdicts alone."""
    from quorate.analysis.words import significant

    if not redrawn:
        return
    heading(out, "Redrawn studies")
    if len(redrawn) > 1:
        points(out, (f"{name}: {line}" for name, one in redrawn.items() for line in (one.sentence, *one.notes)))
        return
    found = next(iter(redrawn.values()))
    rows = [
        (
            one.strategy,
            str(one.budget),
            significant(one.empirical),
            significant(one.error, 2),
            significant(one.predicted),
        )
        for one in found.checks
    ]
    heads = {"strategy": "left", "calls": "right", "variance": "right", "± MC": "right", "predicted": "right"}
    table(out, heads, rows)
    points(out, [found.sentence, *found.notes])
