"""The numbers behind every figure: rows of plain values, which charts draw, tables show and downloads hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.analysis.designs import in_words
from quorate.analysis.judgments import Analysis
from quorate.analysis.labels import distinct, shown
from quorate.reporting.filters import where
from quorate.roles import JUDGE

if TYPE_CHECKING:
    from quorate.estimate.components.robustness import Part
    from quorate.estimate.means.flags import Flag
    from quorate.plan.designs.dstudy import Projection
    from quorate.plan.search.optimum import Optimum
    from quorate.plan.search.whatif import WhatIf
    from quorate.table.facts.describe import Description

Row = dict[str, Any]
MOST_ENDS = 10
"""Configurations of a flagged item that are listed from each end."""
BINS = 60
"""Places on the axis of scores at which configurations count as equal in a chart."""
FAR = 2.5
"""Designs with a standard error so many times that of the study at hand are not shown."""
MOST_SHOWN = 40
"""Designs of the frontier that are listed."""
MOST_STEPS = 200
"""Steps of the line that is the frontier."""
MOST_DESIGNS = 800
"""Designs that the picture of all of them samples."""


def intervals(analysis: Analysis) -> list[Row]:
    """The naive interval and the corrected ones: interval, mean, se, df, low, high, n."""
    return analysis.rows()


def components(analysis: Analysis) -> list[Row]:
    """Components by what they bring to the uncertainty of the mean: component, share, se, low, high, and as fitted."""
    return [
        {
            "component": shown(one.component),
            "share_of_variance": one.share,
            "se": one.se,
            "low": one.low,
            "high": one.high,
            "variance": one.fitted.variance,
            "levels": one.fitted.levels,
            "estimated_at_zero": one.se == 0,
            "what_shrinks_it": shown(one.advice, 200),
        }
        for one in analysis.contributions
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


def frontier(analysis: Analysis) -> list[Row]:
    """The design at hand, the best ones beside it, and some of those that no other beats in both."""
    best = analysis.optimum
    if best is None:
        return []
    near = [plan for plan in best.along(MOST_SHOWN) if _is_near(plan.se, best)]
    named = [("as it is", best.own), ("best at the same cost", best.same_cost), ("cheapest as precise", best.same_se)]
    rows = [{"place": name, **_design(plan)} for name, plan in named if plan is not None]
    return rows + [{"place": "on the frontier", **_design(plan)} for plan in near]


def edge(analysis: Analysis) -> list[Row]:
    """The frontier as a line: cost and standard error, as many as a line needs."""
    best = analysis.optimum
    if best is None:
        return []
    return [{"cost": plan.cost, "se": plan.se} for plan in best.along(MOST_STEPS) if _is_near(plan.se, best)]


def cloud(analysis: Analysis) -> list[Row]:
    """A sample of all designs within reach: cost and standard error."""
    best = analysis.optimum
    if best is None:
        return []
    pairs = zip(best.cloud.cost.tolist(), best.cloud.se.tolist(), strict=True)
    rows = [{"cost": cost, "se": se} for cost, se in pairs if cost > 0 and _is_near(se, best)]
    return rows[:: max(1, -(-len(rows) // MOST_DESIGNS))]


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


def flagged(analysis: Analysis) -> list[Row]:
    """Items on which configurations differ most: label, spread with interval, df, range, and how to find the rows.

    Spreads are standard deviations of one judgment, in score units.
    """
    if analysis.flags is None:
        return []
    rows = zip(_flag_labels(analysis.flags.flags), analysis.flags.flags, strict=True)
    return [
        {
            "item": label,
            "rows": where(analysis.judgments, one.labels),
            "lowest": one.lowest,
            "highest": one.highest,
            "spread": one.variance**0.5,
            "low": one.low**0.5,
            "high": one.high**0.5,
            "df": one.df,
            "judgments": one.n,
            "configurations": one.cells,
            "expected": one.expected**0.5,
        }
        for label, one in rows
    ]


def flagged_scores(analysis: Analysis) -> list[Row]:
    """How each flagged item was scored: item, configuration, mean, judgments, least, greatest; the lowest first.

    Of an item with many configurations, the lowest and the highest.
    """
    if analysis.flags is None:
        return []
    both = zip(_flag_labels(analysis.flags.flags), analysis.flags.flags, strict=True)
    return [row for label, one in both for row in _scores_of(analysis, label, one)]


def flagged_spread(analysis: Analysis) -> list[Row]:
    """How many configurations scored each flagged item alike: item, mean, configurations; equal but for the bin."""
    if analysis.flags is None:
        return []
    fitted, scores = analysis.fit.judgments, facts(analysis).scores
    step = max((scores.high - scores.low) / BINS, np.finfo(float).tiny)
    rows = []
    for label, one in zip(_flag_labels(analysis.flags.flags), analysis.flags.flags, strict=True):
        mean = fitted.mean[_cells_of(analysis, one)]
        bins = np.rint((mean - scores.low) / step)
        for at in np.unique(bins):
            alike = mean[bins == at]
            rows.append({"item": label, "mean": float(alike.mean()), "configurations": len(alike)})
    return rows


def facts(analysis: Analysis) -> Description:
    """Facts about the judgments as read."""
    return analysis.support.facts


def _is_near(se: float, best: Optimum) -> bool:
    """Whether a design is precise enough to be looked at beside the one at hand."""
    return best.own is None or se <= FAR * best.own.se


def _design(plan: Projection) -> Row:
    numbers = {"se": plan.se, "calls": plan.calls, "cost": plan.cost}
    return {"design": in_words(plan), **numbers}


def _flag_labels(flags: Sequence[Flag]) -> list[str]:
    return distinct([" / ".join(one.labels.values()) for one in flags])


def _cells_of(analysis: Analysis, one: Flag) -> NDArray[np.intp]:
    """Cells of a flagged item."""
    fitted = analysis.fit.judgments
    member = np.ones(fitted.n_cells, dtype=bool)
    for role, text in one.labels.items():
        member &= fitted.column(role) == fitted.level_index(role, text)
    return np.flatnonzero(member)


def _scores_of(analysis: Analysis, label: str, one: Flag) -> list[Row]:
    """The lowest and the highest configurations of an item."""
    fitted, over = analysis.fit.judgments, analysis.flags.over if analysis.flags is not None else ()
    found = _cells_of(analysis, one)
    found = found[np.argsort(fitted.mean[found], kind="stable")]
    kept = found if len(found) <= 2 * MOST_ENDS else np.concatenate([found[:MOST_ENDS], found[-MOST_ENDS:]])
    varied = [name for name in over if analysis.several(name)]
    columns = [(fitted.facet(name).levels, fitted.column(name)) for name in varied]
    return [
        {
            "item": label,
            "configuration": shown(" · ".join(levels[column[cell]] for levels, column in columns) or "all"),
            "mean": float(fitted.mean[cell]),
            "judgments": int(fitted.n[cell]),
            "lowest": float(fitted.low[cell]),
            "highest": float(fitted.high[cell]),
        }
        for cell in kept
    ]


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
