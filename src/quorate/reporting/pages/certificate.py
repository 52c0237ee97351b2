"""Certificates: what intervals made as an answer's was do in studies drawn like its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.reporting.page import Caption, Figure, Section, Short
from quorate.wording import percent

if TYPE_CHECKING:
    from quorate.analysis.certify import Certificate


def section(found: Certificate) -> Section:
    """How often intervals hold the truth, and how wide they are."""
    return Section("certificate", "Do such intervals hold?", figures=(coverage(found),))


def coverage(found: Certificate) -> Figure:
    """Coverage, width and power of every reading."""
    rows = [
        {
            "scope": one.scope or "all",
            "coverage": f"{percent(one.coverage)} ± {100 * one.coverage_error:.1f}",
            "width": f"{one.width:.2f} ± {one.width_error:.2f}",
            "told_apart": one.told_apart,
            "studies": one.studies - one.refused,
            "refused": one.refused,
        }
        for one in found.found
    ]
    heads = {"scope": " ", "coverage": "hold the truth", "width": "times as wide", "told_apart": "told apart"}
    held = rows[0]["coverage"]
    finding = f"Do such intervals hold? Of studies drawn like this one {held} have one that holds the truth"
    told = "Told apart: a difference as found, or of a board the share of pairs."
    width = "±: Monte Carlo standard errors. Width: of the interval if the standard error were known."
    lines = (found.sentence, f"{width} {told}")
    short = Short(heads | {"scope": ""})
    return Figure("certificate", Caption(finding, lines), rows, headers=heads, short=short)
