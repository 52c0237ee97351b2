"""Health of the data: what is missing, what is crossed, and which analyses are possible."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import cut, distinct
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import INK, NAIVE, palette
from quorate.reporting.draw.vega import channel
from quorate.reporting.page import Caption, Figure, Section, Short
from quorate.reporting.pages.judgments.phrases import capital, more
from quorate.roles import JUDGE, PROMPT
from quorate.wording import counted, listed, percent, plural, whole_percent

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.means.missing_bounds import MissingBounds
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row

MOST_PAIRS = 45
"""Pairs of facets that the diagram of crossings has room for."""
_MEETINGS = {
    "complete": ("#1F6FA8", "white"),
    "nested": ("#CFCF9A", "#14181D"),
    "one-to-one": ("#E3B7D0", "#14181D"),
    "partial": ("#A9CDE6", "#14181D"),
}
"""Fill and ink of a pair of facets, by how they meet."""


def section(analysis: Analysis) -> Section:
    """What is missing, how facets meet, and what the judgments support."""
    facts = analysis.support.facts
    balance, most = facts.balance, counted(facts.balance.most, "answer")
    each = most if balance.least == balance.most else f"{balance.least:,} to {most}"
    every = f"Every one of {counted(facts.rows, 'row')} has a usable score."
    text = [
        *([every] if facts.answers == facts.rows else []),
        f"{counted(facts.cells, 'cell')} with {each} each; {'balanced' if balance.balanced else 'unbalanced'}.",
        *(f"{capital(one.sentence)}." for one in analysis.support.findings),
        *(f"{capital(one.sentence)}." for one in analysis.support.floors if not one.met),
    ]
    gaps = [facet for facet in (JUDGE, PROMPT) if facts.answers < facts.rows and analysis.several(facet)]
    figures = [*(missing(analysis, facet) for facet in gaps), statuses(analysis)]
    figures += [bounds(analysis.missing)] if analysis.missing is not None else []
    figures += [crossings(analysis)] if facts.crossings else []
    return Section("health", "Data health", tuple(text), (*figures, support(analysis)))


def missing(analysis: Analysis, facet: str) -> Figure:
    """Share of the judgments without a usable score at each level of a facet, the largest first."""
    found = next(one for one in analysis.support.facts.missing if one.facet == facet)
    labels = distinct(found.levels)
    rows: list[Row] = [
        {
            "level": labels[i],
            "rows": int(found.rows[i]),
            "without_score": int(found.missing[i]),
            "share": float(found.share[i]),
            "absent_cells": None if found.absent is None else int(found.absent[i]),
        }
        for i in np.argsort(-found.share, kind="stable")
    ]
    least, most = percent(rows[-1]["share"]), percent(rows[0]["share"])
    shares = least if least == most else f"{least} to {most}"
    finding = f"{shares} of the judgments have no usable score, depending on the {facet}"
    some = [row for row in rows if row["without_score"]]
    line = f"Share of rows without a usable score, by {facet}; {counted(sum(row['rows'] for row in rows), 'row')}."
    whole = f"Not drawn: {counted(len(rows) - len(some), facet)} with every score." if len(some) < len(rows) else ""

    def chart() -> Spec:
        colour = palette(analysis.judgments.names).get(facet, NAIVE)
        return marks.bars([{**row, "colour": colour} for row in some[: marks.MOST_ROWS]], "level", "share")

    heads = {"level": facet, "share": "share without score"}
    caption = Caption(finding, (line, *([whole] if whole else []), *more(some)))
    return Figure(f"missing-{facet}", caption, rows, chart, heads)


def bounds(found: MissingBounds) -> Figure:
    """How far missing answers could move the means: mean of the answers, and of all if missing ones were an end."""
    rows: list[Row] = [
        {
            "facet": one.facet,
            "level": cut(one.level),
            "rows": one.rows,
            "without_score": one.missing,
            "mean": None if isnan(one.mean) else one.mean,
            "low": one.low,
            "high": one.high,
        }
        for one in found.levels
    ]
    line = "Plain means, in which every row weighs the same; nothing is assumed of why answers are missing."
    heads = {"mean": "mean of answers", "low": f"if all were {found.worst:g}", "high": f"if all were {found.best:g}"}
    return Figure(
        "missing-bounds",
        Caption(found.sentence.rstrip("."), (line,)),
        rows,
        None,
        heads,
        short=Short({name: name for name in [*rows[0]][:5]}),
    )


def statuses(analysis: Analysis) -> Figure:
    """Rows by status: status, rows, share."""
    facts = analysis.support.facts
    rows: list[Row] = [{"status": one.name, "rows": one.rows, "share": one.share} for one in facts.statuses]
    return Figure("statuses", Caption("Rows by status", (f"{counted(facts.rows, 'row')} in all.",)), rows)


def crossings(analysis: Analysis) -> Figure:
    """How every two facets meet, as a triangle of their pairs; whether everything was judged by everything."""
    pairs = analysis.support.facts.crossings
    rows: list[Row] = [
        {"facet": one.a, "with": one.b, "layout": one.kind, "pairs": one.pairs, "share": one.share} for one in pairs
    ]
    several = [one for one in pairs if one.kind != "one level"]
    gaps = [one for one in several if one.kind == "partial"]
    nested = [f"{cut(one.a)} in {cut(one.b)}" for one in several if one.kind == "nested"]
    finding = "All facets are crossed completely" + (f", but for {listed(nested)}" if nested else "")
    if gaps:
        least = min(gaps, key=lambda one: one.share)
        both = f"{plural(cut(least.a)).capitalize()} and {plural(cut(least.b))}"
        finding = f"{both} are crossed in part: {percent(least.share)} of the pairs occur"

    def chart() -> Spec:
        drawn = []
        for row in rows:
            whole = {"complete": "crossed", "nested": f"{row['facet']} in {row['with']}", "one-to-one": "one to one"}
            partly = whole_percent(row["share"]) if row["layout"] == "partial" else "one level"
            fill, ink = _MEETINGS.get(row["layout"], ("#D9D9D9", "#14181D"))
            drawn.append({**row, "colour": fill, "ink": ink, "text": whole.get(row["layout"], partly)})
        base = marks.chart(drawn, marks.labels("with"), step=44)
        heads = {"labelAngle": 0, "labelLimit": 110, "orient": "top", "domain": False, "ticks": False}
        base = base.encode(x=channel("facet:N", sort=None, title=None, axis=heads))
        box = base.mark("rect", stroke=INK, strokeOpacity=0.25, cornerRadius=3).encode(color=marks.own_colour())
        text = base.mark("text", fontSize=11).encode(text="text:N", color=marks.own_ink())
        return marks.finish([box, text])

    caption = Caption(finding, ("Pairs of levels that occur, of all pairs there could be.",))
    return Figure("crossings", caption, rows, chart if len(pairs) <= MOST_PAIRS else None)


def support(analysis: Analysis) -> Figure:
    """Analyses and whether the judgments support them, those that they do not first."""
    found = sorted(analysis.support.analyses, key=lambda one: one.possible)
    rows: list[Row] = [
        {"analysis": cut(o.name), "possible": o.possible, "reason": cut(o.reason, 300), "fix": cut(o.fix, 300)}
        for o in found
    ]
    finding = f"These judgments support {sum(one.possible for one in found)} of {len(found)} analyses"
    return Figure("support", Caption(finding), rows, folded=True)
