"""Single configurations: what one judge with one prompt would have told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut, distinct, number
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, NAIVE
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Section
from quorate.reporting.pages.judgments.phrases import axis, level, more, places
from quorate.wording import counted, whole_percent

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row


def section(analysis: Analysis) -> Section:
    """How far the naive intervals of single configurations can be trusted."""
    heading, found = "What a single configuration would have told", analysis.naive
    if len(found.single) < 2:
        return Section("single", heading, ("There is one configuration, or too few items to compare any.",))
    if found.reason:
        text = f"No corrected interval for single configurations: {cut(found.reason, 500)}."
    else:
        text = (
            f"On average the naive standard error of one configuration is {whole_percent(found.width_ratio)} of what "
            f"it should be. The naive intervals hold the mean over all configurations in {found.naive_coverage:.0%} of "
            f"cases, the corrected ones in {found.corrected_coverage:.0%}."
        )
    return Section("single", heading, (text,), (single(analysis),))


def single(analysis: Analysis) -> Figure:
    """Naive intervals of single configurations against the corrected ones and the mean over all; how many mislead."""
    found = sorted(analysis.naive.single, key=lambda one: one.naive.value)
    varied = [name for name in found[0].labels if analysis.several(name)] if found else []
    labels = distinct([" · ".join(one.labels[name] for name in varied) or "all" for one in found])
    rows: list[Row] = [
        {
            "configuration": label,
            "mean": one.naive.value,
            "naive_low": one.naive.low,
            "naive_high": one.naive.high,
            "corrected_low": one.corrected.low,
            "corrected_high": one.corrected.high,
            "naive_misses": one.misses,
            "n": one.naive.n,
        }
        for label, one in zip(labels, found, strict=True)
    ]
    misses = sum(one.misses for one in found)
    finding = f"{misses} of {counted(len(found), 'single configuration')} would have missed the mean of all"
    line = (
        f"Thick: naive {level(analysis)} interval, s/√N over items; thin: corrected for the choice of configuration. "
        f"Dashed: the mean over all configurations, {number(analysis.naive.target, places(analysis))}."
    )

    def chart() -> Spec:
        verdicts = {True: "naive: misses it", False: "naive: holds it"}
        drawn = [{**row, "verdict": verdicts[row["naive_misses"]]} for row in marks.spread(rows)]
        ends = ("naive_low", "naive_high", "corrected_low", "corrected_high")
        base = marks.chart(drawn, marks.labels("configuration"), step=marks.step(drawn))
        x = marks.axis("mean", axis(analysis, "mean of"), marks.span([row[end] for row in drawn for end in ends]))
        wide = base.mark("rule", color=CORRECTED, strokeWidth=1.5)
        wide = wide.encode(x=marks.like(x, "corrected_low"), x2="corrected_high")
        scale = {"domain": list(verdicts.values()), "range": [MISSED, NAIVE]}
        legend = {"title": None, "symbolType": "stroke", "symbolStrokeWidth": 6, "columns": 1, "labelLimit": 400}
        colour = channel("verdict:N", scale=scale, legend=legend)
        narrow = base.mark("rule", strokeWidth=6)
        narrow = narrow.encode(x=marks.like(x, "naive_low"), x2="naive_high", color=colour)
        dots = base.mark("point", filled=True, opacity=1, color=INK, size=14).encode(x=x)
        return marks.finish([marks.line_at(analysis.naive.target, x), wide, narrow, dots])

    return Figure("single", Caption(finding, (line, *more(rows, "evenly spaced ones are shown"))), rows, chart)
