"""Checks: whether the model describes these judgments, as far as it shows without drawing data from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.reporting.page import Section
from quorate.reporting.pages.judgments import diagnosis

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis

MORE = (
    "quorate analyze --check draws data from the fit to look at more: tails, three-way interactions, the mean "
    "without each judge."
)


def section(analysis: Analysis) -> Section | None:
    """Every check that needs no draws, those that stand out first; None where nothing could be looked at."""
    found = analysis.diagnosis
    if not found.checks:
        return None
    figures = (diagnosis.checks(found), *([diagnosis.thirds(found)] if found.thirds else []))
    text = (*diagnosis.advice(found), diagnosis.TOGETHER, MORE)
    return Section("checks", "Checks of the model", text, figures)
