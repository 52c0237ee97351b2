"""Designs: the page of a planned design, and of the best of many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from quorate.analysis.designs import (
    INTERVALS,
    Changes,
    allowed,
    amount,
    asked,
    certainty,
    in_words,
    is_money,
    layout_named,
    scope,
    sentence,
    side_by_side,
    targets_in_words,
)
from quorate.analysis.words import called, number, significant
from quorate.caveats import weightiest_first
from quorate.planning.designs.dstudy import Projection
from quorate.planning.search.optimum import Optimum
from quorate.planning.search.whatif import AS_IT_IS
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, NAIVE, Marks, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Table, Tile, particulars
from quorate.wording import counted, decimals, dollars, listed, plural, whole_percent

# Frontier: designs that no other beats in price and precision, with the one at hand and better ones among them.


FAR = 2.5
"""Designs so many times less precise than the study at hand are not shown."""
MOST_SHOWN = 40
"""Designs of the frontier that are listed."""
MOST_STEPS = 200
"""Steps of the line that is the frontier."""
MOST_DESIGNS = 800
"""Designs that the picture of all of them samples."""
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
    layers = []
    for row in base.rows:
        one, own = replace(base, rows=[row]), row["place"] == "as it is"
        ring = one.mark("point", filled=False, size=190, strokeWidth=3, opacity=1, color=MISSED)
        disc = one.mark("point", filled=True, size=150, opacity=1, color=CORRECTED, shape="diamond")
        place = {"dy": -15 if own else 22, "align": row["side"], "opacity": {"expr": _WIDE_ENOUGH}}
        words = one.mark("text", fontWeight="bold", color=INK, **place).encode(text="text:N")
        layers += [ring if own else disc, words]
    return layers


_METHODS = (
    "Standard errors of designs are those of a decision study: the sum of the variance components, each times the sum "
    "of squared weights that the design gives its levels, less what its target holds fixed (Brennan, 2001; Messing, "
    "2026). Half-widths are of the 95% intervals that an analysis finds, of the study in the middle. The components "
    "are taken as right and the cells of a plan as all filled."
)


def page(best: Optimum, table: Table | None = None) -> Page:
    """The page on the best design: beside the one at hand, what it costs, where its uncertainty comes from."""
    own = [f"Judges to ask: {', '.join(best.judges)}."] if best.judges else []
    sure = () if best.sure is None else tuple(certainty(best, best.sure))
    shown, within = side_by_side(best), f"Allowed: {allowed(best)}."
    return Page.of(
        best,
        table,
        "What to buy next",
        sentence=sentence(best),
        sections=(
            Section("design", "The best design", tuple(own), tuple(exhibits(shown))),
            Section("frontier", "Cheaper and dearer designs that nothing beats", (within,), (frontier(best),)),
            *([Section("certainty", "How sure the choice is", sure)] if sure else []),
        ),
        facts=searched(best),
        methods=f"{_METHODS} Every one of {best.candidates:,} designs within the limits was compared.",
        caveats=weightiest_first(best.caveats),
        tiles=(*tiles(best.plan)[:2], Tile(amount(best, best.cost), "what must be paid")),
        options=f"{asked(best)}; {allowed(best)}",
    )


def planned(plan: Projection, table: Table | None = None) -> Page:
    """The page on one design."""
    places = 1 + decimals(plan.se)
    se, half = number(plan.se, places), number(plan.half_width, places)
    return Page.of(
        plan,
        table,
        "What a design would give",
        sentence=f"{in_words(plan)}: standard error {se}, half a 95% interval ±{half}{scope(plan)}.",
        sections=(Section("design", "The design", figures=tuple(exhibits({"planned": plan}))),),
        facts=meant(plan),
        methods=_METHODS,
        tiles=tiles(plan),
        options=in_words(plan),
    )


def changed(result: Changes, table: Table | None = None) -> Page:
    """The page on a few changes to a study."""
    base = result.what_if[0].projection
    known = [one for one in result.what_if[1:] if one.projection is not None]
    least = min(known, key=lambda one: one.change, default=None)
    sentence = "What a change to the design would give"
    if base is not None:
        sentence = f"As it is: half a 95% interval ±{number(base.half_width, 1 + decimals(base.se))}{scope(base)}."
    if least is not None and least.change < 0:
        sentence += f" Of the changes listed, {least.label} takes off most: {whole_percent(-least.change)}."
    others = len(result.what_if) - 1
    caption = Caption(f"{counted(others, 'change')} to the study", ("The study as it is, then changes to it.",))
    columns = {"change": "change", "half_width": "±", "gain": "of it", "calls": "judgments", "cost": "price"}
    titles = {"half_width": "half a 95% interval", "gain": "change of it", "calls": "judgments"}
    titles |= {"more_calls": "more judgments", "cost": "price", "reason": "why it is not known"}
    listed_changes = Figure.of("changes", caption, result.rows(), columns | {"reason": "why not known"}, titles=titles)
    parts = (Section("changes", "Changes", figures=(listed_changes,)),)
    rests = particulars("meant", "What the designs stand for", {"changes": others}) if base is None else meant(base)
    tiled = () if base is None else tiles(base)
    return Page.of(result, table, "What changes would give", parts, rests, _METHODS, sentence=sentence, tiles=tiled)


def at_hand(now: Projection, planned: Projection) -> tuple[Section, ...]:
    """A design beside the study as it is, in the place of the section on it alone."""
    figures = tuple(exhibits({AS_IT_IS: now, "planned": planned}))
    return (Section("design", "The design beside the study as it is", figures=figures),)


def exhibits(plans: Mapping[str, Projection]) -> Iterator[Figure]:
    """Designs side by side, and where their uncertainty would come from."""
    last = list(plans.values())[-1]
    rows: list[Row] = [
        {"which": label, "half": plan.half_width, "se": plan.se}
        | {plural(name): plan.design[name] for name in last.design}
        | {plural(name): plan.groups[name] for name in last.groups}
        | {"layout": layout_named(plan), "calls": plan.calls}
        | ({"reused": plan.reused} if any(one.reused for one in plans.values()) else {})
        | ({"price": plan.cost} if any(one.cost != one.calls - one.reused for one in plans.values()) else {})
        | {"found": plan.found_half_width, "df": significant(plan.df)}
        for label, plan in plans.items()
    ]
    caption = f"{in_words(last)}: half a 95% interval ±{significant(last.half_width, 2)}"
    columns = {name: name for name in rows[0] if name not in ("half", "se", "found", "df")}
    lines = (f"Facets stand for: {targets_in_words(last)}.", INTERVALS)
    heads = columns | {"which": "", "se": "SE", "half": "half a 95% interval"}
    titles = {"calls": "judgments", "reused": "of these there", "se": "standard error", "half": "half a 95% interval"}
    titles |= {"found": "as this study found it", "df": "degrees of freedom", "which": "design"}
    titles |= {"price": "price to pay"}
    yield Figure.of("designs", Caption(caption, lines), rows, heads, titles=titles)
    yield shares(plans)


def shares(plans: Mapping[str, Projection]) -> Figure:
    """Where the uncertainty of the last design would come from, beside the others."""
    last = list(plans.values())[-1]
    order = sorted((name for name, share in last.shares.items() if share > 0), key=lambda name: -last.shares[name])
    rows: list[Row] = [
        {"source": called(name)} | {label: plan.shares.get(name, 0.0) for label, plan in plans.items()}
        for name in order
    ]
    finding = "Nothing is uncertain here"
    if order:
        finding = f"{whole_percent(last.shares[order[0]])} of its variance would come from {called(order[0])}"
    chart = marks.bars(
        [{"source": called(name), "share": last.shares[name]} for name in order], "source", "share", CORRECTED
    )
    caption = Caption(finding, ("Share of the variance of the mean.",))
    heads = {"source": "source"} | {name: name for name in plans}
    return Figure.of("shares", caption, rows, heads, chart if order else None, percent=tuple(plans), most=6)


def frontier(best: Optimum) -> Figure:
    """Price against precision: all designs, those that nothing beats, and the ones with a name."""
    rows = within_reach(best, best.plan)
    unit = "price" if is_money(best) else "number of calls"
    rest = " to be paid" if best.plan.reused else ""
    line = f"{best.measure.capitalize()} against the {unit}{rest}, of {best.candidates:,} designs{scope(best.plan)}."
    key = (
        "Faint: all designs; line: those that no other beats in both; ring: as it is; diamonds: the others with a name."
    )
    title = f"{unit}{rest}{', USD' if is_money(best) else ''} (log scale)"
    several = len({row["cost"] for row in rows if row["cost"]}) > 1

    def chart() -> Spec:
        return drawing(best, rows, best.measure, title)

    finding = f"{counted(len(best.searched.found.frontier.cost), 'design')} that nothing beats, of {best.candidates:,}"
    named = heads(best, "price, USD" if is_money(best) else "calls to pay for")
    shown, caption = (
        {name: named.get(name, name) for name in ("place", "design", "reach", "cost")},
        Caption(finding, (line, key)),
    )
    return Figure.of("frontier", caption, rows, shown, chart if several else None, titles=named)


def tiles(plan: Projection) -> tuple[Tile, ...]:
    """The few numbers at the top: each with what it is."""
    places = 1 + decimals(plan.se)
    out = (
        Tile(number(plan.se, places), "standard error"),
        Tile(f"±{number(plan.half_width, places)}", "half a 95% interval"),
        Tile(f"{plan.calls:,}", "judgments"),
    )
    return out if plan.cost is None else (*out, Tile(dollars(plan.cost), "price"))


def searched(best: Optimum) -> Figure:
    """What the choice rests on."""
    values = {
        "asked for": asked(best),
        "designs compared": best.candidates,
        "layouts": listed(best.searched.grid.layouts),
        "prices": "a call costs 1"
        if best.prices is None
        else ", ".join(f"{kind} {price}" for kind, price in best.prices.items()),
        "facets stand for": targets_in_words(best.plan),
        "judgments that are paid for": 0 if best.searched.paid is None else best.searched.paid.total,
    }
    return particulars("searched", f"What was searched: {best.candidates:,} designs", values)


def meant(plan: Projection) -> Figure:
    """What the numbers of a design stand for."""
    values = {"facets stand for": targets_in_words(plan), "layout": layout_named(plan), "balanced": plan.balanced}
    return particulars("meant", "What the design stands for", values)
