"""What every figure on the panel of judges says."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.panel import APART, PUBLISHED, PanelView, promised
from quorate.analysis.words import number, significant
from quorate.estimate.panel.crossed import JUDGE_EFFECT
from quorate.plan.panel.strategies import ALL, CYCLIC, RANDOM
from quorate.reporting import panel_tables as tables
from quorate.reporting.page import Caption
from quorate.reporting.panel_words import by_verdict, p_value
from quorate.wording import counted, decimals, listed, plural, whole_percent

if TYPE_CHECKING:
    from quorate.estimate.panel.bias import Bias
    from quorate.estimate.panel.crossed import Crossed
    from quorate.estimate.panel.preference import Preference

_ALIKE = 0.005
"""Relative difference of standard errors that a sentence does not tell apart."""
_AHEAD = (
    "All judges come out ahead of judges in turn on these scores, which no true variance between responses brings "
    "about: take the two as equal."
)


def bias(view: PanelView) -> Caption:
    """Whose bias depends most on what is judged; with one system, who is furthest off."""
    found = view.panel.bias
    scope = f"{found.scope} n = {counted(view.panel.means.n_items, shown(view.item))}."
    line = "Mean score by each judge less that of the panel" + ("" if view.alone else f", by {_system(view)}")
    reason = [f"By a model, because {shown(view.panel.means.reason, 200)}."] if view.panel.means.reason else []
    read = [f"Blue: above the panel; orange: below. Drawn: by {_system(view)}."] if view.many else []
    return Caption(_bias_finding(view), (f"{line}, with {_level(view)} intervals. {scope}", *reason, *read))


def tests(view: PanelView) -> Caption:
    """How many systems the judges differ on."""
    rows = [one for _, one in tables.ordered(view)]
    sure = sum(one.judge_test.p_adjusted < 1 - view.panel.level for one in rows)
    line = (
        "F against item × judge, p adjusted for judges of unequal noise (Greenhouse and Geisser); published: against "
    )
    finding = f"The judges differ on {sure} of {counted(len(rows), _system(view))}, each tested on its own"
    return Caption(finding, (f"{line}the residual with item × judge in it (Zhu et al. 2026).",))


def rankings(view: PanelView) -> Caption:
    """Who alone would put another system first, or turn any two round."""
    found = view.panel.reversals
    if found is None:
        return Caption("One system: nothing is ranked", ())
    line = f"Mean score of every {_system(view)} by each judge alone and by the panel, with {_level(view)} intervals"
    sure = (
        "A reversal is sure if the panel's difference and the judge's are both shown to be other than zero, looking at "
        "all judges and pairs together (Holm); otherwise it is possible, no more."
    )
    read = "Drawn: ranks, 1 the best; blue: above the rank that the panel gives, orange: below it."
    lines = (f"{line}; n = {counted(found.means.n_items, shown(view.item))}.", *([read] if view.many else []), sure)
    return Caption(_rankings_finding(view), lines)


def orders(view: PanelView) -> Caption:
    """How far single judges agree with the panel."""
    taus = [row["tau"] for row in tables.orders(view)[1:] if not math.isnan(row["tau"])]
    ends = list(dict.fromkeys(number(end, 2) for end in (min(taus), max(taus)))) if taus else ["not known"]
    finding = (
        f"The order each judge alone would give agrees with the panel's with a Kendall's tau of {' to '.join(ends)}"
    )
    return Caption(finding, ("Best first. Tau: 1 is the same order, -1 the reverse.",))


def reversals(view: PanelView) -> Caption:
    """How many orders of two systems single judges turn round."""
    found = view.panel.reversals
    rows = found.found if found else ()
    finding = f"{counted(len(rows), 'reversal')} by single judges: {by_verdict(found)}"
    line = f"Differences between two {plural(_system(view))}, by the panel and by the judge alone, with intervals"
    return Caption(finding, (f"{line} ({_level(view)}); p: adjusted for all judges and pairs (Holm).",))


def preference(view: PanelView) -> Caption:
    """Which judge prefers itself most."""
    found = view.panel.self_preference
    if found is None:
        return Caption("No judge is also judged", ())
    most = max(found.preferences, key=lambda one: abs(one.effect))
    sure = most in found.sure
    line = (
        f"What a judge gives itself beyond what its scores of other {plural(_system(view))}, and the other judges' "
        f"scores, lead to expect, with {_level(view)} intervals."
    )
    matched = "Judges and systems are matched by name." if found.by_label else ""
    chance = "" if sure else ", which may be chance"
    return Caption(f"{_prefers(view, most)}{chance}", (line, f"{found.scope} {matched}".strip()))


def components(view: PanelView) -> Caption:
    """Which component the models answer differently, and what that changes."""
    found = [(name, one) for name, one in tables.ordered(view) if one.disagree]
    name, one = found[0]
    whose = "" if view.alone else f"{view.short['system'][name]}: "
    line = f"Variance components of one score under both models, with {_level(view)} bootstrap intervals"
    size = f"n = {counted(one.n, shown(view.item))} × {counted(one.m, 'generation')} × {counted(one.k, 'judge')}"
    published, apart = (significant(promised(one)[model]) for model in (PUBLISHED, APART))
    pays = (
        f"What it changes: judges in turn over fresh responses{_for(view, name)} to these {plural(shown(view.item))}, "
        f"at {counted(one.k, 'call')} each, are promised a standard error of {published} by the published model, of "
        f"{apart} by the other."
    )
    hidden = f" Drawn: the first {tables.MOST_DRAWN} rows." if len(tables.components(view)) > tables.MOST_DRAWN else ""
    return Caption(f"{whose}{_disagreement(view, one)}", (f"{line}; {size}.{hidden}", pays))


def strategies(view: PanelView) -> Caption:
    """What judges in turn gain over the other strategies for the same calls."""
    return _redrawn(view) if view.check is not None else _projected(view)


def sharings(view: PanelView) -> Caption:
    """What one judge for each item gives, against all of them."""
    rows = tables.sharings(view)
    every, _, turn, more = rows[:4]
    whose = "" if view.alone else f"{rows[0]['system']}: "
    finding = (
        f"{whose}one judge for each {shown(view.item)} in turn has a standard error of {significant(turn['se'])} for "
        f"{turn['calls']:,} calls; every judge {significant(every['se'])} for {every['calls']:,}"
    )
    finding = finding[:1].upper() + finding[1:]
    line = f"Standard error of the mean for this panel and {plural(shown(view.item))} like these, as projected."
    same = f"For the same {every['calls']:,} calls, in turn over more of them: {significant(more['se'])}."
    return Caption(finding, (f"{line} {same}",))


def score_axis(view: PanelView, what: str) -> str:
    """Title of an axis in score units."""
    return f"{what} {shown(view.panel.judgments.score, 30)} (score units)"


def _bias_finding(view: PanelView) -> str:
    found = view.panel.bias
    if view.alone:
        most = max(found.overall, key=lambda one: abs(one.bias))
        return f"{_judge(view, most.judge)} scores {_signed(most)} the panel"
    spans = {judge: [one.bias for one in found.by_system if one.judge == judge] for judge in found.means.judges}
    widest = max(spans, key=lambda judge: max(spans[judge]) - min(spans[judge]))
    low, high = min(spans[widest]), max(spans[widest])
    if found.interaction is not None and found.interaction.p < 1 - found.level:
        return (
            f"The bias of {_judge(view, widest)} differs by {significant(high - low, 2)} between "
            f"{plural(_system(view))}, from {low:+.2g} to {high:+.2g}"
        )
    most = max(found.overall, key=lambda one: abs(one.bias))
    alike = f"no bias is shown to depend on the {_system(view)}"
    return f"{_judge(view, most.judge)} scores {_signed(most)} the panel on average; {alike}"


def _signed(one: Bias) -> str:
    places = decimals(one.se)
    return f"{number(abs(one.bias), places)} {'above' if one.bias > 0 else 'below'}"


def _rankings_finding(view: PanelView) -> str:
    found = view.panel.reversals
    rows = tables.orders(view)[1:]
    first = [row for row in rows if row["other_first"]]
    if found is None or not found.found:
        return f"No judge alone would reverse the order of any two {plural(_system(view))}"
    if not first:
        return f"Every judge alone would put {view.short['system'][found.order[0]]} first, but some change the order"
    if len(first) > 1:
        said = f"{len(first)} of {len(rows)} judges alone would put another {_system(view)} first than the panel"
        sure = sum(row["surely_reversed"] > 0 for row in first)
        return f"{said}; {sure or 'none'} of them {'reverses' if sure == 1 else 'reverse'} an order for sure"
    one = next(one for one in found.judges if one.top_differs)
    sure_ = next(r.sure for r in found.found if r.judge == one.judge and r.second == one.order[0])
    names = view.short["system"]
    return (
        f"{_judge(view, one.judge)} alone would put {names[one.order[0]]} first, the panel {names[found.order[0]]} "
        f"({'sure' if sure_ else 'possible'})"
    )


def _prefers(view: PanelView, one: Preference) -> str:
    who = listed([_judge(view, name) for name in (one.judge, *one.shared_with)])
    verb = "score themselves" if one.shared_with else "scores itself"
    by = number(abs(one.effect), decimals(one.se))
    return f"{who} {verb} {by} {'higher' if one.effect > 0 else 'lower'} than expected"


def _disagreement(view: PanelView, one: Crossed) -> str:
    """The first thing that the two models answer differently."""
    first = one.differs[0]
    if first == JUDGE_EFFECT:
        ours, theirs = one.judge_test.p_adjusted, one.paper_test.p
        return f"With item × judge set apart, the judge effect has {p_value(ours)}; as published, {p_value(theirs)}"
    values = [significant(found.values[first], 2) for found in (one.separated, one.paper)]
    name = tables.term(view, first)
    return f"With item × judge set apart, the {name} variance is {values[0]}; as published, {values[1]}"


def _redrawn(view: PanelView) -> Caption:
    """What redrawn studies show for these items."""
    check, drawn = view.check, view.drawn
    if check is None or drawn is None:
        return Caption("No studies were redrawn", ())
    judges = check.shape[2]
    se = {one.strategy: math.sqrt(one.predicted) for one in check.checks if one.budget == judges}
    n = f"{check.shape[0]:,} {plural(shown(view.item))}"
    line = (
        f"Standard error of the mean{_for(view, drawn)} over these {n}, against judge calls per {shown(view.item)} "
        f"(both axes log). Lines: as these scores predict exactly; marks: {check.repetitions:,} redrawn studies each, "
        "± Monte Carlo error."
    )
    agrees = "They agree" if check.agrees else "They do not agree"
    far = f"{agrees}: the largest difference is {abs(check.worst.z):.1f} Monte Carlo standard errors. "
    far += f"Over fresh responses those of all judges and of cycling are about {_fresh(check.shape[1])} larger."
    wide = view.panel.strategies[drawn].sentence().rstrip(".")
    like = f"For {plural(shown(view.item))} like these, whose own spread every strategy pays: "
    like += f"{wide[:1].lower()}{wide[1:]}."
    ahead = [_AHEAD] if se[CYCLIC] > (1 + _ALIKE) * se[ALL] else []
    notes = (shown(note, 400) for note in check.notes)
    return Caption(_gains(se), (line, far, *ahead, like, *notes, *_others(view)))


def _fresh(generations: int) -> str:
    """How much larger standard errors are when responses are not redrawn from those that are there."""
    return whole_percent(math.sqrt(generations / (generations - 1)) - 1)


def _projected(view: PanelView) -> Caption:
    """What a fitted model promises for items like these."""
    drawn = str(view.drawn)
    found = view.panel.strategies[drawn]
    se = {name: plan.se for name, plan in found.at(found.budgets[0]).items()}
    line = (
        f"Standard error of the mean{_for(view, drawn)} for {plural(shown(view.item))} like these, against judge calls "
        f"per {shown(view.item)} (both axes log), as projected from the fitted components."
    )
    return Caption(_gains(se), (line, *_others(view)))


def _gains(se: dict[str, float]) -> str:
    if any(se[name] <= 0 for name in (ALL, RANDOM)):
        return "The strategies are as good as each other: nothing varies"
    gains = [
        f"{_against(se[CYCLIC] / se[name])} {what}" for name, what in ((ALL, "all judges"), (RANDOM, "random ones"))
    ]
    return f"For the same calls, judges in turn (cyclic) have a standard error {' and '.join(gains)}"


def _against(ratio: float) -> str:
    if abs(ratio - 1) < _ALIKE:
        return "no different from that of"
    return f"{whole_percent(1 - ratio)} below that of" if ratio < 1 else "not below that of"


def _others(view: PanelView) -> Iterator[str]:
    """Which system is drawn, and what is said of the others."""
    if view.alone:
        return
    place = "the panel puts first" if view.drawn == view.order[0] else "the panel puts before the others that have any"
    yield f"Drawn: {view.short['system'][str(view.drawn)]}, which {place}; the table has every {_system(view)}."


def _for(view: PanelView, system: str) -> str:
    return "" if view.alone else f" of {view.short['system'][system]}"


def _judge(view: PanelView, label: str) -> str:
    return view.short["judge"][label]


def _system(view: PanelView) -> str:
    return shown(view.panel.means.system or "system", 30)


def _level(view: PanelView) -> str:
    return f"{view.panel.level * 100:g}%"
