"""Page of a panel of judges, and its section on the page of judgments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.analysis.labels import cut
from quorate.analysis.panel import PanelAnalysis
from quorate.analysis.views import MOST_PARTS
from quorate.caveats import Caveat, weightiest_first
from quorate.reporting.page import Figure, Page, Section, particulars, source_of, title_of
from quorate.reporting.pages.panel import biases, groups, models, rankings, spending
from quorate.reporting.pages.panel.paragraphs import paragraphs
from quorate.roles import JUDGE
from quorate.wording import counted, plural

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.planning.panel.panel import Panel
    from quorate.reporting.page import Table

OF_COMPONENTS = ("left-negative", "averaged-answers", "aliased")
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
    return Page(
        title=title_of(source, "Panel of judges"),
        sentence=found.sentence,
        sections=(Section("panel", "The panel of judges", tuple(paragraphs(view)), figures),),
        facts=judged(view),
        methods=methods(view),
        content=view.to_dict,
        caveats=weightiest_first(found.caveats),
        source=source_of(source),
        options=f"level {found.level:g}",
    )


def section(analysis: Analysis) -> Section | None:
    """The section of the page on judgments, or None where there are no two judges."""
    view, title = analysis.judge_panel, "The panel of judges"
    if view is None:
        reason = analysis.judge_panel_reason
        text = f"The judges are not compared as a panel: {cut(reason, 500)}."
        return Section("panel", title, (text,)) if reason else None
    seen = view.alone and JUDGE in analysis.effects and len(view.judges) <= MOST_PARTS
    figures = (figure for figure in _figures(view, with_bias=not seen) if figure is not None)
    return Section("panel", title, tuple(paragraphs(view)), tuple(figures))


def caveats(analysis: Analysis) -> tuple[Caveat, ...]:
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
    """All exhibits; with one system, the chart of the effects of judges says the same as that of biases."""
    if with_bias:
        yield biases.bias(view)
    yield biases.tests(view)
    if view.panel.reversals is not None:
        yield rankings.rankings(view, view.panel.reversals)
        yield rankings.orders(view, view.panel.reversals)
        yield rankings.reversals(view, view.panel.reversals)
    yield biases.preference(view)
    yield groups.means(view)
    yield groups.variances(view)
    yield groups.panels(view)
    yield models.components(view)
    yield spending.strategies(view)
    yield spending.sharings(view)


def judged(view: PanelAnalysis) -> Figure:
    """What was judged by whom."""
    means = view.panel.means
    values = (
        ("judges", len(means.judges)),
        (plural(view.system), len(means.systems)),
        (f"{plural(cut(view.item))} that every judge scored", means.n_items),
        ("judgments", view.panel.judgments.n_answers),
    )
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
