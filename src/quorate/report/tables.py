"""The numbers behind every figure: rows of plain values, which charts draw, tables show and downloads hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.report.contributions import contributions
from quorate.report.labels import distinct, shown
from quorate.report.summary import Analysis
from quorate.report.views import JUDGE
from quorate.report.words import advice

if TYPE_CHECKING:
    from quorate.estimate.robustness import Part
    from quorate.plan.dstudy import Projection
    from quorate.plan.whatif import WhatIf
    from quorate.table.describe import Description

Row = dict[str, Any]
POPULATION, PANEL, NAIVE = "judges like these", "this panel", "naive"


def intervals(analysis: Analysis) -> list[Row]:
    """The naive interval and the corrected ones: interval, mean, se, df, low, high, n."""
    overall = analysis.naive.overall
    naive = {"mean": overall.value, "se": overall.se, "df": None, "low": overall.low, "high": overall.high}
    rows = [{"interval": NAIVE, **naive, "n": overall.n}]
    for name, view in ((_panel_name(analysis), analysis.panel), (POPULATION, analysis.population)):
        if view is not None:
            low, high = view.interval(analysis.level)
            limits = {"mean": view.value, "se": view.se, "df": view.df, "low": low, "high": high}
            rows.append({"interval": name, **limits, "n": view.n})
    return rows


def components(analysis: Analysis) -> list[Row]:
    """Components by what they bring to the uncertainty of the mean: component, share, se, low, high, and as fitted."""
    facets = [name for name in analysis.judgments.names if analysis.judgments.n_levels(name) > 1]
    return [
        {
            "component": shown(one.component.name),
            "share_of_variance": one.share,
            "se": one.se,
            "low": one.low,
            "high": one.high,
            "variance": one.component.variance,
            "levels": one.component.levels,
            "estimated_at_zero": one.se == 0,
            "what_shrinks_it": shown(advice(one.component.name, facets), 200),
        }
        for one in contributions(analysis.fit, analysis.headline)
    ]


def per_judgment(analysis: Analysis) -> list[Row]:
    """Components of the variance of one judgment: component, share, variance, se, low, high, levels, kind."""
    ordered = sorted(analysis.fit.components, key=lambda one: -one.share)
    names = ("variance", "se", "low", "high", "levels", "kind")
    return [
        {"component": shown(one.name), "share_of_variance": one.share, **{name: getattr(one, name) for name in names}}
        for one in ordered
    ]


def what_if(analysis: Analysis) -> list[Row]:
    """Changes to the design: number, change, se, relative change, calls, more calls, cost, and the facet changed."""
    base = analysis.what_if[0].projection if analysis.what_if else None
    return [{"number": i, "change": shown(one.label), **_what_if(one, base)} for i, one in enumerate(analysis.what_if)]


def changed(base: Projection, other: Projection) -> str:
    """The facet in which two projected designs differ; the judge where only the layout does."""
    for name, levels in other.design.items():
        if base.design[name] != levels:
            return str(name)
    return JUDGE if base.layout != other.layout else ""


def effects(analysis: Analysis, facet: str) -> list[Row]:
    """Levels of a facet against the mean over them: level, effect, se, low, high, mean, n; the highest first."""
    found = sorted(analysis.effects[facet], key=lambda one: -one.effect)
    names = ("effect", "se", "low", "high", "mean", "n")
    labels = distinct([one.level for one in found])
    return [
        {"level": label, **{name: getattr(one, name) for name in names}}
        for label, one in zip(labels, found, strict=True)
    ]


def means(analysis: Analysis) -> list[Row]:
    """Mean score of every combination of judge (row) and prompt (column): row, column, mean."""
    grid = analysis.means
    if grid is None:
        return []
    rows, columns = distinct(grid.rows), distinct(grid.columns)
    return [
        {"row": row, "column": column, "mean": float(grid.mean[i, k])}
        for i, row in enumerate(rows)
        for k, column in enumerate(columns)
    ]


def leave_one_out(analysis: Analysis) -> list[Row]:
    """The mean without each judge: level left out, mean, change, se, low, high, n; why not where there is none."""
    rows = _parts(analysis, analysis.leave_one_out)
    for row in rows:
        row["change"] = None if row["mean"] is None else row["mean"] - analysis.mean.value
    return rows


def by_category(analysis: Analysis) -> list[Row]:
    """The mean within each category: level, mean, se, low, high, n; why not where there is none."""
    return _parts(analysis, analysis.by_category)


def single(analysis: Analysis) -> list[Row]:
    """Single configurations: labels, mean, naive limits, corrected limits, whether the naive one misses; by mean."""
    found = sorted(analysis.naive.single, key=lambda one: one.naive.value)
    varied = [name for name in found[0].labels if analysis.several(name)] if found else []
    labels = distinct([" · ".join(one.labels[name] for name in varied) or "all" for one in found])
    return [
        {
            "configuration": label,
            "mean": one.naive.value,
            "naive_low": one.naive.low,
            "naive_high": one.naive.high,
            "corrected_low": one.corrected_low,
            "corrected_high": one.corrected_high,
            "naive_misses": one.misses,
            "n": one.naive.n,
        }
        for label, one in zip(labels, found, strict=True)
    ]


def statuses(analysis: Analysis) -> list[Row]:
    """Rows by status: status, rows, share."""
    return [{"status": one.name, "rows": one.rows, "share": one.share} for one in facts(analysis).statuses]


def missing(analysis: Analysis, facet: str) -> list[Row]:
    """What is missing at each level of a facet: level, rows, without score, share, absent cells; the most first."""
    found = next(one for one in facts(analysis).missing if one.facet == facet)
    labels = distinct(found.levels)
    order = np.argsort(-found.share, kind="stable")
    return [
        {
            "level": labels[i],
            "rows": int(found.rows[i]),
            "without_score": int(found.missing[i]),
            "share": float(found.share[i]),
            "absent_cells": None if found.absent is None else int(found.absent[i]),
        }
        for i in order
    ]


def crossings(analysis: Analysis) -> list[Row]:
    """How every two facets meet: facets, kind, pairs that occur, their share of all pairs."""
    return [
        {"facet": one.a, "with": one.b, "layout": one.kind, "pairs": one.pairs, "share": one.share}
        for one in facts(analysis).crossings
    ]


def support(analysis: Analysis) -> list[Row]:
    """Analyses and whether the judgments support them, those that they do not first."""
    found = sorted(analysis.support.analyses, key=lambda one: one.possible)
    return [
        {"analysis": shown(o.name), "possible": o.possible, "reason": shown(o.reason, 300), "fix": shown(o.fix, 300)}
        for o in found
    ]


def facts(analysis: Analysis) -> Description:
    """Facts about the judgments as read."""
    return analysis.support.facts


def _panel_name(analysis: Analysis) -> str:
    if JUDGE not in analysis.judgments.names:
        return "corrected"
    return PANEL if analysis.judgments.n_levels(JUDGE) > 1 else "this judge"


def _what_if(one: WhatIf, base: Projection | None) -> Row:
    made = one.projection
    if made is None or base is None:
        names = ("se", "change_of_se", "calls", "more_calls", "more_cost")
        return {**dict.fromkeys(names), "facet": "", "why_not": one.reason}
    return {
        "se": made.se,
        "change_of_se": one.change,
        "calls": made.calls,
        "more_calls": one.more_calls,
        "more_cost": one.more_cost,
        "facet": changed(base, made),
        "why_not": "",
    }


def _parts(analysis: Analysis, parts: Sequence[Part]) -> list[Row]:
    labels = distinct([part.level for part in parts])
    return [{"level": label, **_part(analysis, part)} for label, part in zip(labels, parts, strict=True)]


def _part(analysis: Analysis, part: Part) -> Row:
    if part.estimate is None:
        return {**dict.fromkeys(("mean", "se", "low", "high", "n")), "why_not": part.reason}
    low, high = part.estimate.interval(analysis.level)
    estimate = {"mean": part.estimate.value, "se": part.estimate.se, "low": low, "high": high, "n": part.estimate.n}
    return {**estimate, "why_not": ""}


def known(rows: Iterable[Mapping[str, Any]], *names: str) -> list[Row]:
    """The rows in which all of these are finite numbers."""
    return [dict(row) for row in rows if all(row[name] is not None and np.isfinite(row[name]) for name in names)]
