"""People: the items that they should decide first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import cut, distinct, significant
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE, palette
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Section
from quorate.reporting.pages.judgments import filters
from quorate.reporting.pages.judgments.phrases import SHORT, axis, capital
from quorate.roles import JUDGE
from quorate.wording import listed, plural, whole_percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quorate.analysis.judgments import Analysis
    from quorate.estimate.means.flags import Flag, Flags
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row

MOST_ENDS = 10
"""Configurations of a flagged item that are listed from each end."""
BINS = 60
"""Places on the axis of scores at which configurations count as equal in a chart."""


def section(analysis: Analysis) -> Section:
    """Items on which configurations differ most, and how they were scored."""
    what, flags = plural(cut(analysis.judgments.object)), analysis.flags
    heading = f"{what.capitalize()} to send to people"
    if flags is None:
        return Section("people", heading, (f"{capital(analysis.flags_reason)}.",))
    text = [f"{capital(caveat.sentence)}." for caveat in flags.caveats]
    text.append(
        f"Judges, prompts and settings differ most on these {what}, so a single configuration is least to be trusted "
        "there; people should decide them first. Where judges agree they can agree on a mistake: send some others too."
    )
    return Section("people", heading, tuple(text), (flagged(analysis, flags), flagged_scores(analysis, flags)))


def conditions(analysis: Analysis) -> list[str]:
    """For every flagged item, a condition that finds its rows."""
    flags = () if analysis.flags is None else analysis.flags.flags
    return [filters.where(analysis.judgments, flag.labels) for flag in flags]


def flagged(analysis: Analysis, flags: Flags) -> Figure:
    """How far apart the flagged items were scored; how much of the disagreement is in few of them.

    Spreads are standard deviations of one judgment, in score units. A condition that is too long to read is in the JSON
    only.
    """
    item, labels = cut(analysis.judgments.object), _labels(flags)
    short = [rows if len(rows) <= filters.MOST else "too long; see the JSON" for rows in conditions(analysis)]
    rows: list[Row] = [
        {
            "item": label,
            "rows": condition,
            "lowest": flag.lowest,
            "highest": flag.highest,
            "spread": flag.variance**0.5,
            "low": flag.low**0.5,
            "high": flag.high**0.5,
            "df": flag.df,
            "judgments": flag.n,
        }
        for label, condition, flag in zip(labels, short, flags.flags, strict=True)
    ]
    finding = f"The {plural(item)} do not differ in spread by more than chance"
    if flags.between > 0:
        name = cut(rows[0]["item"], SHORT)
        worst = name if any(c.isalpha() for c in name) else f"{item} {name}"
        ends = f"{rows[0]['lowest']:.4g} to {rows[0]['highest']:.4g}"
        finding = (
            f"{len(flags.flags):,} of {flags.items:,} {plural(item)} have {whole_percent(flags.share)} of the "
            f"disagreement; {worst} most, scored {ends}"
        )
    over = listed([plural(cut(name)) for name in flags.over]) if flags.over else "replicates"
    spread = f"Spread: standard deviation of one judgment of the same {item} over {over}"
    average = f"of the average one {significant(flags.mean**0.5, 2)}"
    left = f" {flags.left_out:,} judged too rarely to compare." if flags.left_out else ""
    lines = (
        f"{spread}, after differences that all {plural(item)} share; {average}.{left}",
        "Dots: configurations by mean score, larger where several agree; bar: from the least to the greatest score.",
    )

    def chart() -> Spec:
        more = [{"configurations": flag.cells, "expected": flag.expected**0.5} for flag in flags.flags]
        drawn = [
            {**row, "rows": condition, **own}
            for row, condition, own in zip(rows, conditions(analysis), more, strict=True)
        ]
        scores, facts = _spread(analysis, flags), analysis.support.facts.scores
        x = marks.axis("lowest", axis(analysis), marks.span([facts.low, facts.high]))
        base = marks.chart(drawn, marks.labels("item"), step=marks.step(drawn))
        bar = base.mark("rule", strokeWidth=8, opacity=0.25, color=NAIVE).encode(x=x, x2="highest")
        most = max(row["configurations"] for row in scores)
        scale = {"domain": [1, max(most, 2)], "range": [40, 40 + 12 * min(most, 20)]}
        size = channel("configurations:Q", scale=scale, legend=None)
        colour = palette(analysis.judgments.names).get(JUDGE, CORRECTED)
        dots = marks.chart(scores, marks.labels("item"), step=marks.step(drawn))
        points = dots.mark("point", filled=True, opacity=0.7, color=colour).encode(x=marks.like(x, "mean"), size=size)
        return marks.finish([bar, points])

    differ = flags.between > 0
    caption, drawn = Caption(finding, lines), chart if differ else None
    return Figure("flagged", caption, rows, drawn, _heads(analysis), folded=not differ, unfolded=differ)


def flagged_scores(analysis: Analysis, flags: Flags) -> Figure:
    """How the flagged items were scored, configuration by configuration: the lowest and the highest of each."""
    fitted, rows = analysis.fit.judgments, []
    varied = [name for name in flags.over if analysis.several(name)]
    columns = [(fitted.facet(name).levels, fitted.column(name)) for name in varied]
    for label, flag in zip(_labels(flags), flags.flags, strict=True):
        cells = _cells(analysis, flag)
        cells = cells[np.argsort(fitted.mean[cells], kind="stable")]
        if len(cells) > 2 * MOST_ENDS:
            cells = np.concatenate([cells[:MOST_ENDS], cells[-MOST_ENDS:]])
        rows += [
            {
                "item": label,
                "configuration": cut(" · ".join(levels[column[cell]] for levels, column in columns) or "all"),
                "mean": float(fitted.mean[cell]),
                "judgments": int(fitted.n[cell]),
                "lowest": float(fitted.low[cell]),
                "highest": float(fitted.high[cell]),
            }
            for cell in cells
        ]
    most = max((flag.cells for flag in flags.flags), default=0)
    ends = f"; the {MOST_ENDS} lowest and highest of each" if most > 2 * MOST_ENDS else ""
    what = plural(cut(analysis.judgments.object))
    caption = Caption(f"How these {what} were scored, configuration by configuration", (f"Mean scores{ends}.",))
    return Figure("flagged-scores", caption, rows, None, _heads(analysis), folded=True)


def _labels(flags: Flags) -> list[str]:
    return distinct([" / ".join(flag.labels.values()) for flag in flags.flags])


def _heads(analysis: Analysis) -> dict[str, str]:
    heads = {"item": cut(analysis.judgments.object), "spread": "spread of one judgment", "low": "low, 95%"}
    return heads | {"high": "high, 95%", "rows": "rows, as SQL condition"}


def _cells(analysis: Analysis, flag: Flag) -> NDArray[np.intp]:
    """Cells of a flagged item."""
    fitted = analysis.fit.judgments
    member = np.ones(fitted.n_cells, dtype=bool)
    for role, text in flag.labels.items():
        member &= fitted.column(role) == fitted.level_index(role, text)
    return np.flatnonzero(member)


def _spread(analysis: Analysis, flags: Flags) -> list[Row]:
    """How many configurations scored each flagged item alike: item, mean, configurations; equal but for the bin."""
    fitted, scores = analysis.fit.judgments, analysis.support.facts.scores
    step = max((scores.high - scores.low) / BINS, np.finfo(float).tiny)
    rows: list[Row] = []
    for label, flag in zip(_labels(flags), flags.flags, strict=True):
        mean = fitted.mean[_cells(analysis, flag)]
        bins = np.rint((mean - scores.low) / step)
        for at in np.unique(bins):
            alike = mean[bins == at]
            rows.append({"item": label, "mean": float(alike.mean()), "configurations": len(alike)})
    return rows
