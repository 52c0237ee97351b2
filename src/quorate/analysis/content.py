"""Content of an analysis as plain values: rows for frames, everything for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quorate.analysis.credentials import scrubbed
from quorate.table.results import Row, plain

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.components.robustness import Stated
    from quorate.estimate.means.mean import Estimate

OTHERS, SETUP, NAIVE = "others like it", "this setup", "naive"
"""Names of intervals."""
SOURCE = ("component", "share", "se", "advice")
"""What is said of a source of uncertainty."""


def rows(analysis: Analysis) -> list[Row]:
    """The naive interval and the corrected ones: interval, mean, se, df, low, high, n."""
    overall = analysis.naive.overall
    naive = {"mean": overall.value, "se": overall.se, "df": None, "low": overall.low, "high": overall.high}
    found: list[Row] = [{"interval": NAIVE, **naive, "n": overall.n}]
    for name, view in ((SETUP, analysis.setup), (OTHERS, analysis.others)):
        if view is not None:
            low, high = view.interval(analysis.level)
            numbers = {"mean": view.value, "se": view.se, "df": view.df, "low": low, "high": high}
            found.append({"interval": name, **numbers, "n": view.n})
    return found


def content(analysis: Analysis) -> dict[str, Any]:
    """Everything that an analysis says; what is not known or not finite is None."""
    source = analysis.judgments.source
    names = ("sentence", "level", "price", "answer", "sources", "what_if", "purchases", "caveats", "effects")
    reasons = ("means", "effects_reasons", "others_reason", "grouping")
    people = ("flags", "flags_reason", "optimum_reason", "judge_panel_reason", "latent_reason")
    estimates = {name: _estimate(getattr(analysis, name), analysis.level) for name in ("setup", "others")}
    parts = {name: _parts(getattr(analysis, name)) for name in ("leave_one_out", "by_category")}
    best = None if analysis.optimum is None else analysis.optimum.to_dict()
    fitted = {name: getattr(analysis.fit, name) for name in ("components", "absorbed", "method", "criterion")}
    found: dict[str, Any] = plain(
        {name: getattr(analysis, name) for name in (*names, *reasons, *people)}
        | {
            "sources": [{name: getattr(one, name) for name in SOURCE} for one in analysis.sources],
            **estimates,
            **parts,
            **fitted,
            "optimum": best,
            "diagnosis": analysis.diagnosis.to_dict(),
            "missing": None if analysis.missing is None else analysis.missing.to_dict(),
            "judge_panel": None if analysis.judge_panel is None else analysis.judge_panel.to_dict(),
            "latent": None if analysis.latent is None else analysis.latent.to_dict(),
            "aliases": [sorted(names) for names in analysis.fit.aliases],
        }
        | {
            "naive": {**analysis.naive.to_dict(), "single": analysis.naive.single},
            "support": analysis.support.to_dict(),
        }
        | {"source": replace(source, name=scrubbed(source.name)), "notes": analysis.judgments.notes}
    )
    return found


def _estimate(estimate: Estimate | None, level: float) -> dict[str, Any] | None:
    if estimate is None:
        return None
    low, high = estimate.interval(level)
    names = ("value", "se", "df", "n", "shares", "target", "caveats")
    return {name: getattr(estimate, name) for name in names} | {"low": low, "high": high}


def _parts(parts: Sequence[Stated]) -> list[dict[str, Any]]:
    return [
        {
            "level": one.level,
            "reason": one.reason,
            "items": one.items,
            "estimate": None if one.estimate is None else one.estimate._asdict(),
        }
        for one in parts
    ]
