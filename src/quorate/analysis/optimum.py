"""An optimum in words: what is best, what was allowed, and how sure the choice is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quorate.analysis.designs import briefly, scope
from quorate.analysis.words import number
from quorate.caveats import Caveat
from quorate.estimate.components.decomposition import Decomposition
from quorate.planning.designs.dstudy import Projection
from quorate.planning.search.optimum import Optimum
from quorate.planning.search.ranking import Ranking
from quorate.table.results import Result, Row
from quorate.wording import decimals, dollars, plural


@dataclass(frozen=True)
class OptimumAnalysis(Result):
    """The best of all allowed designs, and how sure that choice is.

    Parameters
    ----------
    best : Optimum
    sure : Ranking or None
        What redrawn pilots would have chosen; None where none were redrawn.
    """

    best: Optimum
    sure: Ranking | None

    @property
    def sentence(self) -> str:
        """The best design, what it costs, and how it compares with the one at hand."""
        return sentence(self.best)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know."""
        return self.best.caveats

    def rows(self) -> list[Row]:
        """The frontier, as `Optimum.rows`."""
        return self.best.rows()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**self.best.to_dict(), "ranking": None if self.sure is None else self.sure.to_dict()}


def optimum_view(best: Optimum, draws: int = 200) -> OptimumAnalysis:
    """An optimum with how sure the choice is, where that can be told from so many redrawn pilots; 0 for none."""
    told = draws and isinstance(best.searched.fit, Decomposition) and not best.stays
    return OptimumAnalysis(best, best.ranking(draws) if told else None)


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
    shown = f"{'±' if by_interval else 'SE '}{number(reached, places)}"
    text = (
        f"Best of {best.candidates:,} designs for {asked(best)}{about(best)}{scope(plan)}: {shown} with "
        f"{briefly(plan)}, {amount(best, best.cost)}."
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
    return f"{text} Its {'interval' if by_interval else 'SE'} is {side} the design at hand{cost}."


def about(best: Optimum) -> str:
    """Whose difference the designs are for, to follow what was asked; empty of a mean."""
    return f", of the difference of {best.systems[0]} and {best.systems[1]}" if best.systems else ""


def asked(best: Optimum) -> str:
    """What was asked for."""
    if best.budget is not None:
        return f"a budget of {amount(best, best.budget)}"
    return f"an SE of {best.target_se:g}" if best.target_se is not None else f"an interval of ±{best.half_width:g}"


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
