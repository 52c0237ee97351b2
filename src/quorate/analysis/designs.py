"""Designs about a study at hand: what their facets stand for, and a design in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from quorate.analysis.labels import cut
from quorate.estimate.means.targets import PANEL, POPULATION
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import LAYOUTS, PARTIAL, LayoutName
from quorate.planning.designs.schemes import GENERATION
from quorate.planning.search.whatif import WhatIf
from quorate.roles import ITEM, JUDGE, REPLICATE
from quorate.table.results import Result, Row
from quorate.wording import counted, listed, plural


@dataclass(frozen=True)
class Changes(Result):
    """What a few changes to a study would give.

    Parameters
    ----------
    what_if : tuple of WhatIf
        The first is the study as it is.
    """

    what_if: tuple[WhatIf, ...]

    def rows(self) -> list[Row]:
        """One row per change: label, half its interval, how that differs, se, calls, price, more calls, the reason."""
        known = ("se", "calls", "cost")
        return [
            {"change": one.label, "half_width": None if one.projection is None else one.projection.half_width()}
            | {"gain": one.change}
            | {name: None if one.projection is None else getattr(one.projection, name) for name in known}
            | {"more_calls": one.more_calls, "reason": one.reason}
            for one in self.what_if
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {"what_if": [one.to_dict() for one in self.what_if]}


def scope(plan: Projection) -> str:
    """Whom the numbers speak for, to follow a sentence."""
    drawn = [
        plural(name) for name, to in plan.targets.items() if to == POPULATION and name in plan.design and name != ITEM
    ]
    these = [counted(n, name) for name, n in plan.design.items() if plan.targets.get(name) == PANEL and n > 1]
    words = [f"for {listed(drawn)} like these"] if drawn else []
    words += [f"with these {listed(these)}"] if these else []
    return f", {', '.join(words)}" if words else ""


def targets_in_words(plan: Projection) -> str:
    """What the facets stand for, without which a standard error means nothing."""
    groups: dict[str, list[str]] = {}
    for facet, target in plan.targets.items():
        groups.setdefault(str(target), []).append(facet)
    return "; ".join(f"{', '.join(names)} = {target}" for target, names in groups.items())


def briefly(plan: Projection) -> str:
    """A design in words, without what there is one of."""
    return ", ".join(counted(count, name) for name, count in plan.design.items() if count > 1) + layout_in_words(plan)


def layout_named(plan: Projection) -> str:
    """The layout by name, with judges per item or places in the cycle where that is a choice."""
    if plan.places is not None:
        return f"{plan.layout} {':'.join(map(str, plan.places.values()))}"
    if plan.per_item is None:
        return plan.layout
    return f"{plan.per_item} judges each" if plan.layout == "blocks" else f"{plan.layout}, {plan.per_item} each"


def in_words(plan: Projection) -> str:
    """A design in words: levels of every facet, and the layout where it is not factorial."""
    levels = [counted(count, cut(name, 30)) for name, count in plan.design.items() if name != REPLICATE]
    again = plan.design.get(REPLICATE, 1)
    return " × ".join([*levels, *([f"{again:,} replicates"] if again > 1 else [])]) + layout_in_words(plan)


def layout_in_words(plan: Projection) -> str:
    """How prompts and judges are assigned, to follow the levels; empty where everything is crossed."""
    each, pairs = GENERATION if plan.design.get(GENERATION, 1) > 1 else "item", plan.per_item or 1
    if plan.layout == "factorial":
        return ""
    if plan.layout == PARTIAL:
        return f", {PARTIAL}"
    said = LAYOUTS[cast(LayoutName, plan.layout)].words.format(
        each=each,
        pairs="one" if pairs == 1 else pairs,
        judges=counted(pairs, JUDGE),
        places="" if plan.places is None else ":".join(map(str, plan.places.values())),
    )
    return f", {said}"


INTERVALS = (
    "Intervals are those that an analysis would find: half of the studies of a design find a narrower one, if "
    "components are right."
)
