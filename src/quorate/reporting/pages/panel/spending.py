"""Spending: strategies for the same calls, ways to share them out over items, and which judges of a pool to keep."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from quorate.analysis.panel import PanelAnalysis
from quorate.analysis.words import cut, significant
from quorate.planning.panel.screening import Screening
from quorate.planning.panel.shortlist import Shortlist
from quorate.planning.panel.strategies import ALL, CYCLIC, RANDOM
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, MISSED, NAIVE, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, particulars
from quorate.reporting.pages.panel.biases import FEW, Series, axis
from quorate.simulate.strategies import Validation
from quorate.table.results import picked
from quorate.wording import capitalised, counted, plural, whole_percent

_NOTHING = 1e-9
"""Standard errors up to which a bias is what rounding leaves: all judges of the pool have none."""
ALIKE = 1.1
"""Times the half-width up to which it hardly matters who judges."""


def screened_page(result: Screening, table: Table | None = None) -> Page:
    """The page of a screening."""
    subtract = f"Subtract {significant(result.panel.bias)} from the equal-weight mean of the judges' means."
    facts = {"items of the pilot": result.items, "left out": result.left_out, "price of the pilot": result.pilot_cost}
    parts = (
        Section(
            "panels",
            "The panel",
            (subtract,) if result.corrected and abs(result.panel.bias) > _NOTHING * result.panel.se else (),
            (
                panels(result, "panels", "Against other ways to spend the same", (result.panel, *result.alternatives)),
                judges(result),
                panels(result, "frontier", "The best panel of every size", result.frontier),
            ),
        ),
        Section("sure", "How sure is the choice?", (certainty(result), *_indifference(result))),
    )
    rests = particulars("screened", f"What it rests on: {counted(result.items, 'item')}", facts)
    how = "Judges were chosen by the mean squares of a crossed pilot; every item of the main study gets one."
    return Page.of(result, table, "Which judges should judge", parts, rests, how)


def panels(result: Screening, name: str, finding: str, lists: Sequence[Shortlist]) -> Figure:
    """Panels with what they cost and how precise they are."""
    rows: list[Row] = [
        {"panel": one.label, "judges": len(one.judges) or None, "items": one.items, "cost": one.cost}
        | {"half": one.half_width if result.corrected else one.half_width_uncorrected}
        for one in lists
    ]
    heads = {"panel": "panel", "judges": "judges", "items": "items", "cost": "cost", "half": "half interval"}
    return Figure.of(name, Caption(finding), rows, heads)


def judges(result: Screening) -> Figure:
    """Every judge of the pool: how lenient, how noisy, and what changing its place would give."""
    rows: list[Row] = [
        {"judge": one.name, "place": "kept" if one.kept else "left out"}
        | picked(one, "price leniency=gamma se=gamma_se")
        | {"noise": one.noise**0.5, "otherwise": one.otherwise}
        for one in sorted(result.candidates, key=lambda one: (not one.kept, one.name))
    ]
    kept = sum(one.kept for one in result.candidates)
    line = "Otherwise: what was asked for with the judge if it is left out, without it if it is kept."
    heads = {"place": " ", "price": "price", "noise": "noise SD", "leniency": "leniency", "se": "+-"}
    order = ("judge", "place", "price", "leniency", "se", "noise", "otherwise")
    caption = Caption(f"{kept} of {counted(len(rows), 'judge')} are kept", (line,))
    return Figure.of("judges", caption, rows, {name: heads.get(name, name).strip() for name in order}, titles=heads)


def certainty(result: Screening) -> str:
    """How often resampled pilots choose a panel that is as good."""
    sure = result.stability
    near, loss, high = map(whole_percent, (sure.within, sure.loss, sure.loss_high))
    within = f"{near} of {sure.draws:,} resampled pilots of {result.items:,} items choose a panel that is within 5%"
    return f"{within}; the others lose {loss} on average, {high} at the 95th."


def _indifference(result: Screening) -> Iterator[str]:
    """A word where it hardly matters which judges are chosen."""
    drawn = next((one for one in result.alternatives if not one.judges), None)
    ours = result.half_width
    if drawn is None:
        return
    other = drawn.half_width if result.corrected else drawn.half_width_uncorrected
    if 0 < ours < math.inf and other / ours < ALIKE:
        more = f"±{significant(other)} for the same money, {whole_percent(other / ours - 1)} wider"
        yield f"Which judges hardly matters: as many drawn at random would have an interval of {more}."


STRATEGIES = {
    ALL: (MISSED, "square", [6, 3]),
    RANDOM: (NAIVE, "triangle-up", [2, 3]),
    CYCLIC: (CORRECTED, "circle", [1, 0]),
}
"""Colour, shape and dashes of every strategy."""
_ALIKE = 0.005
"""Relative difference of standard errors that a sentence does not tell apart."""
_AHEAD = (
    "All judges come out ahead of judges in turn on these scores, which no true variance between responses brings "
    "about: take the two as equal."
)


def strategies(view: PanelAnalysis) -> Figure | None:
    """Standard error by strategy and calls per item: over these items, redrawn, and over items like these.

    None without several responses to an item.
    """
    if view.drawn is None:
        return None
    seen = {} if view.check is None else {(one.strategy, one.budget): one for one in view.check.checks}
    rows: list[Row] = []
    for name in sorted(view.panel.strategies, key=lambda name: (name != view.drawn, view.order.index(name))):
        for plan in view.panel.strategies[name].rows:
            row: Row = {"system": "" if view.alone else view.systems[name], "strategy": plan.name}
            row |= {"calls": plan.budget, "se": None, "redrawn": None, "error": None}
            one = seen.get((plan.name, plan.budget)) if name == view.drawn else None
            if one is not None:
                se = math.sqrt(one.empirical)
                row |= {"se": math.sqrt(one.predicted), "redrawn": se, "error": one.error / (2 * se) if se > 0 else 0.0}
            rows.append(row | {"half_like_these": plan.projection.half_width, "cost": plan.projection.cost})
    caption = _redrawn(view, view.check, view.drawn) if view.check is not None else _projected(view, view.drawn)
    caption = replace(caption, lines=(*caption.lines, view.panel.weighting["strategies"]))
    varies = any(row[name] > 0 for name in ("se", "half_like_these") for row in marks.known(rows, name))
    item = cut(view.item, 30)
    heads = {"system": "system", "calls": f"calls per {item}", "strategy": "strategy", "se": "SE, these"}
    heads["half_like_these"] = "half interval, like these"
    titles = {"system": view.system, "se": f"these {plural(item)}, predicted", "cost": "price, USD"}
    titles |= {"error": "± Monte Carlo", "half_like_these": f"half interval, {plural(item)} like these"}
    chart = partial(_chart, view, rows) if varies else None
    return Figure.of("panel-strategies", caption, rows, heads, chart, titles=titles)


def sharings(view: PanelAnalysis) -> Figure | None:
    """Ways to share the calls out over the items: half-width with these judges, calls and price."""
    rows: list[Row] = [
        {"system": "" if view.alone else view.systems[name], "sharing": cut(one.label, 200)}
        | picked(one, "half=projection.half_width calls=projection.calls cost=projection.cost")
        for name in view.order
        for one in view.panel.sharings.get(name, ())
    ]
    if view.drawn is not None or not rows:
        return None
    every, _, turn, more = rows[:4]
    whose = "" if view.alone else f"{every['system']}: "
    finding = (
        f"{whose}with these judges, one for each {cut(view.item)} in turn finds ±{significant(turn['half'])} for "
        f"{turn['calls']:,} calls; every judge ±{significant(every['half'])} for {every['calls']:,}"
    )
    line = f"Half a 95% interval of the mean with these judges, for {plural(cut(view.item))} like these, as projected."
    same = f"For the same {every['calls']:,} calls, in turn over more of them: ±{significant(more['half'])}."
    caption = Caption(f"{capitalised(finding)}", (f"{line} {same}", view.panel.weighting["sharings"]))
    heads = Short.titles("system", sharing="who judges what", half="half interval", calls="calls", cost="USD")
    titles = {"system": view.system, "half": "half a 95% interval", "cost": "price, USD"}
    return Figure.of("panel-sharings", caption, rows, heads, titles=titles, folded=len(rows) > FEW)


def _chart(view: PanelAnalysis, rows: list[Row]) -> Spec:
    """Standard error against calls per item on log axes: predicted lines, redrawn studies with their error."""
    field = "se" if view.check is not None else "half_like_these"
    first = "" if view.alone else view.systems[str(view.drawn)]
    own = [row for row in rows if row["system"] == first and row["strategy"] in STRATEGIES]
    drawn = [row for row in marks.known(own, field) if row[field] > 0]
    for row in drawn:
        if row["redrawn"] is not None:  # the ends of its Monte Carlo error
            row |= {"low": row["redrawn"] - row["error"], "high": row["redrawn"] + row["error"]}
    colours, shapes, dashes = zip(*STRATEGIES.values(), strict=True)
    series = Series("strategy", tuple(STRATEGIES), colours, shapes)
    dash = {"domain": list(STRATEGIES), "range": list(dashes)}
    log = {"type": "log", "padding": 20, "nice": False}
    x_axis = {"values": sorted({row["calls"] for row in drawn}), "format": "d", "grid": False}
    x = channel("calls:Q", title=f"judge calls per {cut(view.item, 30)} (log scale)", scale=log, axis=x_axis)
    what = "standard error" if view.check is not None else "half a 95% interval"
    y_axis = {"grid": True, "tickCount": 5, "format": "~g"}
    y = partial(channel, title=axis(view, f"{what} of the mean of"), scale=log, axis=y_axis)
    base = marks.chart(drawn, y(f"{field}:Q"), step=1).encode(x=x)
    line = base.mark("line", strokeWidth=2).encode(color=series.colour())
    layers = [line.encode(strokeDash=channel("strategy:N", scale=dash, legend=None))]
    points = base.mark("point", filled=True, opacity=1, size=80).encode(color=series.colour(), shape=series.shape())
    if view.check is not None:
        rule = base.mark("rule", strokeWidth=2).encode(y=y("low:Q"), y2="high", color=series.colour())
        layers += [rule, points.encode(y=y("redrawn:Q"))]
    else:
        layers.append(points)
    return marks.finish(layers, height=300)


def _redrawn(view: PanelAnalysis, check: Validation, drawn: str) -> Caption:
    """What redrawn studies show for these items."""
    responses, judges = check.shape[1:]
    se = {one.strategy: math.sqrt(one.predicted) for one in check.checks if one.budget == judges}
    items = plural(cut(view.item))
    line = (
        f"Standard error of the mean{view.whose(drawn)} over these {check.shape[0]:,} {items}, against judge calls per "
        f"{cut(view.item)} (both axes log). Lines: as these scores predict exactly; marks: {check.repetitions:,} "
        "redrawn studies each, ± Monte Carlo error."
    )
    fresh = whole_percent(math.sqrt(responses / (responses - 1)) - 1)  # responses are redrawn from those there are
    agrees = "They agree" if check.agrees else "They do not agree"
    far = f"{agrees}: the largest difference is {abs(check.worst.z):.1f} Monte Carlo standard errors. "
    far += f"Over fresh responses those of all judges and of cycling are about {fresh} larger."
    wide = view.panel.strategies[drawn].sentence().rstrip(".")
    like = f"For {items} like these, whose own spread every strategy pays: {wide[:1].lower()}{wide[1:]}."
    ahead = [_AHEAD] if se[CYCLIC] > (1 + _ALIKE) * se[ALL] else []
    notes = (cut(note, 400) for note in check.notes)
    return Caption(_gains(se, "a standard error"), (line, far, *ahead, like, *notes, *_others(view)))


def _projected(view: PanelAnalysis, drawn: str) -> Caption:
    """What a fitted model promises for items like these."""
    found = view.panel.strategies[drawn]
    half = {name: plan.half_width for name, plan in found.at(found.budgets[0]).items()}
    line = (
        f"Half a 95% interval of the mean{view.whose(drawn)} for {plural(cut(view.item))} like these, against judge "
        f"calls per {cut(view.item)} (both axes log), as projected from the fitted components."
    )
    return Caption(_gains(half, "a half-width"), (line, *_others(view)))


def _gains(se: Mapping[str, float], what: str) -> str:
    """What judges in turn gain over the other strategies for the same calls."""
    if any(se[name] <= 0 for name in (ALL, RANDOM)):
        return "The strategies are as good as each other: nothing varies"
    gains = []
    for name, whose in ((ALL, "all judges"), (RANDOM, "random ones")):
        ratio = se[CYCLIC] / se[name]
        below = f"{whole_percent(1 - ratio)} below that of" if ratio < 1 else "not below that of"
        gains.append(f"{'no different from that of' if abs(ratio - 1) < _ALIKE else below} {whose}")
    return f"For the same calls, judges in turn (cyclic) have {what} {' and '.join(gains)}"


def _others(view: PanelAnalysis) -> Iterator[str]:
    """Which system is drawn, and what is said of the others."""
    if view.alone:
        return
    place = "the panel puts first" if view.drawn == view.order[0] else "the panel puts before the others that have any"
    yield f"Drawn: {view.short['system'][str(view.drawn)]}, which {place}; the table has every {view.system}."
