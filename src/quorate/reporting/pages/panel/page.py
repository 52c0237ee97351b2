"""Page of a panel of judges, and its section on the page of judgments: its models, and groups side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator

from quorate.analysis.judgments import Analysis
from quorate.analysis.panel import APART, LEAST_P, PUBLISHED, SHORT, PanelAnalysis, promised
from quorate.analysis.views import MOST_PARTS
from quorate.analysis.words import cut, number, p_value, significant
from quorate.caveats import Caveat, weightiest_first
from quorate.estimate.differences.spread import JointTest
from quorate.estimate.panel.crossed import JUDGE_EFFECT, TERMS, Crossed
from quorate.planning.panel.groups import ANY
from quorate.planning.panel.panel import Panel
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, MISSED, Spec, palette
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, particulars
from quorate.reporting.pages.panel.biases import (
    Series,
    axis,
    bias,
    by_verdict,
    estimate,
    grouped,
    headers,
    joint_tests,
    judges_alone,
    means_by_judge,
    orders,
    preference,
    rankings_by_judge,
    unnamed,
)
from quorate.reporting.pages.panel.spending import sharings, strategies
from quorate.roles import JUDGE
from quorate.table.results import picked
from quorate.wording import at_level, counted, decimals, listed, plural, whole_percent


def means(view: PanelAnalysis) -> Figure | None:
    """Every group against the average of the groups; None without groups."""
    found = view.panel.group_bias
    if found is None:
        return None
    rows: list[Row] = [
        {"group": cut(one.judge, 80), "system": "" if one.system is None else view.systems[one.system], **estimate(one)}
        for one in (*found.overall, *found.by_system)
    ]
    most = max(found.overall, key=lambda one: abs(one.bias))
    side = "above" if most.bias > 0 else "below"
    shown = "" if most.verdict else ", which may be chance"
    role = _role(view)
    finding = (
        f"{cut(most.judge, SHORT)} scores {number(abs(most.bias), decimals(most.se))} {side} the average of the "
        f"{plural(role)}{shown}"
    )
    line = f"Mean score by the judges of each {role}, who weigh equally, less the average of the {plural(role)}"
    lines = (f"{line}, with {view.coverage} intervals. {found.scope}",)
    table = unnamed(view, rows)
    return marks.dotted(
        "panel-groups",
        Caption(finding, lines),
        table,
        Short.titles(group=_role(view), system="system", bias="bias", low="interval", verdict=""),
        axis(view, f"{role} less average, in"),
        drawn=[row for row in rows if not row["system"]],
        look=palette(view.panel.judgments.names)[JUDGE],
        at=0.0,
        titles=headers(view) | {"system": view.system, "group": role},
    )


def variances(view: PanelAnalysis) -> Figure | None:
    """What makes up the variance of the mean by each group, in the study as it was made; None without groups."""
    found = view.panel.groups
    if not found:
        return None
    rows: list[Row] = [
        {
            "system": "" if view.alone else view.systems[system],
            "group": cut(one.group, 80),
            "judges": len(one.judges),
            "mean": one.mean,
            "se": one.se,
            "se_like_these": one.se_population,
            **{name: one.shares.get(name) for name in _terms(view)},
        }
        for system in view.order
        if system in found
        for one in found[system].variances
    ]
    system = next(name for name in view.order if name in found)
    first = found[system].variances
    named = [f"{significant(one.se, 2)} by {cut(one.group, SHORT)}" for one in first]
    finding = f"The mean{view.whose(system)} has a standard error of {listed(named)}"
    line = (
        f"Each {_role(view)} is fitted by itself. Columns of components: share of the variance of the mean for judges "
        "like these in this study; with one judge, for that judge. A few judges say little of how others like them "
        "would differ."
    )
    shown = unnamed(view, rows)
    heads = {"system": "system", "group": _role(view), "judges": "judges", "mean": "mean", "se": "SE, these"}
    heads |= {"se_like_these": "like these"}
    titles = headers(view) | {"system": view.system, "group": _role(view), "se": "standard error, these judges"}
    titles |= {"se_like_these": "judges like these"} | {name: name.replace(":", " × ") for name in _terms(view)}
    return Figure.of("panel-group-variances", Caption(finding, (line,)), shown, heads, titles=titles)


def panels(view: PanelAnalysis) -> Figure | None:
    """What the price of the study buys out of each group, of any judges and of one of each; None where not known."""
    found = {name: view.panel.groups[name] for name in view.order if name in view.panel.groups}
    rows: list[Row] = [
        {"system": "" if view.alone else view.systems[system], "panel": cut(one.label, 80)}
        | picked(one, "precision low high se=panel.se items=panel.items cost=panel.cost")
        | {"judges": cut(", ".join(view.judges[name] for name in one.panel.judges), 200)}
        for system, groups in found.items()
        for one in groups.panels
    ]
    if not rows:
        return None
    system, first = next((name, groups) for name, groups in found.items() if groups.panels)
    alone = [one for one in first.panels if one.label in {other.group for other in first.variances}]
    best, least = max(alone, key=lambda one: one.precision), min(alone, key=lambda one: one.precision)
    finding = (
        f"For the same money, judges of {cut(best.label, SHORT)} alone buy {whole_percent(best.precision)} of the "
        f"precision of the best panel{view.whose(system)}, of {cut(least.label, SHORT)} alone "
        f"{whole_percent(least.precision)}"
    )
    line = (
        f"Precision: squared half interval of the most precise panel of {ANY}, over that of this one; each spends "
        f"{first.cost:,.4g}, what this study cost, on new {plural(cut(view.item))} with one judge in turn. All stand "
        f"for the average of {counted(len(view.judges), JUDGE)}, less the bias that this study expects. Intervals: "
        f"{view.coverage}, {view.panel.resamples:,} studies of resampled {plural(cut(view.item))}, the panels held."
    )
    shown = unnamed(view, rows)
    return marks.dotted(
        "panel-group-panels",
        Caption(finding, (line,)),
        shown,
        Short.titles(
            panel="panel out of", system="system", items="items", se="SE", precision="precision", low="interval"
        ),
        "precision for the same money, best = 1",
        drawn=[row for row in rows if row["system"] == ("" if view.alone else view.systems[system])],
        look=palette(view.panel.judgments.names)[JUDGE],
        line=1.0,
        titles=headers(view) | {"system": view.system, "panel": "panel out of", "cost": "price"},
    )


def _role(view: PanelAnalysis) -> str:
    by = view.panel.grouping
    return cut("group" if by is None else by.role, SHORT)


def _terms(view: PanelAnalysis) -> tuple[str, ...]:
    """Components that any group has."""
    found = view.panel.groups.values()
    return tuple(dict.fromkeys(name for groups in found for one in groups.variances for name in one.shares))


MOST_DRAWN = 50
"""Rows of components that a chart has room for."""


def components(view: PanelAnalysis) -> Figure | None:
    """Components under both models, of the systems for which they answer differently; None where there is none."""
    differ = [(system, one) for system, one in view.crossed if one.disagree]
    rows: list[Row] = [
        {"component": term(view, name) + ("" if view.alone else f" · {view.systems[system]}"), "model": model}
        | {"variance": found.values[name], "low": found.intervals[name][0], "high": found.intervals[name][1]}
        for system, one in differ
        for name in one.separated.values
        for model, found in ((APART, one.separated), (PUBLISHED, one.paper))
        if name in found.values
    ]
    if not rows:
        return None
    system, one = differ[0]
    whose = "" if view.alone else f"{view.short['system'][system]}: "
    line = f"Variance components of one score under both models, with {view.coverage} bootstrap intervals"
    size = f"n = {counted(one.n, cut(view.item))} × {counted(one.m, 'generation')} × {counted(one.k, 'judge')}"
    hidden = f" Drawn: the first {MOST_DRAWN} rows." if len(rows) > MOST_DRAWN else ""
    published, apart = (significant(promised(one)[model]) for model in (PUBLISHED, APART))
    pays = (
        f"What it changes: judges in turn over fresh responses{view.whose(system)} to these {plural(cut(view.item))}, "
        f"at {counted(one.k, 'call')} each, are promised a standard error of {published} by the published model, of "
        f"{apart} by the other."
    )

    def chart() -> Spec:
        series = Series("model", (APART, PUBLISHED), (CORRECTED, MISSED), ("circle", "square"))
        title = f"variance of one score ({cut(view.panel.judgments.score, 30)} squared)"
        return grouped(rows[:MOST_DRAWN], "component", "variance", series, title, at=0.0, thick=11)

    caption = Caption(f"{whose}{_disagreement(view, one)}", (f"{line}; {size}.{hidden}", pays))
    heads = Short.titles("component", "model", "variance", low="interval")
    return Figure.of("panel-components", caption, rows, heads, chart, titles=headers(view), of="variance")


def term(view: PanelAnalysis, component: str) -> str:
    """A component of a crossed panel by what it is the variance of."""
    return TERMS[component].replace("scenario", cut(view.item, 30)).replace(":", " × ")


def _disagreement(view: PanelAnalysis, one: Crossed) -> str:
    """The first thing that the two models answer differently."""
    first = one.differs[0]
    if first == JUDGE_EFFECT:
        ours, theirs = (p_value(p, LEAST_P) for p in (one.judge_test.p_adjusted, one.paper_test.p))
        return f"With item × judge set apart, the judge effect has {ours}; as published, {theirs}"
    ours, theirs = (significant(found.values[first], 2) for found in (one.separated, one.paper))
    return f"With item × judge set apart, the {term(view, first)} variance is {ours}; as published, {theirs}"


# Paragraphs on the panel of judges, before any figure.


MOST_NAMED = 6
"""Judges that a sentence names."""
MOST_TURNED = 3
"""Reversals that a sentence names."""
_LINE = 300
_WAYS = {"strategies": "strategies for the same calls", "sharings": "ways to share the calls out"}


def paragraphs(view: PanelAnalysis) -> Iterator[str]:
    """Whether judges differ at all, and what is not shown and why."""
    yield from tests(view)
    yield from disagreement(view)
    yield from missing(view)


def lenience(view: PanelAnalysis) -> str:
    """Who is lenient and who is strict: the judges with one verdict, by name while they are few."""
    found, parts = view.panel.bias, []
    for verdict in ("lenient", "strict"):
        rows = sorted((one for one in found.overall if one.verdict == verdict), key=lambda one: -abs(one.bias))
        named = [f"{view.short['judge'][one.judge]} ({one.bias:+.3g})" for one in rows]
        if len(named) > MOST_NAMED:
            parts.append(f"{len(named)} judges are {verdict}, most of all {named[0]}")
        elif named:
            parts.append(f"{listed(named)} {'is' if len(named) == 1 else 'are'} {verdict}")
    who = ", and ".join(parts) or "No judge is shown to be lenient or strict"
    return f"{who}; all {len(found.overall)} judges looked at together (Holm), {at_level(found.level)}."


def tests(view: PanelAnalysis) -> Iterator[str]:
    """Whether the judges differ at all, and by system."""
    found, size, crossed = view.panel.bias, 1 - view.panel.level, view.crossed
    if len(crossed) == 1:
        test = crossed[0][1].judge_test
        numbers = f"F({test.df}, {test.df_error:,}) = {significant(test.f)}, {p_value(test.p_adjusted, LEAST_P)}"
        against = "against item × judge, adjusted for judges of unequal noise"
        yield f"{_differ(view, test.p_adjusted < size)}: {numbers}, {against}."
    elif found.joint is not None:
        over = "over items" if view.alone else f"averaged over the {plural(view.system)}"
        yield f"{_differ(view, found.joint.p < size)}: {_joint(found.joint)}, {over}."
    if len(crossed) > 1:
        sure = sum(one.judge_test.p_adjusted < size for _, one in crossed)
        worst = max((one.judge_test.p_adjusted for _, one in crossed), key=lambda p: (math.isnan(p), p))
        yield (
            f"Taken one at a time, the judges differ on {sure} of {counted(len(crossed), view.system)} "
            f"(largest {p_value(worst, LEAST_P)}, against item × judge, adjusted for judges of unequal noise)."
        )
    if found.interaction is not None:
        depend = "depend" if found.interaction.p < size else "are not shown to depend"
        yield f"The judges' biases {depend} on the {view.system}: {_joint(found.interaction)}."


def disagreement(view: PanelAnalysis) -> Iterator[str]:
    """What the published test says where the models answer differently, and what that means."""
    found = [(name, one) for name, one in view.crossed if one.disagree]
    for name, one in found[:1]:
        test = one.paper_test
        pooled = f"F({test.df}, {test.df_error:,}) = {significant(test.f)}, {p_value(test.p, LEAST_P)}"
        others = f" (and {counted(len(found) - 1, f'more {view.system}')})" if len(found) > 1 else ""
        whose = "" if view.alone else f" for {view.short['system'][name]}"
        shown = JUDGE_EFFECT in one.differs or not view.alone
        opposed = f", and {p_value(one.judge_test.p_adjusted, LEAST_P)} with it set apart" if shown else ""
        yield (
            f"As published, with item × judge pooled into the residual, the test{whose}{others} would be {pooled}"
            f"{opposed}. The two models differ because judges differ by {cut(view.item)}: who is strict on one is "
            "lenient on another, which the published model takes for noise of single scores."
        )


def reversals(view: PanelAnalysis) -> Iterator[str]:
    """What judges alone would turn round; sure reversals first."""
    found = view.panel.reversals
    if found is None:
        return
    turning = {one.judge for one in found.found}
    if not turning:
        yield f"No judge alone would reverse the order of any two {plural(view.system)}."
        return
    judges, systems = view.short["judge"], view.short["system"]
    first = sum(one.top_differs for one in found.judges if one.judge in turning)
    named = "; ".join(
        f"{judges[one.judge]} puts {systems[one.second]} above {systems[one.first]} ({one.verdict})"
        for one in found.found[:MOST_TURNED]
    )
    more = f"; {len(found.found) - MOST_TURNED} more below" if len(found.found) > MOST_TURNED else ""
    yield (
        f"{len(turning)} of {len(found.judges)} judges alone would reverse the order of some {plural(view.system)}, "
        f"and {first} would put another one first: {counted(len(found.found), 'reversal')}, "
        f"{by_verdict(found)}. {named}{more}."
    )


def missing(view: PanelAnalysis) -> Iterator[str]:
    """Why something is not shown, where a reader would look for it."""
    reasons = view.panel.reasons
    if not view.alone and view.panel.self_preference is None:
        same = {name.strip().casefold() for name in view.panel.means.judges}
        named = any(name.strip().casefold() in same for name in view.panel.means.systems)
        none = f"no judge has the name of a {view.system}; say which is which with --identity of quorate judges"
        yield f"Not shown, how judges score themselves: {cut(reasons['self_preference'], _LINE) if named else none}."
    if view.check_reason:
        yield f"Studies were not redrawn from these scores: {cut(view.check_reason, _LINE)}."
    if uncrossed := next((found.reason for found in view.panel.groups.values() if found.reason), ""):
        yield f"Not shown, panels out of one group of judges: {cut(uncrossed, _LINE)}."
    for name, reason in reasons.items():
        if name.startswith("group"):
            yield f"Not shown, groups of judges: {cut(reason, _LINE)}."
    for what in ("strategies", "sharings"):
        why = [reason for name, reason in reasons.items() if name.partition(" ")[0] == what]
        if why and not view.panel.strategies and (what == "sharings" or "generation" in view.panel.judgments.names):
            yield f"Not shown, {_WAYS[what]}: {cut(why[0], _LINE)}."


def _differ(view: PanelAnalysis, sure: bool) -> str:
    if not sure and any(one.verdict for one in view.panel.bias.overall):
        return "One test of all judges does not show that they differ"
    return "The judges differ" if sure else "The judges are not shown to differ"


def _joint(test: JointTest) -> str:
    return f"F({test.df1:.4g}, {test.df2:.4g}) = {significant(test.statistic)}, {p_value(test.p, LEAST_P)}"


OF_COMPONENTS = ("left-negative", "averaged-answers", "one-response")
"""Caveats about components, which are shown only where the models disagree on them."""


def page(panel: Panel | PanelAnalysis, table: Table | None = None) -> Page:
    """The page on a panel of judges.

    Parameters
    ----------
    panel : Panel or PanelAnalysis
    table : Judgments, optional
        What the panel was made from; by default the judgments that it has.
    """
    view = panel if isinstance(panel, PanelAnalysis) else PanelAnalysis(panel)
    found, source = view.panel, table or view.panel.judgments
    figures = tuple(figure for figure in _figures(view) if figure is not None)
    return Page.of(
        view,
        source,
        "Panel of judges",
        sentence=found.sentence,
        sections=(Section("panel", "The panel of judges", tuple(paragraphs(view)), figures),),
        facts=judged(view),
        methods=methods(view),
        caveats=weightiest_first(found.caveats),
        options=f"level {found.level:g}",
    )


def panel_section(analysis: Analysis) -> Section | None:
    """The section of the page on judgments, or None where there are no two judges."""
    view, title = analysis.judge_panel, "The panel of judges"
    if view is None:
        reason = analysis.judge_panel_reason
        text = f"The judges are not compared as a panel: {cut(reason, 500)}."
        return Section("panel", title, (text,)) if reason else None
    seen = view.alone and JUDGE in analysis.effects and len(view.judges) <= MOST_PARTS
    figures = (figure for figure in _figures(view, with_bias=not seen) if figure is not None)
    return Section("panel", title, (lenience(view), *reversals(view), *paragraphs(view)), tuple(figures))


def panel_caveats(analysis: Analysis) -> tuple[Caveat, ...]:
    """What the reader of the section must know and is not told already, as far as the section shows it."""
    view, told = analysis.judge_panel, {caveat.code for caveat in analysis.caveats}
    if view is None:
        return ()
    found: dict[str, list[tuple[str, Caveat]]] = {}
    for name, one in view.crossed:
        for caveat in one.caveats:
            if caveat.code not in told and (one.disagree or caveat.code not in OF_COMPONENTS):
                found.setdefault(caveat.code, []).append((name, caveat))
    told_once = []  # one for all systems that it is about, with the figures of the first
    for (name, first), *others in found.values():
        more = f" and {counted(len(others), f'more {view.system}')}" if others else ""
        whose = "" if view.alone else f", {view.short['system'][name]}{more}"
        told_once.append(Caveat(first.code, f"panel of judges{whose}: {first.sentence}"))
    return tuple(told_once)


def _figures(view: PanelAnalysis, *, with_bias: bool = True) -> Iterator[Figure | None]:
    """All exhibits; beside an analysis, which shows means, the effects of judges of one system are their biases."""
    if with_bias:
        yield bias(view)
        yield means_by_judge(view)
    yield joint_tests(view)
    if view.panel.reversals is not None:
        yield rankings_by_judge(view, view.panel.reversals)
        yield orders(view, view.panel.reversals)
        yield judges_alone(view, view.panel.reversals)
    yield preference(view)
    yield means(view)
    yield variances(view)
    yield panels(view)
    yield components(view)
    yield strategies(view)
    yield sharings(view)


def judged(view: PanelAnalysis) -> Figure:
    """What was judged by whom."""
    means = view.panel.means
    values = {
        "judges": len(means.judges),
        plural(view.system): len(means.systems),
        f"{plural(cut(view.item))} that every judge scored": means.n_items,
        "judgments": view.panel.judgments.n_answers,
    }
    size = f"{counted(len(means.judges), 'judge')} on {counted(len(means.systems), view.system)}"
    return particulars("judged", f"What was judged: {size}", values, head="number")


def methods(view: PanelAnalysis) -> str:
    """The paragraph for a methods section."""
    crossed = (
        " Judges were tested by F against item × judge, with degrees of freedom for judges of unequal noise "
        "(Greenhouse and Geisser, 1959), beside the published test against the pooled residual (Zhu et al., 2026)."
        if view.crossed
        else ""
    )
    reversed_ = (
        f" A judge alone reverses the order of two {plural(view.system)} for sure where its difference and the panel's "
        "are both shown to be other than zero, over all judges and pairs (Holm)."
        if view.panel.reversals is not None
        else ""
    )
    grouped = (
        f" Each {view.panel.grouping.role} of judges was fitted by itself; panels out of one were chosen for the price "
        "of the study, and compared by the variance of the mean over all judges, the bias that the study expects "
        "subtracted."
        if view.panel.grouping is not None
        else ""
    )
    return (
        f"The bias of a judge is its mean score less that of the panel, with {view.coverage} intervals over "
        f"{plural(cut(view.item))}; verdicts are for all judges together (Holm, 1979).{crossed}{reversed_}{grouped}"
    )
