"""Judges and prompts: who scores higher, whose absence moves the mean, and how categories differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quorate.analysis.views import MOST_PARTS
from quorate.analysis.words import cut, distinct, number
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import SEQUENTIAL, palette
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Section
from quorate.reporting.pages.judgments.phrases import SHORT, axis, level, more, places, size
from quorate.roles import JUDGE, PROMPT
from quorate.wording import counted, decimals, plural

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.components.robustness import Stated
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row


def section(analysis: Analysis) -> Section:
    """Effects, means, leave-one-out and categories, where something can be said."""
    figures = [effects(analysis, facet) for facet in analysis.effects]
    others = (means(analysis), leave_one_out(analysis), by_category(analysis))
    figures += [figure for figure in others if figure is not None]
    text = [f"No {facet} effects: {cut(reason, 500)}." for facet, reason in analysis.effects_reasons.items()]
    for facet, what in ((JUDGE, "without each judge"), (analysis.grouping, f"within each {analysis.grouping}")):
        if facet in analysis.judgments.names and analysis.judgments.n_levels(str(facet)) > MOST_PARTS:
            text.append(f"The mean {what} is left out: more than {MOST_PARTS} levels would be refitted.")
    text += [] if figures or text else ["One judge and one prompt at most: there is nothing to compare."]
    return Section("judges", "Judges and prompts", tuple(text), tuple(figures))


def effects(analysis: Analysis, facet: str) -> Figure:
    """How far each level of a facet is from the mean over the levels, the highest first; who is furthest off."""
    names = ("effect", "se", "low", "high", "mean", "n")
    found = sorted(analysis.effects[facet], key=lambda one: -one.effect)
    rows: list[Row] = [
        {"level": label, **{name: getattr(one, name) for name in names}}
        for label, one in zip(distinct([one.level for one in found]), found, strict=True)
    ]
    apart = [row for row in rows if row["low"] > 0 or row["high"] < 0]
    if not marks.known(rows, "se"):
        finding = f"No differences between {plural(facet)} were found: their variance is estimated at zero"
    elif apart:
        furthest = max(apart, key=lambda row: abs(row["effect"]))
        way = "above" if furthest["effect"] > 0 else "below"
        by = number(abs(furthest["effect"]), decimals(furthest["se"]))
        finding = f"{cut(furthest['level'], SHORT)} scores {by} {way} the mean of the {plural(facet)}"
    else:
        finding = f"No {facet} stands apart: every interval holds the mean of the {plural(facet)}"
    predicted = ", drawn towards it as far as the data are thin" if len(rows) > MOST_PARTS else ""
    line = f"Difference from the mean over {counted(len(rows), facet)}{predicted}, with {level(analysis)} intervals"

    def chart() -> Spec:
        colour = palette(analysis.judgments.names)[facet]
        title = axis(analysis, "difference in")
        return marks.dots(marks.furthest(rows, "effect"), "level", "effect", title, colour, at=0.0)

    heads = {"level": cut(facet), "effect": "difference from the mean", "se": "standard error"}
    drawn = chart if marks.known(rows, "effect") else None
    return Figure(f"effects-{facet}", Caption(finding, (f"{line}; {size(analysis)}.", *more(rows))), rows, drawn, heads)


def means(analysis: Analysis) -> Figure | None:
    """Mean score of every combination of judge and prompt; which are lowest and highest."""
    grid = analysis.means
    if grid is None:
        return None
    sides = {"row": grid.row_facet, "column": grid.column_facet}
    rows: list[Row] = [
        {"row": row, "column": column, "mean": float(grid.mean[i, k])}
        for i, row in enumerate(distinct(grid.rows))
        for k, column in enumerate(distinct(grid.columns))
    ]
    known, p = marks.known(rows, "mean"), places(analysis)
    low, high = (
        f"{number(row['mean'], p)} ({cut(row['row'], SHORT)}, {cut(row['column'], SHORT)})"
        for row in (pick(known, key=lambda row: row["mean"]) for pick in (min, max))
    )
    line = f"Mean of {cut(analysis.judgments.score)} by {JUDGE} and {PROMPT}; {size(analysis)}."
    empty = ["Empty places were never judged."] if len(known) < len(rows) else []
    hidden = max(len({row[side] for row in known}) for side in sides) > marks.MOST_ROWS
    rest = [f"The first {marks.MOST_ROWS} are drawn; the table has all."] if hidden else []

    def chart() -> Spec:
        levels = {side: list(dict.fromkeys(row[side] for row in known)) for side in sides}
        down, across = ("row", "column") if len(levels["row"]) >= len(levels["column"]) else ("column", "row")
        first = {side: set(labels[: marks.MOST_ROWS]) for side, labels in levels.items()}
        drawn = [row for row in known if row["row"] in first["row"] and row["column"] in first["column"]]
        values = [row["mean"] for row in drawn]
        scale = {"range": list(SEQUENTIAL), "domain": [min(values), max(values)]}
        middle = (min(values) + max(values)) / 2
        drawn = marks.readable(drawn, lambda row: row["mean"] > middle)
        base = marks.chart(drawn, marks.labels(down, sides[down]), step=30)
        short = sum(map(len, {row[across] for row in drawn})) <= 24
        heads = {"labelAngle": 0 if short else -40, "labelLimit": 110, "labelOverlap": False}
        base = base.encode(x=channel(f"{across}:N", sort=None, title=sides[across], axis=heads))
        legend = {"title": axis(analysis, "mean of"), "gradientLength": 180, "titleLimit": 280}
        layers = [base.mark("rect").encode(color=channel("mean:Q", scale=scale, legend=legend))]
        label = channel("mean:Q", format=f".{p}f")
        fits = {"expr": "bandwidth('x') < 32 ? 0 : 1"}
        layers.append(base.mark("text", fontSize=11, opacity=fits).encode(text=label, color=marks.own_ink()))
        return marks.finish(layers)

    return Figure("means", Caption(f"Means run from {low} to {high}", (line, *empty, *rest)), rows, chart, sides)


def leave_one_out(analysis: Analysis) -> Figure | None:
    """The mean without each judge in turn, against the mean with all of them; whose absence moves it most."""
    rows = _parts(analysis.leave_one_out)
    for row in rows:
        row["change"] = None if row["mean"] is None else row["mean"] - analysis.setup.value
    known = marks.known(rows, "mean")
    if not known:
        return None
    most = max(known, key=lambda row: abs(row["change"]))
    by = number(most["change"], places(analysis))
    finding = f"Without {cut(most['level'], SHORT)} the mean moves most, by {by if by.startswith('-') else '+' + by}"
    line = f"Mean without one {JUDGE} at a time, for the rest as a panel, with {level(analysis)} intervals"

    def chart() -> Spec:
        shown = marks.furthest(sorted(known, key=lambda row: -row["mean"]), "change")
        return _against_all(analysis, shown, JUDGE)

    lines = [f"{line}; dashed: the mean with all {len(known)}."]
    if (items := analysis.leave_one_out[0].items) is not None:
        name = analysis.judgments.object
        every = counted(analysis.judgments.n_levels(name), name)
        lines.append(f"The refits are of {items:,} of {every}, drawn at random, and carried over to all.")
    lines += more(known)
    heads = {"level": "left out", "se": "standard error"}
    return Figure("leave-one-out", Caption(finding, tuple(lines)), rows, chart, heads)


def by_category(analysis: Analysis) -> Figure | None:
    """The mean within each category, against the mean over all; from where to where they run."""
    rows = _parts(analysis.by_category)
    known, p = marks.known(rows, "mean"), places(analysis)
    if not known:
        return None
    low, high = (
        f"{number(row['mean'], p)} ({cut(row['level'], SHORT)})"
        for row in (pick(known, key=lambda row: row["mean"]) for pick in (min, max))
    )
    grouping = str(analysis.grouping)
    finding = f"{plural(cut(grouping, SHORT)).capitalize()} run from {low} to {high}"
    line = f"Mean within each {cut(grouping, SHORT)}, fitted on its own, with {level(analysis)} intervals"

    def chart() -> Spec:
        return _against_all(analysis, sorted(known, key=lambda row: -row["mean"])[: marks.MOST_ROWS], grouping)

    lines = (f"{line}; dashed: the mean over all; {size(analysis)}.", *more(known))
    return Figure("categories", Caption(finding, lines), rows, chart, {"level": cut(grouping), "se": "standard error"})


def _parts(parts: Sequence[Stated]) -> list[Row]:
    """Means of parts: level, mean, se, low, high, n; why not where there is none."""
    rows = []
    for label, part in zip(distinct([part.level for part in parts]), parts, strict=True):
        row: dict[str, Any] = {"level": label, **dict.fromkeys(("mean", "se", "low", "high", "n"))}
        if part.estimate is not None:
            row |= {name: getattr(part.estimate, name) for name in ("se", "low", "high", "n")}
            row["mean"] = part.estimate.value
        rows.append({**row, "why_not": part.reason})
    return rows


def _against_all(analysis: Analysis, rows: Sequence[Row], facet: str) -> Spec:
    """Means of parts with intervals, and a line at the mean of the whole."""
    colour = palette(analysis.judgments.names)[facet]
    return marks.dots(rows, "level", "mean", axis(analysis, "mean of"), colour, at=analysis.setup.value)
