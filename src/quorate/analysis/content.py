"""Content of an analysis as plain values: rows for frames, everything for JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quorate.table.results import Row, plain

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.components.robustness import Stated
    from quorate.estimate.means.mean import Estimate


# Credentials left out of the addresses and commands that a reader is shown.


HIDDEN = "…"
_URL = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]+:/+)([^\s'\"<>]*)")
_SECRET = re.compile(
    r"(?i)(--[\w-]*(?:token|secret|password|api[_-]?key|access[_-]?key)[\w-]*(?:=|\s+)"
    r"|\b(?:secret|password|api[_-]?key|access[_-]?key)=)(\S+)"
)


def scrubbed(text: str) -> str:
    """Text without what opens doors: names and passwords in addresses, their queries, values of keys and tokens.

    Examples
    --------
    >>> scrubbed("quorate analyze 's3://AKIA:se/cr+et@bucket/a.csv?token=abc'")
    "quorate analyze 's3://…@bucket/a.csv?…'"
    >>> scrubbed("quorate analyze a@b.csv --api-key sk-123")
    'quorate analyze a@b.csv --api-key …'
    """
    return _SECRET.sub(rf"\1{HIDDEN}", _URL.sub(_without_credentials, text))


def _without_credentials(found: re.Match[str]) -> str:
    rest, mark, query = found[2].partition("?")
    rest, fragment, _ = rest.partition("#")
    before, at, after = rest.rpartition("@")
    if at and ":" not in before:  # a name alone stands before the first slash; a later @ belongs to the path
        before, at, after = rest.partition("@")
        if "/" in before:
            before, at, after = "", "", rest
    place = f"{HIDDEN}@{after}" if at else rest
    return f"{found[1]}{place}{f'{mark or fragment}{HIDDEN}' if query or mark or fragment else ''}"


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
            low, high = view.at(analysis.level).ends
            numbers = {"mean": view.value, "se": view.se, "df": view.df, "low": low, "high": high}
            found.append({"interval": name, **numbers, "n": view.n})
    return found


def content(analysis: Analysis) -> dict[str, Any]:
    """Everything that an analysis says; what is not known or not finite is None."""
    source = analysis.judgments.source
    names = ("sentence", "level", "price", "answer", "sources", "what_if", "purchases", "caveats", "effects")
    reasons = ("means", "effects_reasons", "others_reason", "grouping")
    people = ("flags", "flags_reason", "judge_panel_reason", "latent_reason")
    estimates = {name: _estimate(getattr(analysis, name), analysis.level) for name in ("setup", "others")}
    parts = {name: _parts(getattr(analysis, name)) for name in ("leave_one_out", "by_category")}
    fitted = {name: getattr(analysis.fit, name) for name in ("components", "absorbed", "method", "criterion")}
    found: dict[str, Any] = plain(
        {name: getattr(analysis, name) for name in (*names, *reasons, *people)}
        | {
            "sources": [{name: getattr(one, name) for name in SOURCE} for one in analysis.sources],
            **estimates,
            **parts,
            **fitted,
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
    low, high = estimate.at(level).ends
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
