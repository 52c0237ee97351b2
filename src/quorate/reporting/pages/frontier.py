"""Frontier: designs that no other beats in price and precision, with the one at hand and better ones among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from quorate.analysis.designs import in_words
from quorate.reporting.draw import marks
from quorate.reporting.draw.theme import CORRECTED, INK, MISSED, NAIVE
from quorate.reporting.draw.vega import Marks, channel

if TYPE_CHECKING:
    from quorate.planning.designs.dstudy import Projection
    from quorate.planning.search.optimum import Optimum
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row

FAR = 2.5
"""Designs so many times less precise than the study at hand are not shown."""
MOST_SHOWN = 40
"""Designs of the frontier that are listed."""
MOST_STEPS = 200
"""Steps of the line that is the frontier."""
MOST_DESIGNS = 800
"""Designs that the picture of all of them samples."""
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
_WIDE_ENOUGH = "width < 420 ? 0 : 1"
ON_THE_FRONTIER = "on the frontier"


def within_reach(best: Optimum, chosen: Projection | None = None) -> list[Row]:
    """The design at hand, better ones, the one that was chosen, and the frontier: a row each."""
    named = [("as it is", best.own), ("best at the same cost", best.same_cost), ("cheapest as precise", best.same_se)]
    named += [] if chosen is None or chosen is best.own else [("best for what was asked", chosen)]
    near = [(ON_THE_FRONTIER, plan) for plan in best.along(MOST_SHOWN) if _is_near(best.reach(plan), best)]
    return [
        {"place": place, "design": in_words(plan), "reach": best.reach(plan), "calls": plan.calls, "cost": plan.cost}
        for place, plan in (*named, *near)
        if plan is not None and (plan is not best.own or place == "as it is")
    ]


def heads(best: Optimum, price: str) -> dict[str, str]:
    """Heads of the columns of these rows."""
    return {"place": "which", "reach": best.measure, "calls": "judgments", "cost": price}


def drawing(best: Optimum, rows: Sequence[Row], error: str, price: str) -> Spec:
    """Price against precision: all designs within reach, the best ones, and those with a name among them."""
    priced = [row for row in rows if row["cost"] and row["cost"] > 0]
    grid = {"grid": True, "tickCount": 5}
    y = channel("reach:Q", title=error, scale={"zero": False, "padding": 16}, axis=grid)
    cents = min((row["cost"] for row in priced), default=1.0) < 1
    log = {"type": "log", "padding": 24, "nice": False}
    ticks = {"format": ",~g" if cents else "~s", "tickCount": 5, "grid": False}
    x = channel("cost:Q", title=price, scale=log, axis=ticks)
    on_edge = marks.chart([row for row in priced if row["place"] == ON_THE_FRONTIER], y, step=1)
    steps, cloud = (
        [
            {"cost": cost, "reach": far}
            for cost, far in zip(shown.cost.tolist(), shown.reach.tolist(), strict=True)
            if cost
        ]
        for shown in (best.edge(MOST_STEPS), best.cloud)
    )
    edge = Marks([step for step in steps if _is_near(step["reach"], best)]).encode(y=y)
    drawn = [plan for plan in cloud if _is_near(plan["reach"], best)]
    sample = drawn[:: max(1, -(-len(drawn) // MOST_DESIGNS))]
    every = Marks(sample).encode(x=x, y=y)
    layers = [
        every.mark("point", filled=True, size=14, opacity=0.3, color=NAIVE, aria=False),
        edge.encode(x=x).mark("line", color=CORRECTED, strokeWidth=2.5, interpolate="step-after"),
        on_edge.encode(x=x).mark("point", filled=True, size=26, opacity=1, color=CORRECTED),
    ]
    low, high = (np.log(pick(row["cost"] for row in priced)) for pick in (min, max))
    words = [  # on the side on which the name has room
        {**row, "text": row["place"], "side": "left" if np.log(row["cost"]) < low + (high - low) / 5 else "right"}
        for row in priced
        if row["place"] != ON_THE_FRONTIER
    ]
    if words:
        layers += _named(marks.chart(words, y, step=1).encode(x=x))
    return marks.finish(layers, height=340)


def _is_near(reach: float, best: Optimum) -> bool:
    """Whether a design is precise enough to be looked at beside the one at hand."""
    return best.own is None or reach <= FAR * max(best.reach(best.own), best.reach(best.plan))


def _named(base: Marks) -> list[Marks]:
    """Designs with a name: a ring for the study as it is, diamonds for better ones; their names where there is room.

    No design lies below the frontier, so its names do.
    """
    ring = base.mark("point", filled=False, size=190, strokeWidth=3, opacity=1, color=MISSED)
    disc = base.mark("point", filled=True, size=150, opacity=1, color=CORRECTED, shape="diamond")
    own, better = "datum.place === 'as it is'", "datum.place !== 'as it is'"
    layers = [ring.only(own), disc.only(better)]
    for side in _SIDES:
        for which, dy in ((own, -15), (better, 22)):
            words = base.mark(
                "text", dy=dy, align=side, fontWeight="bold", color=INK, opacity={"expr": _WIDE_ENOUGH}
            ).encode(text="text:N")
            layers.append(words.only(f"{which} && datum.side === '{side}'"))
    return layers
