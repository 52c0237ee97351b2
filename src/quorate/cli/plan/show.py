"""Designs on the terminal: side by side, with where their uncertainty would come from, and what changes give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quorate.cli.console import dollars, heading, say, table

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.components.published import Components
    from quorate.estimate.means.targets import Target
    from quorate.plan.designs.dstudy import Projection
    from quorate.plan.search.whatif import WhatIf

MOST_SOURCES = 6


def show_designs(out: Console, designs: Mapping[str, Projection], shares_of: str, *, priced: bool = True) -> None:
    """Print designs side by side, and where the uncertainty of one of them would come from."""
    from quorate.analysis.words import number
    from quorate.wording import decimals, plural, whole_percent

    plans = list(designs.values())
    places = 1 + max(decimals(plan.se) for plan in plans)
    rows = [(plural(name), *(f"{plan.design[name]:,}" for plan in plans)) for name in plans[-1].design]
    rows += [(plural(name), *(f"{plan.groups[name]:,}" for plan in plans)) for name in plans[-1].groups]
    rows.append(("layout", *map(layout_of, plans)))
    rows.append(("calls", *(f"{plan.calls:,}" for plan in plans)))
    if priced and any(plan.cost is not None for plan in plans):
        rows.append(("price", *(dollars(plan.cost) for plan in plans)))
    rows.append(("standard error", *(number(plan.se, places) for plan in plans)))
    rows.append(("1.96 of these", *(f"±{number(plan.half_width(), places)}" for plan in plans)))
    table(out, {"": "left", **dict.fromkeys(designs, "right")}, rows)
    heading(out, "Where its uncertainty would come from")
    shares = designs[shares_of].shares
    largest = sorted(shares, key=lambda name: -shares[name])[:MOST_SOURCES]
    entries = [(name, *(whole_percent(plan.shares[name]) for plan in plans)) for name in largest if shares[name]]
    table(out, {"source": "left", **dict.fromkeys(designs, "right")}, entries)
    show_targets(out, plans[-1])


def show_own_interval(out: Console, fitted: Components | Decomposition, targets: Mapping[str, Target]) -> None:
    """Say how wide the interval of the study at hand is, which 1.96 standard errors do not."""
    from quorate.analysis.words import number
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.means.mean import mean_for
    from quorate.wording import decimals

    text = "1.96 standard errors are what half a 95% interval tends to with many levels of everything."
    if isinstance(fitted, Decomposition):
        mean = mean_for(fitted, targets)
        half = number(mean.half_width(), 1 + decimals(mean.se))
        text += (
            f" The study as it is has ±{half}, {mean.half_width() / mean.se:.2f} of them; so may a plan with as few."
        )
    say(out, text)


def show_targets(out: Console, plan: Projection) -> None:
    """Say what the facets stand for, without which a standard error means nothing."""
    groups: dict[str, list[str]] = {}
    for facet, target in plan.targets.items():
        groups.setdefault(str(target), []).append(facet)
    out.print()
    say(out, "Facets stand for: " + "; ".join(f"{', '.join(names)} = {target}" for target, names in groups.items()))
    if plan.targets.get("judge") == "population":
        say(out, "For this panel of judges rather than judges like these: --target judge=panel")


def show_changes(out: Console, changes: Sequence[WhatIf], *, priced: bool) -> None:
    """Print one row per change: what it is, the standard error, how that differs, calls and, where known, the price."""
    from quorate.analysis.words import number
    from quorate.wording import decimals

    places = 1 + max((decimals(change.projection.se) for change in changes if change.projection), default=2)
    rows: list[tuple[str, ...]] = []
    for change in changes:
        plan = change.projection
        if plan is None:
            rows.append((change.label, "not known"))
            continue
        difference = f"{change.change:+.0%}" if abs(change.change) >= 0.005 else "<1%" if change.change else ""
        cost = (dollars(plan.cost),) if priced else ()
        rows.append((change.label, number(plan.se, places), difference, f"{plan.calls:,}", *cost))
    header = {"change": "left", "SE": "right", "difference": "right", "calls": "right"}
    table(out, header | ({"price": "right"} if priced else {}), rows)


def layout_of(plan: Projection) -> str:
    """The layout, with judges per item or places in the cycle where that is a choice."""
    if plan.places is not None:
        return f"{plan.layout} {':'.join(map(str, plan.places.values()))}"
    if plan.per_item is None:
        return plan.layout
    return f"{plan.per_item} judges each" if plan.layout == "blocks" else f"{plan.layout}, {plan.per_item} each"


def in_words(plan: Projection) -> str:
    """A design in words."""
    from quorate.analysis.designs import layout_in_words
    from quorate.wording import counted

    return ", ".join(counted(count, name) for name, count in plan.design.items() if count > 1) + layout_in_words(plan)


def scope(plan: Projection) -> str:
    """For whom the numbers hold, where judges are drawn or are all that matters."""
    target = str(plan.targets.get("judge"))
    if target == "population":
        return ", for judges like these"
    return ", for this panel" if target == "panel" and plan.design.get("judge", 1) > 1 else ""
