"""Designs on the terminal: side by side, with where their uncertainty would come from, and what changes give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quorate.cli.console import heading, say, table
from quorate.wording import dollars

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.plan.designs.dstudy import Projection
    from quorate.plan.search.whatif import WhatIf

MOST_SOURCES = 6


def show_designs(out: Console, designs: Mapping[str, Projection], shares_of: str, *, priced: bool = True) -> None:
    """Print designs side by side, and where the uncertainty of one of them would come from."""
    from quorate.analysis.designs import INTERVALS, layout_named
    from quorate.analysis.words import number
    from quorate.wording import decimals, plural, whole_percent

    plans = list(designs.values())
    places = 1 + max(decimals(plan.se) for plan in plans)
    rows = [(plural(name), *(f"{plan.design[name]:,}" for plan in plans)) for name in plans[-1].design]
    rows += [(plural(name), *(f"{plan.groups[name]:,}" for plan in plans)) for name in plans[-1].groups]
    rows.append(("layout", *map(layout_named, plans)))
    rows.append(("calls", *(f"{plan.calls:,}" for plan in plans)))
    if any(plan.reused for plan in plans):
        rows.append(("of these there", *(f"{plan.reused:,}" for plan in plans)))
    if priced and any(plan.cost is not None for plan in plans):
        rows.append(("price", *(dollars(plan.cost) for plan in plans)))
    rows.append(("standard error", *(number(plan.se, places) for plan in plans)))
    rows.append(("half a 95% interval", *(half(plan.half_width(), places) for plan in plans)))
    if any(plan.found is not None for plan in plans):
        rows.append(("as this study found it", *(half(plan.found_half_width(), places) for plan in plans)))
    table(out, {"": "left", **dict.fromkeys(designs, "right")}, rows)
    say(out, INTERVALS)
    heading(out, "Where its uncertainty would come from")
    shares = designs[shares_of].shares
    largest = sorted(shares, key=lambda name: -shares[name])[:MOST_SOURCES]
    entries = [(name, *(whole_percent(plan.shares[name]) for plan in plans)) for name in largest if shares[name]]
    table(out, {"source": "left", **dict.fromkeys(designs, "right")}, entries)
    show_targets(out, plans[-1])


def half(width: float | None, places: int) -> str:
    """Half an interval; empty of none, and "none" where levels are too few to have one."""
    from quorate.analysis.words import number

    if width is None:
        return ""
    return f"±{number(width, places)}" if width < math.inf else "none"


def show_targets(out: Console, plan: Projection) -> None:
    """Say what the facets stand for, without which a standard error means nothing."""
    from quorate.analysis.designs import targets_in_words

    out.print()
    say(out, f"Facets stand for: {targets_in_words(plan)}")
    if plan.targets.get("judge") == "population":
        say(out, "For this panel of judges rather than judges like these: --target judge=panel")


def show_changes(out: Console, changes: Sequence[WhatIf], *, priced: bool) -> None:
    """Print one row per change: what it is, half its interval, how that differs, calls and, where known, the price."""
    from quorate.wording import decimals

    places = 1 + max((decimals(change.projection.se) for change in changes if change.projection), default=2)
    rows: list[tuple[str, ...]] = []
    for change in changes:
        plan = change.projection
        if plan is None:
            rows.append((change.label, "not known"))
            continue
        difference = f"{change.change:+.0%}" if abs(change.change) >= 0.005 else "<1%" if change.change else ""
        difference = "from none" if change.change == -1 else difference
        cost = (dollars(plan.cost),) if priced else ()
        rows.append((change.label, half(plan.half_width(), places), difference, f"{plan.calls:,}", *cost))
    header = {"change": "left", "half a 95% interval": "right", "difference": "right", "calls": "right"}
    table(out, header | ({"price": "right"} if priced else {}), rows)
