"""Diagnosis of a fit: what was looked at, residuals against fitted, hard and easy items, effects against the normal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.analysis.words import cut
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, NAIVE, colour
from quorate.reporting.draw.vega import Marks, channel
from quorate.reporting.page import (
    Caption,
    Figure,
    Page,
    Row,
    Section,
    Short,
    Tile,
    particulars,
    source_of,
    title_of,
)
from quorate.wording import capitalised, counted, plural

if TYPE_CHECKING:
    from quorate.estimate.diagnostics.check import Check, Quantiles
    from quorate.estimate.diagnostics.diagnose import Diagnosis
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table

MOST_POINTS = 400
TOGETHER = (
    "P-values are read together: among all checks (Holm's method) one below .05 stands out; alone, one in twenty is "
    "that small where nothing is odd."
)


def page(result: Diagnosis, table: Table | None = None) -> Page:
    """The page of a diagnosis."""
    judgments = result.fit.judgments
    out, tested = result.standing_out, [one for one in result.checks if one.verdict != "described"]
    figures = [residual_against_fitted(result), *([thirds(result)] if result.thirds else [])]
    facts = {"judgments": judgments.n_answers, "cells": judgments.n_cells, "data sets drawn": result.resamples}
    facts |= {plural(cut(name)): judgments.n_levels(name) for name in judgments.names}
    effects = tuple(against_normal(result, one) for one in result.quantiles)
    sections = (
        Section("checks", "What was looked at", tuple(advice(result)), (checks(result),)),
        Section("residuals", "Residuals and items", (TOGETHER, *unlooked(result)), tuple(figures)),
        *([Section("effects", "Predicted effects against a normal law", (), effects)] if effects else []),
    )
    return Page(
        title=title_of(table, "Diagnosis of a fit"),
        sentence=result.sentence,
        sections=sections,
        facts=particulars("diagnosis", "What it rests on", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        tiles=(
            Tile(f"{len(out)} of {len(tested)}", "checks stand out"),
            Tile(f"{len(result.not_looked_at)}", "could not be made"),
        ),
        source=source_of(table),
        options=f"resamples {result.resamples}",
    )


def advice(result: Diagnosis) -> list[str]:
    """For every check that stands out: what was found, what it means for the interval, and what to do."""
    return [told(one) for one in result.standing_out]


def told(check: Check) -> str:
    """A check in full: what was found, what it means for the interval, and what to do."""
    return f"{cut(check.sentence, 400)} {capitalised(check.meaning)}. To do: {check.remedy}."


def unlooked(result: Diagnosis) -> list[str]:
    """What could not be looked at, and why."""
    return [f"Not looked at: {cut(name, 60)} ({cut(why, 200)})." for name, why in result.not_looked_at.items()]


def checks(result: Diagnosis) -> Figure:
    """Every check in a row, those that stand out first."""
    found = sorted(result.checks, key=lambda one: (one.verdict != "stands out", np.isnan(one.p), one.p))
    rows: list[Row] = [
        {
            "looked_at": cut(one.looked_at, 100),
            "verdict": one.verdict,
            "seen": cut(one.seen, 200),
            "test": f"{one.measure} {one.statistic:.3g}",
            "p": None if np.isnan(one.p) else one.p,
            "p_error": one.p_error or None,
            "adjusted": None if np.isnan(one.adjusted) else one.adjusted,
            "meaning": one.meaning,
            "remedy": cut(one.remedy, 200),
        }
        for one in found
    ]
    heads = {"looked_at": "looked at", "p_error": "Monte Carlo error of p", "adjusted": "p among all checks"}
    heads |= {"meaning": "what it would mean for the interval", "remedy": "what to do then"}
    tested = sum(one.verdict != "described" for one in found)
    finding = f"{len(result.standing_out)} of {counted(tested, 'check')} stand out"
    return Figure(
        "checks",
        Caption(finding),
        rows,
        None,
        heads,
        short=Short(
            {
                "looked_at": "looked at",
                "measure": "",
                "statistic": "statistic",
                "p": "p",
                "adjusted": "among all",
                "verdict": "verdict",
            }
        ),
    )


def residual_against_fitted(result: Diagnosis) -> Figure:
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
        zero = Marks([{"at": 0.0}]).mark("rule", color=INK, opacity=0.5, strokeDash=[4, 3])
        dots = base.mark("point", filled=True, size=18, opacity=0.5, color=CORRECTED)
        return marks.finish([zero.encode(y=channel("at:Q", title="residual")), dots], height=280)

    finding = f"Residuals have a standard deviation of {sd:.3g}"
    return Figure("residuals", Caption(finding, lines), rows, chart, folded=False)


def thirds(result: Diagnosis) -> Figure:
    """Variance between judges, prompts and the like on the items of each third by their mean score."""
    names = ("facet", "third", "items", "mean", "variance")
    rows: list[Row] = [{name: getattr(one, name) for name in names} for one in result.thirds]
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


def against_normal(result: Diagnosis, found: Quantiles) -> Figure:
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
    lines = (
        envelope,
        *([f"{len(kept)} of {n:,} are shown, with the ten at either end."] if len(kept) < n else []),
    )

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
