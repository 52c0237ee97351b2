"""Charts of what gaming is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import significant
from quorate.reporting import gaming_captions, gaming_tables, marks
from quorate.reporting.tables import known
from quorate.reporting.theme import CORRECTED, INK, OTHERS, SEQUENTIAL

if TYPE_CHECKING:
    import altair as alt

    from quorate.decide.gaming.gaming import Gaming
    from quorate.reporting.marks import Chart

_DARK = 0.55
_ROOM = 1.25
"""Of an axis, for words beside the longest bar."""
_LINES = (CORRECTED, "#D55E00", "#009E73", "#CC79A7", *OTHERS)
MOST_LINES = len(_LINES)


def prizes(found: Gaming) -> Chart:
    """The prize of every design, with its interval where there is one."""
    rows = gaming_tables.prizes(found)[: marks.MOST_ROWS]
    rows = [{name: value for name, value in row.items() if name != "price" or value is not None} for row in rows]
    highs = [row["high"] for row in known(rows, "high")]
    window = marks.from_zero([row["prize"] for row in rows], highs)
    drawn = [marks.drawn(row, window, CORRECTED) for row in rows]
    x = marks.axis("prize", f"prize, {gaming_tables.unit(found)}", window)
    base = marks.chart(drawn, marks.labels("design"), step=30)
    return marks.finish(marks.intervals(drawn, base, x), gaming_captions.prizes(found))


def grid(found: Gaming) -> Chart:
    """The surface: the prize by prompts and judges."""
    import altair as alt

    rows = gaming_tables.grid(found)
    values = [row["prize"] for row in rows]
    low, high = min(values), max(values)
    middle = low + _DARK * (high - low)
    drawn = [{**row, "text": significant(row["prize"])} for row in rows]
    axis = alt.Axis(labelAngle=0, grid=False, ticks=False, domain=False)
    x = alt.X("prompts:O", title="prompts", axis=axis)
    y = alt.Y("judges:O", title="judges", axis=alt.Axis(ticks=False, domain=False))
    scale = alt.Scale(domain=[low, high], range=list(SEQUENTIAL), nice=False, zero=False)
    base = marks.chart(drawn, y, step=44).encode(x=x)
    box = base.mark_rect(stroke=INK, strokeOpacity=0.2, cornerRadius=3)
    filled = box.encode(color=alt.Color("prize:Q", scale=scale, legend=None))
    ink = alt.condition(f"datum.prize > {middle}", alt.value("white"), alt.value("#14181D"))
    text = base.mark_text(fontSize=13).encode(text="text:N", color=ink)
    return marks.finish([filled, text], gaming_captions.grid(found))


def attempts(found: Gaming) -> Chart:
    """The prize against the number of attempts, one line per design."""
    import altair as alt

    rows = gaming_tables.attempts(found)
    names = [one.label for one in found.prizes][:MOST_LINES]
    scale = alt.Scale(domain=names, range=list(_LINES[: len(names)]))
    legend = alt.Legend(title=None, columns=2, symbolType="stroke", symbolStrokeWidth=3, labelLimit=240)
    ticks = alt.Axis(values=[2, 5, 10, 20, 50, 100, 200, 500, 1000], format="~s", grid=False)
    log = alt.Scale(type="log", nice=False)
    x = alt.X("attempts:Q", title="attempts (log scale)", scale=log, axis=ticks)
    y = alt.Y("prize:Q", title=f"prize, {gaming_tables.unit(found)}", axis=alt.Axis(grid=True, tickCount=5))
    kept = [row for row in rows if row["design"] in names]
    tips = [alt.Tooltip("design:N"), alt.Tooltip("attempts:Q", format=","), alt.Tooltip("prize:Q", format=".4~r")]
    line = alt.Chart(alt.InlineData(values=kept)).mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=30))
    layers = [line.encode(x=x, y=y, color=alt.Color("design:N", scale=scale, legend=legend), tooltip=tips)]
    if found.k > 1:
        layers.append(_asked(found.k, x))
    return marks.finish(layers, gaming_captions.attempts(found), height=320)


def mitigation(found: Gaming) -> Chart:
    """The prize that each change leaves."""
    import altair as alt

    rows = gaming_tables.mitigation(found)
    rows = [{name: value for name, value in row.items() if name != "more_cost" or value is not None} for row in rows]
    first = found.prizes[0].value
    window = (0.0, _ROOM * max(first, *(row["prize"] for row in rows)) or 1.0)
    x = marks.axis("prize", f"prize that is left, {gaming_tables.unit(found)}", window)
    base = marks.chart(rows, marks.labels("change"), step=30)
    bar = base.mark_bar(color=CORRECTED, opacity=0.8, height={"band": 0.55}).encode(x=x)
    calls = base.transform_calculate(
        text="datum.more_calls > 0 ? '+' + format(datum.more_calls, ',') + ' calls' : 'no more calls'"
    )
    text = calls.mark_text(align="left", dx=6, color=INK, fontSize=11).encode(x=x, text=alt.Text("text:N"))
    return marks.finish([bar, text, marks.line_at(first, x)], gaming_captions.mitigation(found))


def _asked(k: int, x: alt.X) -> alt.Chart:
    import altair as alt

    data = alt.InlineData(values=[{"attempts": k}])
    line: alt.Chart = alt.Chart(data).mark_rule(color=INK, opacity=0.6, strokeDash=[4, 3]).encode(x=x)
    return line
