"""Whether a fit holds: its diagnosis, what is missing, crossed and supported, and its components on log odds."""

from __future__ import annotations

from math import isnan

import numpy as np

from quorate.analysis.judgments import Analysis
from quorate.analysis.words import cut, distinct
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.diagnostics.check import Check, NormalPlot
from quorate.estimate.diagnostics.diagnose import Diagnosis
from quorate.estimate.means.missing_bounds import MissingBounds
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, NAIVE, Spec, channel, colour, palette
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.reporting.pages.judgments.phrases import capital, more
from quorate.roles import JUDGE, PROMPT
from quorate.table.results import picked
from quorate.wording import capitalised, counted, listed, percent, plural, whole_percent

MOST_POINTS = 400
TOGETHER = (
    "P-values are read together: among all checks (Holm's method) one below .05 stands out; alone, one in twenty is "
    "that small where nothing is odd."
)


def page(result: Diagnosis, table: Table | None = None) -> Page:
    """The page of a diagnosis."""
    judgments = result.fit.judgments
    out, tested = result.standing_out, [one for one in result.checks if one.verdict != "described"]
    figures = [_residual_against_fitted(result), *([thirds(result)] if result.thirds else [])]
    facts = {"judgments": judgments.n_answers, "cells": judgments.n_cells, "data sets drawn": result.resamples}
    facts |= {plural(cut(name)): judgments.n_levels(name) for name in judgments.names}
    effects = tuple(_against_normal(result, one) for one in result.quantiles)
    unlooked = [f"Not looked at: {cut(name, 60)} ({cut(why, 200)})." for name, why in result.not_looked_at.items()]
    sections = (
        Section("checks", "What was looked at", tuple(advice(result)), (checks(result),)),
        Section("residuals", "Residuals and items", (TOGETHER, *unlooked), tuple(figures)),
        *([Section("effects", "Predicted effects against a normal law", (), effects)] if effects else []),
    )
    rests = particulars("diagnosis", "What it rests on", facts)
    how = methods(result)
    tiles = (
        Tile(f"{len(out)} of {len(tested)}", "checks stand out"),
        Tile(f"{len(result.not_looked_at)}", "could not be made"),
    )
    return Page.of(
        result, table, "Diagnosis of a fit", sections, rests, how, tiles=tiles, options=f"resamples {result.resamples}"
    )


def advice(result: Diagnosis) -> list[str]:
    """For every check that stands out: what was found, what it means for the interval, and what to do."""
    return [told(one) for one in result.standing_out]


def told(check: Check) -> str:
    """A check in full: what was found, what it means for the interval, and what to do."""
    return f"{cut(check.sentence, 400)} {capitalised(check.meaning)}. To do: {check.remedy}."


def checks(result: Diagnosis) -> Figure:
    """Every check in a row, those that stand out first."""
    found = sorted(result.checks, key=lambda one: (one.verdict != "stands out", np.isnan(one.p), one.p))
    rows: list[Row] = [
        {"looked_at": cut(one.looked_at, 100), "verdict": one.verdict, "seen": cut(one.seen, 200)}
        | {"test": f"{one.measure} {one.statistic:.3g}", "p": None if np.isnan(one.p) else one.p}
        | {"p_error": one.p_error or None, "adjusted": None if np.isnan(one.adjusted) else one.adjusted}
        | {"meaning": one.meaning, "remedy": cut(one.remedy, 200)}
        for one in found
    ]
    tested = sum(one.verdict != "described" for one in found)
    finding = f"{len(result.standing_out)} of {counted(tested, 'check')} stand out"
    heads = Short.titles("looked_at", measure="", statistic="statistic", p="p", adjusted="among all", verdict="verdict")
    titles = {"p_error": "Monte Carlo error of p", "adjusted": "p among all checks"}
    titles |= {"meaning": "what it would mean for the interval", "remedy": "what to do then"}
    return Figure.of("checks", Caption(finding), rows, heads, titles=titles)


def _residual_against_fitted(result: Diagnosis) -> Figure:
    """Residuals of the cells against what is fitted to them, evenly thinned."""
    left = result.residuals
    order = np.argsort(left.fitted, kind="stable")
    kept = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), MOST_POINTS)).round().astype(int))]
    rows: list[Row] = [
        {"fitted": float(fitted), "residual": float(residual)}
        for fitted, residual in zip(left.fitted[kept], left.residual[kept], strict=True)
    ]
    sd = float(np.std(left.residual))
    every = "" if len(kept) == len(order) else f"; {len(kept):,} of {len(order):,} are shown, evenly by what is fitted"
    lines = (
        f"Mean of a cell less what is fitted to it, in score units; {counted(len(order), 'cell')}{every}.",
        "A bend: effects do not add; a fan: noise depends on the score; parallel stripes: scores are whole numbers.",
    )

    def chart() -> Spec:
        y = channel("residual:Q", title="residual", axis={"grid": True, "tickCount": 5})
        x = marks.axis("fitted", "fitted (score units)", marks.span([row["fitted"] for row in rows]))
        base = marks.chart(rows, y, step=1).encode(x=x)
        dots = base.mark("point", filled=True, size=18, opacity=0.5, color=CORRECTED)
        return marks.finish([marks.line_at(0.0, y, "y"), dots], height=280)

    finding = f"Residuals have a standard deviation of {sd:.3g}"
    return Figure("residuals", Caption(finding, lines), rows, chart, folded=False)


def thirds(result: Diagnosis) -> Figure:
    """Variance between judges, prompts and the like on the items of each third by their mean score."""
    rows: list[Row] = [picked(one, "facet third items mean variance") for one in result.thirds]
    out = [one for one in result.standing_out if one.name.startswith("difficulty-by-")]
    what = plural(cut(result.fit.judgments.object))
    finding = f"Differences do not depend on how high {what} score by more than chance"
    if out:
        finding = cut(f"{capitalised(out[0].looked_at)}: {out[0].seen}", 200)
    line = f"Variance between levels on one of the {what}; some levels sort the {what} into thirds, others are compared"

    def chart() -> Spec:
        facets = result.fit.judgments.names
        drawn = [
            {**row, "place": f"{row['facet']}, {row['third']}", "share": row["variance"]}
            | {"colour": colour(row["facet"], facets)}
            for row in rows
        ]
        base = marks.chart(drawn, marks.labels("place"), step=26)
        x = channel("variance:Q", title="variance between levels, squared score units", scale={"zero": True})
        return marks.finish([base.mark("bar", height=14).encode(x=x, color=marks.own_colour())])

    heads = {"facet": "between", "mean": "their mean score", "items": f"{what}, as often as sorted"}
    return Figure("thirds", Caption(finding, (f"{line}, in turn.",)), rows, chart, heads)


def _against_normal(result: Diagnosis, found: NormalPlot) -> Figure:
    """Predicted effects of one term against the quantiles of a normal law, with the envelope of the fit's own draws."""
    n = len(found.effect)
    kept = np.unique(
        np.concatenate([np.arange(min(10, n)), np.linspace(0, n - 1, min(n, 60)), np.arange(max(n - 10, 0), n)])
        .round()
        .astype(int)
    )
    every = found.rows()
    rows = [{name: value for name, value in every[i].items() if name != "term"} for i in kept]
    for row in rows:
        row["level"] = cut(row["level"], 60)
    noun = "residual" if found.term == "residual" else "effect"
    term = "Residuals" if noun == "residual" else f"Effects of {cut(found.term.replace(':', ' × '))}"
    finding = f"{term}: {found.outside:,} of {counted(n, noun)} outside the envelope"
    envelope = (
        f"Predictions (BLUPs), in score units; envelope: between its edges lie 95% of the {plural(noun)} of this rank "
        f"in {result.resamples:,} data sets drawn from the fit, so that one in twenty is outside by chance."
    )
    lines = (envelope, *([f"{len(kept)} of {n:,} are shown, with the ten at either end."] if len(kept) < n else []))

    def chart() -> Spec:
        shown = [{**row, "colour": CORRECTED if row["low"] <= row["effect"] <= row["high"] else MISSED} for row in rows]
        y = channel("effect:Q", title=f"{noun} (score units)", axis={"grid": True, "tickCount": 5})
        x = marks.axis("normal", "quantile of a normal law", marks.span([row["normal"] for row in rows]))
        base = marks.chart(shown, y, step=1).encode(x=x)
        band = base.mark("area", opacity=0.2, color=NAIVE, aria=False).encode(
            y=channel("low:Q", title=f"{noun} (score units)"), y2="high"
        )
        dots = base.mark("point", filled=True, size=30, opacity=0.9).encode(color=marks.own_colour())
        return marks.finish([band, dots], height=240)

    name = f"normal-{found.term.replace(':', '-').replace(' ', '')}"
    heads = {"normal": "normal quantile", "low": "envelope, low", "high": "envelope, high"}
    return Figure(name, Caption(finding, lines), rows, chart if n > 2 else None, heads)


def methods(result: Diagnosis) -> str:
    """The paragraph for a methods section."""
    drawn = (
        f" Tails (excess kurtosis of predictions and residuals) and three-way interactions (likelihood ratio) were "
        f"tested against at most {result.resamples:,} data sets drawn from the fit."
        if result.resamples
        else ""
    )
    return (
        "The model was checked for unequal noise of judges (Brown and Forsythe's distances, Hotelling's test over "
        "items), for a judge apart from the others (Grubbs' test for effects; distances by judge for interactions), "
        "for interactions that depend on difficulty (items sorted by one part of the levels, compared on the other) "
        f"and for effects that do not add (Tukey's one degree of freedom).{drawn} P-values were adjusted by Holm's "
        f"method over {counted(sum(one.verdict != 'described' for one in result.checks), 'check')}."
    )


MOST_PAIRS = 45
"""Pairs of facets that the diagram of crossings has room for."""
_MEETINGS = {
    "complete": ("#1F6FA8", "white"),
    "nested": ("#CFCF9A", "#14181D"),
    "one-to-one": ("#E3B7D0", "#14181D"),
    "partial": ("#A9CDE6", "#14181D"),
}
"""Fill and ink of a pair of facets, by how they meet."""


def health_section(analysis: Analysis) -> Section:
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
        {"level": labels[i], "rows": int(found.rows[i]), "without_score": int(found.missing[i])}
        | {"share": float(found.share[i])}
        | {"absent_cells": None if found.absent is None else int(found.absent[i])}
        for i in np.argsort(-found.share, kind="stable")
    ]
    least, most = percent(rows[-1]["share"]), percent(rows[0]["share"])
    shares = least if least == most else f"{least} to {most}"
    finding = f"{shares} of the judgments have no usable score, depending on the {facet}"
    some = [row for row in rows if row["without_score"]]
    line = f"Share of rows without a usable score, by {facet}; {counted(sum(row['rows'] for row in rows), 'row')}."
    whole = f"Not drawn: {counted(len(rows) - len(some), facet)} with every score." if len(some) < len(rows) else ""
    chart = marks.bars(some, "level", "share", palette(analysis.judgments.names).get(facet, NAIVE))
    heads = {"level": facet, "share": "share without score"}
    caption = Caption(finding, (line, *([whole] if whole else []), *more(some)))
    return Figure(f"missing-{facet}", caption, rows, chart, heads)


def bounds(found: MissingBounds) -> Figure:
    """How far missing answers could move the means: mean of the answers, and of all if missing ones were an end."""
    rows: list[Row] = [
        {"facet": one.facet, "level": cut(one.level), "rows": one.rows, "without_score": one.missing}
        | {"mean": None if isnan(one.mean) else one.mean, "low": one.low, "high": one.high}
        for one in found.levels
    ]
    line = "Plain means, in which every row weighs the same; nothing is assumed of why answers are missing."
    heads = Short.titles(*[*rows[0]][:5])
    titles = {"mean": "mean of answers", "low": f"if all were {found.worst:g}", "high": f"if all were {found.best:g}"}
    return Figure.of("missing-bounds", Caption(found.sentence.rstrip("."), (line,)), rows, heads, titles=titles)


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


HEADING = "On the scale of log odds"
WHY = (
    "Where scores are near an end of their scale, the variance of a judgment depends on its mean; log odds have one "
    "scale for all. If both put the components in the same order, what to change first does not depend on the scale. "
    "Intervals and plans are those of scores as numbers."
)


def latent_section(analysis: Analysis) -> Section | None:
    """Whether the scale of log odds tells another story, where that was looked at."""
    if analysis.latent is None:
        return Section("latent", HEADING, (f"{capital(analysis.latent_reason)}.",)) if analysis.latent_reason else None
    return Section("latent", HEADING, (analysis.latent.sentence, WHY), (shares(analysis.latent),))


def latent_page(fit: LatentDecomposition, table: Table | None = None) -> Page:
    """The page of components of log odds."""
    chosen = {"link": fit.link, "method": fit.method, "deviance": fit.deviance}
    parts = (Section("latent", HEADING, (WHY,), (shares(fit),)),)
    rests = particulars("model", f"Fitted to {fit.judgments.n_answers:,} judgments", chosen)
    how = (
        "Random effects on the log odds are normal; the likelihood is Laplace's approximation, and one judgment "
        "has variance pi^2/3. The mean is over the random effects, its interval by the delta method on log odds."
    )
    return Page.of(fit, table or fit.judgments, "Components of log odds", parts, rests, how)


def shares(fit: LatentDecomposition) -> Figure:
    """Share of every component of the variance of one judgment, on both scales."""
    parts = sorted(fit.components, key=lambda one: -one.share)
    names = distinct([cut(one.name) for one in parts])
    keys = ("share", "linear", "variance", "se", "kind")
    rows: list[Row] = [
        {"term": name} | {key: getattr(one, key) for key in keys} for name, one in zip(names, parts, strict=True)
    ]

    def chart() -> Spec:
        scales = {"log odds": "share", "scores as numbers": "linear"}
        drawn = [
            {"term": row["term"], "scale": name, "share": row[key]} for row in rows for name, key in scales.items()
        ]
        colour = channel("scale:N", scale={"domain": [*scales], "range": [CORRECTED, NAIVE]}, title=None)
        x = channel("share:Q", title="share of the variance of one judgment", axis={"format": "%"})
        base = marks.chart(drawn, marks.labels("term"), step=marks.step(rows))
        return marks.finish([base.mark("point", filled=True, size=80).encode(x=x, color=colour)])

    finding = f"The orders of the components have a Spearman correlation of {fit.rank_correlation:.2f}"
    lines = ("Share of the variance of one judgment: of log odds, and of scores as numbers.",)
    heads = Short.titles(term="component", share="log odds", linear="scores")
    titles = {"share": "share, log odds", "linear": "share, scores", "variance": "variance, log odds"}
    return Figure.of("latent", Caption(finding, lines), rows, heads, chart, titles=titles, percent="share linear")


MORE = (
    "quorate analyze --check draws data from the fit to look at more: tails, three-way interactions, the mean "
    "without each judge."
)


def checks_section(analysis: Analysis) -> Section | None:
    """Every check that needs no draws, those that stand out first; None where nothing could be looked at."""
    found = analysis.diagnosis
    if not found.checks:
        return None
    figures = (checks(found), *([thirds(found)] if found.thirds else []))
    text = (*advice(found), TOGETHER, MORE)
    return Section("checks", "Checks of the model", text, figures)
