"""Models of crossed scores: variance components with item × judge apart, and as published, where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.panel import APART, LEAST_P, PUBLISHED, PanelAnalysis, promised
from quorate.analysis.words import cut, p_value, significant
from quorate.estimate.panel.crossed import JUDGE_EFFECT, TERMS
from quorate.reporting.draw.marks import CORRECTED, MISSED
from quorate.reporting.page import Caption, Figure, Short
from quorate.reporting.pages.panel.drawing import Series, grouped, headers
from quorate.wording import counted, plural

if TYPE_CHECKING:
    from quorate.estimate.panel.crossed import Crossed
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row

MOST_DRAWN = 50
"""Rows of components that a chart has room for."""


def components(view: PanelAnalysis) -> Figure | None:
    """Components under both models, of the systems for which they answer differently; None where there is none."""
    differ = [(system, one) for system, one in view.crossed if one.disagree]
    rows: list[Row] = [
        {
            "component": term(view, name) + ("" if view.alone else f" · {view.systems[system]}"),
            "model": model,
            "variance": found.values[name],
            "low": found.intervals[name][0],
            "high": found.intervals[name][1],
        }
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
    return Figure(
        "panel-components",
        caption,
        rows,
        chart,
        headers(view),
        short=Short(
            {"component": "component", "model": "model", "variance": "variance", "low": "interval"}, of="variance"
        ),
    )


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
