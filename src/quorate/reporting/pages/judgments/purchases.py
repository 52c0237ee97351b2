"""Purchases: what to buy next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut, significant
from quorate.planning.designs.names import PARTIAL
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, NAIVE, palette
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Section, Short, Step
from quorate.reporting.pages.judgments.phrases import axis, capital, scope
from quorate.roles import JUDGE
from quorate.wording import counted, listed, whole_percent

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.planning.designs.dstudy import Projection
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row


def section(analysis: Analysis) -> Section:
    """Changes to the design at hand, and what is not known of them."""
    figure = what_if(analysis)
    if figure is None:
        unknown = "These data do not say what a change to the design would give."
        return Section("next", "What to buy next", (unknown,))
    text = []
    if not analysis.priced:
        text.append("No price per call was given, so designs are compared by the number of judgments.")
    if not analysis.purchases:
        text.append("No change listed here narrows the interval by more than half a percent.")
    reasons: dict[str, list[str]] = {}
    for one in analysis.what_if:
        reasons.setdefault(one.reason, []).append(one.label)
    named = {reason: cut(listed(changes), 300) for reason, changes in reasons.items() if reason}
    text += [f"Not known: {changes}. {capital(reason)}." for reason, changes in named.items()]
    return Section("next", "What to buy next", tuple(text), (figure,))


def next_step(analysis: Analysis) -> Step | None:
    """The change that buys most per call, with what it gives."""
    if not analysis.purchases:
        return None
    best = analysis.purchases[0]
    less = f"{whole_percent(-best.change)} off the interval for {counted(best.more_calls or 0, 'more call')}"
    return Step(f"Next: {cut(best.label)}, {less}.", "quorate plan FILE --budget CALLS")


def what_if(analysis: Analysis) -> Figure | None:
    """Half the interval that each change to the design would give, from what it is now; the narrowest first."""
    base = analysis.what_if[0].projection if analysis.what_if else None
    rows: list[Row] = []
    for number, one in enumerate(analysis.what_if):
        row: Row = {"number": number, "change": cut(one.label), "half": None, "gain": None, "calls": None}
        row |= {"more_calls": None, "more_cost": None, "facet": ""}
        if one.projection is not None and base is not None:
            row |= {"half": one.projection.half_width, "gain": one.change, "calls": one.projection.calls}
            row |= {"more_calls": one.more_calls, "more_cost": one.more_cost, "facet": changed(base, one.projection)}
        rows.append(row)
    known = marks.known(rows, "half", "calls")
    if len(known) < 2:
        return None
    half, best = known[0]["half"], analysis.purchases
    now = f"Studies of {counted(analysis.widest.n, 'judgment')} like this find ±{significant(half, 2)}"
    finding = f"{now}; no change shown here narrows it by more than half a percent"
    if best:
        less = f"{cut(best[0].label)} takes off {whole_percent(-best[0].change)} for {best[0].more_calls:,} more"
        finding = f"{now}; {less}"
    line = "Half a 95% interval: of studies like this one, and of changes that keep its share of gaps, as projected"
    key = (
        "Dashed: the study as it is; right: judgments in all. Colours: the facet that changes; diamonds: the best buys."
    )

    def chart() -> Spec:
        colours = {**palette(analysis.judgments.names), "": CORRECTED}
        buys = {cut(one.label) for one in best}
        drawn = [
            {**row, "why_not": "", "colour": colours.get(row["facet"], NAIVE)}
            | {"shape": "diamond" if row["change"] in buys else "circle", "from": half, "text": f"{row['calls']:,}"}
            for row in sorted(known, key=lambda row: row["half"])
        ]
        base = marks.chart(drawn, marks.labels("change"), step=marks.step(drawn))
        title = axis(analysis, "half a 95% interval of the mean of")
        x = marks.axis("half", title, marks.span([row["half"] for row in drawn]))
        line = base.mark("rule", strokeWidth=2.5, opacity=0.85)
        dots = base.mark("point", filled=True, opacity=1, size=110).encode(x=x, shape=channel("shape:N", scale=None))
        calls = base.mark("text", align="left", dx=8, fontSize=11, color=INK).encode(
            x={"value": "width"}, text="text:N"
        )
        layers = [
            marks.line_at(half, x),
            line.encode(x=marks.like(x, "from"), x2="half", color=marks.own_colour()),
            dots.encode(color=marks.own_colour()),
            calls,
        ]
        return marks.finish(layers)

    named = {"number": "no.", "half": "half a 95% interval", "gain": "change of it"}
    named |= {"calls": "judgments", "more_calls": "more judgments", "more_cost": "more to pay, USD"}
    shown = [{name: value for name, value in row.items() if name != "facet"} for row in rows]
    caption = Caption(finding, (f"{line}{scope(analysis)}.", key))
    columns = {"change": "change", "half": "half interval", "gain": "of it", "calls": "judgments"}
    short = Short({**columns, "more_cost": "more USD"}, most=6)
    return Figure("what-if", caption, shown, chart, named, unfolded=True, short=short)


def changed(base: Projection, other: Projection) -> str:
    """The facet in which two projected designs differ; the judge where only the layout does."""
    for name, levels in other.design.items():
        if base.design[name] != levels:
            return str(name)
    filled = (base.layout, other.layout) == (PARTIAL, "factorial")
    return JUDGE if base.layout != other.layout and not filled else ""
