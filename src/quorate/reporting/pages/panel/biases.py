"""Biases: who is lenient and who is strict, whether judges differ at all, and who prefers itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.panel import LEAST_P, PanelAnalysis
from quorate.analysis.words import cut, number, p_text, significant
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, palette
from quorate.reporting.page import Caption, Figure, Short
from quorate.reporting.pages.panel.drawing import ALL_SYSTEMS, axis, grouped, headers, systems, tiles
from quorate.roles import JUDGE
from quorate.wording import counted, decimals, listed, plural

if TYPE_CHECKING:
    from quorate.estimate.panel.bias import Bias
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row


def bias(view: PanelAnalysis) -> Figure:
    """Every judge against the panel, on average and by system, the most lenient first; whose bias depends most."""
    found = view.panel.bias
    by_judge = {one.judge: [one] for one in sorted(found.overall, key=lambda one: -one.bias)}
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

    hidden = ("system",) if view.alone else ()
    shown = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    heads = headers(view) | {"system": view.system}
    return Figure(
        "panel-bias",
        Caption(_finding(view), lines),
        shown,
        chart,
        heads,
        short=Short(
            {"judge": "judge", "system": "system", "mean": "mean", "bias": "bias", "low": "interval", "verdict": ""},
            of="bias",
            at=0.0,
            where={"system": ALL_SYSTEMS},
        ),
    )


def means(view: PanelAnalysis) -> Figure | None:
    """The mean of every system with its interval for this study's setup and for others like it; None where unknown."""
    rows: list[Row] = []
    for name in view.order:
        found = view.panel.readings.get(name)
        for whom, one in () if found is None else (("this setup", found.setup), ("others like it", found.others)):
            if one is not None:
                row: Row = {"system": "" if view.alone else view.systems[name], "speaks for": whom, "mean": one.value}
                rows.append(row | {"low": one.low, "high": one.high, "whom": one.scope})
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

    def chart() -> Spec:
        return marks.dots(rows, "speaks for", "mean", axis(view, "mean, in"), CORRECTED, at=None, tall=30)

    heads = {"system": view.system, "speaks for": "speaks for", "mean": "mean", "low": f"{view.coverage} interval"}
    shown = [{name: value for name, value in row.items() if name != "whom"} for row in rows]
    return Figure(
        "panel-means",
        Caption(finding, tuple(lines)),
        shown,
        chart if view.alone else None,
        short=Short(heads, of="mean"),
    )


def estimate(one: Bias) -> Row:
    """A bias with what it rests on, as columns."""
    return {
        "bias": one.bias,
        "se": one.se,
        "low": one.low,
        "high": one.high,
        "p_holm": p_text(one.p_holm, LEAST_P),
        "verdict": one.verdict,
        "mean": one.mean,
        "n": one.n,
    }


def tests(view: PanelAnalysis) -> Figure | None:
    """Whether judges differ at all, by system, against item × judge and as published; None with one system."""
    crossed = view.crossed
    if len(crossed) < 2:
        return None
    rows: list[Row] = [
        {
            "system": view.systems[name],
            "f": one.judge_test.f,
            "df": one.judge_test.df,
            "df_error": one.judge_test.df_error,
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
    heads = headers(view) | {"system": view.system, "f": "F", "df_error": "error df", "p": "p"}
    heads |= {"f_published": "F, published", "df_error_published": "error df, published"}
    heads |= {"p_published": "p, published"}
    return Figure(
        "panel-tests",
        Caption(finding, (line,)),
        rows,
        None,
        heads,
        folded=True,
        short=Short({"system": "system", "f": "F", "df": "df", "df_error": "error df", "p": "p"}),
    )


def preference(view: PanelAnalysis) -> Figure | None:
    """What every judge gives itself beyond what is expected, the most first; None where none is also judged."""
    found = view.panel.self_preference
    if found is None:
        return None
    rows: list[Row] = [
        {
            "judge": view.judges[one.judge],
            "system": view.systems[one.system],
            "effect": one.effect,
            "se": one.se,
            "low": one.low,
            "high": one.high,
            "p_holm": p_text(one.p_holm, LEAST_P),
            "own": one.own,
            "elsewhere": one.elsewhere,
            "lift": one.lift,
            "shared_with": cut(", ".join(view.judges[name] for name in one.shared_with), 200),
        }
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

    def chart() -> Spec:
        colour = palette(view.panel.judgments.names)[JUDGE]
        title = axis(view, "self-preference in")
        return marks.dots(marks.furthest(rows, "effect"), "judge", "effect", title, colour, at=0.0)

    heads = headers(view) | {"system": view.system, "effect": "self-preference", "own": "on itself"}
    heads |= {"lift": "what it adds to the panel's mean"}
    return Figure(
        "panel-preference",
        Caption(finding, (line, f"{found.scope} {matched}".strip())),
        rows,
        chart,
        heads,
        short=Short(
            {
                "judge": "judge",
                "system": "system",
                "effect": "self-preference",
                "low": "interval",
                "p_holm": "p (Holm)",
            },
            of="effect",
            at=0.0,
        ),
    )


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
