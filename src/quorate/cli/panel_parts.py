"""The parts of `quorate panel` that come once for every system: side by side where there are several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from quorate.cli.console import heading, points, say, table
from quorate.cli.parts import dollars

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.panel.components import PanelComponents
    from quorate.estimate.panel.crossed import Crossed
    from quorate.plan.panel.panel import Panel, Sharing
    from quorate.plan.panel.strategies import Strategies
    from quorate.simulate.strategies import Validation

SMALLEST_P = 1e-15
SHORT = ("every judge", "one at random", "one in turn", "in turn, more items")
"""Ways to share calls out, in the order of `Panel.sharings`."""


def show_tests(out: Console, found: Panel) -> None:
    """Whether judges differ at all, with the published test where it answers differently."""
    if found.means.system is None:
        return points(out, _test_lines(found.crossed.values()))
    rows = [(name, *_test_row(one)) for name, one in found.crossed.items()]
    if rows:
        heading(out, "Do judges differ?")
        heads = {"system": "left", "F": "right", "df": "right", "p": "right", "as published": "right"}
        table(out, heads, rows)
        say(out, "F against item x judge, p adjusted for judges of unequal noise; the published F where it differs.")
    return None


def _test_lines(found: Iterable[Crossed]) -> Iterator[str]:
    for one in found:
        test, paper = one.judge_test, one.paper_test
        said = f"F({test.df}, {test.df_error:,}) = {test.f:.3g} against item x judge, {_p(test.p_adjusted)}"
        yield f"{said} (adjusted for judges of unequal noise)"
        if one.disagree:
            pooled = f"F({paper.df}, {paper.df_error:,}) = {paper.f:.3g}, {_p(paper.p)}"
            yield f"with item x judge pooled into the residual, as published: {pooled}; see Components"


def _test_row(one: Crossed) -> tuple[str, ...]:
    test, paper = one.judge_test, one.paper_test
    published = f"{paper.f:.3g}, {_p(paper.p)}" if one.disagree else ""
    return (
        f"{test.f:.3g}",
        f"{test.df}, {test.df_error:,}",
        _p(test.p_adjusted).removeprefix("p ").removeprefix("= "),
        published,
    )


def _p(p: float) -> str:
    return f"p < {SMALLEST_P:g}" if p < SMALLEST_P else f"p = {p:.2g}"


def show_components(out: Console, found: Panel) -> None:
    """Components of one judgment: with intervals for one system, side by side for several."""
    if not found.crossed:
        return
    heading(out, "Components of one judgment")
    if found.means.system is None:
        one = next(iter(found.crossed.values()))
        models = {"separated": one.separated} | ({"as published": one.paper} if one.disagree else {})
        table(out, {"": "left", **dict.fromkeys(models, "right")}, _with_intervals(models))
    else:
        _values(out, {name: one.separated for name, one in found.crossed.items()})
    differ = {name: one for name, one in found.crossed.items() if one.disagree}
    if not differ:
        return
    if found.means.system is not None:
        say(out, "As published, with item x judge pooled into the residual:")
        _values(out, {name: one.paper for name, one in differ.items()})
    terms = dict.fromkeys(term for one in differ.values() for term in one.differs)
    say(out, f"The two models differ in {', '.join(terms)}: judges differ by item (item x judge).")


def _with_intervals(models: Mapping[str, PanelComponents]) -> Iterator[tuple[str, ...]]:
    for name in next(iter(models.values())).values:
        yield _term(name), *(_limits(model, name) for model in models.values())


def _limits(model: PanelComponents, name: str) -> str:
    from quorate.analysis.words import significant

    if name not in model.intervals:
        return "-"
    low, high = model.intervals[name]
    return f"{significant(model.values[name])} ({significant(low)} to {significant(high)})"


def _values(out: Console, models: Mapping[str, PanelComponents]) -> None:
    from quorate.analysis.words import significant

    names = tuple(dict.fromkeys(name for model in models.values() for name in model.values))
    rows = [
        (system, *(significant(model.values[name], 2) if name in model.values else "-" for name in names))
        for system, model in models.items()
    ]
    table(out, {"system": "left", **{_term(name): "right" for name in names}}, rows)


def _term(name: str) -> str:
    from quorate.estimate.panel.components import TERMS

    return TERMS[name].replace("scenario", "item")


def show_sharing(out: Console, found: Panel) -> None:
    """What the same calls give when they are shared out otherwise."""
    if found.strategies:
        heading(out, "Standard error for the same calls, over generations of the same items")
        _strategies(out, found)
    if not found.sharings:
        return None
    heading(out, "Sharing the calls out, for this panel")
    if found.means.system is None:
        return _ways(out, next(iter(found.sharings.values())))
    rows = [(name, *_standard_errors(ways)) for name, ways in found.sharings.items()]
    table(out, {"system": "left", **dict.fromkeys(SHORT, "right")}, rows)
    calls = [f"{one.projection.calls:,}" for one in next(iter(found.sharings.values()))]
    return say(out, f"Standard errors; calls {', '.join(calls)}. More items: as many more as there are judges.")


def _strategies(out: Console, found: Panel) -> None:
    from quorate.plan.panel.strategies import ALL, CYCLIC, RANDOM

    names, one = (ALL, RANDOM, CYCLIC), next(iter(found.strategies.values()))
    single = found.means.system is None
    rows = [
        (str(budget) if single else name, *_in_order(strategies, budget, names))
        for name, strategies in found.strategies.items()
        for budget in (strategies.budgets if single else strategies.budgets[:1])
    ]
    first = f"calls per {one.item}" if single else "system"
    table(out, {first: "left", **dict.fromkeys(names, "right")}, rows)
    say(out, one.sentence() if single else f"At {one.budgets[0]} calls per {one.item}.")


def _in_order(found: Strategies, budget: int, names: tuple[str, ...]) -> Iterator[str]:
    from quorate.analysis.words import number
    from quorate.wording import decimals

    at = found.at(budget)
    places = 1 + max(decimals(plan.se) for plan in at.values())
    yield from (number(at[name].se, places) if name in at else "-" for name in names)


def _standard_errors(ways: tuple[Sharing, ...]) -> Iterator[str]:
    from quorate.analysis.words import number
    from quorate.wording import decimals

    places = 1 + max(decimals(one.projection.se) for one in ways)
    yield from (number(one.projection.se, places) for one in ways)


def _ways(out: Console, ways: tuple[Sharing, ...]) -> None:
    priced = any(one.projection.cost is not None for one in ways)
    rows = [
        (one.label, se, f"{one.projection.calls:,}", *((dollars(one.projection.cost),) if priced else ()))
        for one, se in zip(ways, _standard_errors(ways), strict=True)
    ]
    table(out, {"": "left", "SE": "right", "calls": "right"} | ({"price": "right"} if priced else {}), rows)
    shares = ways[0].projection.shares
    most = max(shares, key=lambda name: shares[name])
    say(out, f"Of the first, {shares[most]:.0%} is {most}. Everything that items vary by is in these.")


def show_validation(out: Console, checked: Mapping[str, Validation]) -> None:
    """Variances of redrawn studies against their predictions: all of them for one system, the verdicts for several."""
    from quorate.analysis.words import significant

    if not checked:
        return None
    heading(out, "Redrawn studies")
    if len(checked) > 1:
        return points(out, (f"{name}: {line}" for name, one in checked.items() for line in (one.sentence, *one.notes)))
    found = next(iter(checked.values()))
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
    return points(out, [found.sentence, *found.notes])
