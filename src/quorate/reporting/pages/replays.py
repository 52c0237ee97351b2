"""Replays in other ways: people, other constants and whole cycles; and the marks that all replays share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.analysis.allocation import COEFFICIENTS, SHORT, settled
from quorate.analysis.words import cut, significant
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, MISSED, NAIVE
from quorate.reporting.draw.vega import Marks, channel
from quorate.reporting.page import Caption, Figure, Row, Short
from quorate.simulate.allocation.cycles import CYCLE
from quorate.simulate.allocation.result import ROBIN, ROBIN_HOOD, UNIFORM
from quorate.simulate.allocation.sweep import MIXED
from quorate.wording import capitalised, plural

if TYPE_CHECKING:
    from quorate.analysis.allocation import LevelReplay
    from quorate.reporting.draw.vega import Channel, Spec
    from quorate.simulate.allocation.cycles import CycleComparison
    from quorate.simulate.allocation.result import Allocation
    from quorate.simulate.allocation.sweep import Sweep

Styles = dict[str, tuple[str, list[int]]]

SOLID, DASHED, DOTTED = [1, 0], [6, 3], [2, 3]
POLICIES: Styles = {
    SHORT[UNIFORM]: (NAIVE, DASHED),
    SHORT[ROBIN_HOOD]: (CORRECTED, SOLID),
    SHORT[ROBIN]: (MISSED, DOTTED),
}
SHADES = ("#CC79A7", CORRECTED, "#2F9C95", "#999933", "#8C6BB1")
"""Of deltas, from small ones on; dashed where one comes again with another warm-up."""
BIAS, VARIANCE = "squared bias", "variance"
_UNIFORM_SLACK = 0.01
"""Relative difference of errors below which constants did nothing."""


def human(study: LevelReplay, mark: str = "") -> Figure:
    """Correlations with human scores by policy and calls."""
    found = study.allocation
    rows: list[Row] = [
        {"policy": SHORT[name], "calls": calls, **dict(zip(COEFFICIENTS, values, strict=True))}
        for name in order(found)
        for calls, values in zip(found.spent.tolist(), found.outcomes[name].correlations.T.tolist(), strict=True)
    ]
    caption = Caption("The correlation with human scores is not known: one of the two does not vary")
    if any(np.isfinite(one.correlations).any() for one in found.outcomes.values()):
        last = {name: float(found.outcomes[name].correlations[1, -1]) for name in order(found)}
        said = [f"{settled(last[name])} by {SHORT[name]}" for name in (ROBIN_HOOD, UNIFORM) if name in last]
        lines = (
            "Correlations of the means of arms with human scores, averaged over runs.",
            "Uniform allocation is drawn wide, beneath the others.",
        )
        finding = f"Rank correlation with human scores after {found.budget:,} calls: {', '.join(said)}"
        caption = Caption(finding, lines)

    def chart() -> Spec:
        known = [
            {"policy": row["policy"], "calls": row["calls"], "coefficient": title, "correlation": row[name]}
            for row in rows
            for name, title in COEFFICIENTS.items()
            if row[name] == row[name]
        ]
        dashes = dict(zip(COEFFICIENTS.values(), (SOLID, DASHED, DOTTED), strict=True))
        legend = {"title": None, "symbolType": "stroke", "orient": "bottom"}
        kinds = {"domain": list(dashes), "range": list(dashes.values())}
        strokes = channel("coefficient:N", scale=kinds, legend=legend)
        axis = {"grid": True, "tickCount": 5}
        y = channel("correlation:Q", title="correlation with human scores", scale={"zero": False}, axis=axis)
        numbers = [channel("calls:Q", format=","), channel("correlation:Q", format=".3f")]
        layers = []
        for name in dict.fromkeys(row["policy"] for row in known):
            width, opacity = (6.0, 0.55) if name == SHORT[UNIFORM] else (2.0, 1.0)
            line = Marks([row for row in known if row["policy"] == name])
            line = line.mark("line", strokeWidth=width, opacity=opacity)
            tips = [channel("policy:N"), channel("coefficient:N"), *numbers]
            encoded = {"x": calls(found.budget), "y": y, "color": colour(POLICIES), "strokeDash": strokes}
            layers.append(line.encode(**encoded, tooltip=tips))
        return marks.finish(layers, height=320)

    drawable = chart if marks.known(rows, *COEFFICIENTS) else None
    return Figure(
        f"human{mark}",
        caption,
        rows,
        drawable,
        dict(COEFFICIENTS),
        short=Short({"policy": "policy", "calls": "calls"} | dict(COEFFICIENTS)),
    )


def settings(sweep: Sweep, mark: str = "") -> Figure:
    """Every setting of the sweep: its constants, error and budget saved, drawn against calls."""
    columns: Mapping[str, list[Any]] = sweep.table
    table = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    rows: list[Row] = [
        {name: value for name, value in row.items() if name not in ("floor", "delta")} | {"saved": 100 * row["saved"]}
        for row in table
    ]
    ranked = sorted(sweep.settings, key=sweep.final)
    said = [f"{significant(sweep.final(name))} with {name}" for name in dict.fromkeys((ranked[0], ranked[-1]))]
    finding = f"After {int(sweep.spent[-1]):,} calls the largest error is {', '.join(said)}"
    line = (
        "Mean largest error of any arm against calls, on the same draws. delta: chance of failure; lam = log(1/delta)"
    )
    lines = [f"{line}, warm-up 4 lam pulls of every arm, rounded up, unless another is named."]
    if MIXED in sweep.settings and abs(sweep.final(MIXED) / sweep.final(UNIFORM) - 1) < _UNIFORM_SLACK:
        mixed = f"{capitalised(MIXED)}: constants that do not belong together. "
        why = "The bound is infinite until every arm has its equal share, so this is uniform allocation."
        lines.append(f"{mixed}{why}")

    def chart() -> Spec:
        curve = sweep.curve
        points = zip(curve["setting"], curve["spent"].tolist(), curve["wce_mean"].tolist(), strict=True)
        known = [{"setting": SHORT.get(name, name), "calls": n, "error": at} for name, n, at in points if at > 0]
        styles = _styles(sweep)
        tips = [channel("setting:N"), channel("calls:Q", format=","), channel("error:Q", format=".3~r")]
        line = Marks(known).mark("line", strokeWidth=2)
        drawn = line.encode(
            x=calls(int(sweep.spent[-1])),
            y=error("error", known),
            color=colour(styles, "setting", columns=2),
            strokeDash=dash(styles, "setting"),
            tooltip=tips,
        )
        return marks.finish([drawn], height=340)

    heads = {"warmup": "warm-up, pulls", "wce_mean": "largest error, mean", "saved": "budget saved, %"}
    short = Short({"setting": "setting", "warmup": "warm-up", "wce_mean": "error", "saved": "saved, %"})
    return Figure(f"settings{mark}", Caption(finding, tuple(lines)), rows, chart, heads, unfolded=True, short=short)


def cycles(found: CycleComparison, mark: str = "") -> Figure:
    """Whole cycles and single judges, by policy: bias and variance of the error against the mean of the panel."""
    rows: list[Row] = [
        {
            "design": cut(row.design),
            "policy": SHORT[row.policy],
            "shift": row.shift,
            "bias_squared": max(row.bias_squared, 0.0),
            "variance": row.variance,
            "off": math.sqrt(max(row.mse, 0.0)),
            "largest": row.wce,
        }
        for row in found.rows
    ]
    alone = [row for row in found.rows if row.design != CYCLE and row.policy == ROBIN_HOOD]
    best, facet = min(alone, key=lambda row: row.mse), cut(found.facet, 30)
    off = [significant(max(row.mse, 0.0) ** 0.5, 2) for row in (found.row(), best)]
    single = f"the best single {facet}, {cut(best.design, 40)},"
    line = f"Mean squared error against the mean of all {plural(facet)}, by ROBIN-HOOD with the same number of calls"
    lines = (
        f"{line}; dark: squared bias, which no budget mends; light: variance.",
        f"{CYCLE.capitalize()}: each pull asks every {facet} once.",
        *found.below_zero,
    )

    def chart() -> Spec:
        parts = {BIAS: "bias_squared", VARIANCE: "variance"}
        drawn = [
            {"design": row["design"], "part": part, "order": i, "of_error": max(row[name], 0.0)}
            for row in rows
            if row["policy"] == SHORT[ROBIN_HOOD]
            for i, (part, name) in enumerate(parts.items())
        ]
        scale = {"domain": list(parts), "range": [CORRECTED, "#8FC1E3"]}
        fill = channel("part:N", scale=scale, legend={"title": None})
        title = "mean squared error against the whole panel"
        x = channel("of_error:Q", title=title, stack="zero", axis={"grid": True})
        base = marks.chart(drawn, marks.labels("design"), step=30)
        return marks.finish([base.mark("bar").encode(x=x, color=fill, order="order:Q")])

    finding = f"Means by whole cycles are off by {off[0]}, by {single} by {off[1]} with as many calls"
    heads = {"design": "asked", "shift": "mean bias", "bias_squared": "squared bias"}
    heads |= {"off": "root mean square error", "largest": "largest error"}
    short = Short({"design": "asked", "policy": "policy", "bias_squared": "squared bias", "variance": "variance"})
    return Figure(f"cycles{mark}", Caption(finding, lines), rows, chart, heads, unfolded=True, short=short)


def order(found: Allocation) -> list[str]:
    """Policies that were replayed, in the order in which they are listed."""
    return [name for name in SHORT if name in found.outcomes]


def calls(budget: int, field: str = "calls") -> Channel:
    """The axis of calls, as far as the budget."""
    axis = {"format": ",.0f", "grid": False}
    return channel(f"{field}:Q", title="judge calls", axis=axis, scale={"domain": [0, budget], "nice": False})


def error(field: str, rows: Sequence[Row]) -> Channel:
    """The axis of errors."""
    ends = [row[name] for row in rows for name in ("low", "error", "high") if row.get(name)]
    scale = {"type": "log", "domain": [0.95 * min(ends), 1.05 * max(ends)], "nice": False}
    axis = {"grid": True, "tickCount": 6, "format": "~g"}
    return channel(f"{field}:Q", title="largest error of any arm (log scale)", scale=scale, axis=axis)


def colour(styles: Styles, field: str = "policy", columns: int = 3) -> Channel:
    """Colours with a legend of strokes that fits a narrow page."""
    legend = {
        "title": None,
        "columns": columns,
        "symbolType": "stroke",
        "symbolStrokeWidth": 3,
        "symbolOpacity": 1,
        "labelLimit": 260,
    }
    scale = {"domain": list(styles), "range": [shade for shade, _ in styles.values()]}
    return channel(f"{field}:N", scale=scale, legend=legend)


def dash(styles: Styles, field: str = "policy") -> Channel:
    """Strokes that tell lines apart without colours."""
    scale = {"domain": list(styles), "range": [stroke for _, stroke in styles.values()]}
    return channel(f"{field}:N", scale=scale, legend=None)


def _styles(sweep: Sweep) -> Styles:
    """A colour for every delta; dashes where it comes again."""
    deltas = {name: one.delta for name, one in sweep.settings.items() if name != MIXED}
    seen = list(deltas.values())
    shades = {delta: SHADES[min(i, len(SHADES) - 1)] for i, delta in enumerate(dict.fromkeys(seen))}
    styles: Styles = {
        name: (shades[delta], DASHED if delta in seen[:i] else SOLID) for i, (name, delta) in enumerate(deltas.items())
    }
    styles |= {MIXED: ("#CC5566", DOTTED)} if MIXED in sweep.settings else {}
    return styles | {SHORT[UNIFORM]: (NAIVE, DASHED), SHORT[ROBIN]: (MISSED, DOTTED)}
