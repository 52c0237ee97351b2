"""Charts of adaptive allocation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorate.analysis.allocation_words import COEFFICIENTS, SHORT
from quorate.reporting import allocation_captions as captions
from quorate.reporting import allocation_tables as tables
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import known
from quorate.reporting.draw.theme import CORRECTED, INK, MISSED, NAIVE
from quorate.reporting.page import Row
from quorate.simulate.allocation.result import ROBIN, ROBIN_HOOD, UNIFORM
from quorate.simulate.allocation.saving import share_text
from quorate.simulate.allocation.sweep import MIXED

if TYPE_CHECKING:
    import altair as alt
    import numpy as np
    from numpy.typing import NDArray

    from quorate.analysis.allocation import AllocationView, Study
    from quorate.reporting.draw.marks import Chart
    from quorate.reporting.page import Caption
    from quorate.simulate.allocation.cycles import CycleComparison
    from quorate.simulate.allocation.sweep import Sweep

SOLID, DASHED, DOTTED = [1, 0], [6, 3], [2, 3]
POLICIES = {
    SHORT[UNIFORM]: (NAIVE, DASHED),
    SHORT[ROBIN_HOOD]: (CORRECTED, SOLID),
    SHORT[ROBIN]: (MISSED, DOTTED),
}
SHADES = ("#CC79A7", CORRECTED, "#2F9C95", "#999933", "#8C6BB1")
"""Of deltas, from small ones on; dashed where one comes again with another warm-up."""
BIAS, VARIANCE = "squared bias", "variance"
_CALLS = "judge calls"
_ERROR = "largest error of any arm (log scale)"


def levels(view: AllocationView) -> Chart:
    """Budget saved in every study, with its interval."""
    rows = known(tables.levels(view), "saved", "low")
    window = marks.around(rows, "saved", 0.0)
    drawn = [marks.drawn(row, window, CORRECTED) for row in rows]
    x = marks.axis("saved", "budget saved, %", window)
    base = marks.chart(drawn, marks.labels("level"), step=30)
    return marks.finish([marks.line_at(0.0, x), *marks.intervals(drawn, base, x)], captions.levels(view))


def curve(study: Study) -> Chart:
    """Largest error against calls: lines with bands, and a thick line where calls are saved."""
    import altair as alt

    rows, found = tables.curve(study), study.allocation
    least = min(row["error"] for row in rows if row["error"] > 0) / 2
    rows = [{**row, "low": max(row["low"], least)} for row in rows if row["error"] > 0]
    x, y = _calls(found.budget), _error("error", rows)
    band = alt.Chart(alt.InlineData(values=rows)).mark_area(opacity=0.18)
    layers = [band.encode(x=x, y=_error("low", rows), y2="high:Q", color=_colour(POLICIES))]
    line = alt.Chart(alt.InlineData(values=rows)).mark_line(strokeWidth=2.5)
    tips = ["policy:N", alt.Tooltip("calls:Q", format=","), alt.Tooltip("error:Q", format=".3~r")]
    layers.append(line.encode(x=x, y=y, color=_colour(POLICIES), strokeDash=_dash(POLICIES), tooltip=tips))
    return marks.finish([*layers, *_saved(study, rows)], captions.curve(study), height=340)


def histogram(values: NDArray[np.float64], title: str, caption: Caption) -> Chart:
    """Arms by value."""
    import altair as alt

    rows = tables.histogram(values)
    tips = [alt.Tooltip(f"{name}:Q", format=".3~r") for name in ("from", "to")] + [alt.Tooltip("arms:Q", format=",")]
    scale = alt.Scale(zero=False, nice=False, padding=6)
    x = alt.X("from:Q", title=title, bin="binned", axis=alt.Axis(grid=False, tickCount=6), scale=scale)
    y = alt.Y("arms:Q", title="arms", axis=alt.Axis(grid=True, tickCount=4, tickMinStep=1))
    bar = alt.Chart(alt.InlineData(values=_apart(rows))).mark_bar(color=CORRECTED, opacity=0.85, binSpacing=1)
    return marks.finish([bar.encode(x=x, x2="to:Q", y=y, tooltip=tips)], caption, height=180)


def human(study: Study) -> Chart:
    """Three correlations with human scores against calls."""
    import altair as alt

    rows = [
        {"policy": row["policy"], "calls": row["calls"], "coefficient": title, "correlation": row[name]}
        for row in tables.human(study)
        for name, title in COEFFICIENTS.items()
        if row[name] == row[name]
    ]
    dashes = dict(zip(COEFFICIENTS.values(), (SOLID, DASHED, DOTTED), strict=True))
    scale = alt.Scale(domain=list(dashes), range=list(dashes.values()))
    dash = alt.StrokeDash(
        "coefficient:N", scale=scale, legend=alt.Legend(title=None, symbolType="stroke", orient="bottom")
    )
    y = alt.Y("correlation:Q", title="correlation with human scores", scale=alt.Scale(zero=False), axis=_grid())
    tips = ["policy:N", "coefficient:N", alt.Tooltip("calls:Q", format=","), alt.Tooltip("correlation:Q", format=".3f")]
    parts = {SHORT[UNIFORM]: (6.0, 0.55)}
    x, colour, layers = _calls(study.allocation.budget), _colour(POLICIES), []
    for name in dict.fromkeys(row["policy"] for row in rows):
        width, opacity = parts.get(name, (2.0, 1.0))
        line = alt.Chart(alt.InlineData(values=[row for row in rows if row["policy"] == name]))
        line = line.mark_line(strokeWidth=width, opacity=opacity)
        layers.append(line.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tips))
    return marks.finish(layers, captions.human(study), height=320)


def profile(study: Study) -> Chart:
    """Pulls of an arm against its variance, by ROBIN-HOOD and in proportion to variances."""
    import altair as alt

    found = tables.profile(study)
    names = {SHORT[ROBIN_HOOD]: (CORRECTED, SOLID), tables.IDEAL: (MISSED, DASHED), SHORT[UNIFORM]: (NAIVE, DOTTED)}
    rows = [
        {"which": name, "variance": row["variance"], "arms": row["arms"], "pulls": row[name]}
        for name in names
        for row in found
        if name in row
    ]
    x = alt.X("variance:Q", title="variance of an arm", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    y = alt.Y("pulls:Q", title="pulls of an arm", axis=_grid())
    numbers = [alt.Tooltip(f"{name}:Q", format=".3~r") for name in ("variance", "pulls", "arms")]
    tips = [alt.Tooltip("which:N"), *numbers]
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y=y, color=_colour(names, "which"), tooltip=tips)
    line = base.mark_line(strokeWidth=2).encode(strokeDash=_dash(names, "which"))
    points = base.mark_point(filled=True, size=30, opacity=1).transform_filter(f"datum.which === '{SHORT[ROBIN_HOOD]}'")
    return marks.finish([line, points], captions.profile(study), height=300)


def settings(sweep: Sweep) -> Chart:
    """Largest error against calls with several constants."""
    import altair as alt

    rows = [row for row in tables.settings_curve(sweep) if row["error"] > 0]
    own = {name: one.delta for name, one in sweep.settings.items() if name != MIXED}
    deltas, seen = list(dict.fromkeys(own.values())), list(own.values())
    shades = {delta: SHADES[min(i, len(SHADES) - 1)] for i, delta in enumerate(deltas)}
    styles = {
        name: (shades[delta], DASHED if delta in seen[:i] else SOLID) for i, (name, delta) in enumerate(own.items())
    }
    styles |= {MIXED: ("#CC5566", DOTTED)} if MIXED in sweep.settings else {}
    styles |= {SHORT[UNIFORM]: (NAIVE, DASHED), SHORT[ROBIN]: (MISSED, DOTTED)}
    tips = ["setting:N", alt.Tooltip("calls:Q", format=","), alt.Tooltip("error:Q", format=".3~r")]
    colour, dash = _colour(styles, "setting", columns=2), _dash(styles, "setting")
    line = alt.Chart(alt.InlineData(values=rows)).mark_line(strokeWidth=2)
    x, y = _calls(int(sweep.spent[-1])), _error("error", rows)
    return marks.finish(
        [line.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tips)], captions.settings(sweep), height=340
    )


def cycles(found: CycleComparison, rows: Sequence[Row]) -> Chart:
    """Squared bias and variance of ROBIN-HOOD by whole cycles and by single judges."""
    import altair as alt

    parts = {BIAS: "bias_squared", VARIANCE: "variance"}
    drawn = [
        {"design": row["design"], "part": part, "order": i, "of_error": max(row[name], 0.0)}
        for row in rows
        if row["policy"] == SHORT[ROBIN_HOOD]
        for i, (part, name) in enumerate(parts.items())
    ]
    scale = alt.Scale(domain=list(parts), range=[CORRECTED, "#8FC1E3"])
    colour = alt.Color("part:N", scale=scale, legend=alt.Legend(title=None))
    x = alt.X("of_error:Q", title="mean squared error against the whole panel", stack="zero", axis=alt.Axis(grid=True))
    base = marks.chart(drawn, marks.labels("design"), step=30)
    return marks.finish([base.mark_bar().encode(x=x, color=colour, order="order:Q")], captions.cycles(found))


def _saved(study: Study, rows: Sequence[Row]) -> list[alt.Chart]:
    """A thick line from the calls that ROBIN-HOOD needs to all of them, with the part saved."""
    import altair as alt

    found = study.allocation
    saved = study.saved if {UNIFORM, ROBIN_HOOD} <= set(found.outcomes) else None
    if saved is None or saved.value <= 0:
        return []
    final = float(found.outcomes[UNIFORM].errors[:, -1].mean())
    value: Row = {"needed": found.budget * (1 - saved.value), "all": found.budget, "at": final}
    data = alt.InlineData(values=[{**value, "text": f"{share_text(saved.value)} saved"}])
    x, y = _calls(found.budget, "needed"), _error("at", rows)
    rule = alt.Chart(data).mark_rule(color=INK, strokeWidth=4, opacity=0.75).encode(x=x, x2="all:Q", y=y)
    words = alt.Chart(data).mark_text(align="right", dy=-12, fontWeight="bold", color=INK)
    return [rule, words.encode(x=_calls(found.budget, "all"), y=y, text="text:N")]


def _calls(budget: int, field: str = "calls") -> alt.X:
    import altair as alt

    axis = alt.Axis(format=",.0f", grid=False)
    return alt.X(f"{field}:Q", title=_CALLS, axis=axis, scale=alt.Scale(domain=[0, budget], nice=False))


def _error(field: str, rows: Sequence[Row]) -> alt.Y:
    import altair as alt

    ends = [row[name] for row in rows for name in ("low", "error", "high") if row.get(name)]
    scale = alt.Scale(type="log", domain=[0.95 * min(ends), 1.05 * max(ends)], nice=False)
    return alt.Y(f"{field}:Q", title=_ERROR, scale=scale, axis=alt.Axis(grid=True, tickCount=6, format="~g"))


def _grid() -> alt.Axis:
    import altair as alt

    return alt.Axis(grid=True, tickCount=5)


def _colour(styles: dict[str, tuple[str, list[int]]], field: str = "policy", columns: int = 3) -> alt.Color:
    """Colours with a legend of strokes that fits a narrow page."""
    import altair as alt

    legend = alt.Legend(
        title=None, columns=columns, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1, labelLimit=260
    )
    scale = alt.Scale(domain=list(styles), range=[colour for colour, _ in styles.values()])
    return alt.Color(f"{field}:N", scale=scale, legend=legend)


def _dash(styles: dict[str, tuple[str, list[int]]], field: str = "policy") -> alt.StrokeDash:
    import altair as alt

    scale = alt.Scale(domain=list(styles), range=[dash for _, dash in styles.values()])
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=None)


def _apart(rows: Sequence[Row]) -> list[Row]:
    """Bars with some width, also where all values are the same."""
    return [{**row, "to": row["to"] if row["to"] > row["from"] else row["from"] + 1e-3} for row in rows]
