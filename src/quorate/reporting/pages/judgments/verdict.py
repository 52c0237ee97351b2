"""Verdict: how far the mean can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.content import NAIVE as NAIVE_INTERVAL
from quorate.analysis.words import against_naive, cut, span, times
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, NAIVE
from quorate.reporting.page import Caption, Figure, Section, Short
from quorate.reporting.pages.judgments.phrases import axis, level, places, size
from quorate.wording import capitalised

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.reporting.draw.vega import Spec


def section(analysis: Analysis) -> Section:
    """The intervals."""
    return Section("verdict", "How far the mean can be trusted", figures=(intervals(analysis),))


def intervals(analysis: Analysis) -> Figure:
    """The naive interval, the one for this study's setup and the one for others like it, on one axis."""
    rows, headline = analysis.rows(), analysis.readings[0]
    ratio = headline.half_width / analysis.naive.overall.half_width
    if ratio >= 1.05:
        finding = f"The naive interval is {times(ratio)} times too narrow {headline.scope}".rstrip()
    else:
        finding = against_naive(headline, analysis.naive.overall, places(analysis)).rstrip(".")
    scores = analysis.support.facts.scores
    clipped = any(row["low"] < scores.low or row["high"] > scores.high for row in rows)
    whom = [f"this setup speaks for items like these{', ' * bool(headline.scope)}{headline.scope}"]
    whom += [f"others like it {analysis.readings[1].scope}"] if analysis.others is not None else []
    lines = (
        f"Mean of {cut(analysis.judgments.score)} with {level(analysis)} intervals; {size(analysis)}.",
        f"{capitalised('; '.join(whom))}.",
        *(["An arrow: the interval goes on beyond the scores that occur."] if clipped else []),
    )

    def chart() -> Spec:
        low, high = marks.span([row[end] for row in rows for end in ("low", "high")])
        window = max(low, scores.low), min(high, scores.high)  # a mean cannot be beyond the scores
        drawn = [
            {**row, "text": span(one, places(analysis))}
            | marks.drawn(row, window, NAIVE if row["interval"] == NAIVE_INTERVAL else CORRECTED)
            for row, one in zip(rows, (analysis.naive.overall, *analysis.readings), strict=True)
        ]
        base = marks.chart(drawn, marks.labels("interval"), step=60)
        x = marks.axis("mean", axis(analysis, "mean of"), window)
        text = base.mark("text", dy=-17, color=INK).encode(x=x, text="text:N")
        return marks.finish([*marks.intervals(drawn, base, x, thickness=7), text])

    heads = {"interval": "", "mean": "mean", "low": f"{level(analysis)} interval"}
    return Figure("intervals", Caption(finding, lines), rows, chart, short=Short(heads, of="mean"))
