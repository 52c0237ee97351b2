"""Designs about a study at hand: what their facets stand for, and a design in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

from quorate.analysis.words import cut, number
from quorate.estimate.means.targets import PANEL, POPULATION
from quorate.frozen import dataclass
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import LAYOUTS, PARTIAL, LayoutName
from quorate.planning.search.optimum import Optimum, Ranking
from quorate.planning.search.whatif import WhatIf
from quorate.roles import GENERATION, ITEM, JUDGE, REPLICATE
from quorate.table.results import Result, Row
from quorate.wording import counted, decimals, dollars, listed, plural


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
            {"change": one.label, "half_width": None if one.projection is None else one.projection.half_width}
            | {"gain": one.change}
            | {name: None if one.projection is None else getattr(one.projection, name) for name in known}
            | {"more_calls": None if one.projection is None else one.more_calls, "reason": one.reason}
            for one in self.what_if
        ]


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
    return " × ".join([*levels, *([f"{again:,} replicates"] if again > 1 else [])]) + _layout_in_words(plan)


def _layout_in_words(plan: Projection) -> str:
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


# An optimum in words: what is best, what was allowed, and how sure the choice is.


def side_by_side(best: Optimum) -> dict[str, Projection]:
    """The design at hand, better ones and the best, by what they are; each once."""
    named = {"as it is": best.own, "same price": best.same_cost, "as precise": best.same_se}
    shown = {
        label: plan
        for label, plan in named.items()
        if plan is not None and plan is not best.plan and (label == "as it is" or plan is not best.own)
    }
    return {**shown, "best": best.plan}


def is_money(best: Optimum) -> bool:
    """Whether prices are given; else a call costs 1."""
    return best.prices is not None


def amount(best: Optimum, value: float | None) -> str:
    """Money, or a number of calls where that is what a price is."""
    if value is None:
        return "price unknown"
    return dollars(value) if is_money(best) else f"{value:,.0f} calls"


def sentence(best: Optimum) -> str:
    """The best design, what it costs, and how it compares with the one at hand."""
    plan, by_interval = best.plan, best.searched.found.by_interval
    reached, places = best.reach(plan), 1 + decimals(best.reach(plan))
    what, sign = ("Half its 95% interval", "±") if by_interval else ("Its standard error", "")
    counts = ", ".join(counted(count, name) for name, count in plan.design.items() if count > 1)
    design = counts + _layout_in_words(plan)
    text = (
        f"Best of {best.candidates:,} designs for {asked(best)}: {design}, {amount(best, best.cost)}. "
        f"{what}{about(best)} is {sign}{number(reached, places)}{scope(plan)}."
    )
    if best.plan.reused and not best.stays:
        text += f" That is for {best.plan.bought:,} of its {best.calls:,} calls: {best.plan.reused:,} are there."
    if best.stays:
        return f"{text} That is the design at hand."
    if best.own is None or best.reach(best.own) <= 0:
        return text
    if best.reach(best.own) == math.inf:
        return f"{text} The design at hand has too few levels to say anything of others."
    change = reached / best.reach(best.own) - 1
    words = ("narrower than that of", "wider than that of") if by_interval else ("below that of", "above that of")
    side = f"{abs(change):.0%} {words[change > 0]}" if abs(change) >= 0.005 else "about that of"
    cost = f" ({amount(best, best.own.cost)})" if best.own.cost else ""
    return f"{text} Its {'interval' if by_interval else 'standard error'} is {side} the design at hand{cost}."


def about(best: Optimum) -> str:
    """Whose difference a half-width is of, to follow it; empty of a mean."""
    return f" of the difference of {best.systems[0]} and {best.systems[1]}" if best.systems else ""


def asked(best: Optimum) -> str:
    """What was asked for."""
    if best.budget is not None:
        return f"a budget of {amount(best, best.budget)}"
    return (
        f"a standard error of {best.target_se:g}"
        if best.target_se is not None
        else f"an interval of ±{best.half_width:g}"
    )


def allowed(best: Optimum) -> str:
    """The numbers compared, so that what binds is seen."""
    plan, searched = best.plan, best.searched.grid
    parts = []
    for name, values in searched.levels.items():
        at = {**plan.design, **plan.groups}.get(name)
        most = " (the best has the most)" if len(values) > 1 and at == values[-1] else ""
        span = f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,} to {values[-1]:,}"
        parts.append(f"{span} {name if name.endswith('s') else plural(name)}{most}")
    return "; ".join([*parts, f"layouts {', '.join(searched.layouts)}"])


def certainty(best: Optimum, sure: Ranking) -> Iterator[str]:
    """How sure the choice is, in sentences."""
    yield (
        f"Of {sure.draws:,} pilots redrawn from this fit, {sure.within:.0%} choose a design at most 5% worse, and "
        f"{sure.top:.0%} this very one among {sure.strategies:,} at its price."
    )
    what = "interval" if best.searched.found.by_interval else "standard error"
    if sure.loss > 0:
        yield (
            f"All choices together lose {sure.loss:.1%} of {what} on average; "
            f"1 in 20 loses {sure.loss_high:.1%} or more."
        )
    low, high = (number(end, 1 + decimals(best.se)) for end in (sure.se_low, sure.se_high))
    yield f"Its standard error may be {low} to {high} (95% interval)."
    goal = best.target_se if best.half_width is None else best.half_width
    if goal is not None:
        sign = "" if best.half_width is None else "±"
        yield f"It reaches {sign}{goal:g} by {sure.met:.0%} of the components that this pilot makes plausible."
