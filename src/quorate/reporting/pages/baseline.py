"""A stream against a baseline: the page of its means, of the evidence at every look, and of where a change began."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import cut, significant
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import counted, percent, plural

if TYPE_CHECKING:
    from quorate.estimate.means.baseline import AgainstBaseline
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table

MOST_PARTS = 12


def page(result: AgainstBaseline, table: Table | None = None) -> Page:
    """The page of a stream against a baseline."""
    facts: dict[str, object] = {
        "baseline": result.baseline,
        plural(result.unit): result.n,
        "in the order of": result.order or "rows",
        "largest evidence of a fall": f"{math.exp(min(float(result.path[:, 0].max()), 700.0)):.3g}",
        "largest evidence of a rise": f"{math.exp(min(float(result.path[:, 1].max()), 700.0)):.3g}",
        "evidence that is an alarm": f"{math.exp(result.limit):.3g}",
    }
    ends = f"{significant(result.low)} to {significant(result.high)}"
    return Page(
        title=title_of(table, "A stream against a baseline"),
        sentence=result.sentence,
        sections=(Section("stream", "Along the stream", figures=(stream(result),)),),
        facts=particulars("rests", f"What it rests on: {counted(result.n, result.unit)}", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        tiles=(
            Tile(result.state, f"against a baseline of {result.baseline:g}"),
            Tile(significant(result.value), f"mean of all ({100 * result.level:g}% interval at any look {ends})"),
        ),
        source=source_of(table),
        options=f"level {result.level:g}",
    )


def stream(result: AgainstBaseline) -> Figure:
    """Means of equal parts of the stream, beside the baseline, with the evidence at their ends."""
    edges = np.unique(np.linspace(0, result.n, min(MOST_PARTS, result.n) + 1).astype(int))
    began = result.began
    rows: list[Row] = [
        {
            "part": f"{start + 1:,} to {end:,}",
            "mean": float(result.means[start:end].mean()),
            "fall": math.exp(min(float(result.path[end - 1, 0]), 700.0)),
            "rise": math.exp(min(float(result.path[end - 1, 1]), 700.0)),
        }
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    finding = f"The baseline of {result.baseline:g} is kept"
    if began is not None:
        finding = f"From {result.unit} {cut(began.item)} on the mean is {significant(began.after)}"
    lines = (
        "Means of equal parts, in order. Dashed: the baseline.",
        f"Evidence of {math.exp(result.limit):.3g} or more, of a fall or of a rise, is an alarm.",
        f"It is false in at most {percent(1 - result.level)} of streams.",
    )

    def chart() -> Spec:
        ends = edges[1:].tolist()
        looks = [(CORRECTED if began is not None and end >= began.place else NAIVE, "circle") for end in ends]
        drawn = [{**row, "low": row["mean"], "high": row["mean"]} for row in rows]
        return marks.dots(drawn, "part", "mean", "mean score", looks, at=result.baseline)

    return Figure(
        "stream",
        Caption(finding, lines),
        rows,
        chart,
        {"part": plural(result.unit), "fall": "evidence of a fall", "rise": "of a rise"},
        unfolded=True,
        short=Short({"part": plural(result.unit), "mean": "mean", "fall": "evidence of a fall", "rise": "of a rise"}),
    )


def methods(result: AgainstBaseline) -> str:
    """The paragraph for a methods section."""
    return (
        f"Scores in their order were held against a mean of {result.baseline:g}. From every place on a part of a "
        "capital is bet at several stakes on scores below it, and another on scores above it. While no score's mean, "
        "given those before, is beyond the baseline, neither is expected to grow, so that by Ville's inequality "
        f"either is ever multiplied by {math.exp(result.limit):.3g} with a chance of at most "
        f"{percent((1 - result.level) / 2)}. Where a change began is the place that explains the scores best, with "
        "those that hold it with the level's chance if every place is as likely."
    )
