"""Charts of a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.reporting import verdict_captions, verdict_tables
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import known
from quorate.reporting.draw.theme import CORRECTED, INK, NAIVE

if TYPE_CHECKING:
    from quorate.decide.outcome import AnyVerdict
    from quorate.decide.scores.verdict import ScoreVerdict
    from quorate.reporting.draw.marks import Chart


def intervals(verdict: AnyVerdict) -> Chart | None:
    """The difference with its intervals, no difference, and what counts as equal; None without an interval."""
    rows = known(verdict_tables.intervals(verdict), "low", "high")
    if not rows:
        return None
    zero, margin = verdict_tables.centre(verdict), verdict.margin
    edges = [] if margin is None else [zero - margin, zero + margin]
    window = marks.around(rows, "value", zero, *edges)
    drawn = [marks.drawn(row, window, NAIVE if i else CORRECTED) for i, row in enumerate(rows)]
    x = marks.axis("value", verdict_captions.axis(verdict), window)
    base = marks.chart(drawn, marks.labels("interval"), step=34)
    lines = [marks.line_at(zero, x), *(marks.line_at(edge, x).mark_rule(strokeDash=[1, 3]) for edge in edges)]
    return marks.finish([*lines, *marks.intervals(drawn, base, x)], verdict_captions.intervals(verdict))


def sources(verdict: ScoreVerdict) -> Chart:
    """Shares of the variance of a difference of scores."""
    import altair as alt

    rows = [{**row, "text": f"{row['share_of_variance']:.0%}"} for row in verdict_tables.sources(verdict)]
    scale, axis = alt.Scale(domain=[0, 1], nice=False), alt.Axis(format=".0%")
    x = alt.X("share_of_variance:Q", title="share of the variance of the difference", scale=scale, axis=axis)
    base = marks.chart(rows, marks.labels("source"), step=26)
    bar = base.mark_bar(color=CORRECTED, opacity=0.85, height={"band": 0.6}).encode(x=x)
    text = base.mark_text(align="left", dx=5, color=INK, fontSize=11).encode(x=x, text="text:N")
    return marks.finish([bar, text], verdict_captions.shares(verdict))
