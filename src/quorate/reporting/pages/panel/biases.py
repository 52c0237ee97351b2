"""Biases: who is lenient and who is strict, who prefers itself, and what one judge alone would rank first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from quorate.analysis.panel import LEAST_P, SHORT, PanelAnalysis
from quorate.analysis.words import cut, distinct, number, p_text, significant
from quorate.estimate.means.targets import scope
from quorate.estimate.panel.bias import Bias
from quorate.estimate.panel.reversals import Order, Reversals
from quorate.frozen import dataclass
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import INK, Channel, Spec, channel, palette
from quorate.reporting.page import Caption, Figure, Row, Short
from quorate.roles import JUDGE
from quorate.table.results import picked
from quorate.wording import counted, decimals, listed, plural

ALL_SYSTEMS = "on average"
COLOURS = ("#4477AA", "#CC5566", "#228833", "#A6761D", "#8C6BB1", "#2F9C95")
"""Of systems, in the order of their labels: told apart by shape too, and seen on white and on black."""
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down", "triangle-right")
WHOLE = "diamond"
DIVERGING = ("#B35806", "#F7F7F7", "#08519C")
LETTER, SYMBOL = 7, 24
"""Pixels of a letter, and of a symbol with the space about it, in a legend."""
NARROW, LABELS = 320, 130
"""Pixels of a chart on the narrowest page, and those that the labels of its rows take at most."""


@dataclass(frozen=True)
class Series:
    """What several marks in one row stand for.

    Parameters
    ----------
    field : str
        Column that says which.
    names, colours, shapes : tuple of str
        In the order of the legend.
    room : int
        Pixels that the legend has on the narrowest page: the width without that of the labels of the rows.
    """

    field: str
    names: tuple[str, ...]
    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    room: int = 280

    def colour(self) -> Channel:
        """Colour with a legend that fits a narrow page."""
        scale = {"domain": list(self.names), "range": list(self.colours)}
        return channel(f"{self.field}:N", scale=scale, legend=self.legend())

    def shape(self) -> Channel:
        """Shape, in the same legend."""
        scale = {"domain": list(self.names), "range": list(self.shapes)}
        return channel(f"{self.field}:N", scale=scale, legend=self.legend())

    def legend(self) -> Channel:
        """As many columns as the narrowest page has room for, and names cut where it has none."""
        column = LETTER * min(max(map(len, self.names)), SHORT) + SYMBOL
        columns = min(max(self.room // column, 1), len(self.names))
        limit = {"expr": f"clamp(width - {SYMBOL}, 60, {LETTER * SHORT})"}
        return {"title": None, "columns": columns, "labelLimit": limit, "symbolType": "circle", "symbolStrokeWidth": 0}


def systems(view: PanelAnalysis, *, whole: bool = False) -> Series:
    """Systems, each in its colour and shape wherever it is drawn; their average in that of the text."""
    at = {name: i for i, name in enumerate(view.panel.means.systems)}
    rows = [(view.systems[name], COLOURS[at[name]], SHAPES[at[name]]) for name in view.order]
    first = [(ALL_SYSTEMS, INK, WHOLE)] if whole else []
    names, colours, shapes = zip(*first, *rows, strict=True)
    return Series("system", names, colours, shapes)


def headers(view: PanelAnalysis) -> dict[str, str]:
    """Titles of the columns that many tables have."""
    ends = {end: f"{end}, {view.coverage}" for end in ("low", "high")}
    return {**ends, "se": "standard error", "p_holm": "p (Holm)"}


def unnamed(view: PanelAnalysis, rows: Sequence[Row]) -> list[Row]:
    """Rows without the system where there is one alone."""
    return [{key: value for key, value in row.items() if key != "system" or not view.alone} for row in rows]


def axis(view: PanelAnalysis, what: str) -> str:
    """Title of an axis in score units."""
    return f"{what} {cut(view.panel.judgments.score, 30)} (score units)"


def grouped(
    rows: Sequence[Row], label: str, value: str, series: Series, title: str, *, at: float | None = None, thick: int = 9
) -> Spec:
    """Dots with intervals, those of a row above each other in the order of the legend."""
    known = marks.known(rows, value)
    window = marks.around(known, value, *([] if at is None else [at]))
    drawn = [marks.drawn(row, window, INK) for row in known]
    series = replace(series, room=NARROW - min(LETTER * max(len(row[label]) for row in drawn), LABELS))
    tall = {"step": thick * len(series.names) + 8, "for": "position"}
    lines = {"grid": True, "tickBand": "extent", "ticks": False}
    apart = {"paddingInner": 0.2, "paddingOuter": 0.1}
    y = channel(f"{label}:N", sort=None, title=None, axis=lines, scale=apart)
    base = marks.chart(drawn, y, step=1).tall(tall)
    base = base.encode(yOffset=channel(f"{series.field}:N", sort=list(series.names)))
    x = marks.axis(value, title, window)
    rule = base.mark("rule", strokeWidth=2, opacity=0.85)
    rule = rule.encode(x=marks.like(x, "shown_low"), x2="shown_high", color=series.colour())
    points = base.mark("point", filled=True, opacity=1, size=48).encode(
        x=x, color=series.colour(), shape=series.shape()
    )
    return marks.finish([*([] if at is None else [marks.line_at(at, x)]), rule, points])


def tiles(rows: Sequence[Row], value: str, pattern: str, legend: str, *, text: str | None = None) -> Spec:
    """A table of colours, judges down and systems across: blue above zero, orange below."""
    judges, across = (dict.fromkeys(row[side] for row in rows) for side in ("judge", "system"))
    kept = [set(list(names)[: marks.MOST_ROWS]) for names in (judges, across)]
    rows = [row for row in rows if row["judge"] in kept[0] and row["system"] in kept[1]]
    names = list(dict.fromkeys(row["system"] for row in rows))
    short: Mapping[str, str] = dict(zip(names, distinct(names, 14), strict=True))
    most = max(abs(row[value]) for row in rows) or 1
    scale = {"range": list(DIVERGING), "domain": [-most, 0, most], "interpolate": "rgb", "type": "linear"}
    named = [{**row, "across": short[row["system"]]} for row in rows]
    drawn = marks.readable(named, value, scale)
    base = marks.chart(drawn, marks.labels("judge"), step=24)
    heads = {"labelAngle": -60, "labelLimit": 130, "labelOverlap": False}
    base = base.encode(x=channel("across:N", sort=None, title=None, axis=heads))
    key = {"title": legend, "gradientLength": 180, "titleLimit": 280, "format": "~g"}
    fill = channel(f"{value}:Q", scale=scale, legend=key)
    fits = {"expr": "bandwidth('x') < 30 ? 0 : 1"}
    words = base.mark("text", fontSize=11, opacity=fits).encode(
        text=channel(f"{text or value}:Q", format=pattern), color=marks.own_ink()
    )
    return marks.finish([base.mark("rect").encode(color=fill), words])


PANEL = "whole panel"
FEW = 10
"""Rows of a table that are read at a glance."""


def rankings_by_judge(view: PanelAnalysis, found: Reversals) -> Figure:
    """Mean of every system by the whole panel and by every judge, with its rank there; who would change the first."""
    orders: dict[str | None, tuple[str, ...]] = {None: found.order}
    orders |= {one.judge: one.order for one in _lenient_first(view, found.judges)}
    table = {(one.judge, one.system): one for one in found.table}
    rows: list[Row] = [
        {
            "judge": PANEL if judge is None else view.judges[judge],
            "system": view.systems[system],
            "rank": order.index(system) + 1,
            "moved": found.order.index(system) - order.index(system),
            "mean": table[judge, system].mean,
            **{name: getattr(table[judge, system], name) for name in ("se", "low", "high", "n")},
        }
        for judge, order in orders.items()
        for system in found.order
    ]
    line = f"Mean score of every {view.system} by each judge alone and by the panel, with {view.coverage} intervals"
    sure = (
        "A reversal is sure if the panel's difference and the judge's are both shown to be other than zero, looking at "
        "all judges and pairs together (Holm); otherwise it is possible, no more."
    )
    read = "Drawn: ranks, 1 the best; blue: above the rank that the panel gives, orange: below it."
    lines = (f"{line}; n = {counted(found.means.n_items, cut(view.item))}.", *([read] if view.many else []), sure)

    def chart() -> Spec:
        if view.many:
            return tiles(rows, "moved", "d", "places up", text="rank")
        return grouped(rows, "judge", "mean", systems(view), axis(view, "mean of"))

    heads = headers(view) | {"system": view.system, "moved": "places above the panel's"}
    return Figure("panel-rankings", Caption(_rankings_finding(view, found), lines), rows, chart, heads)


def orders(view: PanelAnalysis, found: Reversals) -> Figure:
    """The order that every judge alone would give, how it agrees with the panel's, and the pairs it turns round."""
    rows: list[Row] = [{"judge": PANEL, "order": _order(view, found)}]
    for one in _lenient_first(view, found.judges):
        sure = [reversal.sure for reversal in found.found if reversal.judge == one.judge]
        rows.append(
            {"judge": view.judges[one.judge], "order": _order(view, one), "tau": one.tau}
            | {"other_first": one.top_differs, "surely_reversed": sum(sure)}
            | {"possibly_reversed": len(sure) - sum(sure)}
        )
    taus = [one.tau for one in found.judges if not math.isnan(one.tau)]
    ends = list(dict.fromkeys(number(end, 2) for end in (min(taus), max(taus)))) if taus else ["not known"]
    finding = (
        f"The order each judge alone would give agrees with the panel's with a Kendall's tau of {' to '.join(ends)}"
    )
    caption = Caption(finding, ("Best first. Tau: 1 is the same order, -1 the reverse.",))
    heads = Short.titles("judge", "order", "tau", other_first="another first")
    titles = headers(view) | {"system": view.system, "moved": "places above the panel's"}
    titles |= {"other_first": "another first", "surely_reversed": "surely reversed"}
    return Figure.of("panel-orders", caption, rows, heads, titles=titles, folded=len(rows) > FEW)


def judges_alone(view: PanelAnalysis, found: Reversals) -> Figure | None:
    """Every pair of systems that a judge alone would turn round, sure ones first; None where there is none."""
    if not found.found:
        return None
    rows: list[Row] = [
        {
            "judge": view.judges[one.judge],
            "panel_has_first": view.systems[one.first],
            "judge_has_first": view.systems[one.second],
        }
        | picked(one, "panel_difference=panel.value panel_low=panel.low panel_high=panel.high")
        | picked(one, "judge_difference=alone.value judge_low=alone.low judge_high=alone.high")
        | {"p_holm": p_text(one.p_holm, LEAST_P), "reversal": one.verdict}
        for one in found.found
    ]
    finding = f"{counted(len(rows), 'reversal')} by single judges: {by_verdict(found)}"
    line = f"Differences between two {plural(view.system)}, by the panel and by the judge alone, with intervals"
    caption = Caption(finding, (f"{line} ({view.coverage}); p: adjusted for all judges and pairs (Holm).",))
    heads = Short.titles("judge", judge_has_first="first", panel_has_first="panel", judge_difference="difference")
    heads |= {"reversal": "reversal"}
    titles = headers(view) | Short.titles("judge_has_first", "panel_has_first", "judge_difference")
    return Figure.of("panel-reversals", caption, rows, heads, titles=titles, folded=True)


def by_verdict(found: Reversals) -> str:
    """How many reversals are sure, possible, or the same on every item."""
    flat = f", {len(found.without_spread)} with no spread to judge by" if found.without_spread else ""
    return f"{len(found.sure)} sure, {len(found.possible)} possible{flat}"


def _rankings_finding(view: PanelAnalysis, found: Reversals) -> str:
    """Who alone would put another system first, or turn any two round."""
    first, names = [one for one in found.judges if one.top_differs], view.short["system"]
    if not found.found:
        return f"No judge alone would reverse the order of any two {plural(view.system)}"
    if not first:
        return f"Every judge alone would put {names[found.order[0]]} first, but some change the order"
    if len(first) > 1:
        share = f"{len(first)} of {len(found.judges)} judges alone would put another {view.system} first than the panel"
        surely = {reversal.judge for reversal in found.found if reversal.sure}
        sure = sum(one.judge in surely for one in first)
        return f"{share}; {sure or 'none'} of them {'reverses' if sure == 1 else 'reverse'} an order for sure"
    alone = first[0]
    turned = (alone.judge, found.order[0], alone.order[0])
    certain = next(one.sure for one in found.found if (one.judge, one.first, one.second) == turned)
    return (
        f"{view.short['judge'][alone.judge]} alone would put {names[alone.order[0]]} first, the panel "
        f"{names[found.order[0]]} ({'sure' if certain else 'possible'})"
    )


def _lenient_first(view: PanelAnalysis, orders: Sequence[Order]) -> list[Order]:
    """In the order in which biases are shown."""
    bias = {one.judge: one.bias for one in view.panel.bias.overall}
    return sorted(orders, key=lambda one: -view.panel.bias.means.sign * bias[one.judge])


def _order(view: PanelAnalysis, found: Order | Reversals) -> str:
    first, *rest = found.order
    names = view.short["system"]
    return cut(names[first] + "".join(f" {'=' if name in found.tied else '>'} {names[name]}" for name in rest), 300)


def bias(view: PanelAnalysis) -> Figure:
    """Every judge against the panel, on average and by system, the most lenient first; whose bias depends most."""
    found = view.panel.bias
    by_judge = {one.judge: [one] for one in sorted(found.overall, key=lambda one: -found.means.sign * one.bias)}
    for one in sorted(found.by_system, key=lambda one: view.order.index(str(one.system))):
        by_judge[one.judge].append(one)
    rows: list[Row] = [
        {
            "judge": view.judges[one.judge],
            "system": ALL_SYSTEMS if one.system is None else view.systems[one.system],
            **estimate(one),
        }
        for several in by_judge.values()
        for one in several
    ]
    line = "Mean score by each judge less that of the panel" + ("" if view.alone else f", by {view.system}")
    scope = f"{found.scope} n = {counted(view.panel.means.n_items, cut(view.item))}."
    reason = [f"By a model, because {cut(view.panel.means.reason, 200)}."] if view.panel.means.reason else []
    read = [f"Blue: above the panel; orange: below. Drawn: by {view.system}."] if view.many else []
    lines = (f"{line}, with {view.coverage} intervals. {scope}", *reason, *read)

    def chart() -> Spec:
        title = axis(view, "judge less panel, in")
        if view.alone:
            colour = palette(view.panel.judgments.names)[JUDGE]
            return marks.dots(marks.furthest(rows, "bias"), "judge", "bias", title, colour, at=0.0)
        if view.many:
            return tiles([row for row in rows if row["system"] != ALL_SYSTEMS], "bias", ".2f", "bias")
        return grouped(rows, "judge", "bias", systems(view, whole=True), title, at=0.0)

    shown = unnamed(view, rows)
    caption = Caption(_finding(view), lines)
    heads = Short.titles("judge", "system", "mean", "bias", low="interval", verdict="")
    titles = headers(view) | {"system": view.system}
    return Figure.of(
        "panel-bias", caption, shown, heads, chart, titles=titles, of="bias", at=0.0, where={"system": ALL_SYSTEMS}
    )


def means_by_judge(view: PanelAnalysis) -> Figure | None:
    """The mean of every system with its interval for this study's setup and for others like it; None where unknown."""
    rows: list[Row] = []
    for name in view.order:
        found = view.panel.readings.get(name)
        for whom, one in () if found is None else (("this setup", found.setup), ("others like it", found.others)):
            if one is not None:
                row: Row = {"system": "" if view.alone else view.systems[name], "speaks for": whom, "mean": one.value}
                said = scope(one.basis.fit.judgments, one.target, view.panel.means.system or "")
                rows.append(row | {"low": one.low, "high": one.high, "whom": said})
    if not rows:
        return None
    scopes = {str(row["speaks for"]): str(row["whom"]) for row in rows if row["whom"]}
    reasons = dict.fromkeys(one.reason for one in view.panel.readings.values() if one.reason)
    lines = [f"{label.capitalize()}: {said}." for label, said in scopes.items()]
    lines += [f"{reason[:1].upper()}{reason[1:]}." for reason in reasons]
    first = view.panel.readings[next(name for name in view.order if name in view.panel.readings)].setup
    places = decimals(first.half_width / 2)
    of = "the panel" if view.alone else str(rows[0]["system"])
    finding = f"The mean of {of} is {number(first.value, places)}"
    shown = [{name: value for name, value in row.items() if name != "whom"} for row in rows]
    drawn = [row | {"of": ", ".join(filter(None, (row["system"], row["speaks for"])))} for row in shown]
    caption, title = Caption(finding, tuple(lines)), axis(view, "mean, in")
    heads = {"system": view.system, "speaks for": "speaks for", "mean": "mean", "low": f"{view.coverage} interval"}
    return marks.dotted("panel-means", caption, shown, heads, title, drawn=marks.spread(drawn), label="of")


def estimate(one: Bias) -> Row:
    """A bias with what it rests on, as columns."""
    return picked(one, "bias se low high") | {"p_holm": p_text(one.p_holm, LEAST_P)} | picked(one, "verdict mean n")


def joint_tests(view: PanelAnalysis) -> Figure | None:
    """Whether judges differ at all, by system, against item × judge and as published; None with one system."""
    crossed = view.crossed
    if len(crossed) < 2:
        return None
    rows: list[Row] = [
        {"system": view.systems[name]}
        | picked(one, "f=judge_test.f df=judge_test.df df_error=judge_test.df_error")
        | {
            "p": p_text(one.judge_test.p_adjusted, LEAST_P),
            "f_published": one.paper_test.f,
            "df_error_published": one.paper_test.df_error,
            "p_published": p_text(one.paper_test.p, LEAST_P),
            "models_differ": one.disagree,
        }
        for name, one in crossed
    ]
    sure = sum(one.judge_test.p_adjusted < 1 - view.panel.level for _, one in crossed)
    finding = f"The judges differ on {sure} of {counted(len(rows), view.system)}, each tested on its own"
    line = (
        "F against item × judge, p adjusted for judges of unequal noise (Greenhouse and Geisser); published: against "
        "the residual with item × judge in it (Zhu et al. 2026)."
    )
    heads = Short.titles("system", f="F", df="df", df_error="error df", p="p")
    titles = headers(view) | {"system": view.system, "f": "F", "df_error": "error df", "p": "p"}
    titles |= {"f_published": "F, published", "df_error_published": "error df, published"}
    titles |= {"p_published": "p, published"}
    return Figure.of("panel-tests", Caption(finding, (line,)), rows, heads, titles=titles, folded=True)


def preference(view: PanelAnalysis) -> Figure | None:
    """What every judge gives itself beyond what is expected, the most first; None where none is also judged."""
    found = view.panel.self_preference
    if found is None:
        return None
    rows: list[Row] = [
        {"judge": view.judges[one.judge], "system": view.systems[one.system]}
        | picked(one, "effect se low high")
        | {"p_holm": p_text(one.p_holm, LEAST_P)}
        | picked(one, "own elsewhere lift")
        | {"shared_with": cut(", ".join(view.judges[name] for name in one.shared_with), 200)}
        for one in sorted(found.preferences, key=lambda one: -one.effect)
    ]
    most = max(found.preferences, key=lambda one: abs(one.effect))
    who = listed([view.short["judge"][name] for name in (most.judge, *most.shared_with)])
    verb = "score themselves" if most.shared_with else "scores itself"
    by = number(abs(most.effect), decimals(most.se))
    chance = "" if most in found.sure else ", which may be chance"
    finding = f"{who} {verb} {by} {'higher' if most.effect > 0 else 'lower'} than expected{chance}"
    line = (
        f"What a judge gives itself beyond what its scores of other {plural(view.system)}, and the other judges' "
        f"scores, lead to expect, with {view.coverage} intervals."
    )
    matched = "Judges and systems are matched by name." if found.by_label else ""
    caption = Caption(finding, (line, f"{found.scope} {matched}".strip()))
    heads = Short.titles("judge", "system", effect="self-preference", low="interval", p_holm="p (Holm)")
    titles = headers(view) | {"system": view.system, "effect": "self-preference", "own": "on itself"}
    titles |= {"lift": "what it adds to the panel's mean"}
    look = palette(view.panel.judgments.names)[JUDGE]
    drawn = marks.furthest(rows, "effect")
    title = axis(view, "self-preference in")
    return marks.dotted("panel-preference", caption, rows, heads, title, titles=titles, drawn=drawn, look=look, at=0.0)


def _finding(view: PanelAnalysis) -> str:
    """Whose bias depends most on what is judged; with one system, who is furthest off."""
    found, judges = view.panel.bias, view.short["judge"]
    most = max(found.overall, key=lambda one: abs(one.bias))
    if view.alone:
        return f"{judges[most.judge]} scores {_signed(most)} the panel"
    spans = {judge: [one.bias for one in found.by_system if one.judge == judge] for judge in found.means.judges}
    widest = max(spans, key=lambda judge: max(spans[judge]) - min(spans[judge]))
    low, high = min(spans[widest]), max(spans[widest])
    if found.interaction is not None and found.interaction.p < 1 - found.level:
        return (
            f"The bias of {judges[widest]} differs by {significant(high - low, 2)} between "
            f"{plural(view.system)}, from {low:+.2g} to {high:+.2g}"
        )
    alike = f"no bias is shown to depend on the {view.system}"
    return f"{judges[most.judge]} scores {_signed(most)} the panel on average; {alike}"


def _signed(one: Bias) -> str:
    return f"{number(abs(one.bias), decimals(one.se))} {'above' if one.bias > 0 else 'below'}"
