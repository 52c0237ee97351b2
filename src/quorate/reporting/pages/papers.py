"""Papers: the page of published figures beside ours, with the papers' figures redrawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, MISSED, NAIVE, OTHERS, Marks, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, particulars
from quorate.reproduction.comparison import Compared, Ran, Reproduction
from quorate.reproduction.study import Drawing, publication
from quorate.wording import capitalised, counted

COLOURS = (CORRECTED, MISSED, NAIVE, *OTHERS)


def page(result: Reproduction, _: Table | None = None) -> Page:
    """The page of figures computed again."""
    counts = result.counts
    papers = dict.fromkeys(run.study.split(".")[0] for run in result.runs)
    drawn = any(run.replicates for run in result.runs)
    ours = counts["not in the paper"] + counts["as written down"]
    facts = {"studies": len(result.runs), "published figures": sum(counts.values()) - ours}
    facts |= {f"replicates of {run.study}": run.replicates for run in result.runs if run.replicates}
    facts |= {f"replicates of {run.study} that failed": run.failed for run in result.runs if run.failed}
    return Page.of(
        result,
        None,
        "Published figures, computed again",
        sections=(*([errata(result)] if result.errata else []), *(paper(result, name) for name in papers)),
        facts=particulars("run", "What was run", facts),
        methods=methods(drawn),
        options=", ".join(run.study for run in result.runs),
        seed=result.seed,
    )


def errata(result: Reproduction) -> Section:
    """What is wrong in the papers, where these figures show it."""
    return Section(
        "errata", "Errors of the papers", tuple(f"{name}: {words}." for name, words in result.errata.items())
    )


def paper(result: Reproduction, name: str) -> Section:
    """A paper: study after study, its figures beside ours and those redrawn."""
    title = publication().papers[name]
    figures: list[Figure] = []
    for run in result.runs:
        if run.study.split(".")[0] == name:
            own = [one for one in result.figures if one.study == run.study]
            figures.append(published(run, [one for one in own if one.verdict != "not in the paper"]))
            figures += [redrawn(one) for one in result.drawings if one.study == run.study]
    mine = [one for one in result.figures if one.study.split(".")[0] == name and one.verdict == "not in the paper"]
    if mine:
        rows: list[Row] = [
            {"study": one.study, "figure": one.what, "ours": one.ours, "error": one.error or None} for one in mine
        ]
        caption = Caption(f"{counted(len(rows), 'figure')} that the paper does not have")
        figures.append(Figure(f"{name}-ours", caption, rows, headers={"error": "Monte Carlo error"}, folded=True))
    short = title.partition(",")[0] + (", simulations" if name == "mc" else "")
    return Section(name, short, (f"{title}.",), tuple(figures))


def published(run: Ran, own: list[Compared]) -> Figure:
    """The figures of a study beside ours."""
    bounds = {"equal": "", "at least": "at least ", "at most": "at most "}
    rows: list[Row] = [
        {
            "figure": f"{one.what} ({one.place})",
            "paper": one.published if one.rule == "equal" else f"{bounds[one.rule]}{one.published:g}",
            "ours": one.ours if math.isfinite(one.ours) else ("-" if math.isnan(one.ours) else "unattainable"),
            "verdict": one.verdict if run.missing else one.verdict_words,
            "error": one.error or None,
            "tolerance": one.tolerance,
        }
        for one in own
    ]
    agree, kept = (sum(one.verdict == verdict for one in own) for verdict in ("agrees", "as written down"))
    found = f"{agree} of {counted(len(own) - kept, 'published figure')} agree." if len(own) > kept else ""
    found += f" {counted(kept, 'figure')} of ours, on other data, as written down." if kept else ""
    drawn = f" {run.replicates:,} replicates of every law." if run.replicates else ""
    lines = (
        *((capitalised(run.missing) + ".",) if run.missing else ()),
        f"{found}{drawn}".strip(),
        *(f"{one.what}: {one.why}." for one in own if one.verdict == "within chance"),
        "Tolerance: rounding of the paper or what it leaves open, and three Monte Carlo errors, together.",
    )
    caption = Caption(f"{run.study}: {run.title}", lines)
    heads = Short.titles("figure", "paper", "ours", error="+-", tolerance="within", verdict="verdict")
    titles = {"error": "Monte Carlo error"}
    return Figure.of(run.study.replace(".", "-"), caption, rows, heads, titles=titles, folded=bool(run.missing))


def redrawn(drawing: Drawing) -> Figure:
    """A figure of a paper from our numbers."""
    return Figure(drawing.name, Caption(drawing.title, ("Our numbers.",)), drawing.rows, _chart(drawing), folded=False)


def _chart(drawing: Drawing) -> Callable[[], Spec]:
    def chart() -> Spec:
        tips = [
            channel(f"{name}:N") if isinstance(value, str) else channel(f"{name}:Q", format=".4~r")
            for name, value in drawing.rows[0].items()
        ]
        base = Marks(drawing.rows).encode(tooltip=tips)
        if drawing.by:
            names = [*dict.fromkeys(str(row[drawing.by]) for row in drawing.rows)]
            colours = {"domain": names, "range": [COLOURS[i % len(COLOURS)] for i in range(len(names))]}
            legend = {"title": None, "columns": 3, "labelLimit": 240}
            base = base.encode(color=channel(f"{drawing.by}:N", scale=colours, legend=legend))
        scale: Spec = {"type": "log", "nice": False} if drawing.log else {"zero": drawing.mark == "bar"}
        x = channel(
            f"{drawing.x}:Q", title=drawing.x, scale=scale, axis={"grid": drawing.mark == "bar", "tickCount": 5}
        )
        if isinstance(drawing.rows[0][drawing.y], str):
            y = marks.labels(drawing.y)
            tall: dict[str, Any] = {"height": {"step": 26}}
        else:
            y = channel(f"{drawing.y}:Q", title=drawing.y, scale={"zero": False}, axis={"grid": True, "tickCount": 5})
            tall = {"height": 300}
        base = base.encode(x=x, y=y)
        plain: dict[str, Any] = {} if drawing.by else {"color": CORRECTED}
        if drawing.mark == "bar":
            layers = [base.mark("bar", height=14, **plain)]
        else:
            dots = base.mark("point", filled=True, size=50, opacity=0.8, **plain)
            layers = [dots] if drawing.mark == "point" else [base.mark("line", strokeWidth=2.5, **plain), dots]
        return marks.finish(layers, **tall)

    return chart


def methods(drawn: bool) -> str:
    """The paragraph for a methods section."""
    simulated = (
        " Simulations draw as many tables of each law as the paper did, or as few as asked for, each with random "
        "numbers of its own, so that the result does not depend on the number of processes."
        if drawn
        else ""
    )
    together = (
        " Simulated figures are held together: one beyond its tolerance is a miss if it is too far off for any of them "
        "(Holm), or if more of them are beyond theirs than chance leaves, with a chance of a false alarm of 1% for the "
        "whole run."
        if drawn
        else ""
    )
    return (
        "Published figures of the papers behind Quorate were computed again by its own planners, estimators and "
        f"simulators, from components and tables that the papers or their archives publish.{simulated} A figure agrees "
        "if ours is within its tolerance, three Monte Carlo standard errors counted in; one that does not is named an "
        f"erratum only where the cause is known.{together}"
    )
